"""Ingests that are paid for once: what a finished one was made from (`key`), where it is kept (`cache`), and how a cell
is given it or leaves it there (`cell`)."""
