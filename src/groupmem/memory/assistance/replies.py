"""What the model replies to the prompts of the memory (prompts/memory)."""

from __future__ import annotations

from groupmem.types import Record

SYSTEM = "memory/system"
DECOMPOSE, FILL, RERANK, VERIFY = "memory/decompose", "memory/fill", "memory/rerank", "memory/verify"
PROMPT_NAMES = (SYSTEM, DECOMPOSE, FILL, RERANK, VERIFY)


class Lookups(Record, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """What has to be looked up, in order; "[1]" in a later one stands for what the first finds."""

    lookups: tuple[str, ...]


class Lookup(Record, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """A lookup with nothing left open; empty where what it waits for was not found."""

    lookup: str


class Order(Record, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """The numbers of the messages that help, the best first."""

    order: tuple[int, ...]


class Replaced(Record, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """The numbers of the pairs in which the later message replaces the earlier one."""

    replaced: tuple[int, ...]
