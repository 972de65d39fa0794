"""A stand-in for the models of a BEAM run: a reader and a judge over loopback that answer by what a question expects.

Questions take turns: one is answered right, one half, one gets a judge whose replies cannot be read, one no answer at
all. `expected` says from the rubrics alone what must come out.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from statistics import fmean

from groupmem.types import Question
from support.openai_server import RecordedRequest, Reply

KINDS = ("right", "half", "malformed", "empty")
ORDERING = "event_ordering"


class BeamModel:
    """Replies by question; `reads` and `judgements` are the numbers of calls that a run of these questions takes."""

    def __init__(self, questions: Iterable[Question]) -> None:
        self.questions = {question.text: question for question in questions}

    def kind(self, question: Question) -> str:
        return KINDS[list(self.questions).index(question.text) % len(KINDS)]

    def reply(self, request: RecordedRequest) -> Reply:
        text = request.last_message
        if "Requirement:\n" in text:
            return Reply(self._judge(text))
        if text.startswith("First:"):
            lines = text.splitlines()
            return Reply("**Yes.**" if lines[7].endswith(lines[2]) and "noise" not in lines[7] else "No")
        asked = re.search(r"^Question: (.+?)$(?=\n\n(?:Passages|No passage))", text, re.MULTILINE | re.DOTALL)
        assert asked is not None
        return Reply(self._answer(self.questions[asked[1]]))

    def _answer(self, question: Question) -> str:
        rubric, kind = rubric_of(question), self.kind(question)
        if kind == "empty":
            return "  \n"
        if question.category == ORDERING:
            kept = rubric if kind == "right" else rubric[: len(rubric) // 2]
            return "\n".join(f"- {mark(question)} {item}" for item in kept)
        return f"{mark(question)} {kind}"

    def _judge(self, text: str) -> str:
        kind = next(kind for kind in KINDS if re.search(rf"^\[[0-9a-f]{{8}}\] {kind}$", text, re.MULTILINE))
        score = {"right": 1, "half": 0.5}.get(kind)
        return "I would say it is fine." if score is None else json.dumps({"score": score, "reason": "as it is"})

    # -- what must come out ------------------------------------------------------------------------------------------

    @property
    def reads(self) -> int:
        return len(self.questions)

    @property
    def judgements(self) -> int:
        return sum(self.calls(question) for question in self.questions.values())

    def calls(self, question: Question) -> int:
        """Judge calls of one question: one an item; for events in their order, one a line."""
        rubric, kind = rubric_of(question), self.kind(question)
        if kind == "empty":
            return 0
        if question.category != ORDERING or kind == "right":
            return len(rubric)
        return len(rubric) // 2

    def scores(self, question: Question) -> Mapping[str, float]:
        """`score` and `official_score`, reckoned apart from the code under test."""
        kind, size = self.kind(question), len(rubric_of(question))
        if kind == "empty":
            return {"score": 0, "official_score": 0}
        if question.category != ORDERING:
            score = {"right": 1, "half": 0.5, "malformed": 0}[kind]
            return {"score": score, "official_score": int(score)}
        return ordering(size, size if kind == "right" else size // 2)

    def mean(self, name: str) -> float:
        return fmean(self.scores(question)[name] for question in self.questions.values())


def ordering(size: int, listed: int) -> dict[str, float]:
    """The first `listed` of `size` events in their order. Pairs within the list agree, pairs with one in it too, and
    pairs of two that are missing are ties of one side: tau-b is the number of untied pairs over the geometric mean."""
    f1 = 2 * listed / (size + listed)
    pairs, tied = size * (size - 1) / 2, (size - listed) * (size - listed - 1) / 2
    tau_norm = ((pairs - tied) / (pairs * (pairs - tied)) ** 0.5 + 1) / 2
    return {"score": f1 * tau_norm, "official_score": tau_norm}


def rubric_of(question: Question) -> list[str]:
    return list(question.extra["rubric"])


def mark(question: Question) -> str:
    """Makes answers to different questions different texts."""
    return f"[{hashlib.sha256(question.id.encode()).hexdigest()[:8]}]"
