"""Answers that become part of the history: what the assistant said is a message like others (an option of the run)."""

from __future__ import annotations

from groupmem.types import Answer, Channel, Message, Question

ASSISTANT = "assistant"

ASSISTANT_CHANNEL = Channel(id="groupmem:answers", name="Answers of the assistant")
"""Public: everybody in the group hears the assistant."""


def answer_message(question: Question, answer: Answer) -> Message:
    """The answer as the assistant's message, said at the moment of asking."""
    return Message(
        id=f"answer:{question.id}",
        channel=ASSISTANT_CHANNEL.id,
        author=ASSISTANT,
        text=answer.text,
        sent_at=question.asked_at,
        role=ASSISTANT,
        is_bot=True,
    )
