"""The analyser: what must be found by what, and what must hold for any text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.memory.analysis import (
    BEGINS_PHRASE,
    BEGINS_SENTENCE,
    IS_PART,
    STOP_TERMS,
    content_terms,
    running_terms,
    running_words,
    stem,
    terms,
)

FOUND_BY = [
    ("we deployed it", "deploying"),
    ("three EXPORTS", "export"),
    ("重新跑deploy-eu", "deploy-eu"),
    ("重新跑deploy-eu", "deploy"),
    ("重新跑deploy-eu", "eu"),
    ("重新跑deploy-eu", "重新"),
    ("重新跑deploy-eu", "跑"),
    ("重新跑deploy-eu", "重新跑deploy-eu"),
    ("raise step_delay", "step delay"),
    ("raise step_delay", "step_delay"),
    ("fooBarBaz fails", "foobarbaz"),
    ("fooBarBaz fails", "baz"),
    ("kubeAPIServer", "server"),
    ("v2.3.1 is out", "2.3.1"),
    ("v2.3.1 is out", "v2.3.1"),
    ("see PROJ-123", "proj-123"),
    ("see PROJ-123", "123"),
    ("by e-mail", "email"),
    ("100,000 rows", "100000"),
    ("cutoff 0.92", "0.92"),
    ("at 09:00", "09:00"),
    ("C++ and C#", "c++"),
    ("Blåbær Logistics", "blabaer"),
    ("Straße", "strasse"),
    ("ＡＢＣ１２３", "abc123"),
    ("ze\u200bro wi\u200ddth", "zero width"),
    ("\u202eabc\u202c", "abc"),
    ("great 👍🏽", "👍"),
    ("👨‍👩‍👧 trip", "👨‍👩‍👧"),
    ("🇩🇪 office", "🇩🇪"),
    ("東京タワーに行く", "東京"),
    ("東京タワーに行く", "京"),
    ("한국어를 공부해요", "한국어를"),
    ("한국어를 공부해요", "공부"),
    ("สวัสดีครับ", "สวัสดีครับ"),
    ("переговоры идут", "переговор"),
    ("die Häuser sind nicht bei den Bäumen", "das Haus ist nicht bei dem Baum"),
    ("https://wiki.example/klaxon/routing-v0", "klaxon"),
    ("https://wiki.example/klaxon/routing-v0", "routing"),
    ("Priya's plan", "priya"),
    ("don’t", "don't"),
]


@pytest.mark.parametrize(("text", "query"), FOUND_BY)
def test_a_query_finds_the_text(text: str, query: str) -> None:
    wanted = [term for term in content_terms(query) if "~" not in term]
    marked = [term for term in terms(query) if "~" in term]
    assert set(marked or wanted) & set(terms(text)) == set(marked or wanted)


@pytest.mark.parametrize(
    ("text", "query"),
    [("version 12.3", "2.3"), ("東京", "京東"), ("Msg_12", "Msg_1"), ("portal", "port"), ("0.92", "92")],
)
def test_a_query_does_not_find_what_only_looks_alike(text: str, query: str) -> None:
    assert not set(terms(query)) <= set(terms(text))


def test_a_language_marks_its_stems_only_where_its_function_words_show_it() -> None:
    assert [term for term in terms("the house is not for the trees") if "~" in term] == []
    assert "es~fiest" in terms("¿Cuándo es la fiesta de las chicas?")
    assert "fr~maison" in terms("nous sommes dans les maisons avec vous")


def test_function_words_are_dropped_unless_nothing_else_is_left() -> None:
    assert content_terms("what is the plan") == ["plan"]
    assert content_terms("what is it") == ["what", "is", "it"]
    assert "not" in STOP_TERMS


@pytest.mark.parametrize(
    ("contraction", "word"),
    [("he'll", "hell"), ("I'd", "id"), ("I’ll", "ill"), ("she'd", "shed"), ("she’ll", "shell"), ("we'd", "wed")],
)
def test_a_contraction_takes_no_word_of_the_same_letters_away(contraction: str, word: str) -> None:
    assert content_terms(f"the {word} by the gate") == [word, "gate"]
    assert content_terms(f"{contraction} see the gate") == ["see", "gate"]
    assert running_terms(f"the {word} by the gate")[0] == [word, "gate"]
    for written in (f"_{word}", f"{word}#", ".".join(word), word.upper()):
        assert word in content_terms(f"{written} by the gate"), written


def test_a_word_has_the_term_that_a_text_with_it_has() -> None:
    assert stem("Deployments") in terms("two deployments")


@given(st.text(max_size=300))
def test_terms_of_any_text_can_be_joined_by_spaces(text: str) -> None:
    found = terms(text)
    assert " ".join(found).split() == found
    assert found == terms(text)


@given(st.text(max_size=100))
def test_case_and_compatibility_forms_do_not_matter(text: str) -> None:
    folded = unicodedata.normalize("NFKC", text)
    assert terms(folded) == terms(text)


ASCII_WORDS = st.lists(st.from_regex(r"[a-z]{1,12}", fullmatch=True), min_size=1, max_size=8)


@given(ASCII_WORDS)
def test_upper_case_words_have_the_same_terms(words: list[str]) -> None:
    assert terms(" ".join(words).upper()) == terms(" ".join(words))


@given(ASCII_WORDS, st.sampled_from("_-."))
def test_an_identifier_is_found_by_each_part_and_whole(words: list[str], connector: str) -> None:
    identifier = connector.join(words)
    found = set(terms(identifier))
    assert set(terms(identifier.upper())) == found
    for word in words:
        assert stem(word) in found or len(words) == 1
    assert stem("".join(words)) in found


@given(st.text(alphabet="会議は明日東京大阪京都", min_size=2, max_size=20))
def test_unspaced_text_is_found_by_each_of_its_pairs_and_characters(text: str) -> None:
    found = set(terms(text))
    assert set(text) <= found
    assert {text[index : index + 2] for index in range(len(text) - 1)} <= found


texts = st.text(max_size=80) | st.lists(
    st.sampled_from(["the", "sign-off", "isn't", "Ü", "?", "跑deploy", "de", "Nous", "dans", "les-deux_maisons", "pas"])
).map(" ".join)


@given(texts)
def test_content_terms_are_the_terms_that_are_no_function_words(text: str) -> None:
    found = terms(text)
    assert content_terms(text) == ([term for term in found if term not in STOP_TERMS] or found)


@given(texts)
def test_running_terms_are_the_content_terms_with_a_mark_each(text: str) -> None:
    found, marks = running_terms(text)
    assert found == content_terms(text)
    assert len(marks) == len(found)
    words = running_words(text)
    whole = [(term, mark) for term, mark in zip(found, marks, strict=True) if mark != IS_PART]
    if any(term not in STOP_TERMS for term in found):
        assert [(word.term, word.marks) for word in words] == whole


def test_marks_say_where_phrases_and_sentences_begin_and_what_is_part_of_a_word() -> None:
    found, marks = running_terms("Log ageing on one host, isn't it? Sign-off (joint).")
    begins = BEGINS_PHRASE | BEGINS_SENTENCE
    assert dict(zip(found, marks, strict=True)) == {
        "log": begins,
        "age": 0,
        "one": BEGINS_PHRASE,
        "host": 0,
        "signoff": begins,
        "sign": IS_PART,
        "joint": begins,
    }
    assert [word.text for word in running_words("The sign-off, jointly")] == ["sign-off", "jointly"]
