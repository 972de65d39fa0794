"""A question that needs several messages, looked up one thing after the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from groupmem.memory.assistance.asking import Calls
from groupmem.memory.assistance.replies import DECOMPOSE, FILL, Lookup, Lookups
from groupmem.memory.assistance.showing import line, lines, message_fields
from groupmem.memory.recall.candidates import Candidates
from groupmem.memory.recall.recaller import Ranked, distinct
from groupmem.memory.recall.search import spread, total, union
from groupmem.memory.store.base import StoredMessage

MOST_LOOKUPS = 4
MOST_CHARACTERS = 300
SHARE = 0.9
"""What the best message of a lookup counts, against the best of the whole question."""
FILLED_FROM = 8
"""Best messages of a lookup from which a later one is filled."""

_EARLIER = re.compile(r"\[(\d+)\]")


def decompose(calls: Calls, question: str) -> tuple[str, ...]:
    """The lookups that a question needs, "[1]" in one for what the first finds; none where it is best looked up as it
    is. `question` is its line. Raises as `Calls.ask` does."""
    return calls.ask(Lookups, DECOMPOSE, _wrong_lookups, question=question, most=MOST_LOOKUPS).lookups


def look_up(calls: Calls, question: str, lookups: Sequence[str], rank: Callable[[str], Ranked]) -> dict[str, Ranked]:
    """What each lookup finds, by the lookup as it was made. One that waits for what an earlier one found is written
    anew by the model, which is shown that; where that does not tell, it is left out. Raises as `Calls.ask` does."""
    found: dict[int, Ranked] = {}
    made: dict[str, Ranked] = {}
    for number, lookup in enumerate(lookups, start=1):
        earlier = dict.fromkeys(int(place) for place in _EARLIER.findall(lookup))
        if not found.keys() >= earlier.keys():
            continue
        filled = _filled(calls, question, lookup, [found[each] for each in earlier]) if earlier else lookup
        if filled:
            made[filled] = found[number] = rank(filled)
    return made


def merged(whole: Ranked, parts: Sequence[Ranked]) -> Ranked:
    """All candidates, each with the better of two scores: its own for the whole question, and its share of the best
    message of a lookup."""
    rows = union([whole.found.rows, *(part.found.rows for part in parts)])
    places = np.searchsorted(rows, whole.found.rows)
    components = {name: spread(values, places, len(rows)) for name, values in whole.found.components.items()}
    own = total(components, len(rows))
    top = own.max(initial=0.0)
    best = np.zeros(len(rows))
    for part in parts:
        scores = part.found.scores
        shares = SHARE * top * scores / (scores.max(initial=0.0) or 1.0)
        np.maximum.at(best, np.searchsorted(rows, part.found.rows), shares)
    components["lookup"] = np.maximum(0.0, best - own)
    changes = {(turn.link.new, turn.link.old): turn for each in (whole, *parts) for turn in each.changes}
    readings = {row: stored for each in (whole, *parts) for row, stored in each.read.items()}
    found = Candidates(whole.view.outline(rows), components)
    return replace(whole, found=found, changes=list(changes.values()), read=readings)


def _filled(calls: Calls, question: str, lookup: str, earlier: Sequence[Ranked]) -> str:
    best: dict[int, StoredMessage] = {}
    for each in earlier:
        chosen, _ = distinct(each, FILLED_FROM)
        best |= {stored.row: stored for stored in chosen.values()}
    messages = lines(message_fields(earlier[0].view, list(best.values())))
    asked = {"question": question, "lookup": line({"lookup": lookup}), "messages": messages}
    return calls.ask(Lookup, FILL, _wrong_lookup, **asked).lookup.strip()


def _wrong_lookup(reply: Lookup) -> str:
    if len(reply.lookup) > MOST_CHARACTERS:
        return f"the lookup is longer than {MOST_CHARACTERS} characters"
    return "the lookup still waits for another" if _EARLIER.search(reply.lookup) else ""


def _wrong_lookups(reply: Lookups) -> str:
    if len(reply.lookups) > MOST_LOOKUPS:
        return f"{len(reply.lookups)} lookups, where at most {MOST_LOOKUPS} were asked for"
    for number, lookup in enumerate(reply.lookups, start=1):
        if not lookup.strip() or len(lookup) > MOST_CHARACTERS:
            return f"lookup {number} is empty or longer than {MOST_CHARACTERS} characters"
        ahead = [found for found in _EARLIER.findall(lookup) if not 1 <= int(found) < number]
        if ahead:
            return f"lookup {number} waits for [{ahead[0]}], which does not come before it"
    return ""
