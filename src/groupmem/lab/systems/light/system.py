"""LIGHT as a row of the lab. It recalls exchanges, and answers by itself from all of its three memories.

The parameters are those of the source's code: five episodes, a context of 14,000 tokens of episodes and the latest
exchanges, and a scratchpad of 14,000 tokens that is read by parts. Of the latest exchanges the newest are kept where
not all fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from groupmem.errors import InputError
from groupmem.files import write_atomic
from groupmem.lab.systems.base import BaseSystem, Capabilities, Setting, passage_of
from groupmem.lab.systems.dense import EMBEDDING, embedding_of
from groupmem.lab.systems.light.asking import PROMPT_NAMES, Asker
from groupmem.lab.systems.light.episodic import EpisodicMemory
from groupmem.lab.systems.light.pairs import Pair, PairMaker
from groupmem.lab.systems.light.scratchpad import Scratchpad
from groupmem.lab.systems.options import Option, resolve_options
from groupmem.types import Answer, Message, Passage, Recall

CHAT = Option(name="chat", default="openai:gpt-4.1-mini", summary="the model that writes the memories and answers")
EPISODES = Option(
    name="episodes", default="5", bounds=(1, 100), summary="exchanges that an answer is given from search"
)
CONTEXT = Option(
    name="context_tokens",
    default="14000",
    bounds=(100, 1_000_000),
    summary="tokens of exchanges, found and latest, that an answer is given",
)
NOTES = Option(
    name="scratchpad_tokens",
    default="14000",
    bounds=(100, 1_000_000),
    summary="tokens of the scratchpad after it was made shorter, which happens at twice as many",
)
CONTEXT_CHARS_PER_TOKEN = 3.5
"""How the source reckons the context of an answer."""

WORKING_PAIRS = 50
"""The latest exchanges of which the working memory is filled: the source's 100 entries hold each exchange twice."""

ANSWER_TOKENS = 2_048


class Light(BaseSystem):
    """Episodic memory, working memory and scratchpad (BEAM, Sec. "LIGHT")."""

    capabilities = Capabilities(answers=True)
    options = (CHAT, EMBEDDING, EPISODES, CONTEXT, NOTES)
    prompt_names = PROMPT_NAMES

    def open(self, setting: Setting) -> None:
        options = resolve_options(setting.options, self.options, owner="light")
        if setting.chat is None:
            raise InputError("light needs a chat model, and its setting has none: light:chat=openai:gpt-4.1-mini")
        embedding = embedding_of(setting, "light")
        self._asker = Asker(setting.chat, setting.prompts)
        self._store_dir = setting.store_dir
        self._episode_count = int(float(options[EPISODES.name]))
        self._context_chars = float(options[CONTEXT.name]) * CONTEXT_CHARS_PER_TOKEN
        self._maker = PairMaker()
        self._known: set[str] = set()
        self._fresh: list[Message] = []
        self._episodic = EpisodicMemory(self._asker, embedding)
        self._scratchpad = Scratchpad(self._asker, embedding, int(float(options[NOTES.name])))

    def ingest(self, messages: Sequence[Message]) -> None:
        for message in messages:
            if message.id not in self._known:
                self._known.add(message.id)
                self._fresh.append(message)

    def settle(self) -> None:
        """Writes the memories of what came in since: two chat calls an exchange."""
        pairs = self._maker.make(self._fresh)
        self._fresh = []
        self._episodic.add(pairs)
        self._scratchpad.add(pairs)
        self._keep()

    def recall(self, question: str, *, asker: str | None, limit: int, asked_at: datetime | None) -> Recall:
        passages: list[Passage] = []
        left = limit
        for pair, score in self._episodic.search(question, limit):
            if len(pair.messages) > left:
                break
            left -= len(pair.messages)
            passages.append(_passage(pair, score))
        return Recall(passages=tuple(passages))

    def answer(self, question: str, *, asker: str | None, asked_at: datetime | None) -> Answer:
        notes, used = self._scratchpad.read(question)
        memory = self._memory(question, notes)
        reply = self._asker.ask(
            "answer",
            f"{question}\n{memory}",
            max_tokens=ANSWER_TOKENS,
            question=question,
            asker=asker,
            asked_at=asked_at.isoformat() if asked_at else None,
            memory=memory,
        )
        return Answer(text=reply.text.strip(), finish_reason=reply.finish_reason, usage=used + reply.usage)

    def _memory(self, question: str, notes: Sequence[str]) -> str:
        found = [pair for pair, _ in self._episodic.search(question, self._episode_count)]
        latest = [pair for pair in self._episodic.pairs[-WORKING_PAIRS:] if pair not in found]
        kept, left = _fitting(found, self._context_chars)
        working, _ = _fitting(reversed(latest), left)
        parts = (
            ("EXCHANGES THAT FIT THE QUESTION", "\n\n".join(pair.text for pair in kept)),
            ("THE LATEST EXCHANGES", "\n\n".join(pair.text for pair in reversed(working))),
            ("NOTES", "\n\n".join(notes)),
        )
        return "\n\n".join(f"{title}\n\n{text}" for title, text in parts if text)

    def _keep(self) -> None:
        """Puts the memories into the store, where they can be looked at and are measured."""
        if self._store_dir is None:
            return
        rows = zip(self._episodic.pairs, self._episodic.details, strict=True)
        lines = (msgspec.json.encode({"messages": pair.message_ids, "details": details}) for pair, details in rows)
        write_atomic(self._store_dir / "episodes.jsonl", b"".join(line + b"\n" for line in lines))
        write_atomic(self._store_dir / "scratchpad.txt", self._scratchpad.text.encode("utf-8", "replace"))


def _passage(pair: Pair, score: float) -> Passage:
    """An exchange; one message by itself as it was written."""
    first = pair.messages[0]
    if len(pair.messages) == 1:
        return passage_of(first, score)
    return Passage(
        text=pair.text, source_ids=pair.message_ids, score=score, channel=first.channel, sent_at=first.sent_at
    )


def _fitting(pairs: Iterable[Pair], chars: float) -> tuple[list[Pair], float]:
    """The pairs that fit, in their order, one that does not being left out; and the room that is left."""
    kept = []
    for pair in pairs:
        if len(pair.text) < chars:
            kept.append(pair)
            chars -= len(pair.text)
    return kept, chars
