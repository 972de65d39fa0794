"""The English of questions: every pattern has its places, and phrases are put in so that a sentence comes out."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from groupmem.lab.questions import clauses

PLACES: tuple[tuple[Mapping[str, tuple[str, ...]], set[str]], ...] = (
    (clauses.ASK, {"x"}),
    (clauses.THAT, {"v"}),
    (clauses.SAYS, {"x", "v"}),
    (clauses.WHO, {"x"}),
    (clauses.HOLDS_NOW, {"x"}),
    (clauses.HELD_BEFORE, {"x"}),
    (clauses.MINE, {"x"}),
)


@pytest.mark.parametrize(("patterns", "places"), PLACES)
def test_every_pattern_has_its_places(patterns: Mapping[str, tuple[str, ...]], places: set[str]) -> None:
    for kind, of_kind in patterns.items():
        for pattern in of_kind:
            assert set(re.findall(r"{(\w)}", pattern)) == places, (kind, pattern)


@pytest.mark.parametrize("patterns", [clauses.ASK, clauses.HOLDS_NOW, clauses.HELD_BEFORE, clauses.MINE])
def test_only_dates_are_asked_for_in_a_form(patterns: Mapping[str, tuple[str, ...]]) -> None:
    for kind, of_kind in patterns.items():
        assert all(pattern.endswith(clauses.DATE_FORM) == (kind == "deadline") for pattern in of_kind)


@pytest.mark.parametrize(
    ("phrase", "noun"),
    [
        ("reason for the flaky runs", "reason"),
        ("right person to own an alert", "right person"),
        ("place with the most leaked secrets", "place"),
        ("most honest indicator", "most honest indicator"),
    ],
)
def test_a_noun_is_bared_of_what_follows_it(phrase: str, noun: str) -> None:
    assert clauses.bare(phrase) == noun


@pytest.mark.parametrize(
    ("phrase", "fits"),
    [("battery savers", True), ("why the night is worse", False), ("they were not real", False), ("It depends", False)],
)
def test_clauses_are_no_noun_phrases(phrase: str, fits: bool) -> None:
    assert clauses.is_noun_phrase(phrase) == fits


def test_a_word_that_says_work_gets_another_noun() -> None:
    assert clauses.about("coverage", "work") == "coverage work"
    assert clauses.about("inference workload", "work") == "inference workload item"


def test_a_phase_is_called_as_people_call_it() -> None:
    assert clauses.compose(clauses.in_phase("Typo Handling"), "Who asks?") == "In Typo Handling, who asks?"
    assert clauses.in_phase("Risk: Stale Keys") == "When it comes to the Stale Keys risk, "


@pytest.mark.parametrize(
    ("tail", "words"),
    [("Quayside Bookshops", "recipient"), ("the checkout squad", "group"), ("the night mode", "part of the project")],
)
def test_what_is_for_the_same_is_said_so(tail: str, words: str) -> None:
    assert clauses.same_tail(tail) == f"for the same {words}"
