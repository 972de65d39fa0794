"""Term ambiguity: the question is in the words of the asker's role, the evidence in those of another one.

A word that means something else to another role gives a pair of twins (`homonyms`). Others are told apart by whose work
it is ("my coverage work"). A question starts from the plain name of the thing; refining puts the asker's word in its
place, drops the phase, then all of the name but the word.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec

from groupmem.lab.questions import clauses
from groupmem.lab.questions.facts import Fact
from groupmem.lab.questions.records import Category, Wording
from groupmem.lab.questions.referents import Referent
from groupmem.lab.questions.strategies.base import Ladder, Library, distinct, in_turn, twins_first
from groupmem.lab.questions.strategies.homonyms import Homonyms, is_foreign
from groupmem.lab.questions.strategies.own_work import OwnWork
from groupmem.lab.questions.things import Scope


class TermAmbiguity:
    """See the module."""

    category: Category = "term_ambiguity"

    def ladders(self, library: Library, rng: random.Random) -> Iterator[Ladder]:
        worded = library.told(list(filter(library.words.in_subject, library.truth.settled)), rng)
        ways = (
            Homonyms(self.category, library, worded).ladders(rng),
            OwnWork(self.category, library, worded).ladders(rng),
            (self._foreign_word(library, fact, rng) for fact in worded),
        )
        yield from twins_first(in_turn(ways))

    def _foreign_word(self, library: Library, fact: Fact, rng: random.Random) -> Ladder | None:
        """One asker, whose role has another word for it than the message."""
        concept = fact.concepts[0]
        askers = {
            asker: word
            for asker in library.truth.askers_of.get(fact.channel, ())
            if (word := library.words.own_word(library.truth.role(asker), concept))
            and is_foreign(library, fact, word, asker)
        }
        if not askers:
            return None
        asker = rng.choice(list(askers))
        role = library.truth.role(asker)
        named = library.referents.named(fact, role)
        if named is None or "role word" not in named.moves:
            return None
        pattern = rng.choice(clauses.ASK[fact.kind])
        placed = msgspec.structs.replace(named, lead=clauses.in_phase(fact.phase), moves=("role word",))
        by_word = self._by_word(library, fact, askers[asker], rng)
        rungs: list[Wording] = [(library.plainest(self.category, fact, asker, pattern),)]
        rungs += [
            (library.draft(self.category, fact, asker, referent, pattern.format(x=referent.x)),)
            for referent in (placed, named, library.referents.by_head(fact, role), by_word)
            if referent is not None
        ]
        return Ladder(anchor=fact.id, category=self.category, rungs=distinct(rungs))

    def _by_word(self, library: Library, fact: Fact, word: str, rng: random.Random) -> Referent | None:
        for scope in (Scope(project=fact.project), Scope(project=fact.project, tail=fact.tail)):
            if library.things.worded(fact.concepts[0], fact.kind, scope) == 1:
                x = f"the {clauses.about(word, rng.choice(clauses.ABOUT_WORD))}"
                return Referent(x=x + scope.words, moves=("no phase", "only the word"))
        return None
