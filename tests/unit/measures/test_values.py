"""What messages offer as an answer, and the measure that is taken of the first one that offers any."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.lab.measures.value_at_1 import abstains_at_1, value_at_1
from groupmem.lab.measures.values import GoldValue, ValueFinder, numbers_in, phrases_in, sentences_of
from groupmem.types import Message, Person, Question

PEOPLE = (
    Person(id="u1", name="Mira Castellane", role="Release Manager", aliases=("Mira",)),
    Person(id="u2", name="Tomas Okonjo", role="QA Engineer", aliases=("Tomas",)),
)
FINDER = ValueFinder(PEOPLE)
WEDNESDAY = datetime(2026, 3, 4, 9, tzinfo=UTC)
FRIDAY = GoldValue(kind="date", values=("2026-03-06",), stale=("2026-03-10",))
MIRA = GoldValue(kind="person", values=("u1",))
BLUE = GoldValue(kind="choice", values=("the blue one", "blue"), stale=("the red one",))


def said(text: str, name: str = "m", at: datetime | None = WEDNESDAY) -> Message:
    return Message(id=name, channel="c", author="u2", text=text, sent_at=at)


@pytest.mark.parametrize(
    ("text", "gold", "offered"),
    [
        ("The runbook is due Friday.", FRIDAY, {"2026-03-06"}),
        ("It moved from Friday to 10 March.", FRIDAY, {"2026-03-06", "2026-03-10"}),
        ("Stand-up at 9:30 as always", FRIDAY, set()),
        ("Mira looks after it.", MIRA, {"u1"}),
        ("@Mira, Tomas looks after it.", MIRA, {"u2"}),
        ("I look after it.", MIRA, set()),
        ("Ask the release manager", GoldValue(kind="role", values=("Release Manager",)), {"release manager"}),
        ("We take the  BLUE one, not the red one.", BLUE, {"the blue one", "blue", "the red one"}),
        ("The redone one", BLUE, set()),
        ("It takes 120 ms", GoldValue(kind="number", values=("120 ms",)), numbers_in("120 ms")),
        ("Nothing to see", GoldValue(kind="number", values=("120 ms",)), set()),
    ],
)
def test_what_a_message_offers(text: str, gold: GoldValue, offered: set[str]) -> None:
    assert FINDER.offered(said(text), gold) == offered


def test_a_relative_date_without_a_time_of_writing_offers_nothing() -> None:
    assert FINDER.offered(said("due Friday", at=None), FRIDAY) == frozenset()


def test_a_list_is_held_only_as_a_whole() -> None:
    gold = GoldValue(kind="list", values=("ochre", "teal"))
    assert not FINDER.holds(said("ochre it is"), gold)
    assert FINDER.holds(said("first ochre, then teal"), gold)


@pytest.mark.parametrize(
    ("texts", "evidence", "value"),
    [
        (["no date here", "due Friday", "due 10 March"], (), 1.0),
        (["due 10 March", "due Friday"], (), 0.0),
        (["10 March is off, it is due on Friday"], (), 0.0),
        (["10 March is off, it is due on Friday"], ("m0",), 1.0),
        (["nothing", "nothing either"], (), 0.0),
        ([], (), 0.0),
    ],
)
def test_the_first_message_with_a_value_decides(texts: list[str], evidence: tuple[str, ...], value: float) -> None:
    ranked = [said(text, f"m{place}") for place, text in enumerate(texts)]
    assert value_at_1(ranked, FRIDAY, FINDER, evidence) == value


def test_a_list_is_not_measured() -> None:
    assert value_at_1([said("ochre")], GoldValue(kind="list", values=("ochre",)), FINDER) is None


@pytest.mark.parametrize(
    ("returned", "support", "value"), [(0, None, 1.0), (3, None, None), (3, 0.2, 1.0), (3, 0.5, 0.0), (0, 0.9, 1.0)]
)
def test_for_abstention_the_support_decides(returned: int, support: float | None, value: float | None) -> None:
    assert abstains_at_1(returned, support) == value


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("2026-03-06", "date"),
        ("Tomas Okonjo", "person"),
        ("u1", "person"),
        ("72 hours", "number"),
        ("Between 2026-03-06 and 2026-03-10", None),
        ("the blue one", None),
        ("Nobody knows", None),
    ],
)
def test_the_kind_of_a_gold_answer_that_says_nothing_of_it(answer: str, kind: str | None) -> None:
    gold = FINDER.gold_of(Question(id="q", text="?", answer=answer))
    assert (gold.kind if gold else None) == kind


def test_the_kind_that_a_source_gives_goes_before_the_answer() -> None:
    extra = {"answer_kind": "choice", "answer_values": ["blue"], "stale_values": ["red"]}
    gold = FINDER.gold_of(Question(id="q", text="?", answer="2026-03-06", extra=extra))
    assert gold == GoldValue(kind="choice", values=("blue",), stale=("red",))


def test_a_kind_that_is_none_is_not_taken() -> None:
    question = Question(id="q", text="?", answer="blue", extra={"answer_kind": "colour", "answer_values": ["blue"]})
    assert FINDER.gold_of(question) is None


@given(st.lists(st.text(min_size=1, max_size=12), max_size=4), st.text(max_size=60))
def test_phrases_are_found_as_whole_words_only(phrases: list[str], text: str) -> None:
    found = phrases_in(text, phrases)
    padded = f" {' '.join(text.casefold().split())} "
    assert all(part in padded for phrase in found for part in phrase.split())
    assert phrases_in(" ".join(phrases), phrases) >= {phrase for phrase in found if phrase}


@given(st.text(max_size=200))
def test_a_message_offers_in_its_sentences_what_they_say(text: str) -> None:
    whole = said(text)
    assert all(part.text in text and part.id == whole.id for part in sentences_of(whole))
