"""The shape of threads: how deep replies go, how many a message gets, and how soon.

Some sources know who answers whom for a part of their messages only. The rest say so by `REPLY_UNKNOWN` in `extra` and
stay out, except as what is answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from groupmem.lab.measures.conversation.spread import Spread, spread
from groupmem.readers.irc import REPLY_UNKNOWN
from groupmem.types import Message, Record


class ReplyShape(Record, frozen=True, kw_only=True):
    """Replies in a conversation; spreads are None where there are no replies.

    `share`: replies among the messages whose parent is known or known to be none. `depth`: of each thread with a reply,
    the most steps from a message to the first one. `width`: direct replies of each message that has any.
    `wait_seconds`: from a message to each of its replies. `broken`: replies to what is not there, to themselves, or in
    a circle; they count as first messages here. `early`: replies said before what they answer, left out of the waits.
    """

    share: float | None
    depth: Spread | None
    width: Spread | None
    wait_seconds: Spread | None
    broken: int
    early: int


def reply_shape(messages: Sequence[Message]) -> ReplyShape:
    """Measures the replies among `messages`."""
    by_id = {message.id: message for message in messages}
    known = [message for message in messages if not message.extra.get(REPLY_UNKNOWN)]
    named = {message.id: message.reply_to for message in known if message.reply_to is not None}
    circular = _circular(named)
    parents = {child: parent for child, parent in named.items() if parent in by_id and child not in circular}
    depths, roots = _walk(parents)
    deepest: Counter[str] = Counter()
    for child, root in roots.items():
        deepest[root] = max(deepest[root], depths[child])
    waits = _waits(parents, by_id)
    return ReplyShape(
        share=len(parents) / len(known) if known else None,
        depth=spread(list(deepest.values())),
        width=spread(list(Counter(parents.values()).values())),
        wait_seconds=spread([wait for wait in waits if wait >= 0]),
        broken=len(named) - len(parents),
        early=sum(wait < 0 for wait in waits),
    )


def _circular(named: Mapping[str, str]) -> set[str]:
    """The replies that answer themselves, directly or by way of others."""
    circular: set[str] = set()
    done: set[str] = set()
    for start in named:
        place: dict[str, int] = {}
        at = start
        while at in named and at not in done and at not in place:
            place[at] = len(place)
            at = named[at]
        if at in place:
            circular.update(list(place)[place[at] :])
        done.update(place)
    return circular


def _walk(parents: Mapping[str, str]) -> tuple[dict[str, int], dict[str, str]]:
    """(steps to the first message, first message) of each reply. Long chains are no recursion."""
    depths: dict[str, int] = {}
    roots: dict[str, str] = {}
    for child in parents:
        path = []
        at = child
        while at in parents and at not in depths:
            path.append(at)
            at = parents[at]
        root, depth = roots.get(at, at), depths.get(at, 0)
        for step in reversed(path):
            depth += 1
            depths[step], roots[step] = depth, root
    return depths, roots


def _waits(parents: Mapping[str, str], by_id: Mapping[str, Message]) -> list[float]:
    """Seconds from parent to child where both have a time."""
    waits = []
    for child, parent in parents.items():
        said, answered = by_id[parent].sent_at, by_id[child].sent_at
        if said is not None and answered is not None:
            waits.append((answered - said).total_seconds())
    return waits
