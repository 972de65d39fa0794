"""Embeddings through the gateway."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import openai
import pytest

from groupmem.models.base import Account
from groupmem.models.gateway import GatewayCell
from groupmem.models.session import Models
from support.gateway import served
from support.openai_server import OpenAIServer, Reply, error, text_vector

TEXTS = ["a plan", "ein Plan 👍", "", "计划"]


def test_minilm_gives_packages_what_it_gives_the_lab(open_models: Any, cell_of: Any, connect: Any) -> None:
    models: Models = open_models()
    cell: GatewayCell = cell_of(models, None, "minilm")
    client = connect(cell)
    assert (cell.embedding_model, cell.dimensions) == ("minilm", 384)
    own = models.embedding("minilm", Account()).embed(TEXTS, kind="passage")
    packed = client.embeddings.create(model="minilm", input=TEXTS)  # the client asks for base64 and unpacks it
    plain = client.embeddings.create(model="minilm", input=TEXTS, encoding_format="float", dimensions=384)
    one = client.embeddings.create(model="minilm", input=TEXTS[1])
    for answer, expected in ((packed, own), (plain, own), (one, own[1:2])):
        assert np.array_equal(np.array([item.embedding for item in answer.data], dtype=np.float32), expected)
        assert [item.index for item in answer.data] == list(range(len(expected)))
    assert packed.usage.prompt_tokens == packed.usage.total_tokens > 0


def test_base64_is_little_endian_float32(open_models: Any, cell_of: Any, connect: Any) -> None:
    client = connect(cell_of(open_models(), None, "minilm"))
    body = {"input": "x", "encoding_format": "base64"}
    raw: Any = client.post("/embeddings", body=body, cast_to=object)
    vector = np.frombuffer(base64.b64decode(raw["data"][0]["embedding"]), dtype="<f4")
    assert vector.shape == (384,) and np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_vectors_of_a_provider_keep_their_texts(open_models: Any, cell_of: Any, connect: Any) -> None:
    with OpenAIServer() as server:
        cell: GatewayCell = cell_of(open_models(), None, served(server, "some-embedder"))
        assert (cell.embedding_model, cell.dimensions) == ("some-embedder", 8)
        answer = connect(cell).embeddings.create(model="some-embedder", input=["b", "a", "b"])
    for text, item in zip(["b", "a", "b"], answer.data, strict=True):
        wanted = text_vector(text)
        assert np.allclose(item.embedding, wanted / np.linalg.norm(wanted), atol=1e-6)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"input": [[1, 2, 3]]}, "check_embedding_ctx_length=False"),
        ({"input": [1, 2, 3]}, "no arrays of token ids"),
        ({"input": []}, "$.input"),
        ({"input": {"text": "x"}}, "$.input"),
        ({"input": "x", "dimensions": 1_536}, "dimensions is 1536, and minilm has 384"),
        ({"input": "x", "encoding_format": "int8"}, "$.encoding_format"),
    ],
    ids=str,
)
def test_what_cannot_be_embedded(
    open_models: Any, cell_of: Any, connect: Any, fields: dict[str, Any], says: str
) -> None:
    client = connect(cell_of(open_models(), None, "minilm"))
    with pytest.raises(openai.BadRequestError) as caught:
        client.post("/embeddings", body=fields, cast_to=object)
    assert says in caught.value.message


def test_a_text_that_is_too_long_is_embedded_in_its_first_part(open_models: Any, cell_of: Any, connect: Any) -> None:
    def reply(request: Any) -> Reply:
        too_long = any(len(text) > 100 for text in request.body["input"])
        return error(400, "input is too long") if too_long else Reply()

    with OpenAIServer(reply) as server:
        models: Models = open_models()
        client = connect(cell_of(models, None, served(server, "text-embedding-3-small")))
        answer = client.embeddings.create(model="m", input=["short", "long " * 100])
    assert len(answer.data) == 2
    assert models.totals().truncated_inputs == 1
