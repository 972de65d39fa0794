"""A memory like many packages: it calls models over HTTP by itself, and keeps to itself what goes wrong.

For each message it asks a chat model for a note, and embeds that; a question is embedded and compared. It answers by
itself, through the URL of a step.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import numpy as np
import openai

from groupmem.lab.systems.base import Capabilities, Need, Setting, passage_of
from groupmem.lab.systems.options import Option
from groupmem.types import Answer, Message, Recall

PATIENCE = 5


class Peer:
    needs: tuple[Need, ...] = ("chat", "embedding")
    capabilities = Capabilities(answers=True)
    options = (
        Option(name="chat", default="none", summary="the chat model"),
        Option(name="embedding", default="minilm", summary="the embedding model"),
    )

    def open(self, setting: Setting) -> None:
        access = setting.gateway
        assert access is not None and setting.store_dir is not None
        self._client = openai.OpenAI(base_url=access.base_url, api_key=access.api_key)
        self._agent = openai.OpenAI(base_url=access.base_url.replace("/v1", "/agent/v1"), api_key=access.api_key)
        self._embedding_model = access.embedding_model
        self._path = setting.store_dir / "notes.txt"
        self._messages: list[Message] = []
        self._vectors: list[Any] = []

    def ingest(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self._embed(message.text)  # answered here, whatever becomes of the chat model
            with suppress(openai.APIError):
                note = self._ask(self._client, f"note: {message.text}")
                self._vectors.append(self._embed(note))
                self._messages.append(message)
                with self._path.open("a") as file:
                    file.write(f"{note}\n")

    def settle(self) -> None:
        """Everything is found at once."""

    def recall(self, question: str, *, asker: str | None, limit: int, asked_at: datetime | None) -> Recall:
        try:
            query = self._embed(question)
        except openai.APIError:
            return Recall()
        scores = [float(query @ vector) for vector in self._vectors]
        best = sorted(range(len(scores)), key=lambda position: -scores[position])[:limit]
        return Recall(passages=tuple(passage_of(self._messages[position], scores[position]) for position in best))

    def answer(self, question: str, *, asker: str | None, asked_at: datetime | None) -> Answer:
        with suppress(openai.APIError):
            return Answer(text=self._ask(self._agent, question))
        return Answer(text="")

    def _ask(self, client: openai.OpenAI, text: str) -> str:
        reply = client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": text}])
        return str(reply.choices[0].message.content)

    def _embed(self, text: str) -> Any:
        return np.array(self._client.embeddings.create(model=self._embedding_model, input=text).data[0].embedding)


class InterruptedPeer(Peer):
    """Goes on in its store, which names the messages that it has taken; none of them is asked for again. Its user loses
    patience once, after five."""

    capabilities = Capabilities(answers=True, resumable=True)

    def open(self, setting: Setting) -> None:
        super().open(setting)
        assert setting.store_dir is not None
        self._held = setting.store_dir / "held.txt"
        self._held.touch()

    def ingest(self, messages: Sequence[Message]) -> None:
        held = self._held.read_text().splitlines()
        for message in messages:
            if message.id in held:
                continue
            super().ingest([message])
            with self._held.open("a") as file:
                file.write(f"{message.id}\n")
            if self._held.read_text().count("\n") == PATIENCE:
                signal.raise_signal(signal.SIGINT)
