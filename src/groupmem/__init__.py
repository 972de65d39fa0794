"""Memory for assistants that live in group chats, and the laboratory that measures it."""

from groupmem.types import (
    Answer,
    Channel,
    Conversation,
    Message,
    Passage,
    Person,
    Question,
    Recall,
    Usage,
    Verdict,
)

__all__ = [
    "Answer",
    "Channel",
    "Conversation",
    "Message",
    "Passage",
    "Person",
    "Question",
    "Recall",
    "Usage",
    "Verdict",
]

__version__ = "0.1.0"
