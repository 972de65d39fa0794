"""Messages and questions in the order of time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from groupmem.lab.runs.timeline import Timeline
from groupmem.types import Conversation, Message, Question

START = datetime(2025, 3, 1, 9, tzinfo=UTC)


def _at(minutes: int | None) -> datetime | None:
    return None if minutes is None else START + timedelta(minutes=minutes)


def _conversation(*said: tuple[str, str, int | None]) -> Conversation:
    messages = tuple(
        Message(id=key, channel=channel, author="mira", text=key, sent_at=_at(minutes))
        for key, channel, minutes in said
    )
    return Conversation(id="c", messages=messages)


def _ids(conversation: Conversation) -> list[str]:
    return [message.id for message in Timeline(conversation).messages]


def test_channels_are_merged_by_time_and_ties_keep_the_reading_order() -> None:
    conversation = _conversation(("a1", "a", 0), ("a2", "a", 5), ("b1", "b", 5), ("b2", "b", 1))
    assert _ids(conversation) == ["a1", "b2", "a2", "b1"]


def test_a_message_without_time_stays_behind_its_neighbour() -> None:
    conversation = _conversation(("a0", "a", None), ("a1", "a", 10), ("a2", "a", None), ("b1", "b", 5), ("b2", "b", 20))
    assert _ids(conversation) == ["b1", "a0", "a1", "a2", "b2"]


def test_a_channel_without_any_time_comes_first() -> None:
    conversation = _conversation(("a1", "a", 3), ("b1", "b", None), ("b2", "b", None))
    assert _ids(conversation) == ["b1", "b2", "a1"]


def test_a_conversation_without_times_keeps_its_order() -> None:
    conversation = _conversation(("a1", "a", None), ("b1", "b", None), ("a2", "a", None))
    assert _ids(conversation) == ["a1", "b1", "a2"]


def test_each_question_comes_after_what_was_said_up_to_then() -> None:
    conversation = _conversation(("m1", "a", 0), ("m2", "a", 10), ("m3", "a", 20), ("m4", "a", 30))
    questions = [
        Question(id="late", text="?"),
        Question(id="q20", text="?", asked_at=_at(20)),
        Question(id="before", text="?", asked_at=_at(-5)),
        Question(id="q25", text="?", asked_at=_at(25)),
    ]
    segments = [
        ([message.id for message in segment.messages], [question.id for question in segment.questions])
        for segment in Timeline(conversation).segments(questions)
    ]
    assert segments == [([], ["before"]), (["m1", "m2", "m3"], ["q20", "q25"]), (["m4"], ["late"])]


def test_what_is_said_after_the_last_question_is_left_out() -> None:
    conversation = _conversation(("m1", "a", 0), ("m2", "a", 10))
    (segment,) = Timeline(conversation).segments([Question(id="q", text="?", asked_at=_at(5))])
    assert [message.id for message in segment.messages] == ["m1"]


minutes = st.one_of(st.none(), st.integers(0, 50))


@given(
    said=st.lists(st.tuples(st.sampled_from("abc"), minutes), max_size=30),
    asked=st.lists(minutes, min_size=1, max_size=8),
)
def test_nothing_is_heard_from_the_future_nothing_twice_and_no_question_is_lost(
    said: list[tuple[str, int | None]], asked: list[int | None]
) -> None:
    conversation = _conversation(*((f"m{n}", channel, at) for n, (channel, at) in enumerate(said)))
    questions = [Question(id=f"q{n}", text="?", asked_at=_at(at)) for n, at in enumerate(asked)]
    heard: list[Message] = []
    answered: list[str] = []
    for segment in Timeline(conversation).segments(questions):
        heard += segment.messages
        for question in segment.questions:
            answered.append(question.id)
            timed = [message.sent_at for message in conversation.messages if message.sent_at is not None]
            if question.asked_at is not None:
                assert all(m.sent_at is None or m.sent_at <= question.asked_at for m in heard)
                expected = sum(at <= question.asked_at for at in timed)
            else:
                expected = len(timed)
            assert sum(message.sent_at is not None for message in heard) == expected
    assert len({message.id for message in heard}) == len(heard)
    assert sorted(answered) == sorted(question.id for question in questions)
