"""The two tables of `groupmem quality`: a row a measure, a column a conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groupmem.lab.judging.quality import Score
    from groupmem.lab.measures.conversation import ConversationMeasures, Spread
    from groupmem.lab.runs.quality import QualityRecord

    Row = Callable[[ConversationMeasures], str]

NONE = "-"
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))


def measure_lines(measures: Mapping[str, ConversationMeasures]) -> Iterator[str]:
    """The measures that need no model."""
    yield from _table(list(measures), {label: [row(each) for each in measures.values()] for label, row in ROWS.items()})


def score_lines(judged: QualityRecord) -> Iterator[str]:
    """The scores of a judge: mean ± standard deviation over the seeds, and below them what was not scored."""
    scores = judged.scores
    rows = {
        name.replace("_", " "): [_score(each.dimensions[name]) for each in scores.values()]
        for name in next(iter(scores.values())).dimensions
    }
    rows["overall"] = [_score(each.overall) for each in scores.values()]
    yield from _table(list(scores), rows)
    yield f"1 to 5 by {judged.judge}, {judged.seeds} excerpts of up to {judged.excerpt_messages} messages each"
    for name, each in scores.items():
        if each.overall.unscored:
            reasons = ", ".join(f"{count} {reason}" for reason, count in each.overall.unscored.items())
            yield f"{name}: not scored, and in no mean: {reasons}"


def _table(names: list[str], rows: Mapping[str, list[str]]) -> Iterator[str]:
    first = max(map(len, rows))
    widths = [max(len(cell) for cell in column) + 2 for column in zip(names, *rows.values(), strict=True)]
    for label, cells in {"": names, **rows}.items():
        yield f"{label:<{first}}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _score(score: Score) -> str:
    if score.mean is None:
        return NONE
    return f"{score.mean:.2f}" + (f" ± {score.std:.2f}" if score.std is not None else "")


def _number(value: float | None, digits: int = 3) -> str:
    return NONE if value is None else f"{value:,.{digits}f}"


def _percent(share: float | None) -> str:
    return NONE if share is None else f"{100 * share:.2f} %"


def _spread(spread: Spread | None) -> str:
    return NONE if spread is None else f"{spread.mean:.1f} / {spread.p10:.0f} / {spread.p50:.0f} / {spread.p90:.0f}"


def _most(spread: Spread | None) -> str:
    return NONE if spread is None else f"{spread.mean:.2f} / {spread.p90:.0f} / {spread.largest:.0f}"


def _durations(spread: Spread | None) -> str:
    return NONE if spread is None else " / ".join(_duration(value) for value in (spread.p10, spread.p50, spread.p90))


def _duration(seconds: float) -> str:
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


ROWS: Mapping[str, Row] = {
    "messages": lambda found: f"{found.messages:,}",
    "authors": lambda found: f"{found.authors:,}",
    "channels": lambda found: f"{found.channels:,}",
    "distinct-1": lambda found: _number(found.distinct[1]),
    "distinct-2": lambda found: _number(found.distinct[2]),
    "distinct-3": lambda found: _number(found.distinct[3]),
    "distinct-2 in blocks of 2,000": lambda found: _number(found.distinct_2_in_blocks),
    "messages of 4 words or more": lambda found: f"{found.near_duplicates.considered:,}",
    "  of them like another one": lambda found: _percent(found.near_duplicates.alike_share),
    "  of them like an earlier one": lambda found: _percent(found.near_duplicates.repeated_share),
    "words (mean/p10/p50/p90)": lambda found: _spread(found.words),
    "characters (mean/p10/p50/p90)": lambda found: _spread(found.characters),
    "replies": lambda found: _percent(found.replies.share),
    "thread depth (mean/p90/max)": lambda found: _most(found.replies.depth),
    "replies to one (mean/p90/max)": lambda found: _most(found.replies.width),
    "wait for a reply (p10/p50/p90)": lambda found: _durations(found.replies.wait_seconds),
    "gap in a channel (p10/p50/p90)": lambda found: _durations(found.gap_seconds),
    "replies to nothing": lambda found: f"{found.replies.broken:,}",
    "replies before their parent": lambda found: f"{found.replies.early:,}",
}
"""How each row is called, and how its cells are written; docs/quality.md explains every row."""
