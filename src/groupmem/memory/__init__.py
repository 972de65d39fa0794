"""The memory engine: what a group has said, and recall of it for one of its members.

The names are loaded when they are first used: whoever only notes dates needs no indexes.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groupmem.memory.assistance import Assistance
    from groupmem.memory.engine import GroupMemory, UnknownMessageError
    from groupmem.memory.store.base import Added
    from groupmem.memory.store.generations import EmbeddingMismatchError
    from groupmem.memory.store.lock import BusyError
    from groupmem.memory.store.status import Status

__all__ = ["Added", "Assistance", "BusyError", "EmbeddingMismatchError", "GroupMemory", "Status", "UnknownMessageError"]

_HOMES = {
    "Added": "store.base",
    "Assistance": "assistance",
    "BusyError": "store.lock",
    "EmbeddingMismatchError": "store.generations",
    "GroupMemory": "engine",
    "Status": "store.status",
    "UnknownMessageError": "engine",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
