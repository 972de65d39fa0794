"""The stages of a run, in order: ingest and recall (one live system at a time), answer, judge (calls side by side)."""
