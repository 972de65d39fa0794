"""Which statement replaces which."""

from __future__ import annotations

from typing import Any

import pytest

from support.recall_talk import said, view_of

TOPIC = {"topic": "Retention"}


def links(*lines: tuple[str, str] | tuple[str, str, dict[str, Any]]) -> set[tuple[str, str]]:
    view = view_of(said(*lines))
    names = {row: stored.message.id for row, stored in enumerate(view.messages(view.members("channel", 0)))}
    return {(names[link.new], names[link.old]) for link in view.links(view.members("channel", 0)) if link.score >= 0.4}


def test_a_change_that_names_what_it_replaces() -> None:
    assert links(
        ("u1", "Decided: retention for the audit log is 30 days.", TOPIC),
        ("u3", "Nice cake in the kitchen.", TOPIC),
        ("u1", "Retention for the audit log goes from 30 to 90 days.", TOPIC),
    ) == {("m3", "m1")}


def test_of_a_chain_each_link_replaces_the_one_before() -> None:
    assert links(
        ("u1", "We agreed: the cutoff is 0.92.", TOPIC),
        ("u1", "We move the cutoff to 0.88.", TOPIC),
        ("u1", "We change the cutoff to 0.95.", TOPIC),
    ) == {("m2", "m1"), ("m3", "m2")}


@pytest.mark.parametrize(
    "later",
    [
        "Should we move the retention of the audit log to 90 days?",
        "I think 90 days of retention for the audit log would be better.",
        "The audit log is on the new disk.",
    ],
)
def test_neither_a_question_nor_an_opinion_nor_another_matter_replaces_a_decision(later: str) -> None:
    assert not links(("u1", "Decided: retention for the audit log is 30 days.", TOPIC), ("u2", later, TOPIC))


def test_beliefs_of_different_people_stand_side_by_side() -> None:
    assert not links(
        ("u1", "In my opinion the outage came from the pool size.", TOPIC),
        ("u2", "In my opinion the outage came from the retry storm.", TOPIC),
    )


def test_decisions_of_different_rooms_do_not_replace_each_other() -> None:
    there = TOPIC | {"channel": "lab"}
    assert not links(
        ("u1", "Decided: retention for the audit log is 30 days.", TOPIC),
        ("u1", "Retention for the audit log goes from 30 to 90 days.", there),
    )
