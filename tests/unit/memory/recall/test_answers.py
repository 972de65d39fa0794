"""The sort of answer a question asks for, and whether a message holds it."""

from __future__ import annotations

import pytest

from groupmem.memory.recall.answers import Fit, Sort, sort_of, support
from support.recall_talk import recalled, said, view_of


@pytest.mark.parametrize(
    ("question", "sort"),
    [
        ("When is the audit?", "date"),
        ("On which day does the crane arrive?", "date"),
        ("Until when can the letter wait?", "date"),
        ("Who looks after the crane?", "owner"),
        ("Whose job is the letter?", "owner"),
        ("Who approved the letter?", "approval"),
        ("Whose yes do we have for it?", "approval"),
        ("Where do we stand with the crane?", "status"),
        ("What is holding up the crane?", "blocker"),
        ("How many crates fit?", "amount"),
        ("Which rule was set for the keys?", "rule"),
        ("Who broke the crane?", "person"),
        ("Why did we rent it?", None),
        ("The crane came on Friday. Who drove it?", "person"),
    ],
)
def test_the_sort_of_answer_is_what_the_last_sentence_asks_first(question: str, sort: Sort | None) -> None:
    assert sort_of(question) == sort


OWNED = ("u1", "The harbour crane is with Tomas, he owns it.")
DUE = ("u2", "The harbour crane has to be back by Friday.")
NOISE = [("u3", f"lunch order number {number}, as always") for number in range(8)]


def test_support_is_low_where_the_matter_is_known_and_the_answer_is_not() -> None:
    known = recalled(view_of(said(OWNED, DUE, *NOISE)), "Who owns the harbour crane?")
    unknown = recalled(view_of(said(DUE, *NOISE)), "Who owns the harbour crane?")
    assert known.support is not None and unknown.support is not None
    assert known.support > 0.7 > unknown.support


def test_a_question_of_the_group_is_no_answer() -> None:
    only_asked = recalled(
        view_of(said(("u3", "Who owns the harbour crane, Tomas or me?"), *NOISE)), "Who owns the crane?"
    )
    assert only_asked.support is not None and only_asked.support < 0.4


def test_a_sentence_with_a_pronoun_is_about_what_the_message_answers() -> None:
    talk = said(
        ("u1", "When does the harbour crane leave?"), ("u2", "It leaves on Friday.", {"reply_to": "m1"}), *NOISE
    )
    found = recalled(view_of(talk), "When does the harbour crane leave?")
    assert found.support is not None and found.support > 0.6


def test_nothing_recalled_supports_nothing() -> None:
    assert support([], []) == 0.0
    assert recalled(view_of([]), "When is the audit?").support == 0.0


def test_support_grows_with_the_answer() -> None:
    shares = [support([Fit(answer, 1.0)], [1.0]) for answer in (0.0, 0.3, 0.6, 1.0)]
    assert shares == sorted(shares)
    assert 0 <= shares[0] < shares[-1] <= 1
