"""Mem0 as a worker: the packages of both of its algorithms, told apart by the name of the adapter."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from groupmem_worker import first_ranks, serve

GROUP = "group"
FIRST_GENERATION = os.environ["GROUPMEM_ADAPTER"] == "mem0-v1"


class Memory:
    packages = ("mem0ai", "qdrant-client")
    reopens = True
    notes = (
        ()
        if FIRST_GENERATION
        else ("stop words of its BM25 are spaCy's (the list that it would download is out of reach)",)
    )

    def __init__(self) -> None:
        self._opened = ExitStack()

    def open(self, setting: Mapping[str, Any]) -> None:
        store = Path(setting["store_dir"])
        self._infer = setting["options"]["infer"] == "on"
        self._names = {person["id"]: person.get("name") or person["id"] for person in setting["people"]}
        self._members = {room["id"]: room["members"] for room in setting["channels"] if "members" in room}
        self._held = Held(store / "held.jsonl")
        os.environ["MEM0_DIR"] = os.environ["HOME"]
        if FIRST_GENERATION:
            from first_generation import Package
        else:
            from second_generation import Package
        self._package = Package(configuration(store, setting["gateway"]), Path(os.environ["HOME"]))
        self._opened.callback(self._package.close)

    def ingest(self, messages: Sequence[Mapping[str, Any]]) -> None:
        for message in messages:
            if message["id"] not in self._held:
                self._package.add(
                    self._said(message),
                    date=message.get("sent_at"),
                    scope={"user_id": GROUP, "run_id": "room:" + "_".join(message["channel"].split())},
                    metadata=metadata_of(message),
                    infer=self._infer,
                )
                self._held.add(message["id"])

    def recall(self, question: str, asker: str | None, limit: int, asked_at: str | None) -> list[dict[str, Any]]:
        hidden = [room for room, members in self._members.items() if asker not in members]
        filters = {"channel": {"nin": hidden}} if hidden else {}
        found = self._package.search(question, user_id=GROUP, limit=limit, filters=filters)
        return first_ranks(map(passage_of, found), limit, repeated=True)

    def close(self) -> None:
        self._opened.close()

    def _said(self, message: Mapping[str, Any]) -> str:
        """With inference on, the package drops the field for names, so the author is part of the text."""
        role = f" ({message['role']})" if message.get("role") else ""
        return f"{self._names.get(message['author'], message['author'])}{role}: {message['text']}"


class Held:
    """Ids of the messages that are in the store: a message that yields no memory leaves no other trace there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        self._ids = {json.loads(line) for line in lines if line.endswith("\n")}

    def __contains__(self, message_id: str) -> bool:
        return message_id in self._ids

    def add(self, message_id: str) -> None:
        self._ids.add(message_id)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(message_id) + "\n")


def configuration(store: Path, gateway: Mapping[str, Any]) -> dict[str, Any]:
    """The package's own, with everything that it keeps in `store`."""
    access = {"api_key": gateway["api_key"], "openai_base_url": gateway["base_url"]}
    dimensions = gateway["dimensions"]
    chat = {"model": gateway["chat_model"] or "none", **access}
    embedding = {"model": gateway["embedding_model"], "embedding_dims": dimensions, **access}
    vectors = {"collection_name": GROUP, "path": str(store / "qdrant"), "on_disk": True}
    return {
        "llm": {"provider": "openai", "config": chat},
        "embedder": {"provider": "openai", "config": embedding},
        "vector_store": {"provider": "qdrant", "config": {**vectors, "embedding_model_dims": dimensions}},
        "history_db_path": str(store / "history.db"),
    }


def metadata_of(message: Mapping[str, Any]) -> dict[str, Any]:
    """What comes back with a memory. The package takes `created_at` for the time of the memory; `role` is a key of its
    own, for user and assistant."""
    kept = {
        name: message[name]
        for name in ("author", "channel", "phase", "topic", "sent_at", "reply_to")
        if name in message
    }
    times = {"created_at": message["sent_at"]} if "sent_at" in message else {}
    return {"msg_id": message["id"], **kept, "author_role": message.get("role"), **times}


def passage_of(memory: Mapping[str, Any]) -> dict[str, Any]:
    metadata = memory.get("metadata") or {}
    kept = ("author", "channel", "phase", "topic", "sent_at", "reply_to")
    return {
        "source_ids": [metadata["msg_id"]],
        "text": memory["memory"],
        "score": memory.get("score"),
        "role": metadata.get("author_role"),
        **{name: metadata[name] for name in kept if name in metadata},
    }


serve(Memory)
