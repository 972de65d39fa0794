"""Value at one."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from groupmem.lab.measures.values import GoldValue, ValueFinder
from groupmem.types import Message

SUPPORT_THRESHOLD = 0.5
"""Below it a system that says how well its passages answer counts as having said that they do not."""


def value_at_1(
    ranked: Iterable[Message], gold: GoldValue, finder: ValueFinder, evidence: Collection[str] = ()
) -> float | None:
    """1 where the first message that holds a value of the gold's kind holds the gold one and no stale one, else 0.

    `ranked` are the original messages of what was recalled, best first. A message of the evidence may name the stale
    value beside the gold one ("from Friday to Monday"). 0 where no message holds a value of the kind; None for a list,
    whose parts stand in several messages. Source: this project. It is no accuracy: nothing reads the message.
    """
    if gold.kind == "list":
        return None
    wanted, stale = finder.wanted(gold), finder.stale(gold)
    for message in ranked:
        offered = finder.offered(message, gold)
        if offered:
            right = not wanted.isdisjoint(offered)
            return float(right and (stale.isdisjoint(offered) or message.id in evidence))
    return 0.0


def abstains_at_1(returned: int, support: float | None) -> float | None:
    """The same for a question that the conversation does not answer: 1 where the system returned nothing or gave its
    passages a support below `SUPPORT_THRESHOLD`; None where it returned passages and no support."""
    if not returned:
        return 1.0
    return None if support is None else float(support < SUPPORT_THRESHOLD)
