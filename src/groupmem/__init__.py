"""Memory for assistants that live in group chats, and the laboratory that measures it."""

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from groupmem.memory import GroupMemory

__all__ = [
    "Answer",
    "Channel",
    "Conversation",
    "GroupMemory",
    "Message",
    "Passage",
    "Person",
    "Question",
    "Recall",
    "Usage",
    "Verdict",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`GroupMemory` is loaded when it is first used: its indexes and models take a while."""
    if name == "GroupMemory":
        from groupmem.memory import GroupMemory

        return GroupMemory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
