"""From what a model claims about a question to a draft: the evidence is looked at, and a second call must agree."""

from __future__ import annotations

from collections.abc import Sequence

from groupmem.lab.measures.values import GoldValue
from groupmem.lab.questions.author import RefusedError
from groupmem.lab.questions.modelled.context import Context
from groupmem.lab.questions.modelled.replies import Caller, Verified
from groupmem.lab.questions.records import Category, Draft, Need
from groupmem.prompts import text_marker
from groupmem.types import Record


class Claim(Record, frozen=True, kw_only=True):
    """A question with its answer and the messages that it is said to rest on. `anchor` is the one that gives the
    answer."""

    category: Category
    question: str
    asker: str
    gold: GoldValue
    evidence: tuple[str, ...]
    anchor: str
    moves: tuple[str, ...] = ()


class Prover:
    """Proves claims about one conversation."""

    def __init__(self, context: Context, caller: Caller) -> None:
        self._context = context
        self._caller = caller

    def prove(self, claim: Claim) -> Draft:
        """Raises RefusedError where the evidence is not there, the asker may not read it, or a call that sees nothing
        else does not come to the same answer."""
        names = tuple(dict.fromkeys(claim.evidence))
        self._check(claim, names)
        shown = self._context.shown([self._context.message(name) for name in names])
        slots = {"question": claim.question, "asker": claim.asker, "answer": claim.gold.values[0]}
        verified = self._caller.ask(Verified, "verify", **slots, **block(shown))
        if not verified.same or not verified.all_needed:
            raise RefusedError("not_verified", f"the evidence gives {verified.answer!r}")
        return Draft(
            category=claim.category,
            text=claim.question,
            answer=claim.gold.values[0],
            asker=claim.asker,
            gold=claim.gold,
            needs=tuple(Need(message=name, value=claim.gold if name == claim.anchor else None) for name in names),
            moves=claim.moves,
            hops=len(names),
        )

    def _check(self, claim: Claim, names: Sequence[str]) -> None:
        if claim.anchor not in names:
            raise RefusedError("no_evidence", f"the evidence lacks {claim.anchor or 'any message'}")
        unknown = [name for name in names if not self._context.has(name)]
        if unknown:
            raise RefusedError("no_evidence", f"there is no message {unknown[0]}")
        if not self._context.may_read(claim.asker, names):
            raise RefusedError("no_evidence", f"{claim.asker} may not read it")


def block(shown: str) -> dict[str, str]:
    """The slots of a prompt that shows messages."""
    return {"context": shown, "marker": text_marker(shown)}
