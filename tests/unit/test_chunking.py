"""Chunks: nothing is lost, nothing is too long, and the places where a text is cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from groupmem.lab.chunking import MIN_BYTES, chunk

PIECES = st.sampled_from(
    [
        "word ",
        "longerword ",
        "x, ",
        "end. ",
        "really? ",
        "\n",
        "\n\n",
        "\r\n",
        "(a)",
        "—",
        "...",
        "é",
        "日本語",
        "👩‍👧",
        "\u200f",
        "y" * 40,
    ]
)
TEXTS = st.lists(PIECES, max_size=80).map("".join)


def words(text: str) -> int:
    return len(text.split())


@given(TEXTS, st.integers(1, 40))
def test_chunks_joined_give_the_text_and_each_fits(text: str, size: int) -> None:
    chunks = chunk(text, size, count=len)
    assert "".join(chunks) == text
    assert all(0 < len(each) <= size for each in chunks)


@given(TEXTS, st.integers(1, 40))
def test_a_text_that_fits_is_one_chunk(text: str, size: int) -> None:
    assert len(chunk(text, max(size, len(text)), count=len)) == bool(text)


def test_a_text_is_cut_at_paragraphs_then_sentences_then_pauses_then_words() -> None:
    paragraph, sentence = "one two three four five six", "seven eight nine ten eleven. "
    assert chunk(f"{paragraph}\n\n{paragraph}", 8, count=words) == [f"{paragraph}\n\n", paragraph]
    assert chunk(sentence * 2, 7, count=words) == [sentence, sentence]
    assert chunk("a b c d e f g h i j k l, m n o p q r s t u v w x y", 14, count=words) == [
        "a b c d e f g h i j k l,",
        " m n o p q r s t u v w x y",
    ]
    assert chunk("twelve_letters " * 4, 2, count=words) == ["twelve_letters " * 2] * 2


def test_short_pieces_stay_with_what_stands_before_them() -> None:
    line = "z" * MIN_BYTES
    assert chunk(f"{line}\na\n{line}\n", 30, count=len) == [f"{line}\na\n", f"{line}\n"]


def test_nothing_has_no_chunk() -> None:
    assert chunk("") == []
