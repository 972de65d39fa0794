"""From sentences to a text: joints, articles, capitals, imperfections, and hearing oneself."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.lab.synthesis.base import Said, Situation
from groupmem.lab.synthesis.writers.grammar import blemish
from groupmem.lab.synthesis.writers.grammar.echo import Echo
from groupmem.lab.synthesis.writers.grammar.marks import bare, frames, map_frames, matter, surfaces, value
from groupmem.lab.synthesis.writers.grammar.surface import (
    appended,
    capital,
    is_closed,
    leads,
    longest,
    sentence_count,
    tidy,
)

texts = st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=30)


@pytest.mark.parametrize(
    ("raw", "tidied"),
    [
        ("so  it is ,  then", "so it is, then"),
        ("fine,: ok", "fine, ok"),
        ("well, .", "well."),
        (" , and so on ;", "and so on"),
        (": well", "well"),
        ("as a/an Actuary", "as an Actuary"),
        ("as a/an Backend Engineer", "as a Backend Engineer"),
        ("as a/an ML Engineer", "as an ML Engineer"),
        ("as a/an UX Writer", "as a UX Writer"),
        ("a/an hour, a/an unit, a/an unusual one, a/an once-off", "an hour, a unit, an unusual one, a once-off"),
        (f"a/an {matter('eager')} one", f"an {matter('eager')} one"),
    ],
)
def test_tidying(raw: str, tidied: str) -> None:
    assert tidy(raw) == tidied


@pytest.mark.parametrize(
    ("sentence", "raised"),
    [
        ("slate it is", "Slate it is"),
        (f"{value('slate', 0)} it is", f"{value('Slate', 0)} it is"),
        ('"slate" it is', '"Slate" it is'),
        ("9 seats", "9 seats"),
        ("ßlate", "ßlate"),
        ("", ""),
    ],
)
def test_the_first_letter_is_raised_wherever_it_stands(sentence: str, raised: str) -> None:
    assert capital(sentence) == raised


@pytest.mark.parametrize("sentence", ["ok?", "ok!", "well…", "see https://docs.example/a", "fine 🙂", "so:"])
def test_no_stop_follows_what_is_closed(sentence: str) -> None:
    assert is_closed(sentence)


@pytest.mark.parametrize("sentence", ["ok", "at 5%", "for 40 €", '"ok"', "notes (https://docs.example/a)", "日本"])
def test_a_stop_follows_everything_else(sentence: str) -> None:
    assert not is_closed(sentence)


def test_what_is_hung_onto_a_question_stands_before_its_mark() -> None:
    assert appended("when is it due?", " (there)") == "when is it due (there)?"
    assert appended("it is due", " (there)") == "it is due (there)"


def test_lead_ins_do_not_pile_up() -> None:
    assert leads("also,", "the oak is late")
    assert not leads("also,", "fyi: the oak is late")
    assert not leads("update:", "is the oak late?")


def test_sentences_are_cut_after_stops_but_not_within_numbers_or_before_pictures() -> None:
    assert sentence_count("Due at 9.30. Fine 🙂") == 2
    assert sentence_count("Due at 9.30! 🙂") == 1
    assert longest("One two three. Four five") == 3


@given(st.lists(st.tuples(texts, st.booleans())), st.integers(0, 40))
def test_marks_come_off_again_and_keep_what_they_surround(parts: list[tuple[str, bool]], index: int) -> None:
    marked = "".join(value(text, index) if given_ else text for text, given_ in parts)

    assert bare(marked) == "".join(text for text, _ in parts)
    own = [text for text, given_ in parts if given_]
    assert surfaces(marked) == ({index: own[0]} if own else {})
    assert bare(map_frames(marked, lambda stretch: "")) == "".join(own)
    assert "".join(frames(marked)) == "".join(text for text, given_ in parts if not given_)


@given(st.integers())
def test_a_typo_changes_one_word_of_the_writer_and_nothing_given(seed: int) -> None:
    text = f"please order {matter('please order')} the {value('oiled oak', 0)} counter today"
    wrong, meant = blemish.typo(text, random.Random(seed))

    assert surfaces(wrong) == {0: "oiled oak"} and "please order" in bare(wrong)
    assert bare(wrong) != bare(text)
    before, after = bare(text).split(), bare(wrong).split()
    assert [word for word, typed in zip(before, after, strict=True) if word != typed] == [meant]


def test_there_is_no_typo_where_everything_is_given() -> None:
    assert blemish.typo(matter("oiled oak"), random.Random(1)) == (matter("oiled oak"), "")


def test_a_fragment_lacks_its_beginning() -> None:
    assert blemish.fragment(["I'll ask around"], random.Random(1)) == ["will ask around"]
    assert blemish.fragment(["we're late"], random.Random(1)) == ["late"]
    assert blemish.fragment([f"{value('I', 0)} own it"], random.Random(1)) == [f"{value('I', 0)} own it"]


def test_missing_punctuation_leaves_questions_and_given_matter_alone() -> None:
    text = f"well, it's {matter('a, b')}, isn't it? I'd say so."
    assert bare(blemish.unpunctuated(text)) == "well its a, b isnt it? Id say so"


def test_lower_case_keeps_what_is_given() -> None:
    assert bare(blemish.lower_case(f"Yes, I asked {matter('Ana')}")) == "yes, i asked Ana"


def said(text: str, number: int) -> Said:
    return Said(
        id=f"Msg_{number}",
        author="User_1",
        author_name="Ana",
        role="Buyer",
        text=text,
        sent_at=datetime(2026, 3, 2, tzinfo=UTC),
        act="add",
    )


def test_repeating_ones_last_opening_is_the_worst_fault() -> None:
    mine = (said("Good point, and more", 1), said("@Olek so it goes on", 2))
    echo = Echo(Situation(author_recent=mine))

    assert echo.faults("so it ends") > echo.faults("good point again") > echo.faults("nothing of the kind") == 0


def test_own_words_are_compared_with_what_was_said_and_given_matter_is_not() -> None:
    echo = Echo(Situation(recent=(said("Can we talk about it over coffee", 1),)))

    assert echo.faults("well, can we talk about the oak") > 0
    assert echo.faults(f"well, {matter('can we talk about it')} then") == 0
