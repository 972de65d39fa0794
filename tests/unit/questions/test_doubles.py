"""One question is accepted once, whichever types could ask it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from questions_bench import Quiet, open_models

from groupmem.lab.questions import making
from groupmem.lab.questions.making import make_questions
from groupmem.lab.questions.order import Bench, Order
from groupmem.lab.questions.records import Category, Draft, Round, Trial, Wording
from groupmem.types import Record


class Asked(Record, frozen=True, kw_only=True):
    """An anchor that is its own question."""

    id: str
    category: Category
    asker: str


class OneMind:
    """Asks the same of everybody, in every type."""

    def anchors(self, category: Category) -> Iterator[Asked]:
        yield Asked(id=f"{category}-1", category=category, asker="User_1")
        yield Asked(id=f"{category}-2", category=category, asker=f"User_{len(category)}")

    def compose(self, anchor: Asked) -> Wording:
        return (
            Draft(category=anchor.category, text="When does it end?", answer="never", asker=anchor.asker, gold=None),
        )

    def refine(self, anchor: Asked, rounds: Sequence[Round]) -> None:
        return None


class NeverSolved:
    def examine(self, draft: Draft) -> Trial:
        return Trial(solved=False, answerable=True)


def test_what_one_type_has_asked_somebody_no_other_type_asks(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(author=OneMind(), examiner=NeverSolved(), check=lambda wording: None)
    monkeypatch.setattr(making, "open_bench", lambda *_: bench)
    order = Order(per_type=2, categories=("temporal", "abstention"))
    temporal, abstention = make_questions(order, corpus, tmp_path / "out", Quiet(), open_models).counts
    assert (temporal.accepted, abstention.accepted) == (2, 1)
    assert abstention.refused == {"duplicate": 1}
