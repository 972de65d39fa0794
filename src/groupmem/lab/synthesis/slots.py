"""A slot: one message to be, as the structure pass drew it. Who, when, where, in reply to what; no content yet."""

from __future__ import annotations

from datetime import UTC, date, datetime

import msgspec

from groupmem.lab.synthesis.base import Disagreement, Imperfection, Noise, PathType, PostType


class Slot(msgspec.Struct, gc=False, kw_only=True):
    """Indices point into the scaffold's tuples; `parent` and `root` are slot indices; `at` is seconds since the epoch.

    `drawn` is the path type that came out of the mixture; `override` says why another one was taken: "empty_phase",
    "question_streak", "unopened", or the reason why a bridge was rejected. For a bridge `target` is the person it
    turns to and `source_phase` the phase that its author comes from.
    """

    index: int
    phase: int
    path: PathType
    drawn: PathType
    author: int
    at: int
    progress: float
    in_phase: int
    of_author: int
    override: str | None = None
    parent: int | None = None
    root: int | None = None
    target: int | None = None
    source_phase: int | None = None
    post_type: PostType | None = None
    noise: Noise | None = None
    disagreement: Disagreement | None = None
    imperfection: Imperfection | None = None
    ultra_short: bool = False
    tone: str | None = None
    """The tone that replaces the author's own here, where it slips."""
    url: bool = False
    cross_reference: bool = False
    mention_parent: bool = False
    sub_issue: int | None = None

    @property
    def id(self) -> str:
        """Message id: slots are numbered in the order of time, from 1."""
        return f"Msg_{self.index + 1}"

    @property
    def day(self) -> date:
        """The day on which it is sent."""
        return datetime.fromtimestamp(self.at, tz=UTC).date()

    @property
    def is_post(self) -> bool:
        return self.path == "post"
