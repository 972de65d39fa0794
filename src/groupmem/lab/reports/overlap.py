"""Which questions two runs have in common: only on these can they be compared."""

from __future__ import annotations

import polars as pl

from groupmem.lab.reports.frames import RunFrames
from groupmem.lab.reports.table import counted
from groupmem.types import Record

_KEYS = ("unit", "question")


class Overlap(Record, frozen=True, kw_only=True):
    """Counts of questions: the same in both runs, under one id with other words, asker or gold, or only in one run."""

    shared: int
    changed: int
    only_first: int
    only_second: int

    def notes(self) -> tuple[str, ...]:
        """What was left out, in words."""
        counts = {
            "only in the first run": self.only_first,
            "only in the second run": self.only_second,
            "with other words, asker or gold under the same id": self.changed,
        }
        left_out = [f"{count:,} {what}" for what, count in counts.items() if count]
        return (f"{counted(self.shared, 'question')} in both runs; left out: {', '.join(left_out) or 'none'}",)


def shared_questions(first: RunFrames, second: RunFrames) -> tuple[pl.DataFrame, Overlap]:
    """(unit and question of those that both runs asked alike, the counts)."""
    ours, theirs = _asked(first), _asked(second)
    both = ours.join(theirs, on=_KEYS, maintain_order="left")
    shared = both.filter(pl.col("fingerprint") == pl.col("fingerprint_right")).select(_KEYS)
    overlap = Overlap(
        shared=len(shared),
        changed=len(both) - len(shared),
        only_first=len(ours) - len(both),
        only_second=len(theirs) - len(both),
    )
    return shared, overlap


def _asked(frames: RunFrames) -> pl.DataFrame:
    return frames.questions.select(*_KEYS, "fingerprint").unique(maintain_order=True)
