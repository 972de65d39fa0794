"""Embeddings over real HTTP."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from groupmem.errors import BudgetError, ModelError
from groupmem.models.base import EmbeddingModel
from groupmem.models.budget import Budget
from groupmem.models.openai_embedding import MOST_TOKENS
from groupmem.models.session import Models
from groupmem.text import count_tokens
from support.asking import ACCOUNT
from support.openai_server import OpenAIServer, RecordedRequest, Reply, error, text_vector

Open = Callable[..., Models]


def embedding(models: Models, server: OpenAIServer, model: str = "text-embedding-3-large") -> EmbeddingModel:
    return models.embedding(f"openai:{model}@{server.url}", ACCOUNT)


def expected(text: str) -> np.ndarray:
    vector = text_vector(text)
    return vector / np.linalg.norm(vector)


def test_unit_rows_in_order_over_many_batches(open_models: Open) -> None:
    texts = [f"message {number}" for number in range(150)]
    with OpenAIServer() as server:
        models = open_models()
        vectors = embedding(models, server).embed(texts, kind="passage")
    assert vectors.dtype == np.float32 and vectors.shape == (150, 8)
    np.testing.assert_allclose(vectors, [expected(text) for text in texts], rtol=1e-5)
    assert [len(request.body["input"]) for request in server.requests] == [64, 64, 22]
    assert models.usage().input_tokens == 7 * 150
    assert models.usage().cost_usd == pytest.approx(7 * 150 * 0.13 / 1e6)


def test_rows_are_placed_by_their_index(open_models: Open) -> None:
    shuffled = {"data": [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 0]}]}
    with OpenAIServer([Reply(body=shuffled)]) as server:
        vectors = embedding(open_models(), server).embed(["a", "b"], kind="query")
    assert vectors.tolist() == [[1, 0], [0, 1]]


def test_nothing_to_embed(open_models: Open) -> None:
    with OpenAIServer() as server:
        assert embedding(open_models(), server).embed([], kind="passage").shape == (0, 3_072)
    assert server.requests == []


def test_any_text_can_be_sent(open_models: Open) -> None:
    with OpenAIServer() as server:
        models = open_models()
        vectors = embedding(models, server).embed(["", "決定 \u200b שלום", "\ud800 half a pair"], kind="passage")
    assert server.requests[0].body["input"] == [" ", "決定 \u200b שלום", "? half a pair"]
    assert vectors.shape == (3, 8) and models.totals().truncated_inputs == 0


def test_lengths_are_known_or_asked_for_once(open_models: Open) -> None:
    with OpenAIServer() as server:
        models = open_models()
        assert embedding(models, server).dimensions == 3_072
        assert server.requests == []
        other = embedding(models, server, "nomic-embed-text")
        assert (other.dimensions, other.dimensions) == (8, 8)
    assert len(server.requests) == 1 and other.name.startswith("openai:nomic-embed-text@")


def test_a_text_over_the_limit_is_cut_and_counted(open_models: Open) -> None:
    texts = ["short", "決定" * 20_000, "short too"]
    with OpenAIServer() as server:
        models = open_models()
        vectors = embedding(models, server).embed(texts, kind="passage")
    sent = server.requests[0].body["input"]
    assert sent[0] == "short" and texts[1].startswith(sent[1])
    assert MOST_TOKENS * 0.9 < count_tokens(sent[1], "cl100k_base") <= MOST_TOKENS
    assert vectors.shape == (3, 8) and models.totals().truncated_inputs == 1


def test_one_text_that_the_server_finds_too_long_does_not_lose_the_others(open_models: Open) -> None:
    def narrow(request: RecordedRequest) -> Reply:
        too_long = any(len(text) > 100 for text in request.body["input"])
        return error(400, "input length exceeds maximum context length") if too_long else Reply()

    texts = [f"text {number}" for number in range(7)] + ["long " * 60]
    with OpenAIServer(narrow) as server:
        models = open_models()
        vectors = embedding(models, server).embed(texts, kind="passage")
    np.testing.assert_allclose(vectors[:7], [expected(text) for text in texts[:7]], rtol=1e-5)
    np.testing.assert_allclose(vectors[7], expected(texts[7][:75]), rtol=1e-5)
    assert models.totals().truncated_inputs == 1


def test_a_server_that_finds_everything_too_long_ends(open_models: Open) -> None:
    with OpenAIServer([error(400, "input too long")]) as server, pytest.raises(ModelError, match="too long"):
        embedding(open_models(), server).embed(["abcdefgh", "x"], kind="passage")
    assert len(server.requests) < 12


def test_another_bad_request_is_not_taken_apart(open_models: Open) -> None:
    with OpenAIServer([error(400, "unknown field")]) as server, pytest.raises(ModelError, match="unknown field"):
        embedding(open_models(), server).embed(["a", "b", "c"], kind="passage")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "data",
    [
        [],
        [{"index": 0, "embedding": [1, 2]}],
        [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1]}],
        [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [0, 0]}],
        [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1, None]}],
        [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}],
        [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": "no base64!"}],
        [{"index": 0, "embedding": [1]}, {"index": 1}],
        [{"index": 0, "embedding": [1]}, {"index": "x", "embedding": [1]}],
        [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}],
        [{"index": 0, "embedding": [1]}, {"index": [], "embedding": [1]}],
        ["x", "y"],
        "x",
    ],
    ids=str,
)
def test_a_reply_that_is_no_embedding_is_tried_again(open_models: Open, data: Any) -> None:
    with OpenAIServer([Reply(body={"data": data}), Reply()]) as server:
        vectors = embedding(open_models(), server).embed(["a", "b"], kind="passage")
    assert vectors.shape == (2, 8) and len(server.requests) == 2


def test_embeddings_share_cache_retries_and_budget_with_chat(
    open_models: Open, tmp_path: Path, waits: list[float]
) -> None:
    cache = tmp_path / "cache.sqlite"
    with OpenAIServer([error(429, "slow down", Retry_After="3"), Reply()]) as server:
        first, second = open_models(cache_path=cache), open_models(cache_path=cache)
        vectors = embedding(first, server).embed(["a", "b"], kind="passage")
        again = embedding(second, server).embed(["a", "b"], kind="passage")
        assert waits == [3.0] and len(server.requests) == 2
        np.testing.assert_array_equal(vectors, again)
        assert second.paid_usd() == 0.0 and second.usage() == first.usage()
        with pytest.raises(BudgetError):
            embedding(open_models(budget=Budget(tokens=3)), server).embed(["many words " * 9], kind="passage")
