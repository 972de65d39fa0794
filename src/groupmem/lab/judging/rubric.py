"""The rubric judge: how far an answer meets each item of a rubric (BEAM, arXiv 2510.27246).

The judge sees one item and the answer, never the question. An item scores 1, .5 or 0. A reply that states no score
counts as 0, as the published harness has it, and is told apart: a reader of the results can leave such answers out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

from groupmem.errors import PendingError
from groupmem.lab.judging.judge import Judge, stopped_short
from groupmem.models.base import ChatReply
from groupmem.prompts import Prompts, text_marker
from groupmem.types import Record, UnscoredReason, Usage

PROMPT_NAME = "judge/rubric_item"
SCORES = (0.0, 0.5, 1.0)
_FENCE = re.compile(r"\s*```\w*\s*\n(?P<inside>.*?)\n?```\s*", re.DOTALL)
_OBJECT = re.compile(r"""\{\s*"[^"]*"\s*:""")
"""How an object with a key begins; braces of the prose, around sets or slots, do not begin so."""
_JSON = json.JSONDecoder()


class ItemScore(Record, frozen=True, kw_only=True):
    """What the judge said of one item. `unread` is the reason why its reply states no score; the score is then 0."""

    score: float
    reply: str
    unread: UnscoredReason | None = None
    usage: Usage = Usage()


class RubricScore(Record, frozen=True, kw_only=True):
    """The scores of all items of one answer, in the order of the rubric."""

    items: tuple[ItemScore, ...]

    @property
    def score(self) -> float:
        """The mean of the items, in [0, 1]."""
        return fmean(item.score for item in self.items)

    @property
    def whole_points(self) -> float:
        """The mean with .5 cut to 0, as the repository of BEAM counts (commit b2a3ee8b)."""
        return fmean(int(item.score) for item in self.items)

    @property
    def unread(self) -> UnscoredReason | None:
        """Why the first item without a readable reply has none; None where all were read."""
        return next((item.unread for item in self.items if item.unread is not None), None)

    @property
    def usage(self) -> Usage:
        return sum((item.usage for item in self.items), Usage())


def judge_rubric(rubric: Sequence[str], answer: str, judge: Judge) -> RubricScore:
    """One call an item. Raises ModelError or BudgetError of a call, and PendingError when every item was asked for."""
    items: list[ItemScore] = []
    pending: PendingError | None = None
    for item in rubric:
        try:
            items.append(read_item(judge.ask(None, item_prompt(item, answer, judge.prompts))))
        except PendingError as error:
            pending = error
    if pending is not None:
        raise pending
    return RubricScore(items=tuple(items))


def item_prompt(item: str, answer: str, prompts: Prompts) -> str:
    """What the judge is shown for one item."""
    return prompts.load(PROMPT_NAME).render(rubric_item=item, response=answer, marker=text_marker(answer))


def read_item(reply: ChatReply) -> ItemScore:
    """The score that a reply states; one that was cut off or refused states none, whatever it says."""
    short = stopped_short(reply)
    score = None if short else parse_score(reply.text)
    if score is not None:
        return ItemScore(score=score, reply=reply.text, usage=reply.usage)
    return ItemScore(score=0.0, reply=reply.text, unread=short or "unparsable", usage=reply.usage)


def parse_score(text: str) -> float | None:
    """The number under "score" of the JSON object that a reply is, in a fence too, else of the first object among its
    words that has one; None where it is none of 1, .5 and 0."""
    fenced = _FENCE.fullmatch(text)
    try:
        found = json.loads(fenced["inside"] if fenced else text)
    except (ValueError, RecursionError):
        found = next((each for each in _objects(text) if "score" in each), None)
    value = _number(found.get("score")) if isinstance(found, dict) else None
    return value if value in SCORES else None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects among words, none from within another. A garbled one ends them: what looks like an object
    behind its beginning may be quoted by it."""
    begun = _OBJECT.search(text)
    while begun:
        try:
            found, end = _JSON.raw_decode(text, begun.start())
        except (ValueError, RecursionError):
            return
        yield found
        begun = _OBJECT.search(text, end)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None
