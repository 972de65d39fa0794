"""Sentences, words and quotes: cut once, with offsets into the text as it was written."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.memory.notes.reading import read


def sentences(text: str) -> list[str]:
    return [sentence.text for sentence in read(text).sentences]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ok. going with ten", ["ok.", "going with ten"]),
        ("Ship it! Now?", ["Ship it!", "Now?"]),
        ("v1.2.3 is out. Yes.", ["v1.2.3 is out.", "Yes."]),
        ("call Dr. Holm at 3 p.m. today", ["call Dr. Holm at 3 p.m. today"]),
        ("due Nov. 12 or so", ["due Nov. 12 or so"]),
        ("am 12. November", ["am 12. November"]),
        ("It is (approx. 5).", ["It is (approx. 5)."]),
        ("it is wapprox. 5", ["it is wapprox.", "5"]),
        ("nr.\t5 of a-no. 7", ["nr.\t5 of a-no. 7"]),
        ("one\ntwo\n\nthree", ["one", "two", "three"]),
        ("开会吗？好。", ["开会吗？", "好。"]),
        ('He said "no." Then left.', ['He said "no."', "Then left."]),
        ("Wait...? Yes!! No", ["Wait...?", "Yes!!", "No"]),
        ("so... what.now. 「好。」 x。！y", ["so...", "what.now.", "「好。」", "x。！", "y"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_where_sentences_end(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_quoted_lines_and_code_are_in_no_sentence_and_quotes_are_listed() -> None:
    text = "> did you check?\nyes\n```\nx = 1. y = 2.\n```\ndone"
    reading = read(text)
    assert [sentence.text for sentence in reading.sentences] == ["yes", "done"]
    assert [text[slice(*span)] for span in reading.quotes] == ["> did you check?"]
    assert len(reading.body) == len(text)


def test_words_are_lower_case_without_possessives_and_with_contractions() -> None:
    (sentence,) = read("Mira’s plan DOESN’T fit User_7").sentences
    assert sentence.words == ("mira", "s", "plan", "doesn't", "fit", "user", "7")


def test_questions_are_known_by_their_mark() -> None:
    assert [sentence.question for sentence in read('ok? "really?" yes.').sentences] == [True, True, False]


@given(st.text(max_size=300))
def test_sentences_of_any_text_lie_in_it_in_order(text: str) -> None:
    reading = read(text)
    for sentence in reading.sentences:
        assert reading.body[sentence.start : sentence.end] == sentence.text
        assert sentence.holds((sentence.start, sentence.end))
    assert all(left.end <= right.start for left, right in pairwise(reading.sentences))
    kept = "".join(reading.body.split())
    assert "".join("".join(sentence.text.split()) for sentence in reading.sentences) == kept


@given(st.text(st.sampled_from("ab1_'.!? \n\t,-"), max_size=60))
def test_words_are_the_same_beside_letters_of_other_scripts(text: str) -> None:
    alone, beside = (
        [word for sentence in read(each).sentences for word in sentence.words] for each in (text, f"{text} ü")
    )
    assert beside == [*alone, "ü"]
