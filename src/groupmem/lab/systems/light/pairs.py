"""Exchanges: what somebody said, with what the assistant said to it."""

from __future__ import annotations

from collections.abc import Iterable

from groupmem.types import Message, Record

CHARS_PER_TOKEN = 3.7
"""How the source reckons the length of texts that go into its prompts."""

LONGEST_MESSAGE_TOKENS = 24_000
LONGEST_MESSAGE_CHARS = 70_000
PROMPT_TOKENS = 27_000
"""What an exchange and what was said before may have together."""

ROOM_TOKENS = 2_000
"""What is kept free of that where the part before has to be cut."""


class Pair(Record, frozen=True, kw_only=True):
    """One exchange, `number` from 0 in the order it came in. `before` is the text of the one before in its channel."""

    number: int
    text: str
    messages: tuple[Message, ...]
    before: str = ""

    @property
    def message_ids(self) -> tuple[str, ...]:
        return tuple(message.id for message in self.messages)

    @property
    def history(self) -> str:
        """As much of the end of what was said before as the prompt has room for."""
        room = PROMPT_TOKENS - len(self.text) / CHARS_PER_TOKEN
        if len(self.before) / CHARS_PER_TOKEN <= room:
            return self.before
        kept = int((room - ROOM_TOKENS) * CHARS_PER_TOKEN)
        return self.before[-kept:] if kept > 0 else ""


class PairMaker:
    """Cuts messages into exchanges, each with what came before it, over many calls."""

    def __init__(self) -> None:
        self._count = 0
        self._last: dict[str, str] = {}

    def make(self, messages: Iterable[Message]) -> list[Pair]:
        """A message of a person and the bot's that follows it in the channel are one exchange; every other message is
        one by itself, so that a group chat has as many as messages."""
        groups: list[list[Message]] = []
        open_group: dict[str, list[Message]] = {}
        for message in messages:
            waiting = open_group.pop(message.channel, None)
            if message.is_bot and waiting is not None:
                waiting.append(message)
                continue
            groups.append([message])
            if not message.is_bot:
                open_group[message.channel] = groups[-1]
        return [self._pair(group) for group in groups]

    def _pair(self, group: list[Message]) -> Pair:
        channel, text = group[0].channel, "\n\n".join(map(_said, group))
        pair = Pair(
            number=self._count,
            text=text,
            messages=tuple(group),
            before=self._last.get(channel, ""),
        )
        self._count += 1
        self._last[channel] = text
        return pair


def _said(message: Message) -> str:
    """Who, when and what; an overlong text is cut as the source cuts it."""
    text = message.text
    if len(text) / CHARS_PER_TOKEN > LONGEST_MESSAGE_TOKENS:
        text = text[:LONGEST_MESSAGE_CHARS]
    when = f" ({message.sent_at.date().isoformat()})" if message.sent_at else ""
    return f"{message.author.upper()}{when}: {text}"
