"""Masking, distinct-n and near-duplicates, against words and sets worked out by hand or by brute force."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.lab.measures.conversation import distinct_in_blocks, distinct_n, masked_words, near_duplicates
from groupmem.lab.measures.conversation.near_duplicates import ALIKE, GRAM, SHORTEST
from groupmem.lab.measures.conversation.typos import TIMES_RARER, common_spellings

vocabulary = st.sampled_from(("ship", "the", "new", "build", "before", "lunch", "please"))
messages = st.lists(vocabulary, max_size=9)
# Long messages with one word changed here and there are what lies near the threshold.
similar = st.lists(st.tuples(st.integers(0, 25), vocabulary), max_size=3).map(
    lambda changes: [dict(changes).get(place, f"word{place}") for place in range(24)]
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see https://x.example/a?b=1, or www.x.example!", "see _link or _link"),
        ("write to ana.b+c@mail.example today", "write to _link today"),
        ("User_14 moves PROJ-12 to v2 in Q3", "_id moves _id to _id in _id"),
        ("12,000 rows, 4.5% and $3k at 14:30", "_number rows _number and _number at _number"),
        ("three of them on Friday", "_number of them on _number"),
        ("by Mar 12, or 3rd of April, not in march", "by _number or _number not in march"),
        ("you may march", "you may march"),
        ("DON'T, don’t, dont!", "dont dont dont"),
        ("naïve 会议 😅 café", "naïve 会议 café"),
        ("", ""),
    ],
)
def test_what_is_masked(text: str, expected: str) -> None:
    assert masked_words([text]) == [expected.split()]


@pytest.mark.parametrize("slip", ["bulid", "biuld", "buld", "buiild", "bukld"])
def test_a_slip_of_a_common_word_is_that_word(slip: str) -> None:
    common = ["the build"] * TIMES_RARER
    assert masked_words([*common, f"the {slip}"])[-1] == ["the", "build"]


@pytest.mark.parametrize("word", ["builds", "built", "buil", "guild", "bull", "boiled"])
def test_another_word_or_form_is_no_slip(word: str) -> None:
    assert common_spellings({"build": 1000, word: 1}, ()) == {}


def test_a_word_that_is_not_rare_is_no_slip() -> None:
    assert common_spellings({"form": 100, "from": 100 * TIMES_RARER}, ()) == {"form": "from"}
    assert common_spellings({"form": 101, "from": 100 * TIMES_RARER}, ()) == {}


def test_a_known_word_is_no_slip_of_a_common_one() -> None:
    assert common_spellings({"wish": 1, "wihs": 1, "with": 1000}, {"wish"}) == {}
    assert common_spellings({"wish": 1, "wiht": 1, "with": 1000}, {"wish"}) == {"wiht": "with"}
    assert masked_words([*["go with it"] * 100, "i wish"])[-1] == ["i", "wish"]


def test_of_several_words_the_most_frequent_was_meant() -> None:
    assert common_spellings({"wrod": 1, "word": 30, "wood": 40}, ()) == {"wrod": "wood"}


def test_texts_that_differ_in_figures_only_are_the_same() -> None:
    one, other = masked_words(
        ["PR-7 slips to Mar 12 14:00 https://a.example", "PR-81 slips to Apr 3, 9 am www.b.example"]
    )
    assert one[:4] == other[:4] == ["_id", "slips", "to", "_number"]


@pytest.mark.parametrize("long", ["x" * 300_000, "a." * 150_000, "x1" * 150_000, "9," * 150_000, "a@" * 150_000])
def test_a_pasted_blob_takes_no_more_than_its_length(long: str) -> None:
    (row,) = masked_words([f"see {long}"])
    assert row[0] == "see"


def test_distinct_by_hand() -> None:
    rows = [["a", "b", "a", "b"], ["a", "b"], ["c"]]
    assert distinct_n(rows, 1) == 3 / 7
    assert distinct_n(rows, 2) == 2 / 4
    assert distinct_n(rows, 3) == 1.0
    assert distinct_n(rows, 5) is None


def test_blocks_compare_conversations_of_different_lengths() -> None:
    rows = [[f"w{number}" for number in range(11)]] * 6
    assert distinct_in_blocks(rows, 2, size=10) == 1.0
    assert distinct_in_blocks(rows, 2, size=20) == 0.5
    assert distinct_in_blocks(rows, 2, size=61) is None


@given(st.lists(messages, max_size=12), st.integers(1, 4))
def test_distinct_is_a_share_and_a_copy_never_raises_it(rows: list[list[str]], n: int) -> None:
    once = distinct_n(rows, n)
    if once is not None:
        assert 0 < once <= 1
        assert distinct_n(rows + rows, n) == pytest.approx(once / 2)


@given(st.lists(st.one_of(messages, similar), max_size=14))
def test_near_duplicates_are_those_that_comparing_all_pairs_finds(rows: list[list[str]]) -> None:
    kept = [frozenset(zip(*(row[at:] for at in range(GRAM)), strict=False)) for row in rows if len(row) >= SHORTEST]
    pairs = [
        (left, right)
        for left, right in combinations(range(len(kept)), 2)
        if len(kept[left] & kept[right]) / len(kept[left] | kept[right]) >= ALIKE
    ]
    found = near_duplicates(rows)
    assert found.considered == len(kept)
    assert found.alike == len({place for pair in pairs for place in pair})
    assert found.repeated == len({later for _, later in pairs})


def test_many_copies_are_counted_and_cost_nothing() -> None:
    found = near_duplicates([["all", "of", "us", "agree"]] * 20_000)
    assert (found.considered, found.alike, found.repeated) == (20_000, 20_000, 19_999)
    assert (found.alike_share, found.repeated_share) == (1.0, 19_999 / 20_000)


def test_short_messages_are_not_looked_at() -> None:
    found = near_duplicates([["sounds", "good", "thanks"]] * 3)
    assert (found.considered, found.alike_share, found.repeated_share) == (0, None, None)
