"""HippoRAG 2 as a worker: one chunk a message, indexed at `settle`, found by a walk over its graph of facts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Before anything that may print: standard output is the protocol's from here on.
from groupmem_worker import ModelFailed, first_ranks, serve

# isort: split
from graph import open_graph
from hipporag import Chunk
from openai import OpenAIError

KEPT = ("author", "channel", "role", "phase", "topic", "sent_at", "reply_to")
COMPLETE = "complete"


class Memory:
    packages = ("openai", "igraph", "pandas", "pyarrow", "numpy")
    notes = (
        "OSU-NLP-Group/HippoRAG at c617143",
        "embeddings are those of the option `embedding`, where the paper has NV-Embed-v2",
        "neighbours of entities are searched with numpy, and not with torch",
        "its entities keep Latin letters and digits only: words in other scripts are found by meaning alone",
    )

    def open(self, setting: Mapping[str, Any]) -> None:
        self._store = Path(setting["store_dir"])
        self._names = {person["id"]: person.get("name") or person["id"] for person in setting["people"]}
        _remove_what_was_cut_off(self._store)
        self._graph = open_graph(setting["gateway"], self._store)
        self._held = self._graph.chunk_embedding_store.get_all_texts()
        self._messages: dict[str, list[Mapping[str, Any]]] = {}
        self._dense = 0

    def ingest(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Texts that are the same in all that the package is given are one chunk to it, of several messages."""
        for message in messages:
            self._messages.setdefault(self._said(message), []).append(message)

    def settle(self) -> None:
        fresh = [text for text in self._messages if text not in self._held]
        if not fresh:
            return
        (self._store / COMPLETE).unlink(missing_ok=True)
        with _told_as_a_models_failure():
            self._graph.index([Chunk(text) for text in fresh])
        self._graph.ready_to_retrieve = False  # else the package would not look at what is new
        self._held.update(fresh)
        (self._store / COMPLETE).touch()

    def recall(self, question: str, asker: str | None, limit: int, asked_at: str | None) -> list[dict[str, Any]]:
        with _told_as_a_models_failure():
            found = self._found(question, limit)
        self._graph.extraction_llm.check()
        ranked = zip(found.docs, found.doc_scores, strict=True)
        return first_ranks((self._passage(text, score) for text, score in ranked), limit)

    def usage(self) -> dict[str, Any]:
        told = {
            "requests that the model's provider refused": self._graph.extraction_llm.refused,
            "questions answered by dense retrieval, as the package gives up where a chosen fact weighs 0": self._dense,
        }
        notes = [f"{what}: {count}" for what, count in told.items() if count]
        return {"figures": self._graph.figures(), "notes": notes}

    def _found(self, question: str, limit: int) -> Any:
        try:
            return self._graph.retrieve([question], num_to_retrieve=limit)[0]
        except AssertionError:
            self._dense += 1
            return self._graph.retrieve_dpr([question], num_to_retrieve=limit)[0]

    def _said(self, message: Mapping[str, Any]) -> str:
        """Author, role, channel, phase and time stand before the words: the package reads nothing but text."""
        role = f" ({message['role']})" if message.get("role") else ""
        phase = f", phase {message['phase']}" if message.get("phase") else ""
        when = f", {message['sent_at']}" if message.get("sent_at") else ""
        author = self._names.get(message["author"], message["author"])
        return f"{author}{role} in {message['channel']}{phase}{when}:\n{message['text']}"

    def _passage(self, text: str, score: float) -> dict[str, Any]:
        messages = self._messages[text]
        known = {name: messages[0][name] for name in KEPT if name in messages[0]}
        ids = [message["id"] for message in messages]
        return {"source_ids": ids, "text": messages[0]["text"], "score": score, **known}


def _remove_what_was_cut_off(store: Path) -> None:
    """The package writes its files one after the other: only a store that was finished is gone on with."""
    if not (store / COMPLETE).exists():
        for path in store.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextmanager
def _told_as_a_models_failure() -> Iterator[None]:
    try:
        yield
    except OpenAIError as error:
        raise ModelFailed(str(error)) from error


serve(Memory)
