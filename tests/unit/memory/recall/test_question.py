"""What is read out of a question."""

from __future__ import annotations

from datetime import UTC, datetime
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.memory.analysis import content_terms
from groupmem.memory.notes.people import Directory
from groupmem.memory.recall.places import Labels
from groupmem.memory.recall.question import Asked, Surroundings, understand
from groupmem.types import Person
from support.recall_talk import PEOPLE

AROUND = Surroundings(
    directory=Directory([*PEOPLE, Person(id="u4", name="Mira Holt", role="Analyst")]),
    asker="u2",
    humans=("u1", "u2", "u3"),
    channels=Labels(["Finder", "ops"]),
    phases=Labels(["Risk: Late Keys", "Rollout", "Public Preview"]),
    now=datetime(2031, 3, 5, 12, 0, tzinfo=UTC),
)


def asked(question: str) -> Asked:
    return understand(question, AROUND)


def test_names_are_no_part_of_what_is_compared_by_meaning() -> None:
    found = asked("What did Tomas Ek's patch break?")
    assert found.people == {"u2"}
    assert found.whole.meaning == "What did patch break?"
    assert found.whole.terms["patch"] == 1.0 > found.whole.terms["toma"]


def test_a_name_that_fits_two_people_fits_both() -> None:
    assert asked("When is Mira back?").people == {"u1", "u4"}


def test_a_role_is_named_by_its_words() -> None:
    assert asked("What did the release manager decide?").roles == {"Release Manager"}


def test_the_first_person_is_the_asker_and_nobody_else() -> None:
    assert asked("What did I promise?").speaker == "u2"
    assert asked("What did Lena promise?").speaker is None


def test_without_an_asker_the_only_human_speaks() -> None:
    alone = Surroundings(
        directory=Directory([]), asker=None, humans=("u9",), channels=Labels([]), phases=Labels([]), now=None
    )
    assert understand("what is my budget?", alone).speaker == "u9"


@pytest.mark.parametrize(
    ("question", "phases", "hinted"),
    [
        ('In the phase "Risk: Late Keys", who signs?', {"Risk: Late Keys"}, set()),
        ("Who signs in the rollout phase?", {"Rollout"}, set()),
        ("Which rollout did we stop?", set(), {"Rollout"}),
        ("Is the public preview open?", set(), {"Public Preview"}),
    ],
)
def test_a_phase_is_a_place_where_the_question_says_so(question: str, phases: set[str], hinted: set[str]) -> None:
    found = asked(question)
    assert (found.whole.phases, found.hinted) == (phases, hinted)


def test_a_place_is_no_part_of_what_is_looked_up() -> None:
    found = asked('In the phase "Risk: Late Keys", who signs in Finder?')
    assert set(found.whole.terms) == {"sign"}
    assert found.whole.channels == {"Finder"}


def test_a_word_that_is_also_a_channel_is_none_in_lower_case() -> None:
    assert asked("what did the finder cost?").whole.channels == frozenset()


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("On what date is the audit? (YYYY-MM-DD)", {"audit"}),
        ("How many crates fit? Give the number only.", {"crate", "fit"}),
        ("What kind of hinge broke?", {"hing", "broke"}),
        ("Which audit is on 7 March 2031?", {"audit"}),
    ],
)
def test_neither_the_sort_of_answer_nor_its_form_nor_a_date_is_looked_up(question: str, terms: set[str]) -> None:
    assert set(asked(question).whole.terms) == terms


def test_the_dates_of_a_question_are_those_of_its_asking() -> None:
    (date,) = asked("what did we pay last Thursday?").dates
    assert date.start.isoformat() == "2031-02-27"


def test_without_a_time_of_asking_a_relative_date_is_none() -> None:
    timeless = Surroundings(
        directory=AROUND.directory, asker=None, humans=(), channels=Labels([]), phases=Labels([]), now=None
    )
    assert understand("what did we pay last Thursday?", timeless).dates == ()


def test_sentences_are_looked_up_by_themselves() -> None:
    parts = [clause.meaning for clause in asked("One crane was rented. Who drives that crane?").clauses]
    assert parts == ["One crane was rented.", "Who drives that crane?"]


def test_the_items_of_a_list_are_looked_up_by_themselves_each_in_its_place() -> None:
    found = asked("Put these in order: the crane rental (phase Rollout); the key audit (phase Risk: Late Keys).")
    assert [set(clause.terms) for clause in found.clauses] == [{"crane", "rental"}, {"key", "audit"}]
    assert [clause.phases for clause in found.clauses] == [{"Rollout"}, {"Risk: Late Keys"}]


def test_what_is_quoted_is_looked_up_by_itself() -> None:
    found = asked('Where Lena says "too few crates", what do I say?')
    assert found.quotes == ("too few crates",)
    assert found.clauses[0].meaning == 'says "too few crates"'


def test_who_asks_for_advice_is_also_asked_how_they_want_it() -> None:
    standing = content_terms("always")[0]
    assert standing in asked("Can you suggest a crane?").whole.terms
    assert standing not in asked("Which crane broke?").whole.terms


@given(st.text(max_size=300))
def test_any_text_can_be_asked(text: str) -> None:
    found = asked(text)
    assert found.text == text
    assert all(weight > 0 for weight in found.whole.terms.values())


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("Why did we change our minds about the pier?", {"change", "decision", "proposal"}),
        ("Which option for the pier did we give up?", {"change", "decision", "proposal"}),
        ("As things stand, how wide is the pier?", {"change", "decision"}),
        ("How wide is the pier?", set()),
        ("Who owns the pier?", {"owner"}),
    ],
)
def test_what_would_answer(question: str, kinds: set[str]) -> None:
    assert asked(question).kinds == kinds


def test_single_words_in_quotation_marks_quote_nothing_and_what_stands_between_them_is_no_quote() -> None:
    assert asked('Is it "alpha" or "beta"?').quotes == ()
    assert asked('Is it "alpha" or "beta gamma"?').quotes == ("beta gamma",)


def test_of_many_parts_the_first_are_looked_up_and_the_last_which_is_what_is_asked() -> None:
    sentences = [f"The crane{number} was late." for number in range(400)]
    found = asked(" ".join([*sentences, "Who drove?"]))
    assert len(found.clauses) == 12
    assert [clause.meaning for clause in found.clauses[:2]] == ["The crane0 was late.", "The crane1 was late."]
    assert found.clauses[-1].meaning == "Who drove?"
    assert "crane399" in found.whole.terms


@pytest.mark.parametrize(
    "part",
    [
        "(YY",
        "(format ",
        "YY",
        '" a',
        " ",
        "is foo used by ",
        "whoever x like ",
        "that x ",
        ": a, ",
        "give the ",
        "Who? ",
    ],
)
@pytest.mark.parametrize("start", ["What of the ", "Order: ", 'Who? Give the "'])
def test_reading_a_long_question_takes_time_in_proportion_to_its_length(start: str, part: str) -> None:
    text = start + part * (40_000 // len(part))
    before = process_time()
    asked(text)
    assert process_time() - before < 3.0  # 0.3 at most; what grows with the square takes ten times the limit
