"""The messages that a model is shown: with their ids, and with what was said around them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from groupmem.lab.questions.records import Category
from groupmem.types import Conversation, Message

BEFORE, AFTER = 6, 4
"""Messages of the channel that are shown around one."""
MOST_CHARACTERS = 1200
"""Of one message; a longer one is cut, and says so."""
MOST_ASKERS = 8


class Context:
    """Looks up and shows the messages of one conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._messages = {message.id: message for message in conversation.messages}
        self._channels: dict[str, list[Message]] = defaultdict(list)
        self._places: dict[str, int] = {}
        self._writers: dict[str, dict[str, None]] = defaultdict(dict)
        for message in conversation.messages:
            self._places[message.id] = len(self._channels[message.channel])
            self._channels[message.channel].append(message)
            self._writers[message.channel][message.author] = None
        self._readers = {channel.id: channel for channel in conversation.channels}
        bots = {person.id for person in conversation.people if person.is_bot}
        people = {person.id: person.role for person in conversation.people}
        authors = {message.author: message.role for message in conversation.messages if not message.is_bot}
        self.people = {name: role for name, role in {**authors, **people}.items() if name not in bots}

    def has(self, name: str) -> bool:
        return name in self._messages

    def message(self, name: str) -> Message:
        return self._messages[name]

    def may_read(self, asker: str, names: Iterable[str]) -> bool:
        """Whether the asker may read all of the messages."""
        channels = {self._messages[name].channel for name in names}
        return all(name not in self._readers or self._readers[name].readable_by(asker) for name in channels)

    def askers(self, message: Message, category: Category) -> list[str]:
        """People of the channel who may ask about the message, with their roles; about themselves, its author alone."""
        if category == "user_implicit":
            return [self.named(message.author)]
        others = [name for name in self._writers[message.channel] if name != message.author and name in self.people]
        return [self.named(name) for name in (others or [message.author])[:MOST_ASKERS]]

    def around(self, messages: Sequence[Message]) -> str:
        """The messages, what each answers, and what was said in the channel before and after it."""
        wanted: dict[str, Message] = {}
        for message in messages:
            parent = self._messages.get(message.reply_to or "")
            place = self._places[message.id]
            near = self._channels[message.channel][max(0, place - BEFORE) : place + AFTER + 1]
            for one in ([parent] if parent else []) + near:
                wanted[one.id] = one
        order = sorted(wanted.values(), key=lambda one: (one.channel, self._places[one.id]))
        return self.shown(order)

    def shown(self, messages: Sequence[Message]) -> str:
        """One paragraph a message: id, time, channel, author and role, what it answers, and its text."""
        return "\n\n".join(self._one(message) for message in messages)

    def _one(self, message: Message) -> str:
        sent = message.sent_at.isoformat(timespec="minutes") if message.sent_at else "no time"
        place = " / ".join(part for part in (message.channel, message.topic, message.phase) if part)
        answers = f", answers {message.reply_to}" if message.reply_to else ""
        text = message.text
        if len(text) > MOST_CHARACTERS:
            text = f"{text[:MOST_CHARACTERS]} … [cut]"
        return f"{message.id} ({sent}, {place}, {self.named(message.author)}{answers})\n{text}"

    def named(self, person: str) -> str:
        role = self.people.get(person)
        return f"{person} ({role})" if role else person
