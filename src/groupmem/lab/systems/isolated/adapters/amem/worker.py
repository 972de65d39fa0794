"""A-Mem as a worker: every message becomes a note that a model describes, and links to the notes it is like."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from io import TextIOBase
from pathlib import Path
from typing import Any

# Before anything that may print: standard output is the protocol's from here on.
from groupmem_worker import ModelFailed, first_ranks, progress, serve

# isort: split
from openai import BadRequestError, OpenAIError
from package import open_memory
from replies import Replies, UnusableReply

KEPT = ("author", "channel", "role", "phase", "topic", "sent_at", "reply_to")
KEYWORDS_PROMPT = (Path(__file__).parent / "keywords.txt").read_text(encoding="utf-8").rstrip("\n")
KEYWORDS_FORMAT = {
    "type": "json_schema",
    "json_schema": {
        "name": "keywords",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"keywords": {"type": "string"}},
            "required": ["keywords"],
            "additionalProperties": False,
        },
    },
}


class Memory:
    packages = ("openai", "scikit-learn", "numpy")
    notes = (
        "the paper's code, WujiangXu/AgenticMemory at 7f716dc",
        "embeddings are those of the option `embedding`: the all-MiniLM-L6-v2 of the package is a download from a hub",
    )

    def open(self, setting: Mapping[str, Any]) -> None:
        options = setting["options"]
        self._store = Path(setting["store_dir"])
        self._names = {person["id"]: person.get("name") or person["id"] for person in setting["people"]}
        self._by_keywords = options["keywords"] == "on"
        self._memory = open_memory(setting["gateway"], int(float(options["consolidate_every"])))
        model = self._memory.llm_controller.llm
        self._ask = model.get_completion = Replies(model.get_completion)
        self._messages: dict[str, Mapping[str, Any]] = {}
        self._left_out: list[str] = []
        self._settled = 0

    def ingest(self, messages: Sequence[Mapping[str, Any]]) -> None:
        for message in messages:
            try:
                with redirect_stdout(_Nowhere()):
                    self._memory.add_note(
                        self._said(message), time=message.get("sent_at") or "unknown", id=message["id"]
                    )
                self._messages[message["id"]] = message
            except Exception as error:
                self._leave_out(message["id"], error)
            progress(f"{len(self._messages)} notes")

    def settle(self) -> None:
        """Writes what the package's own evaluation keeps of a conversation: the notes, and their index."""
        if self._left_out and not self._messages:
            raise RuntimeError(f"none of {len(self._left_out)} messages became a note: {self._ask.failure}")
        if self._settled == len(self._messages):
            return
        notes = json.dumps([vars(note) for note in self._memory.memories.values()], ensure_ascii=False)
        (self._store / "notes.json").write_text(notes, encoding="utf-8")
        self._memory.retriever.save(str(self._store / "index.pkl"), str(self._store / "embeddings.npy"))
        self._settled = len(self._messages)

    def recall(self, question: str, asker: str | None, limit: int, asked_at: str | None) -> list[dict[str, Any]]:
        try:
            searched = self._keywords(question) if self._by_keywords else question
            hits = self._memory.retriever.search(searched, limit)
        except OpenAIError as error:
            raise ModelFailed(str(error)) from error
        return first_ranks(map(self._passage, self._with_linked(hits)), limit)

    def usage(self) -> dict[str, Any]:
        told = {
            "messages left out, as no reply of the model was of use": len(self._left_out),
            "replies of the model that were not of the form asked for, and asked for again": self._ask.asked_again,
        }
        notes = self._memory.memories.values()
        figures = {"notes": len(notes), "links": sum(len(note.links) for note in notes)}
        return {"figures": figures, "notes": [f"{what}: {count}" for what, count in told.items() if count]}

    def _said(self, message: Mapping[str, Any]) -> str:
        """The package knows no more than a text and its time."""
        role = f" ({message['role']})" if message.get("role") else ""
        phase = f", phase {message['phase']}" if message.get("phase") else ""
        author = self._names.get(message["author"], message["author"])
        return f"Speaker {author}{role} in {message['channel']}{phase} says: {message['text']}"

    def _leave_out(self, message_id: str, error: Exception) -> None:
        """A message that the model cannot describe is left out, and counted. Anything else ends the ingest: notes are
        known by their position, and one that was added by half would shift all later ones."""
        cause = self._ask.failure or error
        if isinstance(cause, (UnusableReply, BadRequestError)) and message_id not in self._memory.memories:
            self._left_out.append(message_id)
        elif isinstance(cause, OpenAIError):
            raise ModelFailed(str(cause)) from error
        else:
            raise error

    def _keywords(self, question: str) -> str:
        try:
            reply = json.loads(self._ask(KEYWORDS_PROMPT + " " + question, KEYWORDS_FORMAT))
        except UnusableReply:
            return question
        return reply["keywords"].strip() or question

    def _with_linked(self, hits: Sequence[int]) -> Iterator[Any]:
        """Each hit and then the notes it is linked to, by position. A model may have named positions that are none."""
        notes = list(self._memory.memories.values())
        for hit in hits:
            yield notes[hit]
            yield from (notes[linked] for linked in notes[hit].links if 0 <= linked < len(notes))

    def _passage(self, note: Any) -> dict[str, Any]:
        message = self._messages[note.id]
        return {
            "source_ids": [note.id],
            "text": message["text"],
            "notes": {"context": note.context, "keywords": ", ".join(note.keywords), "tags": ", ".join(note.tags)},
            **{name: message[name] for name in KEPT if name in message},
        }


class _Nowhere(TextIOBase):
    """The package prints every prompt and every reply."""

    def write(self, text: str) -> int:
        return len(text)


serve(Memory)
