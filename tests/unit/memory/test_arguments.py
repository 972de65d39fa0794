"""What settles an argument, and what only speaks in it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from groupmem.memory.arguments import WEIGHTS, acceptances, settled
from groupmem.memory.decisions import link
from groupmem.memory.notes import Directory, note
from groupmem.memory.store.base import Noted
from support.memory_store import said

NOBODY = Directory(())
OPENING = (
    "As agreed, the ferry tickets stay paper slips.",
    "The rain ate a whole roll of them. How about brass tokens for it?",
)


def thread(*texts: str) -> list[Noted]:
    """A thread in which each message answers the first one."""
    found: list[Noted] = []
    for number, text in enumerate(texts):
        message = said(str(number), text, reply_to="0" if number else None)
        notes = note(message, directory=NOBODY, parent=found[0].notes if found else None)
        found.append(Noted(row=number, thread=0, message=message, notes=notes))
    return found


def likelihood(texts: Sequence[str]) -> float:
    *before, new = thread(*texts)
    return max((each.likelihood for each in acceptances(new, before)), default=0.0)


def test_a_settlement_that_leans_on_the_proposal_replaces_what_that_answers() -> None:
    *before, new = thread(*OPENING, "Good, then we change to brass tokens.")
    (found,) = link(new, before, 2)
    assert (found.new, found.old) == (2, 0)
    assert found.score > 0.3


@pytest.mark.parametrize(
    "answer",
    [
        "Paper slips stay, we keep them.",
        "I would prefer brass tokens too.",
        "Brass tokens won't survive the salt, I think.",
        "We agreed on paper slips, not brass tokens.",
        "Lunch is at noon now.",
    ],
)
def test_neither_keeping_nor_voting_nor_doubting_settles_a_change(answer: str) -> None:
    assert likelihood((*OPENING, answer)) < likelihood((*OPENING, "Good, then we change to brass tokens.")) / 2
    assert likelihood((*OPENING, answer)) < 0.3


def test_who_keeps_the_old_ends_an_argument_and_changes_nothing() -> None:
    opening, proposed, kept = thread(*OPENING, "Brass tokens won't survive. We still stay with paper slips.")
    found = settled(kept, opening, [proposed])
    assert found is not None
    assert found.likelihood < found.ending / 2


def test_each_sign_counts() -> None:
    settlement = likelihood((*OPENING, "From now on we use brass tokens."))
    assert likelihood((*OPENING, "We use brass tokens.")) < settlement
    assert (
        likelihood((OPENING[0], "They had brass tokens at the museum.", "From now on we use brass tokens."))
        < settlement
    )
    assert likelihood((*OPENING, "From now on we use brass tokens instead of paper slips.")) > settlement


def test_every_weight_belongs_to_a_sign() -> None:
    *before, new = thread(*OPENING, "From now on we use brass tokens.")
    (found,) = acceptances(new, before)
    assert found.signs.keys() == WEIGHTS.keys()


def test_a_date_is_taken_however_it_is_written() -> None:
    *before, new = thread(
        "The ferry opens on 12 March 2031.", "Can we make it Friday the 14th?", "Ok, it moves to 14 March."
    )
    taken = max(acceptances(new, before), key=lambda each: each.likelihood)
    assert taken.old.row == 0
    assert taken.proposal is not None
    assert taken.proposal.row == 1
    assert taken.likelihood > 0.3


def test_what_nobody_proposed_can_settle_it_as_well_and_is_less_likely() -> None:
    opening, proposed, plain = thread(OPENING[0], OPENING[1], "We change to wooden chips.")
    alone = settled(plain, opening, [proposed])
    assert alone is not None
    assert alone.proposal is None
    assert 0 < alone.likelihood < likelihood((*OPENING, "We change to brass tokens."))
    assert settled(thread(OPENING[0], "Rain again.")[1], opening, []) is None
