"""What the model calls of a cell came to, by the part of the work that they were for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from groupmem.models.calllog import CallLog
from groupmem.types import Record, Usage

INGEST, AGENT, JUDGE = "ingest", "agent", "judge"
"""The parts of the work that every system has."""

_PARTS = {"ingest": INGEST, "recall": AGENT, "answer": AGENT, "judge": JUDGE}
"""Phase of a run to part."""


class PathUsage(Record, frozen=True, kw_only=True, omit_defaults=False):
    """Chat calls of one part of the work, replies from the cache too. None: a provider did not say."""

    calls: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None

    @property
    def tokens(self) -> int | None:
        known = self.input_tokens is not None and self.output_tokens is not None
        return (self.input_tokens or 0) + (self.output_tokens or 0) if known else None

    def __add__(self, other: PathUsage) -> PathUsage:
        return PathUsage(
            calls=self.calls + other.calls,
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            cost_usd=None if None in (self.cost_usd, other.cost_usd) else (self.cost_usd or 0) + (other.cost_usd or 0),
        )


NOTHING = PathUsage(calls=0, input_tokens=0, output_tokens=0, cost_usd=0.0)


def usage_by_path(log: CallLog, cell: str) -> dict[str, PathUsage]:
    """Chat calls of a cell by path: the steps of ingest that a system tells apart ("extraction"), `INGEST` for what it
    does not, `AGENT` for the work on questions, and `JUDGE`."""
    found: dict[str, PathUsage] = {}
    for phase, usage in log.by_phase(cell, "chat").items():
        path = path_of(phase)
        found[path] = found.get(path, NOTHING) + _of(usage)
    return found


def path_of(phase: str) -> str:
    """The part of the work that a phase of the call log is, or a step of one: of ingest alone steps are told apart, and
    one that is called like a part ("ingest/judge") keeps the phase before its name."""
    main, _, step = phase.partition("/")
    part = _PARTS.get(main, main)
    if part != INGEST or not step:
        return part
    return phase if step in _PARTS.values() else step


def total(parts: Iterable[PathUsage]) -> PathUsage:
    return sum(parts, NOTHING)


def merged(cells: Iterable[Mapping[str, PathUsage]]) -> dict[str, PathUsage]:
    """The usage of several cells, path by path."""
    found: dict[str, PathUsage] = {}
    for cell in cells:
        for path, usage in cell.items():
            found[path] = found.get(path, NOTHING) + usage
    return found


def _of(usage: Usage) -> PathUsage:
    return PathUsage(
        calls=usage.calls,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
    )


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right
