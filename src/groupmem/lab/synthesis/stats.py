"""Statistics of a corpus beside those of the published ones (GroupMemBench, App. "Dataset Statistics")."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec

from groupmem.errors import InputError
from groupmem.lab.synthesis.base import PathType
from groupmem.lab.synthesis.making import read_provenance
from groupmem.types import Record

PAPER = Path(__file__).parents[2] / "data" / "synthesis" / "paper_statistics.toml"


class Counts(Record, frozen=True, kw_only=True):
    """The rows of the source's table."""

    projects: int
    topics: int
    phases: int
    participants: int
    roles: int
    posts: int
    replies: int
    cross_project_replies: int
    noise_messages: int
    decision_points: int
    decision_changes: int
    messages: int

    def shares(self) -> dict[PathType, float]:
        """Share of each path type among the messages."""
        total = max(1, self.messages)
        return {
            "post": self.posts / total,
            "reply": self.replies / total,
            "cross_project_reply": self.cross_project_replies / total,
        }


class Statistics(Record, frozen=True, kw_only=True):
    """A corpus in numbers. `drawn` are shares of path types as they came out of the mixture, before overrides and
    rejections; empty where nothing was drawn. `rates` are shares: noise and length of all messages, disagreement of
    replies; `facts` counts facts by kind."""

    name: str
    counts: Counts
    drawn: Mapping[str, float] = {}
    realised: Mapping[str, float] = {}
    overrides: Mapping[str, int] = {}
    rates: Mapping[str, float] = {}
    facts: Mapping[str, int] = {}
    paper: Mapping[str, Counts] = {}


class _Row(msgspec.Struct, gc=False):
    """What the statistics need of a message of corpus.json."""

    author: str
    content: str
    role: str | None = None
    reply_to: str | None = None
    phase_name: str | None = None
    topic: str | None = None
    is_noise: bool = False
    is_decision_point: bool = False
    path_type: PathType | None = None
    disagreement: str | None = None


class _Line(msgspec.Struct, gc=False):
    """What they need of facts.jsonl and decisions.jsonl."""

    kind: str
    outcome: str | None = None


def paper_counts() -> dict[str, Counts]:
    """The four published corpora, by domain."""
    return msgspec.convert(tomllib.loads(PAPER.read_text(encoding="utf-8")), dict[str, Counts])


def corpus_statistics(folder: Path) -> Statistics:
    """Counts a finished corpus. Raises InputError where the folder holds none."""
    provenance = read_provenance(folder)
    rows = _read(folder / "corpus.json")
    facts = _lines(folder / "facts.jsonl")
    changes = sum(line.outcome == "changed" for line in _lines(folder / "decisions.jsonl"))
    counts = _counts(rows, changes, provenance.projects or len(rows))
    drawn = sum(provenance.drawn.values())
    return Statistics(
        name=provenance.pack,
        counts=counts,
        drawn={name: count / drawn for name, count in provenance.drawn.items()},
        realised={str(path): share for path, share in counts.shares().items()},
        overrides=provenance.overrides,
        rates=_rates(rows),
        facts=dict(sorted(Counter(line.kind for line in facts).items())),
        paper=paper_counts(),
    )


def _counts(channels: Mapping[str, list[_Row]], changes: int, projects: int) -> Counts:
    rows = [row for messages in channels.values() for row in messages]
    placed = {(channel, row.topic, row.phase_name) for channel, messages in channels.items() for row in messages}
    phases = {place for place in placed if place[2] is not None}
    paths = Counter(_path(row) for row in rows)
    return Counts(
        projects=projects,
        topics=len({(channel, topic) for channel, topic, _ in phases}),
        phases=len(phases),
        participants=len({row.author for row in rows}),
        roles=len({row.role for row in rows if row.role is not None}),
        posts=paths["post"],
        replies=paths["reply"],
        cross_project_replies=paths["cross_project_reply"],
        noise_messages=sum(row.is_noise for row in rows),
        decision_points=sum(row.is_decision_point for row in rows),
        decision_changes=changes,
        messages=len(rows),
    )


def _rates(channels: Mapping[str, list[_Row]]) -> dict[str, float]:
    rows = [row for messages in channels.values() for row in messages]
    replies = [row for row in rows if _path(row) == "reply"]
    return {
        "noise": _share(sum(row.is_noise for row in rows), len(rows)),
        "disagreement": _share(sum(row.disagreement is not None for row in replies), len(replies)),
        "characters": _share(sum(len(row.content) for row in rows), len(rows)),
        "words": _share(sum(len(row.content.split()) for row in rows), len(rows)),
    }


def _path(row: _Row) -> PathType:
    return row.path_type or ("post" if row.reply_to is None else "reply")


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _read(path: Path) -> dict[str, list[_Row]]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, list[_Row]])
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(f"{path}: {error}; make the corpus again") from error


def _lines(path: Path) -> list[_Line]:
    try:
        return [msgspec.json.decode(line, type=_Line) for line in path.read_bytes().splitlines()]
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(f"{path}: {error}; make the corpus again") from error
