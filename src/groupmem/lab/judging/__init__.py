"""Judging: what a `Judge` is (`judge`), and the verdict on one answer (`verdict`)."""
