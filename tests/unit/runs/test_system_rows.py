"""What the lab gives a memory system, and what it takes from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import pytest
from run_fixtures import START, conversation, question

from groupmem.errors import SystemFailure
from groupmem.lab.runs.rows import SystemRow
from groupmem.lab.systems.base import BaseSystem, Capabilities, Setting
from groupmem.types import Answer, Message, Passage, Recall


class Scripted(BaseSystem):
    """Returns what the test gives it; `heard` is what it was asked."""

    def __init__(self, recalled: object) -> None:
        self._recalled = recalled
        self.heard: dict[str, Any] = {}

    def ingest(self, messages: Sequence[Message]) -> None:
        pass

    def recall(self, question: str, *, asker: str | None, limit: int, asked_at: datetime | None) -> Recall:
        self.heard = {"question": question, "asker": asker, "limit": limit, "asked_at": asked_at}
        return self._recalled  # type: ignore[return-value]


def _row(recalled: object) -> SystemRow:
    row = SystemRow("scripted", Scripted(recalled))
    row.open(Setting())
    row.ingest(conversation(6).messages)
    return row


def _recall(*ids: tuple[str, ...]) -> Recall:
    return Recall(passages=tuple(Passage(text="x", source_ids=sources) for sources in ids))


def test_a_system_hears_the_words_the_asker_the_limit_and_the_time_and_nothing_else() -> None:
    system = Scripted(Recall())
    row = SystemRow("scripted", system)
    row.recall(question("q", asked_at=START, evidence=("m1",), category="abstention", twin="q2"), 7)
    assert system.heard == {"question": "What of q?", "asker": "mira", "limit": 7, "asked_at": START}


@pytest.mark.parametrize(
    "recall",
    [
        _recall(),
        _recall(("m0",), ("m1",)),
        _recall(("m0", "m1"), ("m1", "m0")),
        _recall((), ()),
        Recall(passages=_recall(("m5",)).passages, support=0.5),
    ],
)
def test_what_keeps_the_contract_is_taken_as_it_is(recall: Recall) -> None:
    found = _row(recall).recall(question("q"), 2)
    assert (found.passages, found.support) == (recall.passages, recall.support)


@pytest.mark.parametrize(
    ("recalled", "complaint"),
    [
        (_recall(("m0",), ("m1",), ("m2",)), "asked for 2 and returned 3 passages"),
        (_recall(("m0", "m1", "m2")), "3 source ids"),
        (_recall((), (), ()), "returned 3 passages with 0 source ids"),
        (_recall(("m0",), ("elsewhere",)), "'elsewhere'.*no message"),
        (_recall(("m99",)), "'m99'"),
        ([], "must return a Recall, not list"),
        (None, "must return a Recall, not NoneType"),
    ],
)
def test_what_breaks_it_is_a_failure_that_names_the_question(recalled: object, complaint: str) -> None:
    with pytest.raises(SystemFailure, match=complaint) as failure:
        _row(recalled).recall(question("q7"), 2)
    assert "q7" in str(failure.value)


def test_an_id_must_have_been_given_to_this_cell() -> None:
    row = _row(_recall(("m5",)))
    row.open(Setting())
    row.ingest(conversation(6).messages[:5])
    with pytest.raises(SystemFailure, match="m5"):
        row.recall(question("q"), 2)


@pytest.mark.parametrize("make", [lambda: "text", lambda: None])
def test_an_own_answer_must_be_an_answer(make: Callable[[], object]) -> None:
    class Answering(Scripted):
        capabilities = Capabilities(answers=True)

        def answer(self, question: str, *, asker: str | None, asked_at: datetime | None) -> Answer:
            return make()  # type: ignore[return-value]

    row = SystemRow("answering", Answering(Recall()))
    assert row.traits.answers
    with pytest.raises(SystemFailure, match="must return an Answer"):
        row.answer(question("q"))
