"""How text is cut into words, stems and tokens."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.text import ascii_words, count_tokens, stemmer, words


@pytest.mark.parametrize(
    ("text", "unicode_cut", "ascii_cut"),
    [
        ("User_7's P2-delay: 10min!", ["user_7", "s", "p2", "delay", "10min"], ["user_7", "s", "p2", "delay", "10min"]),
        ("2026-11-02", ["2026", "11", "02"], ["2026", "11", "02"]),
        ("Café ÉCLAIR", ["café", "éclair"], ["caf", "clair"]),
        ("会議は水曜日 ok", ["会議は水曜日", "ok"], ["ok"]),
        ("300 \u212a", ["300", "k"], ["300"]),
        ("🎉 ... \u200b", [], []),
    ],
)
def test_words(text: str, unicode_cut: list[str], ascii_cut: list[str]) -> None:
    assert words(text) == unicode_cut
    assert ascii_words(text) == ascii_cut


@given(st.text())
def test_cuts_of_any_text_are_words_and_stay_so_when_cut_again(text: str) -> None:
    assert words(" ".join(words(text))) == words(text)
    assert ascii_words(" ".join(ascii_words(text))) == ascii_words(text)
    assert all(word.isascii() for word in ascii_words(text))


@given(st.text(st.characters(codec="utf-8")))
def test_every_word_has_a_stem(text: str) -> None:
    stem = stemmer()
    assert all(isinstance(stem(word), str) for word in words(text))


def test_forms_of_a_word_share_their_stem() -> None:
    stem = stemmer()
    assert stem("inspections") == stem("inspection") == stem("inspected") == "inspect"


def test_text_that_looks_like_a_special_token_is_counted_as_text() -> None:
    assert count_tokens("") == 0
    assert count_tokens("hello world") == 2
    assert count_tokens("<|endoftext|>") > 1


def test_token_tables_are_loaded_only_when_tokens_are_counted() -> None:
    code = "import sys, groupmem.text; assert 'bpe_openai' not in sys.modules; groupmem.text.count_tokens('x')"
    subprocess.run([sys.executable, "-c", code], check=True)
