"""The package's graph, with models of the gateway and without what it would hide, or run, of their replies."""

from __future__ import annotations

import ast
import inspect
import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from groupmem_worker import ModelFailed, progress

# isort: split
import checkout  # noqa: F401  (leads to the package)

# isort: split
from hipporag import HippoRAG
from hipporag.embedding_model.OpenAI import OpenAIEmbeddingModel
from hipporag.information_extraction import openie_openai
from hipporag.llm.openai_gpt import CacheOpenAI
from hipporag.utils.config_utils import BaseConfig
from neighbours import retrieve_knn
from openai import BadRequestError, OpenAIError

TEXTS_PER_REQUEST = 64
_ASK = inspect.unwrap(CacheOpenAI.infer)  # without its cache, which would hide calls, and its tries
_MODULE = sys.modules[HippoRAG.__module__]


class Model(CacheOpenAI):
    """The package's client. What fails for good is kept: the package stores an empty result and goes on."""

    def __init__(self, config: BaseConfig, scratch: str) -> None:
        super().__init__(cache_dir=scratch, global_config=config, max_retries=0)
        self.failure: OpenAIError | None = None
        self.refused = self.replies = 0

    def infer(self, messages: list[dict[str, str]], **parameters: Any) -> tuple[str, dict[str, Any], bool]:
        try:
            text, metadata = _ASK(self, messages, **parameters)
        except BadRequestError:
            self.refused += 1
            raise
        except OpenAIError as error:
            self.failure = error
            raise
        self.replies += 1
        progress(f"{self.replies} replies of the model")
        return text, metadata, False

    def check(self) -> None:
        """Raises ModelFailed where a call failed for good since this was asked last."""
        failure, self.failure = self.failure, None
        if failure is not None:
            raise ModelFailed(str(failure)) from failure


class Graph(HippoRAG):
    """Stores what was extracted only where no call failed: it would never be extracted again."""

    def save_openie_results(self, all_openie_info: list[dict[str, Any]]) -> None:
        self.extraction_llm.check()
        super().save_openie_results(all_openie_info)

    def figures(self) -> dict[str, Any]:
        """What is in it. A chunk without a triple is tied to nothing, and found by its text alone."""
        extracted, _ = self.load_existing_openie([])
        return {
            "chunks": len(extracted),
            "empty_extractions": sum(not chunk["extracted_triples"] for chunk in extracted),
            "entities": {"entity": len(self.entity_embedding_store.get_all_ids())},
            "relations": {"fact": len(self.fact_embedding_store.get_all_ids())},
        }


def open_graph(gateway: Mapping[str, Any], store: Path) -> Graph:
    """The graph that `store` holds, or an empty one."""
    os.environ["OPENAI_API_KEY"] = gateway["api_key"]
    config = BaseConfig(
        save_dir=str(store),
        llm_name=gateway["chat_model"],
        llm_base_url=gateway["base_url"],
        embedding_model_name=gateway["embedding_model"],
        embedding_base_url=gateway["base_url"],
        embedding_batch_size=TEXTS_PER_REQUEST,
    )
    openie_openai.eval = _MODULE.eval = ast.literal_eval  # the package evaluates what a model wrote
    _MODULE.retrieve_knn = partial(retrieve_knn, lowest=config.synonymy_edge_sim_threshold)
    return Graph(
        config,
        extraction_llm=Model(config, os.environ["HOME"]),
        embedding_model=OpenAIEmbeddingModel(config, gateway["embedding_model"]),
    )
