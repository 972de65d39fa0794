"""Changes that a question asks about, looked for in the threads of the best messages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from groupmem import GroupMemory, Message, Person
from groupmem.memory.recall import Recaller
from groupmem.memory.recall.turns import answered, below
from groupmem.memory.recall.weights import WEIGHTS
from support import recall_talk
from support.memory_store import said

HARBOUR = (
    said("0", "We go with 5 May as the cutoff for the harbour form.", author="ann"),
    said("1", "I would rather take 9 May for the cutoff, the printer needs it.", author="bob", reply_to="0"),
    said("2", "Printer or not, I am fine with either.", author="cid", reply_to="0"),
    said("3", "Right, we take 9 May for the cutoff then, decided.", author="ann", reply_to="1"),
    said("4", "Thanks.", author="bob", reply_to="3"),
    said("5", "Lunch at noon?", author="cid"),
)

AGAIN = said(
    "50",
    "What changed about the cutoff for the harbour form: we go with 5 May for the harbour form cutoff again.",
    author="cid",
    channel="quay",
)
RETENTION = tuple(
    said(name, text, author=author, topic="Retention")
    for name, author, text in (
        ("0", "ann", "Decided: retention for the audit log is 30 days."),
        ("10", "ann", "Retention for the audit log goes from 30 to 90 days."),
        ("15", "bob", "Lunch is at noon."),
        ("20", "ann", "Retention for the audit log goes from 90 to 60 days now."),
    )
)
CHANGED = "What changed about the cutoff for the harbour form?"


def ranked(path: Path, messages: Sequence[Message], question: str = CHANGED) -> list[tuple[str, float]]:
    with GroupMemory(path, embedding=None) as memory:
        memory.set_people([Person(id=name, name=name.title()) for name in ("ann", "bob", "cid")])
        memory.add(messages)
        found = memory.explain(question, asker="bob", limit=4)
    return [(reason.message, round(reason.score, 6)) for reason in found.reasons]


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4, 5), (5, 4, 3, 2, 1, 0), (3, 0, 4, 1, 5, 2)])
def test_a_change_is_found_in_whatever_order_its_messages_came_in(tmp_path: Path, order: Sequence[int]) -> None:
    found = ranked(tmp_path / "any.db", [HARBOUR[place] for place in order])
    assert [name for name, _ in found[:2]] == ["3", "0"]
    assert found == ranked(tmp_path / "by-time.db", HARBOUR)


@pytest.mark.parametrize("first", [True, False])
def test_what_was_said_after_a_change_is_not_replaced_by_it_whichever_channel_came_in_first(
    tmp_path: Path, first: bool
) -> None:
    talk = [replace(each, phase="Form") for each in (AGAIN, *HARBOUR) if each.id in ("50", "0", "1", "3")]
    found = ranked(tmp_path / "a.db", talk if first else [*talk[1:], talk[0]])
    assert found[0][0] == "50"
    assert found == ranked(tmp_path / "b.db", [*talk[1:], talk[0]])


@pytest.mark.parametrize("step", [1, -1])
def test_of_three_that_replace_each_other_the_last_is_first_also_where_it_came_in_first(
    tmp_path: Path, step: int
) -> None:
    question = "What is the retention of the audit log? It was decided to be 30 days."
    assert [name for name, _ in ranked(tmp_path / "a.db", RETENTION[::step], question)[:3]] == ["20", "10", "0"]


THREADS = recall_talk.said(
    ("u1", "The harbour crane stays red."),
    ("u2", "Lunch?", {"reply_to": "m1"}),
    ("u3", "The harbour crane stays red, as before."),
    ("u2", "Rather blue.", {"reply_to": "m3"}),
    ("u1", "Blue then.", {"reply_to": "m4"}),
    ("u2", "What about the crates?"),
    ("u3", "No crates.", {"reply_to": "m6"}),
    ("u1", "The harbour crane stays red and nobody answers."),
)


def looked_below(**weights: int | float) -> list[int]:
    """The rows of `THREADS` below which a change is looked for."""
    view = recall_talk.view_of(THREADS)
    ranked = Recaller(recall_talk.VECTORS).rank(view, "What changed about the harbour crane?", None)
    best = ranked.found.best(40)
    return answered(view, ranked.asked, ranked.found, best, replace(WEIGHTS, **weights)).tolist()


def test_a_change_is_looked_for_below_answered_messages_that_have_the_words_of_the_matter() -> None:
    assert sorted(looked_below()) == [0, 2]
    assert sorted(looked_below(turns_about=0.0)) == [0, 2, 3, 5]
    assert len(looked_below(turns=1)) == 1
    assert looked_below(turns_among=0) == []


def test_below_a_message_are_its_answers_and_theirs_by_time_and_no_more_than_wanted() -> None:
    view = recall_talk.view_of(THREADS)
    assert below(view, 2, 48).tolist() == [3, 4]
    assert below(view, 2, 1).tolist() == [3]
    assert below(view, 7, 48).tolist() == []
    long = recall_talk.said(("u1", "crane"), *[("u2", f"note {place}", {"reply_to": "m1"}) for place in range(600)])
    assert below(recall_talk.view_of(long), 0, 500).tolist() == list(range(1, 501))
