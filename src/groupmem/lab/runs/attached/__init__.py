"""Databases that a run starts for its systems, and stops: nothing of them is there before or after it."""
