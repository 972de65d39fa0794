"""Vectors against cosines computed in full, and texts cut into pieces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.memory.index.arrays import DamagedIndexError
from groupmem.memory.index.blocks import BlockFile
from groupmem.memory.index.chunks import CHUNK_UNITS, MOST_CHUNKS, chunks
from groupmem.memory.index.vectors import Block, gather, nearly_nearest, quantise

DIMENSIONS = 32


def unit_rows(seed: int, count: int) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSIONS))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(0, 3), min_size=1, max_size=60),
    st.floats(0, 1),
    st.integers(1, 20),
)
def test_the_nearest_are_those_of_all_cosines(seed: int, sizes: list[int], hidden: float, limit: int) -> None:
    """Entries have none to three vectors; some are hidden; the best vector of an entry counts."""
    random = np.random.default_rng(seed)
    entries = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    vectors = unit_rows(seed, len(entries))
    query = unit_rows(seed + 1, 1)[0]
    mask = random.random(len(sizes)) >= hidden
    block = Block(channel=0, entries=entries, vectors=quantise(vectors))
    exact = {int(entry): float((vectors[entries == entry] @ query).max()) for entry in np.unique(entries)}
    found = nearly_nearest([block], query, mask, limit)
    cosines = gather([block], found, np.zeros(len(found), dtype=np.int32)).cosines(query)
    assert len(set(found.tolist())) == len(found)
    assert all(mask[found])
    for entry, cosine in zip(found.tolist(), cosines.tolist(), strict=True):
        assert cosine == pytest.approx(max(exact[entry], 0.0), abs=0.02)
    visible = sorted((exact[entry] for entry in exact if mask[entry]), reverse=True)
    assert len(found) >= min(limit, len(visible))
    for expected, got in zip(visible[:limit], sorted(cosines.tolist(), reverse=True), strict=False):
        assert got == pytest.approx(max(expected, 0.0), abs=0.02)
    everything = gather([block], np.arange(len(sizes)), np.zeros(len(sizes), dtype=np.int32))
    assert everything.cosines(query).tolist() == pytest.approx(
        [max(exact.get(entry, 0.0), 0.0) for entry in range(len(sizes))], abs=0.02
    )


@given(st.integers(0, 2**32 - 1), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=40))
def test_vectors_of_many_channels_go_to_their_entries_in_any_company(seed: int, drawn: list[tuple[int, int]]) -> None:
    """`drawn` are the channel of each entry and how many vectors it has. A channel may have two blocks."""
    vectors, query = unit_rows(seed, 200), unit_rows(seed + 1, 1)[0]
    channels = np.array([channel for channel, _ in drawn], dtype=np.int32)
    owners = np.repeat(np.arange(len(drawn), dtype=np.int64), [size for _, size in drawn])
    scaled = quantise(vectors[: len(owners)])
    blocks = [
        Block(channel=channel, entries=owners[chosen], vectors=scaled[chosen])
        for channel in range(4)
        for half in (owners % 2 == 0, owners % 2 == 1)
        for chosen in [np.flatnonzero(half & (channels[owners] == channel) if len(owners) else half)]
    ]
    together = gather(blocks, np.arange(len(drawn)), channels).cosines(query)
    for entry in range(len(drawn)):
        alone = gather(blocks, np.array([entry]), channels[[entry]]).cosines(query)
        assert alone[0] == together[entry]
        known = [float(vector @ query) for vector in vectors[: len(owners)][owners == entry]]
        assert alone[0] == pytest.approx(max([0.0, *known]), abs=0.02)


def test_eight_bits_keep_cosines_within_a_hundredth() -> None:
    vectors = np.random.default_rng(5).normal(size=(400, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    block = Block(channel=0, entries=np.arange(400), vectors=quantise(vectors))
    cosines = gather([block], np.arange(400), np.zeros(400, dtype=np.int32)).cosines(vectors[0])
    assert np.abs(cosines - np.maximum(vectors @ vectors[0], 0)).max() < 0.01
    assert quantise(np.zeros((1, 384), dtype=np.float32)).any() == np.False_


def test_many_hidden_vectors_before_the_visible_ones_are_passed_over() -> None:
    vectors = np.repeat(unit_rows(1, 1), 3000, axis=0)
    block = Block(channel=0, entries=np.arange(3000), vectors=quantise(vectors))
    mask = np.zeros(3000, dtype=np.bool_)
    mask[[7, 2999]] = True
    assert sorted(nearly_nearest([block], vectors[0], mask, 5).tolist()) == [7, 2999]
    assert nearly_nearest([block], vectors[0], np.zeros(3000, dtype=np.bool_), 5).tolist() == []
    assert nearly_nearest([], vectors[0], mask, 5).tolist() == []


def test_a_block_file_grows_and_what_does_not_count_is_written_over(tmp_path: Path) -> None:
    file = BlockFile(tmp_path, 1, 2, 3, DIMENSIONS)
    first, second = quantise(unit_rows(1, 2)), quantise(unit_rows(2, 3))
    assert file.append(0, np.array([4, 4]), first) == 2
    file.append(2, np.array([9, 9, 9]), quantise(unit_rows(3, 3)))  # cut off: nobody counted these
    assert file.append(2, np.array([5, 6, 7]), second) == 5
    block = file.read(5)
    assert block.entries.tolist() == [4, 4, 5, 6, 7]
    assert np.array_equal(block.vectors, np.concatenate([first, second]))
    assert file.read(2).entries.tolist() == [4, 4]
    assert file.read(0).entries.tolist() == []
    with pytest.raises(DamagedIndexError, match="it holds 160 bytes where 192 were written"):
        file.read(6)
    with pytest.raises(DamagedIndexError, match="shorter"):
        file.append(9, np.array([1]), first[:1])


@given(st.text(alphabet=st.sampled_from("ab 重\n"), max_size=3000))
def test_pieces_are_the_text_and_none_is_long(text: str) -> None:
    pieces = chunks(text)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(len(piece.split()) <= CHUNK_UNITS * 3 // 2 for piece in pieces)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("short", 1),
        ("", 1),
        ("word " * 164, 1),
        ("word " * 166, 2),
        ("word " * 1100, 10),
        ("重" * 20_000, MOST_CHUNKS),
        ("x" * 12 * CHUNK_UNITS * 3, 3),
        ("word " * 1_000_000, MOST_CHUNKS),
    ],
)
def test_how_many_pieces_a_text_has(text: str, count: int) -> None:
    pieces = chunks(text)
    assert len(pieces) == count
    assert max(map(len, pieces)) <= 12 * CHUNK_UNITS * 3 // 2
