"""Recall with a model's help: it breaks a question down, confirms what replaced what, and orders what was found.

The model sees what the asker may see and nothing else. Where it gives no usable reply, the recall is what it is without
it.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import msgspec

from groupmem.memory.assistance.asking import Calls, UnusableReplyError
from groupmem.memory.assistance.decompose import decompose, look_up, merged
from groupmem.memory.assistance.rerank import rerank
from groupmem.memory.assistance.showing import question_line
from groupmem.memory.assistance.verify import near_the_best, refuted
from groupmem.memory.recall.explain import Assisted, Explanation
from groupmem.memory.recall.recaller import Ranked, Recaller
from groupmem.memory.store.base import View
from groupmem.types import Recall, Record


class Assistance(Record, frozen=True, kw_only=True):
    """What a model is asked for at recall. Each is one call a question, and `decompose` a further one for each lookup
    that waits for what another finds. By default it is not asked to decompose: recall takes most questions apart by
    itself (docs/memory.md has the figures)."""

    decompose: bool = False
    rerank: bool = True
    verify: bool = True


ASSISTANCE = Assistance()


class Asking(NamedTuple):
    """A question, when it is asked, and both with the asker as a model is shown them."""

    text: str
    at: datetime | None
    line: str


Step = tuple[Ranked, dict[str, tuple[str, ...]]]
"""The candidates after one step, and what is said of it in an explanation."""


class AssistedRecaller:
    """A `Recaller` with a model. BudgetError and PendingError of the model are raised; its failures are counted."""

    def __init__(self, recaller: Recaller, calls: Calls, assistance: Assistance) -> None:
        self._recaller = recaller
        self._calls = calls
        self._assistance = assistance

    def recall(self, view: View, question: str, *, limit: int = 10, asked_at: datetime | None = None) -> Recall:
        """See `Recaller.recall`."""
        ranked, _ = self._rank(view, question, asked_at)
        return self._recaller.shown(ranked, limit)

    def explain(self, view: View, question: str, *, limit: int = 10, asked_at: datetime | None = None) -> Explanation:
        """See `Recaller.explain`; with what the model changed and where it failed."""
        ranked, assisted = self._rank(view, question, asked_at)
        return msgspec.structs.replace(self._recaller.explained(ranked, limit), assisted=assisted)

    def _rank(self, view: View, question: str, asked_at: datetime | None) -> tuple[Ranked, Assisted]:
        ranked = self._recaller.rank(view, question, asked_at)
        asked = Asking(question, asked_at, question_line(question, view.asker, asked_at, ranked.index.directory))
        steps = {"decompose": self._decompose, "verify": self._verify, "rerank": self._rerank}
        changes: dict[str, tuple[str, ...]] = {}
        failures: list[str] = []
        for name, step in steps.items():
            if getattr(self._assistance, name):
                try:
                    ranked, changed = step(ranked, asked)
                except UnusableReplyError as error:
                    failures.append(str(error))
                else:
                    changes |= changed
        return ranked, Assisted(**changes, failures=tuple(failures))

    def _decompose(self, ranked: Ranked, asked: Asking) -> Step:
        lookups = decompose(self._calls, asked.line)
        if not lookups:
            return ranked, {}
        made = look_up(self._calls, asked.line, lookups, lambda text: self._recaller.rank(ranked.view, text, asked.at))
        return (merged(ranked, list(made.values())), {"lookups": tuple(made)}) if made else (ranked, {})

    def _verify(self, ranked: Ranked, asked: Asking) -> Step:
        wrong = refuted(self._calls, ranked.view, near_the_best(ranked))
        if not wrong:
            return ranked, {}
        stored = {each.row: each for each in ranked.messages(row for link in wrong for row in (link.old, link.new))}
        named = tuple(f"{stored[link.new].message.id} for {stored[link.old].message.id}" for link in wrong)
        return self._recaller.relinked(ranked, [turn for turn in ranked.changes if turn.link not in wrong]), {
            "unlinked": named
        }

    def _rerank(self, ranked: Ranked, asked: Asking) -> Step:
        reordered, named = rerank(self._calls, ranked, asked.line)
        return reordered, {"put_first": named}
