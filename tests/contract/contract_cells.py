"""The systems under contract (those of the package, two of users, a command), and what is said in their cells."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from groupmem.lab.systems.base import BaseSystem
from groupmem.lab.systems.registry import system_names
from groupmem.types import Message, Passage

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "examples" / "my_memory.py"
COMMAND = f"cmd:{shlex.quote(sys.executable)} {HERE.parents[1] / 'examples' / 'memory.py'}"
SPECS = (
    *system_names(),
    "groupmem:chat=copying",
    f"{EXAMPLE}:MyMemory",
    f"{HERE / 'ledger_memory.py'}:LedgerMemory",
    COMMAND,
)
OpenCell = Callable[..., BaseSystem]


def said(number: int, text: str, author: str = "User_1", channel: str = "dock") -> Message:
    return Message(id=f"Msg_{number}", channel=channel, author=author, text=text, position=number)


def chatter(first: int, count: int) -> list[Message]:
    """Messages that answer no question of the tests."""
    return [
        said(number, f"lunch break remark {number}", f"User_{number % 5}") for number in range(first, first + count)
    ]


def recalled(system: BaseSystem, question: str, asker: str | None = "User_2", limit: int = 10) -> tuple[Passage, ...]:
    return system.recall(question, asker=asker, limit=limit, asked_at=None).passages


def ids(passages: Sequence[Passage]) -> list[str]:
    """All source ids, repeats included."""
    return [source for passage in passages for source in passage.source_ids]
