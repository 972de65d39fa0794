"""Twins by whose work it is: "my coverage work", in the word of the asker's own role, where the messages have another.

Where one looks after several things of the sort, a place or a fact about the one that is meant tells it from the rest.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from groupmem.lab.questions import clauses
from groupmem.lab.questions.facts import Fact
from groupmem.lab.questions.records import Category, Draft
from groupmem.lab.questions.referents import Referent
from groupmem.lab.questions.strategies.base import Ladder, Library
from groupmem.lab.questions.strategies.homonyms import is_foreign
from groupmem.lab.questions.things import Scope, all_scopes, scopes_beside_a_clause


class Described(NamedTuple):
    """The words that stand for a thing of the asker's, and what is asked of it."""

    word: str
    scope: Scope
    clause: str
    kind: str


class Owned(NamedTuple):
    """Somebody's thing: who looks after it, the fact that describes it (None for none), the fact that is asked for."""

    owner: Fact
    lead: Fact | None
    fact: Fact


class OwnWork:
    """Finds things that their owners can ask for in the same words."""

    def __init__(self, category: Category, library: Library, worded: Sequence[Fact]) -> None:
        self._category = category
        self._library = library
        self._groups: dict[Described, list[Owned]] = defaultdict(list)
        for owner in (fact for fact in worded if fact.kind == "owner"):
            for word in library.words.used(library.truth.role(owner.value), owner.concepts[0]):
                if library.words.meaning(library.truth.role(owner.value), word):
                    self._describe(owner, word)

    def _describe(self, owner: Fact, word: str) -> None:
        facts = [fact for fact in self._library.truth.of_subject(owner) if fact.kind in clauses.MINE]
        asked = [fact for fact in facts if is_foreign(self._library, fact, word, owner.value)]
        leads = [fact for fact in facts if self._library.evidence.need(fact) is not None]
        descriptions: list[tuple[Scope, Fact | None]] = [(scope, None) for scope in all_scopes(owner)]
        descriptions += list(product(scopes_beside_a_clause(owner), leads))
        for scope, lead in descriptions:
            if self._library.things.worded_and_owned(owner.concepts[0], owner.value, scope, lead) == 1:
                for fact in asked:
                    self._keep(Described(word, scope, self._clause(lead), fact.kind), Owned(owner, lead, fact))

    def _keep(self, described: Described, owned: Owned) -> None:
        if owned.lead is None or self._library.referents.can_describe(owned.lead, owned.fact):
            self._groups[described].append(owned)

    def _clause(self, lead: Fact | None) -> str:
        """The same clause for the same fact, so that twins find each other."""
        return self._library.referents.clause(lead, random.Random(0)) if lead else ""

    def ladders(self, rng: random.Random) -> Iterator[Ladder]:
        for described in rng.sample(list(self._groups), len(self._groups)):
            yield self._ladder(described, self._groups[described], rng)

    def _ladder(self, described: Described, group: Sequence[Owned], rng: random.Random) -> Ladder:
        first = group[0]
        others = (one for one in group if (one.owner.value != first.owner.value and one.fact.value != first.fact.value))
        other = next(others, None)
        chosen = (first, other) if other else (first,)
        x = f"my {clauses.about(described.word, 'work')}{described.scope.words} {described.clause}".rstrip()
        question = rng.choice(clauses.MINE[described.kind]).format(x=x)
        pattern = rng.choice(clauses.ASK[described.kind])
        plain = [self._library.plainest(self._category, one.fact, one.owner.value, pattern) for one in chosen]
        hidden = [self._draft(one, described.scope.lead, question) for one in chosen]
        anchor = "/".join(one.fact.id for one in chosen)
        return Ladder(anchor=f"{anchor}/mine", category=self._category, rungs=(tuple(plain), tuple(hidden)))

    def _draft(self, one: Owned, lead: str, question: str) -> Draft:
        links = [self._library.evidence.link(fact) for fact in (one.owner, one.lead) if fact is not None]
        moves = ("own work", "described") if one.lead else ("own work",)
        needed = tuple(dict.fromkeys(link for link in links if link is not None))
        referent = Referent(x="", links=needed, lead=lead, moves=moves)
        return self._library.draft(self._category, one.fact, one.owner.value, referent, question)
