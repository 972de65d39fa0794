"""Lengths, replies and gaps, and all measures of one conversation together."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.lab.measures.conversation import measure_conversation, reply_shape, spread
from groupmem.readers.irc import REPLY_UNKNOWN
from groupmem.types import Conversation, Message

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def message(number: int, reply_to: int | None = None, *, minute: float | None = None, channel: str = "a") -> Message:
    return Message(
        id=str(number),
        channel=channel,
        author=f"p{number % 3}",
        text=f"point {number}",
        sent_at=START + timedelta(minutes=number if minute is None else minute),
        reply_to=None if reply_to is None else str(reply_to),
    )


def test_depth_width_and_waits_by_hand() -> None:
    # 0 <- 1 <- 2 <- 3, 0 <- 4, and 5 alone; 6 <- 7
    parents = {1: 0, 2: 1, 3: 2, 4: 0, 7: 6}
    shape = reply_shape([message(number, parents.get(number)) for number in range(8)])
    assert shape.share == 5 / 8
    assert shape.depth is not None and shape.width is not None and shape.wait_seconds is not None
    assert (shape.depth.count, shape.depth.largest, shape.depth.mean) == (2, 3, 2.0)
    assert (shape.width.count, shape.width.largest, shape.width.mean) == (4, 2, 5 / 4)
    assert shape.wait_seconds.mean == pytest.approx(60 * (1 + 1 + 1 + 4 + 1) / 5)
    assert (shape.broken, shape.early) == (0, 0)


def test_without_replies_there_is_no_depth() -> None:
    shape = reply_shape([message(0), message(1)])
    assert (shape.share, shape.depth, shape.width, shape.wait_seconds) == (0.0, None, None, None)
    assert reply_shape([]).share is None


def test_replies_to_nothing_to_themselves_and_in_a_circle_are_counted_as_broken() -> None:
    shape = reply_shape([message(0, 99), message(1, 1), message(2, 3), message(3, 2), message(4, 3)])
    assert (shape.broken, shape.share) == (4, 1 / 5)
    assert shape.depth is not None and shape.depth.largest == 1


def test_a_reply_before_its_parent_is_counted_and_has_no_wait() -> None:
    shape = reply_shape([message(0, minute=5), message(1, 0, minute=3), message(2, 0, minute=6)])
    assert shape.early == 1
    assert shape.wait_seconds is not None and (shape.wait_seconds.count, shape.wait_seconds.mean) == (1, 60.0)


def test_messages_whose_parent_nobody_knows_are_answered_but_do_not_count() -> None:
    context = Message(id="0", channel="a", author="p", text="x", extra={REPLY_UNKNOWN: True})
    shape = reply_shape([context, message(1, 0), message(2)])
    assert shape.share == 1 / 2
    assert shape.depth is not None and shape.depth.largest == 1


def test_a_chain_of_any_length_is_measured() -> None:
    length = 50_000
    shape = reply_shape(
        [message(number, number - 1 if number else None, minute=0) for number in reversed(range(length))]
    )
    assert shape.depth is not None and shape.depth.largest == length - 1


@given(st.lists(st.one_of(st.none(), st.integers(0, 19)), max_size=20))
def test_any_links_give_consistent_counts(links: list[int | None]) -> None:
    messages = [message(number, link) for number, link in enumerate(links)]
    shape = reply_shape(messages)
    replies = round((shape.share or 0) * len(messages))
    assert replies + shape.broken == sum(link is not None for link in links)
    assert (shape.width.mean * shape.width.count if shape.width else 0) == pytest.approx(replies)
    assert (shape.depth.largest if shape.depth else 0) <= replies


def test_a_spread_by_hand() -> None:
    found = spread([4, 1, 3, 2, 10])
    assert found is not None
    assert msgspec.structs.astuple(found) == pytest.approx((5, 4.0, 1.4, 3.0, 7.6, 10.0))
    assert spread([]) is None


def test_gaps_lie_within_a_channel_whatever_the_order_of_the_file() -> None:
    rows = [message(0, minute=0), message(1, minute=4), message(2, minute=1, channel="b"), message(3, minute=1)]
    measures = measure_conversation(Conversation(id="c", messages=tuple(rows)))
    assert measures.gap_seconds is not None
    assert (measures.gap_seconds.count, measures.gap_seconds.largest) == (2, 180.0)
    assert (measures.messages, measures.authors, measures.channels) == (4, 3, 2)


def test_earlier_means_earlier_in_time() -> None:
    rows = [message(0, minute=9), message(1, minute=2)]
    measures = measure_conversation(Conversation(id="c", messages=tuple(rows)))
    assert measures.distinct == {1: 1 / 2, 2: 1 / 2, 3: None}
    assert measures.near_duplicates.considered == 0
    assert measures.distinct_2_in_blocks is None


def test_a_conversation_without_times_has_no_gaps() -> None:
    rows = (Message(id="0", channel="a", author="p", text="one"), Message(id="1", channel="a", author="p", text="two"))
    measures = measure_conversation(Conversation(id="c", messages=rows))
    assert measures.gap_seconds is None
    assert measures.words is not None and measures.words.mean == 1.0
