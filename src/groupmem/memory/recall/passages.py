"""From stored messages to passages."""

from __future__ import annotations

from groupmem.memory.store.base import StoredMessage
from groupmem.types import Passage


def passage(stored: StoredMessage, score: float) -> Passage:
    """The passage that is one whole message, its text unchanged."""
    message = stored.message
    return Passage(
        text=message.text,
        source_ids=(message.id,),
        score=score,
        author=message.author,
        role=message.role,
        channel=message.channel,
        phase=message.phase,
        topic=message.topic,
        sent_at=message.sent_at,
        reply_to=message.reply_to,
    )
