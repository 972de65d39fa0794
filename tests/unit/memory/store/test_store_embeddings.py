"""Vectors: made in batches, of long messages in pieces, by one model at a time, and made again by another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from groupmem.errors import ModelError
from groupmem.memory.store import generations
from groupmem.memory.store.generations import BATCH_MESSAGES, EmbeddingMismatchError
from groupmem.memory.store.sqlite import SqliteStore
from groupmem.models.base import Vectors
from support.memory_store import Opener, found, near, said
from support.word_vectors import WordVectors


class OtherVectors(WordVectors):
    """Another model of the same size: its vectors mean something else."""

    name = "other-vectors"

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vectors:
        return super().embed(texts, kind=kind)[:, ::-1].copy()


class Picky(WordVectors):
    """A model that takes no text longer than `most` characters, none with a word of `refused`, none when `down`."""

    def __init__(self, most: int = 10_000, refused: str = "", down: bool = False) -> None:
        super().__init__()
        self.most, self.refused, self.down = most, refused, down

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vectors:
        self.calls.append(list(texts))
        if self.down or any(len(text) > self.most or (self.refused and self.refused in text) for text in texts):
            raise ModelError("400: input too long")
        return super().embed(texts, kind=kind)


def several(count: int) -> list:
    return [said(str(number), f"word{number} talk") for number in range(count)]


# -- batches -----------------------------------------------------------------------------------------------------------


def test_vectors_are_made_when_a_batch_is_full_and_at_flush(opened: Opener) -> None:
    model = WordVectors()
    store = opened(model)
    store.add(several(BATCH_MESSAGES - 1))
    assert model.calls == []
    store.add([said("x", "one more")])
    assert [len(texts) for texts in model.calls] == [BATCH_MESSAGES]
    store.add([said("y", "rest")])
    store.flush()
    assert model.calls[1:] == [["rest"]]
    store.flush()
    assert len(model.calls) == 2
    assert store.status().unembedded == 0


def test_what_has_no_vector_yet_is_near_all_the_same(opened: Opener) -> None:
    model = WordVectors()
    store = opened(model)
    store.add([said("1", "lamp moss"), said("2", "gate")])
    assert store.view(None).has_vectors
    assert near(store.view(None), model, "lamp moss", limit=1) == ["lamp moss"]
    calls = len(model.calls)
    near(store.view(None), model, "gate")
    assert len(model.calls) == calls + 1, "the question alone: the tail was embedded before"
    before = store.view(None).nearest(model.embed(["lamp"], kind="query")[0]).top(2)
    store.flush()
    after = store.view(None).nearest(model.embed(["lamp"], kind="query")[0]).top(2)
    assert before[1].tolist() == after[1].tolist(), "a score does not depend on where its vector lies"


def test_a_reader_does_not_see_messages_far_beyond_the_vectors(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a writer embeds an import, others see what can be found by meaning as well as by words, and no more."""
    monkeypatch.setattr("groupmem.memory.store.sqlite.MOST_TAIL", 3)
    model = WordVectors()
    writer, reader = opened(model), opened(model)
    writer.add(several(2))
    writer.flush()
    late = opened()
    late.add([said(f"late{number}", "late talk") for number in range(5)])
    with writer._lock.held():
        assert reader.view(None).count == 2
        assert found(reader.view(None), "talk") == ["word0 talk", "word1 talk"]
        assert late.view(None).count == 7, "without vectors there is nothing to wait for"
    assert reader.view(None).count == 7, "where nobody writes, the reader catches up by itself"
    assert reader.status().unembedded == 0


def test_without_a_model_words_are_enough(opened: Opener) -> None:
    store = opened()
    store.add(several(3))
    view = store.view(None)
    assert not view.has_vectors
    assert found(view, "word1") == ["word1 talk"]
    with pytest.raises(ValueError, match="has no vectors"):
        view.nearest(np.ones(4, dtype=np.float32))


def test_messages_without_words_need_no_vector(opened: Opener) -> None:
    model = WordVectors()
    store = opened(model)
    store.add([said("1", ""), said("2", " \n"), said("3", "lamp")])
    store.flush()
    assert [texts for texts in model.calls if texts] == [["lamp"]]
    assert near(store.view(None), model, "lamp") == ["lamp"]


# -- long and difficult texts ------------------------------------------------------------------------------------------


def test_one_over_long_message_costs_the_others_nothing(opened: Opener) -> None:
    """Seven short messages and one of 20,000 characters without a space: all are found, the long one whole."""
    model = WordVectors()
    store = opened(model)
    long = "".join(chr(0x4E00 + number % 500) for number in range(20_000))
    store.add([*several(7), said("long", long)])
    store.flush()
    assert max(len(text) for texts in model.calls for text in texts) < 200
    view = store.view(None)
    assert [len(near(view, model, f"word{number}", limit=1)) for number in range(7)] == [1] * 7
    assert found(view, long[700:702]) == [long]
    assert view.messages(np.array([7]))[0].message.text == long


def test_the_end_of_a_long_message_is_as_near_as_its_start(opened: Opener) -> None:
    model = WordVectors()
    store = opened(model)
    filler = [f"filler{number}" for number in range(400)]
    store.add(
        [said("1", " ".join([*filler, "harbour pilot tide"])), said("2", " ".join(["harbour pilot tide", *filler]))]
    )
    store.flush()
    ranking = store.view(None).nearest(model.embed(["harbour pilot tide"], kind="query")[0])
    assert ranking.at(np.array([0, 1])).tolist() == pytest.approx([0.17, 0.17], abs=0.06)


def test_a_text_that_the_model_refuses_is_embedded_in_part(opened: Opener) -> None:
    model = Picky(most=200)
    store = opened(model)
    long = "harbour " + "pilot " * 60
    store.add([*several(7), said("long", long)])
    store.flush()
    view = store.view(None)
    assert near(view, model, "word3", limit=1) == ["word3 talk"]
    assert near(view, model, "harbour pilot", limit=1) == [long]
    calls = len(model.calls)
    store.flush()
    assert len(model.calls) == calls, "nothing is tried for ever"


def test_a_text_that_cannot_be_embedded_is_found_by_its_words(opened: Opener) -> None:
    model = Picky(refused="poison")
    store = opened(model)
    store.add([*several(3), said("bad", "poison ivy"), said("good", "ivy")])
    store.flush()
    view = store.view(None)
    assert view.has_vectors
    assert set(found(view, "ivy")) == {"poison ivy", "ivy"}
    assert near(view, model, "ivy", limit=1) == ["ivy"]
    assert store.status().unembedded == 0


def test_a_model_that_is_down_loses_no_message(opened: Opener) -> None:
    model = Picky(down=True)
    store = opened(model)
    with pytest.raises(ModelError, match=r"the messages are stored, and `flush` makes their vectors"):
        store.add(several(BATCH_MESSAGES))
    assert store.status().messages == BATCH_MESSAGES
    assert len(model.calls) <= 16, "a few tries, not one for every message"
    assert found(opened().view(None), "word7") == ["word7 talk"]
    model.down = False
    store.flush()
    assert near(store.view(None), model, "word7", limit=1) == ["word7 talk"]


# -- another model -----------------------------------------------------------------------------------------------------


def test_another_model_of_the_same_size_is_refused_with_both_names(opened: Opener) -> None:
    opened(WordVectors()).add(several(2))
    with pytest.raises(
        EmbeddingMismatchError, match=r"word-vectors \(512 dimensions\).*other-vectors \(512 .*`groupmem reembed`"
    ):
        opened(OtherVectors())
    assert found(opened().view(None), "word1") == ["word1 talk"], "by words it opens with no model"
    assert opened(WordVectors()).view(None).has_vectors


def test_a_memory_without_vectors_says_how_to_get_them(opened: Opener) -> None:
    opened().add(several(2))
    with pytest.raises(EmbeddingMismatchError, match=r"made without vectors.*word-vectors.*`groupmem reembed`"):
        opened(WordVectors())


def test_an_empty_memory_takes_any_model(opened: Opener) -> None:
    opened(WordVectors())
    opened(OtherVectors()).add(several(1))
    assert opened(OtherVectors()).status().embedding == "other-vectors"


def test_reembedding_changes_the_model_and_nothing_else(opened: Opener, path: Path) -> None:
    old, new = WordVectors(), OtherVectors()
    opened(old).add(several(5))
    opened(old).flush()
    store = opened()
    store.reembed(new)
    assert near(store.view(None), new, "word3", limit=1) == ["word3 talk"]
    assert (store.status().embedding, store.status().unembedded) == ("other-vectors", 0)
    assert near(opened(new).view(None), new, "word3", limit=1) == ["word3 talk"]
    with pytest.raises(EmbeddingMismatchError):
        opened(old)
    blocks = [file.name for file in path.with_name("team.db.index").glob("*.int8")]
    assert len(blocks) == 1, "the old vectors are gone"


def test_reembedding_that_was_cut_off_goes_on(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generations, "_AT_ONCE", 4)
    old, new = WordVectors(), OtherVectors()
    opened(old).add(several(10))
    opened(old).flush()

    class Dying(OtherVectors):
        def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vectors:
            if len(self.calls) == 2:
                raise KeyboardInterrupt
            return super().embed(texts, kind=kind)

    with pytest.raises(KeyboardInterrupt):
        opened().reembed(Dying())
    assert near(opened(old).view(None), old, "word9", limit=1) == ["word9 talk"], "until then the old ones are in use"
    opened(old).add([said("later", "lamp")])
    store = opened()
    store.reembed(new)
    assert [len(texts) for texts in new.calls] == [3], "what was done is not done again"
    assert near(store.view(None), new, "lamp", limit=1) == ["lamp"]
    assert near(store.view(None), new, "word1", limit=1) == ["word1 talk"]


def test_a_deletion_reaches_an_unfinished_set_of_vectors(
    opened: Opener, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from groupmem.memory.index.vectors import quantise

    monkeypatch.setattr(generations, "_AT_ONCE", 4)
    old = WordVectors()
    opened(old).add(several(10))

    class Dying(OtherVectors):
        def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vectors:
            if len(self.calls) == 1:
                raise KeyboardInterrupt
            return super().embed(texts, kind=kind)

    with pytest.raises(KeyboardInterrupt):
        opened().reembed(Dying())
    trace = quantise(OtherVectors().embed(["word2 talk"], kind="passage")).tobytes()
    holding = [file for file in tmp_path.rglob("*.int8") if trace in file.read_bytes()]
    assert len(holding) == 1
    store = opened()
    store.delete("desk", "2")
    store.compact()
    assert not [file for file in tmp_path.rglob("*.int8") if trace in file.read_bytes()]


def test_rebuilding_makes_missing_vectors_again(opened: Opener, tmp_path: Path) -> None:
    model = WordVectors()
    store = opened(model)
    store.add(several(4))
    store.flush()
    expected = near(store.view(None), model, "word2 talk")
    store.close()
    for file in tmp_path.rglob("*.int8"):
        file.unlink()
    again = opened(model)
    with pytest.raises(generations.DamagedIndexError, match="groupmem rebuild"):
        again.view(None)
    again.rebuild()
    assert near(again.view(None), model, "word2 talk") == expected


def test_the_store_takes_a_model_as_it_is(store: SqliteStore) -> None:
    store.add(several(1))
    assert store.status().embedding is None
    assert store.status().unembedded is None
