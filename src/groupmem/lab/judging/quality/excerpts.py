"""Excerpts of a conversation for a judge to read."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

from groupmem.types import Conversation, Message, Record

EXCERPT_MESSAGES = 40
"""Messages of an excerpt: enough for several threads, few enough to be read with care."""
MAX_MESSAGE_CHARS = 1_000
"""Longer messages are cut, so that one pasted log does not fill the excerpt."""


class Excerpt(Record, frozen=True, kw_only=True):
    """Consecutive messages of one channel as they are shown: `text` numbers them from 1."""

    channel: str
    first: str
    last: str
    count: int
    text: str


def draw_excerpt(conversation: Conversation, seed: int, size: int = EXCERPT_MESSAGES) -> Excerpt:
    """`size` consecutive messages; the whole channel where it is shorter. The same seed draws the same ones.

    A channel is drawn in proportion to its messages, the start uniformly. Raises ValueError without messages.
    """
    channels: defaultdict[str, list[Message]] = defaultdict(list)
    for message in conversation.messages:
        channels[message.channel].append(message)
    if not channels:
        raise ValueError(f"{conversation.id} has no messages to draw from")
    rng = random.Random(f"quality/{seed}")
    (name,) = rng.choices(list(channels), weights=[len(messages) for messages in channels.values()])
    messages = channels[name]
    start = rng.randrange(max(1, len(messages) - size + 1))
    shown = messages[start : start + size]
    return Excerpt(
        channel=name, first=shown[0].id, last=shown[-1].id, count=len(shown), text=_show(conversation, shown)
    )


def _show(conversation: Conversation, messages: Sequence[Message]) -> str:
    numbers = {message.id: number for number, message in enumerate(messages, start=1)}
    names = {person.id: person.name or person.id for person in conversation.people}
    return "\n".join(_line(number, messages[number - 1], names, numbers) for number in numbers.values())


def _line(number: int, message: Message, names: dict[str, str], numbers: dict[str, int]) -> str:
    time = f" {message.sent_at:%Y-%m-%d %H:%M}" if message.sent_at else ""
    role = f" ({message.role})" if message.role else ""
    answers = ""
    if message.reply_to is not None:
        answered = numbers.get(message.reply_to)
        answers = f", answers [{answered}]" if answered else ", answers a message outside of the excerpt"
    whole = f"[{number}]{time} {names.get(message.author, message.author)}{role}{answers}: {_cut(message.text)}"
    return "\n    ".join(whole.splitlines())  # whoever writes a further line: only a message begins at the margin


def _cut(text: str) -> str:
    return text if len(text) <= MAX_MESSAGE_CHARS else f"{text[:MAX_MESSAGE_CHARS]} … [the message goes on]"
