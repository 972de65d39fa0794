"""Solve, judge, refine: one anchor from its first wording to a question that is hard and answerable, or to a reason.

Source: GroupMemBench, "Shared Generation Pipeline". Twins stand and fall together: both must defeat the solver.
"""

from __future__ import annotations

from collections.abc import Callable

from groupmem.lab.questions.author import Anchor, Author, RefusedError
from groupmem.lab.questions.examiner import Examiner
from groupmem.lab.questions.records import Category, Outcome, Refusal, Round, Trial, Wording

Check = Callable[[Wording], None]
"""Raises RefusedError for a wording that may not be asked."""


def pursue(
    anchor: Anchor, category: Category, author: Author, examiner: Examiner, check: Check, most_rounds: int
) -> Outcome:
    """Up to `most_rounds` wordings of one anchor, plain ones not counted. Raises what the models raise, PendingError
    too: the same call goes on from the replies that are there by then."""
    rounds: list[Round] = []

    def outcome(refusal: Refusal | None, detail: str = "") -> Outcome:
        return Outcome(anchor=anchor.id, category=category, rounds=tuple(rounds), refusal=refusal, detail=detail)

    try:
        wording: Wording | None = author.compose(anchor)
        while wording is not None and sum(not _is_plain(one.wording) for one in rounds) < most_rounds:
            check(wording)
            trials = tuple(examiner.examine(draft) for draft in wording)
            rounds.append(Round(wording=wording, trials=trials))
            refusal, detail = _judge(trials)
            if refusal not in (None, "solved") or (refusal is None and not _is_plain(wording)):
                return outcome(refusal, detail)
            wording = author.refine(anchor, rounds)
    except RefusedError as refused:
        return outcome(refused.refusal, refused.detail)
    return outcome("solved", "in its hardest wording" if wording is None else f"in all {most_rounds} rounds")


def _is_plain(wording: Wording) -> bool:
    return any(draft.plain for draft in wording)


def _judge(trials: tuple[Trial, ...]) -> tuple[Refusal | None, str]:
    """Why the wording is not accepted; None where it is. Only a solved one is worth another wording."""
    for trial in trials:
        if trial.unscored:
            return "unscored", trial.unscored
        if not trial.answerable:
            return "unanswerable", trial.oracle_answer
        if trial.guessable:
            return "guessable", ""
    return ("solved", "") if any(trial.solved for trial in trials) else (None, "")
