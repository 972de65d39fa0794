"""The dense system and the fusion, with an embedding whose geometry is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.errors import InputError, ModelError
from groupmem.lab.systems import dense
from groupmem.lab.systems.base import BaseSystem, Setting
from groupmem.lab.systems.hybrid import FusedRanker
from groupmem.lab.systems.ranked import Ranking
from groupmem.lab.systems.registry import create_system
from groupmem.models.base import EmbeddingModel, Vectors
from groupmem.types import Message, Passage
from support.word_vectors import WordVectors

NEEDS_EMBEDDING = ("dense", "hybrid")
texts = st.lists(st.sampled_from(["crane", "crane up", "valve", "", "  ", "storm over the dock", "crane"]), min_size=1)


def opened(spec: str, embedding: EmbeddingModel | None) -> BaseSystem:
    system = create_system(spec)
    system.system.open(Setting(options=system.options, embedding=embedding))
    return system.system


def said(*texts: str) -> list[Message]:
    return [Message(id=f"m{number}", channel="dock", author="a", text=text) for number, text in enumerate(texts)]


def recalled(system: BaseSystem, question: str, asker: str | None = None, limit: int = 10) -> tuple[Passage, ...]:
    return system.recall(question, asker=asker, limit=limit, asked_at=None).passages


def ids(passages: Sequence[Passage]) -> list[str]:
    return [passage.source_ids[0] for passage in passages]


class FailsOnce(WordVectors):
    """Fails at the first call, as a provider does."""

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vectors:
        vectors = super().embed(texts, kind=kind)
        if len(self.calls) == 1:
            raise ModelError("the provider is down")
        return vectors


class Fixed:
    """A ranker whose ranking is given."""

    def __init__(self, *positions: int) -> None:
        self.positions = positions

    def add(self, messages: Sequence[Message]) -> None:
        pass

    def rank(self, question: str, asker: str | None, limit: int) -> Ranking:
        best = np.array(self.positions[:limit], dtype=np.intp)
        return Ranking(best, np.ones(len(best)))


@given(texts)
def test_dense_ranks_by_cosine_with_ties_in_message_order(written: list[str]) -> None:
    system, model = opened("dense", WordVectors()), WordVectors()
    system.ingest(said(*written))
    query = model.embed(["crane up the dock"], kind="query")[0]
    cosines = [float(model.embed([text], kind="passage")[0] @ query) if text.strip() else 0.0 for text in written]
    cosine_of = dict(zip(written, cosines, strict=True))
    expected = sorted(range(len(written)), key=lambda place: -cosine_of[written[place]])
    found = recalled(system, "crane up the dock", limit=len(written))
    assert ids(found) == [f"m{place}" for place in expected]
    assert [passage.score for passage in found] == pytest.approx([cosines[place] for place in expected], abs=1e-6)


def test_each_distinct_text_is_embedded_once_and_blank_ones_never() -> None:
    model = WordVectors()
    system = opened("dense", model)
    system.ingest(said("ok", "crane", "ok", " ", ""))
    system.settle()
    system.ingest([Message(id="later", channel="dock", author="b", text=text) for text in ("ok",)])
    system.settle()
    assert model.calls == [["ok", "crane"]]


def test_texts_are_embedded_in_blocks_and_searched_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    written = [f"crane {number}" for number in range(10)]
    whole, model = opened("dense", WordVectors()), WordVectors()
    whole.ingest(said(*written))
    expected = ids(recalled(whole, "crane 7"))
    monkeypatch.setattr(dense, "BLOCK_TEXTS", 3)
    blocked = opened("dense", model)
    blocked.ingest(said(*written))
    assert ids(recalled(blocked, "crane 7")) == expected
    assert [len(call) for call in model.calls] == [3, 3, 3, 1, 1]


@pytest.mark.parametrize("spec", NEEDS_EMBEDDING)
def test_the_dense_query_is_the_question_alone(spec: str) -> None:
    model = WordVectors()
    system = opened(spec, model)
    system.ingest(said("crane"))
    recalled(system, "who saw the crane?", asker="User_7")
    assert model.calls[-1] == ["who saw the crane?"]


@pytest.mark.parametrize("spec", NEEDS_EMBEDDING)
def test_without_an_embedding_model_there_is_no_cell(spec: str) -> None:
    with pytest.raises(InputError, match=f"{spec} needs an embedding model"):
        opened(spec, None)


@pytest.mark.parametrize("spec", NEEDS_EMBEDDING)
def test_a_settle_that_failed_can_be_done_again(spec: str) -> None:
    troubled, sound = opened(spec, FailsOnce()), opened(spec, WordVectors())
    for system in (troubled, sound):
        system.ingest(said("crane up", "valve", "crane up", "storm"))
    with pytest.raises(ModelError):
        troubled.settle()
    assert recalled(troubled, "crane") == recalled(sound, "crane")


def test_fusion_sums_the_reciprocals_of_ranks_and_keeps_message_order_in_ties() -> None:
    fused = FusedRanker([Fixed(4, 1, 0), Fixed(1, 4, 2)])
    fused.add(said(*"abcde"))
    positions, scores = fused.rank("", None, 10)
    assert positions.tolist() == [1, 4, 0, 2]
    assert scores.tolist() == pytest.approx([1 / 61 + 1 / 62, 1 / 61 + 1 / 62, 1 / 63, 1 / 63])


def test_fusion_takes_the_first_hundred_of_each() -> None:
    fused = FusedRanker([Fixed(*range(150)), Fixed(*range(299, 149, -1))])
    fused.add(said(*["x"] * 300))
    positions, _ = fused.rank("", None, 1000)
    assert sorted(positions.tolist()) == [*range(100), *range(200, 300)]


def test_hybrid_finds_by_words_and_by_meaning() -> None:
    system = opened("hybrid", WordVectors())
    system.ingest(said("crane up", "valve", "storm at the dock"))
    assert ids(recalled(system, "storm"))[0] == "m2"
    assert len(recalled(system, "storm")) == 3


def test_hybrid_takes_the_asker_into_the_lexical_query_when_told_to() -> None:
    orders = []
    for spec in ("hybrid", "hybrid:asker=on"):
        system = opened(spec, WordVectors())
        system.ingest(said("crane one", "crane two", "User_7 rests"))
        orders.append([passage.score for passage in recalled(system, "crane", asker="User_7")])
    assert orders[0] != orders[1]
