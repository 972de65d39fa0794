"""How well an answer lists events in their order (BEAM, arXiv 2510.27246; the lines and figures of its harness).

The answer is cut into lines. Each line, from the first, is compared with the items of the rubric that no line has taken
yet, from the first; the first that tells of the same event is taken. F1 says how many of the events are there and how
many lines are none, Kendall's tau-b how far the two orders agree.

The judge is to reply with the single word yes or no. Only a bare yes matches, as the published harness has it; a reply
that is neither, that was cut off or refused, is told apart: a reader of the results can leave such answers out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

from groupmem.lab.judging.judge import Judge, stopped_short
from groupmem.models.base import ChatReply
from groupmem.prompts import Prompts, text_marker
from groupmem.types import Record, UnscoredReason, Usage

PROMPT_NAMES = ("judge/same_event", "judge/same_event_user")
SameEvent = Callable[[str, str], bool]
"""Whether an item of the rubric and a line of an answer tell of the same event."""

_YES = re.compile(r"\W*yes\W*", re.IGNORECASE)
_NO = re.compile(r"\W*no\W*", re.IGNORECASE)


class EventOrder(Record, frozen=True, kw_only=True):
    """`f1` and `tau_norm` in [0, 1]; `score` is their product. `usage` is that of the comparisons, and
    `unread` the reason why the first reply that says neither yes nor no does not; None where all were read."""

    f1: float
    tau_norm: float
    usage: Usage = Usage()
    replies: tuple[str, ...] = ()
    unread: UnscoredReason | None = None

    @property
    def score(self) -> float:
        return self.f1 * self.tau_norm


def judge_event_order(items: Sequence[str], answer: str, judge: Judge) -> EventOrder:
    """One call a comparison, one after the other. Raises ModelError, BudgetError or PendingError of a call."""
    replies: list[ChatReply] = []

    def same(item: str, line: str) -> bool:
        reply = judge.ask(*same_event_prompt(item, line, judge.prompts))
        replies.append(reply)
        return _YES.fullmatch(reply.text) is not None

    aligned = align(items, lines_of(answer), same)
    return EventOrder(
        f1=event_f1(items, aligned),
        tau_norm=event_tau_norm(items, aligned),
        usage=sum((reply.usage for reply in replies), Usage()),
        replies=tuple(reply.text for reply in replies),
        unread=next(filter(None, map(unread_reason, replies)), None),
    )


def unread_reason(reply: ChatReply) -> UnscoredReason | None:
    """Why a reply says neither yes nor no: words around either are no bare one. None where it was read."""
    bare = _YES.fullmatch(reply.text) or _NO.fullmatch(reply.text)
    return stopped_short(reply) or (None if bare else "unparsable")


def same_event_prompt(item: str, line: str, prompts: Prompts) -> tuple[str, str]:
    """(system, user) of one comparison."""
    slots = {"rubric_item": item, "line": line, "marker": text_marker(f"{item}\n{line}")}
    return prompts.load(PROMPT_NAMES[0]).render(), prompts.load(PROMPT_NAMES[1]).render(**slots)


def lines_of(answer: str) -> list[str]:
    """The lines as they stand: nothing is trimmed, and blank ones, headings and closing words are lines too."""
    return answer.split("\n")


def align(items: Sequence[str], lines: Sequence[str], same: SameEvent) -> list[str]:
    """The lines, those that tell of an item replaced by it. A blank line is compared with nothing."""
    left = list(items)
    aligned = []
    for line in lines:
        taken = next((item for item in left if same(item, line)), None) if line.strip() else None
        if taken is not None:
            left.remove(taken)
        aligned.append(line if taken is None else taken)
    return aligned


def event_f1(items: Sequence[str], aligned: Sequence[str]) -> float:
    """F1 of the lines as a multiset against the items; 0 where they have nothing in common."""
    common = (Counter(items) & Counter(aligned)).total()
    if not common:
        return 0.0
    precision, recall = common / len(aligned), common / len(items)
    return 2 * precision * recall / (precision + recall)


def event_tau_norm(items: Sequence[str], aligned: Sequence[str]) -> float:
    """(tau-b + 1) / 2 over everything that either list holds; what a list lacks ranks behind all.

    0 where tau is not defined: for fewer than two things to rank, or where all have one rank (an item that is repeated
    down to the rank of the absent).
    """
    union = [*dict.fromkeys(items), *(line for line in dict.fromkeys(aligned) if line not in items)]
    if len(union) < 2:
        return 0.0
    from scipy.stats import kendalltau  # loads for half a second: only who ranks events pays

    tau = kendalltau(_ranks(union, items), _ranks(union, aligned)).statistic
    return 0.0 if math.isnan(tau) else (float(tau) + 1) / 2


def _ranks(union: Sequence[str], listed: Sequence[str]) -> list[int]:
    """Places from 1; what is there twice has its last place."""
    places = {text: place for place, text in enumerate(listed, start=1)}
    return [places.get(text, len(union) + 1) for text in union]
