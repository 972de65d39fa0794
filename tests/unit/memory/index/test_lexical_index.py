"""The lexical index against BM25 written out, under any mask, from any segments."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.memory.index.arrays import DamagedIndexError, map_arrays, write_arrays
from groupmem.memory.index.lexical import K1, B, LexicalIndex
from groupmem.memory.index.postings import LONGEST, MOST_COUNTED, Segment, build, merge, term_hash
from groupmem.memory.index.running_text import RunningText
from groupmem.memory.index.top import at_least_best

TERMS = ["gate", "lamp", "moss", "ёлка", "重新"]
documents = st.lists(
    st.tuples(st.lists(st.sampled_from(TERMS), max_size=6), st.lists(st.sampled_from(TERMS), max_size=9)),
    min_size=1,
    max_size=12,
)


def segments_of(texts: list[tuple[list[str], list[str]]], cuts: list[int]) -> list[Segment]:
    """The documents, as entries 0, 2, 4, ..., in segments that end where `cuts` says."""
    borders = sorted({0, *(cut % len(texts) for cut in cuts), len(texts)})
    return [
        build([2 * place for place in range(start, end)], [tuple(text) for text in texts[start:end]])
        for start, end in pairwise(borders)
    ]


def bm25(texts: dict[int, list[str]], weights: dict[str, float], entry: int) -> float:
    """The score of one text, with counts over all `texts`."""
    average = sum(map(len, texts.values())) / len(texts)
    score = 0.0
    for term, weight in weights.items():
        held = sum(term in text for text in texts.values())
        count = texts[entry].count(term)
        if count:
            idf = math.log(1 + (len(texts) - held + 0.5) / (held + 0.5))
            score += weight * idf * count / (count + K1 * (1 - B + B * len(texts[entry]) / average))
    return score


def full_score(texts: dict[int, list[str]], weights: dict[str, float]) -> float:
    """What a text of average length would score that has every term once."""
    held = {term: sum(term in text for text in texts.values()) for term in weights}
    return sum(
        weight * math.log(1 + (len(texts) - held[term] + 0.5) / (held[term] + 0.5)) * 1 / (1 + K1)
        for term, weight in weights.items()
    )


@given(
    documents,
    st.lists(st.integers(0, 20), max_size=3),
    st.lists(st.booleans(), min_size=12, max_size=12),
    st.dictionaries(st.sampled_from([*TERMS, "absent"]), st.floats(0.25, 2), min_size=1),
    st.booleans(),
)
def test_scores_are_those_of_bm25_over_what_is_visible(
    texts: list[tuple[list[str], list[str]]],
    cuts: list[int],
    seen: list[bool],
    weights: dict[str, float],
    merged: bool,
) -> None:
    segments = segments_of(texts, cuts)
    size = 2 * len(texts)
    if merged:
        segments = [merge(segments, np.ones(size, dtype=np.bool_))]
    index = LexicalIndex(segments)
    mask = np.zeros(size, dtype=np.bool_)
    mask[[2 * place for place in range(len(texts)) if seen[place]]] = True
    lookup = index.under(mask, lambda field: index.extent(field, mask))
    for number, field in enumerate(("content", "context")):
        visible = {2 * place: text[number] for place, text in enumerate(texts) if seen[place]}
        scores = lookup.scores(field, weights)
        assert lookup.scores(field, weights).tolist() == scores.tolist()
        assert lookup.full_score(field, weights) == pytest.approx(full_score(visible, weights))
        for entry in range(size):
            expected = bm25(visible, weights, entry) if entry in visible else 0.0
            assert scores[entry] == pytest.approx(expected, rel=1e-5)
        for term in (*TERMS, "absent"):
            holding = [entry for entry, text in visible.items() if term in text]
            assert index.entries(field, term, mask).tolist() == holding
            assert lookup.frequencies(field, [term, "absent", term]).tolist() == [len(holding), 0, len(holding)]


@given(documents, st.lists(st.integers(0, 20), max_size=3), st.lists(st.booleans(), min_size=12, max_size=12))
def test_a_merge_is_the_index_of_what_is_alive(
    texts: list[tuple[list[str], list[str]]], cuts: list[int], living: list[bool]
) -> None:
    alive = np.zeros(2 * len(texts), dtype=np.bool_)
    alive[[2 * place for place in range(len(texts)) if living[place]]] = True
    segments = segments_of(texts, cuts)
    merged = merge(segments, alive)
    kept = [(2 * place, text) for place, text in enumerate(texts) if living[place]]
    assert (merged.first, merged.last) == (0, 2 * len(texts) - 2)
    assert LexicalIndex([merged]).dead(alive) == 0
    if not kept:
        assert all(len(postings.terms) == 0 for postings in merged.fields.values())
        return
    fresh = build([entry for entry, _ in kept], [tuple(text) for _, text in kept])
    for field, postings in merged.fields.items():
        for name in ("terms", "starts", "entries", "codes"):
            assert np.array_equal(getattr(postings, name), getattr(fresh.fields[field], name)), (field, name)
    assert np.array_equal(merged.running.words, fresh.running.words)
    assert np.array_equal(np.unique(merged.running.starts), np.unique(fresh.running.starts))
    assert np.array_equal(merged.running.pairs, fresh.running.pairs)
    assert np.array_equal(merged.running.places, fresh.running.places)


def test_counts_and_lengths_have_a_ceiling_and_stay_comparable() -> None:
    long = ["word"] * (LONGEST + 500)
    index = LexicalIndex([build([0, 1], [(long, long), (["word"] * MOST_COUNTED, [])])])
    mask = np.ones(2, dtype=np.bool_)
    scores = index.under(mask, lambda field: index.extent(field, mask)).scores("content", {"word": 1.0})
    assert 0 < scores[0] < scores[1]


def test_a_segment_file_gives_back_the_segment_and_holds_no_word(tmp_path: Path) -> None:
    segment = build([3, 5], [(["harbour", "pilot"], ["harbour", "pilot", "tide"]), ([], ["tide"])])
    write_arrays(tmp_path / "a.postings", segment.arrays())
    back = Segment.of_arrays(map_arrays(tmp_path / "a.postings"))
    assert LexicalIndex([back]).entries("context", "tide", np.ones(6, dtype=np.bool_)).tolist() == [3, 5]
    content = (tmp_path / "a.postings").read_bytes()
    assert not any(word in content for word in (b"harbour", b"pilot", b"tide"))
    words = np.array([term_hash("harbour"), term_hash("pilot")], dtype=np.uint64)
    assert RunningText([back], np.ones(6, dtype=np.bool_)).pairs(words[:1], words[1:])[1].tolist() == [0]


@pytest.mark.parametrize("damage", ["shorter", "longer", "other", "empty", "no table"])
def test_a_damaged_file_says_so_and_what_to_do(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "a.postings"
    write_arrays(path, build([0], [(["word"], ["word"])]).arrays())
    content = path.read_bytes()
    path.write_bytes(
        {
            "shorter": content[:-1],
            "longer": content + b"x",
            "other": b"PK" + content[2:],
            "empty": b"",
            "no table": content[:16] + b"\xff" * (len(content) - 16),
        }[damage]
    )
    with pytest.raises(DamagedIndexError, match=r"a\.postings: .*; the messages are safe, .*groupmem rebuild"):
        map_arrays(path)


@given(
    st.lists(st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0, 3.5]), max_size=40),
    st.integers(0, 50),
    st.integers(1, 3),
)
def test_the_best_are_the_best_with_all_ties(values: list[float], limit: int, stretch: int) -> None:
    scores = np.repeat(np.array(values, dtype=np.float32), 1 if stretch == 1 else 300 * stretch)
    found = at_least_best(scores, limit)
    ranked = np.sort(scores[scores > 0])[::-1]
    border = ranked[min(limit, len(ranked)) - 1] if limit and len(ranked) else np.inf
    assert found.tolist() == np.flatnonzero((scores >= border) & (scores > 0)).tolist()
