"""A user's memory that keeps its messages in a file, goes on where it was cut off, and knows who may read what."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from groupmem.lab.systems.base import Capabilities, Setting, passage_of
from groupmem.lab.systems.options import Option
from groupmem.text import words
from groupmem.types import Message, Recall


class LedgerMemory:
    capabilities = Capabilities(resumable=True, visibility=True)
    options = (Option(name="order", default="newest", summary="which comes first", choices=("newest", "oldest")),)

    def open(self, setting: Setting) -> None:
        assert setting.store_dir is not None
        self.newest_first = setting.options["order"] == "newest"
        self.channels = {channel.id: channel for channel in setting.channels}
        self.path = setting.store_dir / "ledger.jsonl"
        self.messages: dict[str, Message] = {}
        if self.path.exists():
            lines = self.path.read_bytes().splitlines()
            self.messages = {m.id: m for m in (msgspec.json.decode(line, type=Message) for line in lines)}

    def ingest(self, messages: Sequence[Message]) -> None:
        new = [message for message in messages if message.id not in self.messages]
        self.messages |= {message.id: message for message in new}
        with self.path.open("ab") as file:
            file.writelines(msgspec.json.encode(message) + b"\n" for message in new)

    def settle(self) -> None:
        pass

    def recall(self, question: str, *, asker: str | None, limit: int, asked_at: datetime | None) -> Recall:
        asked = set(words(question))
        readable = [message for message in self.messages.values() if self.may_read(asker, message)]
        ordered = reversed(readable) if self.newest_first else readable
        found = [passage_of(message) for message in ordered if asked.intersection(words(message.text))]
        return Recall(passages=tuple(found[:limit]))

    def may_read(self, asker: str | None, message: Message) -> bool:
        channel = self.channels.get(message.channel)
        return channel is None or channel.readable_by(asker)
