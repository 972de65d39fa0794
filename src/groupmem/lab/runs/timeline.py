"""In what order messages and questions reach a system: nothing is asked before it was said, nothing said too late."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby

from groupmem.types import Conversation, Message, Question, Record

_EARLIEST = datetime.min.replace(tzinfo=UTC)
_LATEST = datetime.max.replace(tzinfo=UTC)


class Segment(Record, frozen=True, kw_only=True):
    """Messages to take in, and the questions that are asked right after them."""

    messages: tuple[Message, ...]
    questions: tuple[Question, ...]


class Timeline:
    """The messages of a conversation in the order they were sent.

    A message without a time counts as sent with the one before it in its channel (the first ones: with the first that
    has a time); a channel without any time comes first. Ties keep the reading order.
    """

    def __init__(self, conversation: Conversation) -> None:
        times = _known_times(conversation.messages)
        order = sorted(range(len(times)), key=times.__getitem__)
        self._times = [times[index] for index in order]
        self.messages = tuple(conversation.messages[index] for index in order)

    def said_before(self, question: Question) -> int:
        """How many messages were sent up to the moment of asking; all of them where the question has no time."""
        if question.asked_at is None:
            return len(self.messages)
        return bisect_right(self._times, question.asked_at)

    def segments(self, questions: Sequence[Question]) -> Iterator[Segment]:
        """Messages and questions in turn, until the last question is asked. Later messages are left out."""
        start = 0
        for count, asked in groupby(in_asking_order(questions), key=self.said_before):
            yield Segment(messages=self.messages[start:count], questions=tuple(asked))
            start = count


def in_asking_order(questions: Sequence[Question]) -> list[Question]:
    """By `asked_at`; those without one come last, in their own order."""
    return sorted(questions, key=lambda question: question.asked_at or _LATEST)


def _known_times(messages: Sequence[Message]) -> list[datetime]:
    first: dict[str, datetime] = {}
    for message in messages:
        if message.sent_at is not None:
            first.setdefault(message.channel, message.sent_at)
    latest = dict(first)
    times = []
    for message in messages:
        if message.sent_at is not None:
            latest[message.channel] = message.sent_at
        times.append(latest.get(message.channel, _EARLIEST))
    return times
