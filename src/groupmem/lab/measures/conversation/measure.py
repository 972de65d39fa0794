"""All measures of one conversation that need no model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise

from groupmem.lab.measures.conversation.distinct import distinct_in_blocks, distinct_n
from groupmem.lab.measures.conversation.masking import masked_words
from groupmem.lab.measures.conversation.near_duplicates import NearDuplicates, near_duplicates
from groupmem.lab.measures.conversation.replies import ReplyShape, reply_shape
from groupmem.lab.measures.conversation.spread import Spread, spread
from groupmem.types import Conversation, Message, Record

_NO_TIME = datetime.min.replace(tzinfo=UTC)


class ConversationMeasures(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What was measured; None where there was nothing to measure it on.

    `distinct` is distinct-n by n over the whole conversation, `distinct_2_in_blocks` the mean over blocks of 2,000
    2-grams, both of masked words. `words` and `characters` are of the messages as they were written. `gap_seconds` lie
    between one message and the next of the same channel.
    """

    messages: int
    authors: int
    channels: int
    distinct: Mapping[int, float | None]
    distinct_2_in_blocks: float | None
    near_duplicates: NearDuplicates
    words: Spread | None
    characters: Spread | None
    replies: ReplyShape
    gap_seconds: Spread | None


def measure_conversation(conversation: Conversation) -> ConversationMeasures:
    """Measures a conversation; 30,000 messages take seconds."""
    messages = sorted(conversation.messages, key=_moment)  # stable: where there are no times, reading order
    masked = masked_words(message.text for message in messages)
    return ConversationMeasures(
        messages=len(messages),
        authors=len({message.author for message in messages}),
        channels=len({message.channel for message in messages}),
        distinct={n: distinct_n(masked, n) for n in (1, 2, 3)},
        distinct_2_in_blocks=distinct_in_blocks(masked, 2),
        near_duplicates=near_duplicates(masked),
        words=spread([len(message.text.split()) for message in messages]),
        characters=spread([len(message.text) for message in messages]),
        replies=reply_shape(messages),
        gap_seconds=spread(_gaps(messages)),
    )


def _moment(message: Message) -> datetime:
    return message.sent_at or _NO_TIME


def _gaps(messages: Sequence[Message]) -> list[float]:
    """Seconds between neighbours in each channel; `messages` are in the order of time."""
    by_channel: defaultdict[str, list[datetime]] = defaultdict(list)
    for message in messages:
        if message.sent_at is not None:
            by_channel[message.channel].append(message.sent_at)
    return [(after - before).total_seconds() for times in by_channel.values() for before, after in pairwise(times)]
