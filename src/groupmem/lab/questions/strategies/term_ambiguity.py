"""Term ambiguity: the question is in the words of the asker's role, the evidence in those of another one.

A word that means something else to another role gives a pair of twins: the same question, and for each asker the answer
about what that asker means. Others are told apart by whose work it is ("the ... that I look after"). Refining drops the
phase, then all of the name but the word.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product

from groupmem.lab.questions import clauses
from groupmem.lab.questions.facts import Fact
from groupmem.lab.questions.records import Category, Draft, Wording
from groupmem.lab.questions.referents import Referent, Scope
from groupmem.lab.questions.strategies.base import Ladder, Library, distinct, in_turn, twins_first

MOST_TRIED = 12
"""Pairs of facts that are tried for one pair of meanings in one place."""


class TermAmbiguity:
    """See the module."""

    category: Category = "term_ambiguity"

    def ladders(self, library: Library, rng: random.Random) -> Iterator[Ladder]:
        worded = library.told(list(filter(library.words.in_subject, library.truth.settled)), rng)
        ways = (
            self._homonyms(library, worded, rng),
            self._in_common(library, worded, rng),
            self._own_work(library, worded, rng),
            (self._foreign_word(library, fact, rng) for fact in worded),
        )
        yield from twins_first(in_turn(ways))

    def _foreign_word(self, library: Library, fact: Fact, rng: random.Random) -> Ladder | None:
        """One asker, whose role has another word for it than the message."""
        askers = [
            asker
            for asker in library.truth.askers_of.get(fact.channel, ())
            if (word := library.words.own_word(library.truth.role(asker), fact.concepts[0]))
            and self._is_foreign(library, fact, word, asker)
        ]
        if not askers:
            return None
        asker = rng.choice(askers)
        role = library.truth.role(asker)
        word = library.words.own_word(role, fact.concepts[0]) or ""
        named = library.referents.named(fact, role)
        if named is None:
            return None
        plainest = Referent(x=named.x, lead=clauses.in_phase("", fact.phase))
        pattern = rng.choice(clauses.ASK[fact.kind])
        referents = [plainest, named, library.referents.by_head(fact, role), self._by_word(library, fact, word, rng)]
        rungs = [
            (library.draft(self.category, fact, asker, referent, pattern.format(x=referent.x)),)
            for referent in referents
            if referent is not None
        ]
        return Ladder(anchor=fact.id, category=self.category, rungs=distinct(rungs))

    def _homonyms(self, library: Library, worded: Sequence[Fact], rng: random.Random) -> Iterator[Ladder | None]:
        """Twins: one word, two meanings, in places where each meaning fits one thing only."""
        places: dict[tuple[str, str, Scope], list[Fact]] = defaultdict(list)
        for fact in worded:
            for scope in ((fact.project, ""), ("", fact.tail), (fact.project, fact.tail), ("", "")):
                places[fact.concepts[0], fact.kind, scope].append(fact)
        keys = rng.sample(list(places), len(places))
        for word, first, second in self._double_meanings(library):
            pairs = [(key, (second, *key[1:])) for key in keys if key[0] == first and (second, *key[1:]) in places]
            for mine, theirs in pairs[: MOST_TRIED * 4]:
                yield self._twins(library, word, (places[mine], places[theirs]), mine[2], rng)

    def _double_meanings(self, library: Library) -> list[tuple[str, str, str]]:
        """Words that two roles use as their own for different concepts: word, concept, other concept."""
        found: dict[tuple[str, str, str], None] = {}
        concepts = {concept for fact in library.truth.facts for concept in fact.concepts}
        roles = {person.role for person in library.truth.people.values() if person.role}
        own: dict[str, set[str]] = defaultdict(set)
        for role, concept in product(sorted(roles), sorted(concepts)):
            for word in library.words.used(role, concept):
                if library.words.meaning(role, word) == concept:
                    own[word].add(concept)
        for word in sorted(own):
            meanings = sorted(own[word])
            for first, second in ((a, b) for a in meanings for b in meanings if a < b):
                found[word, first, second] = None
        return list(found)

    def _twins(
        self, library: Library, word: str, facts: tuple[list[Fact], list[Fact]], scope: Scope, rng: random.Random
    ) -> Ladder | None:
        sides: list[tuple[Fact, str]] = []
        for candidates in facts:
            if library.referents.count_of_concept(candidates[0], scope) != 1:
                return None
            fact = candidates[0]
            askers = self._who_means(library, fact, word)
            if not askers:
                return None
            sides.append((fact, rng.choice(askers)))
        if sides[0][0].value == sides[1][0].value:
            return None
        x = rng.choice(clauses.ABOUT_WORD).format(w=word) + _in_scope(scope)
        text = rng.choice(clauses.ASK[sides[0][0].kind]).format(x=x)
        referent = Referent(x=x, moves=("double meaning",))
        wording = tuple(library.draft(self.category, fact, asker, referent, text) for fact, asker in sides)
        anchor = "/".join(fact.id for fact, _ in sides)
        return Ladder(anchor=anchor, category=self.category, rungs=(wording,))

    def _in_common(self, library: Library, worded: Sequence[Fact], rng: random.Random) -> Iterator[Ladder | None]:
        """Twins by one word of two meanings and a fact that is told of one thing of each: "the work on coverage that
        Mira looks after"."""
        leads: dict[tuple[str, str, str, Scope], Fact] = {}
        for fact in worded:
            for scope in (("", ""), (fact.project, ""), ("", fact.tail)):
                if fact.kind in clauses.THAT and library.referents.count_told(fact, scope) == 1:
                    leads[fact.concepts[0], fact.kind, fact.value.casefold(), scope] = fact
        for word, first, second in self._double_meanings(library):
            common = [key for key in leads if key[0] == first and (second, *key[1:]) in leads]
            for key in rng.sample(common, len(common)):
                yield self._led_twins(library, (word, key[3]), (leads[key], leads[second, *key[1:]]), rng)

    def _led_twins(
        self, library: Library, named: tuple[str, Scope], leads: tuple[Fact, Fact], rng: random.Random
    ) -> Ladder | None:
        word, scope = named
        told = [{fact.kind: fact for fact in library.truth.of_subject(lead)} for lead in leads]
        kinds = [kind for kind in clauses.WORK_KINDS if kind in told[0] and kind in told[1]]
        for kind in rng.sample(kinds, len(kinds)):
            facts = (told[0][kind], told[1][kind])
            if facts[0].value == facts[1].value or not all(map(library.referents.can_lead, leads, facts)):
                continue
            askers = [self._who_means(library, fact, word) for fact in facts]
            if all(askers):
                thing = rng.choice(clauses.ABOUT_WORD).format(w=word) + _in_scope(scope)
                x = f"{thing} {library.referents.clause(leads[0], rng)}"
                text = rng.choice(clauses.ASK[kind]).format(x=x)
                return self._pair(library, text, facts, leads, [rng.choice(found) for found in askers])
        return None

    def _pair(
        self, library: Library, text: str, facts: tuple[Fact, Fact], leads: tuple[Fact, Fact], askers: Sequence[str]
    ) -> Ladder | None:
        drafts: list[Draft] = []
        for fact, lead, asker in zip(facts, leads, askers, strict=True):
            link = library.evidence.link(lead)
            if link is None or not library.truth.may_read(asker, [link.message]):
                return None
            referent = Referent(x="", links=(link,), moves=("double meaning", "described"))
            drafts.append(library.draft(self.category, fact, asker, referent, text))
        return Ladder(anchor="/".join(fact.id for fact in facts), category=self.category, rungs=(tuple(drafts),))

    def _who_means(self, library: Library, fact: Fact, word: str) -> list[str]:
        """People who mean the fact's concept by the word, and may read of it in another's words."""
        return [
            person
            for person in sorted(library.truth.people)
            if library.words.meaning(library.truth.role(person), word) == fact.concepts[0]
            and self._is_foreign(library, fact, word, person)
        ]

    def _own_work(self, library: Library, worded: Sequence[Fact], rng: random.Random) -> Iterator[Ladder | None]:
        """Twins by whose work it is, each with the word of their own role."""
        groups: dict[tuple[str, str, Scope], list[tuple[Fact, Fact]]] = defaultdict(list)
        for owned in worded:
            word = library.words.own_word(library.truth.role(owned.value), owned.concepts[0])
            if owned.kind != "owner" or not word:
                continue
            for scope in (("", ""), (owned.project, ""), ("", owned.tail)):
                if library.referents.count_owned(owned, scope) == 1:
                    for fact in library.truth.of_subject(owned):
                        if fact.kind in clauses.MINE and self._is_foreign(library, fact, word, owned.value):
                            groups[word, fact.kind, scope].append((owned, fact))
        for word, kind, scope in rng.sample(list(groups), len(groups)):
            yield self._mine(library, groups[word, kind, scope], word + _in_scope(scope), rng)

    def _mine(
        self, library: Library, group: Sequence[tuple[Fact, Fact]], word: str, rng: random.Random
    ) -> Ladder | None:
        first = group[0]
        others = [pair for pair in group[1:] if pair[0].value != first[0].value and pair[1].value != first[1].value]
        chosen = (first, others[0]) if others else (first,)
        pattern = rng.choice(clauses.MINE[first[1].kind])
        text = pattern.format(x=f"the piece of work around {word} that I look after")
        drafts: list[Draft] = []
        for owned, fact in chosen:
            link, need = library.evidence.link(owned), library.evidence.need(fact)
            if link is None or need is None or link.message == need.message:
                return None
            referent = Referent(x="", links=(link,), moves=("own work",))
            drafts.append(library.draft(self.category, fact, owned.value, referent, text))
        rung: Wording = tuple(drafts)
        anchor = "/".join(fact.id for _, fact in chosen)
        return Ladder(anchor=f"{anchor}/mine", category=self.category, rungs=(rung,))

    def _by_word(self, library: Library, fact: Fact, word: str, rng: random.Random) -> Referent | None:
        for scope in ((fact.project, ""), (fact.project, fact.tail)):
            if library.referents.count_of_concept(fact, scope) == 1:
                x = rng.choice(clauses.ABOUT_WORD).format(w=word)
                return Referent(x=x + _in_scope(scope), moves=("no phase", "only the word"))
        return None

    def _is_foreign(self, library: Library, fact: Fact, word: str, asker: str) -> bool:
        """Whether the evidence is somebody else's, may be read, and does not have the word."""
        need = library.evidence.need(fact)
        if need is None or not library.truth.may_read(asker, [need.message]):
            return False
        message = library.truth.messages[need.message]
        return message.author != asker and word.casefold() not in message.text.casefold()


def _in_scope(scope: Scope) -> str:
    project, tail = scope
    return (f" for {tail}" if tail else "") + (f" in {project}" if project else "")
