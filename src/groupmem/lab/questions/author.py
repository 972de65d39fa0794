"""Where questions come from: one protocol for both sources of truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from groupmem.errors import GroupMemError
from groupmem.lab.questions.records import Category, Refusal, Round, Wording


class RefusedError(GroupMemError):
    """An anchor that gives no question, and why. The loop records it and goes on with the next one."""

    def __init__(self, refusal: Refusal, detail: str = "") -> None:
        self.refusal = refusal
        self.detail = detail
        super().__init__(f"{refusal}: {detail}" if detail else refusal)


class Anchor(Protocol):
    """What a question is made from: a fact, or a message. `id` is the same in every process."""

    @property
    def id(self) -> str: ...


class Author(Protocol):
    """Finds anchors, words questions and makes them harder. Everything it does depends on its arguments alone."""

    def anchors(self, category: Category) -> Iterator[Anchor]:
        """The anchors for a type of question, in the order in which they are to be tried."""
        ...

    def compose(self, anchor: Anchor) -> Wording:
        """The first wording. Raises RefusedError where there is none, and what the models raise."""
        ...

    def refine(self, anchor: Anchor, rounds: Sequence[Round]) -> Wording | None:
        """A harder wording than the last of `rounds`; None where the author knows no further one."""
        ...
