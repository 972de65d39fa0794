"""From planned facts to mentions in somebody's words: role vocabulary, names, dates as seen from the message."""

from __future__ import annotations

import random

from groupmem.lab.synthesis.base import FactMention, How, Point
from groupmem.lab.synthesis.dates import DateForm, say_date
from groupmem.lab.synthesis.packs import Concept
from groupmem.lab.synthesis.planned import CONCEPT, Content, PlannedFact, Seed
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.scaffold import Scaffold
from groupmem.lab.synthesis.slots import Slot

VALUELESS: tuple[How, ...] = ("ask",)


class Wording:
    """Words mentions and points for their speaker and listener. The same slot always gets the same words."""

    def __init__(self, scaffold: Scaffold, policy: Policy, seed: int) -> None:
        self._scaffold = scaffold
        self._policy = policy
        self._seed = seed
        self._concepts = {concept.id: concept for concept in scaffold.pack.concepts}

    def of(
        self, slot: Slot, content: Content, listener: int | None
    ) -> tuple[tuple[FactMention, ...], tuple[Point, ...]]:
        """Mentions and points of the slot as its author words them for this listener."""
        speech = Speech(self, slot, listener, random.Random(f"{self._seed}/words/{slot.index}"))
        mentions = tuple(speech.mention(seed) for seed in content.seeds)
        points = tuple(
            Point(material=point.material, text=speech.say(point.text), required=point.required)
            for point in content.points
        )
        return mentions, points

    def phrase(self, slot: Slot, text: str, listener: int | None) -> str:
        """Any phrase as the slot's author words it for this listener."""
        return Speech(self, slot, listener, random.Random(f"{self._seed}/words/{slot.index}")).say(text)

    def plain(self, text: str) -> str:
        """The phrase in plain words."""
        return CONCEPT.sub(lambda found: self._concepts[found[1]].plain, text)

    def plain_value(self, fact: PlannedFact) -> str:
        """The value as the ground truth shows it: ISO date, full name, else the phrase in plain words."""
        if fact.day is not None:
            return fact.day.isoformat()
        if fact.person is not None:
            return self._scaffold.members[fact.person].name
        return self.plain(fact.raw_value)

    def word(self, concept_id: str, speaker: int, listener: int | None, rng: random.Random) -> str:
        """A word for the concept: the speaker's own, or one that suits a listener of another role."""
        concept = self._concepts[concept_id]
        role = self._scaffold.members[speaker].role
        own = _words(concept, role)
        other = self._scaffold.members[listener].role if listener is not None else role
        if other != role and rng.random() < self._policy.facts.adapt_words:
            return rng.choice((concept.plain, rng.choice(_words(concept, other))))
        return rng.choice(own)

    @property
    def scaffold(self) -> Scaffold:
        return self._scaffold

    @property
    def relative_rate(self) -> float:
        return self._policy.facts.relative_date


class Speech:
    """One message being worded: a concept keeps its word throughout, and so does a date."""

    def __init__(self, wording: Wording, slot: Slot, listener: int | None, rng: random.Random) -> None:
        self._wording = wording
        self._slot = slot
        self._listener = listener
        self._rng = rng
        self._chosen: dict[str, str] = {}
        self._said = slot.day

    def say(self, text: str) -> str:
        """The phrase with every concept in this speaker's word."""
        return CONCEPT.sub(lambda found: self._word(found[1]), text)

    def mention(self, seed: Seed) -> FactMention:
        fact = seed.fact
        told = seed.value_of or fact
        how = _how(seed, self._slot)
        value, form = (None, None) if how in VALUELESS else self._value(told)
        members = self._wording.scaffold.members
        holder = members[fact.holder] if fact.holder is not None else None
        used = CONCEPT.findall(f"{fact.subject} {told.raw_value}" if value is not None else fact.subject)
        return FactMention(
            fact=fact.id,
            kind=fact.kind,
            how=how,
            subject=self.say(fact.subject),
            plural=fact.plural,
            value=value,
            was=self._value(seed.was)[0] if seed.was is not None else None,
            on=told.day,
            date_form=form,
            person=holder.id if holder else None,
            person_name=holder.first_name if holder else None,
            pronoun=holder.pronoun if holder else None,
            words=tuple((concept, self._word(concept)) for concept in dict.fromkeys(used)),
            self_value=value is not None and told.person == self._slot.author,
            optional=seed.optional,
        )

    def _value(self, fact: PlannedFact) -> tuple[str, DateForm | None]:
        if fact.day is not None:
            return say_date(fact.day, self._said, self._wording.relative_rate, self._rng)
        if fact.person is not None:
            return self._wording.scaffold.members[fact.person].first_name, None
        return self.say(fact.raw_value), None

    def _word(self, concept: str) -> str:
        if concept not in self._chosen:
            self._chosen[concept] = self._wording.word(concept, self._slot.author, self._listener, self._rng)
        return self._chosen[concept]


def _how(seed: Seed, slot: Slot) -> How:
    """What is said for the first time is stated; whoever says it again confirms it."""
    if seed.how in ("state", "confirm"):
        return "state" if seed.fact.valid_from == slot.index else "confirm"
    return seed.how


def _words(concept: Concept, role: str) -> tuple[str, ...]:
    return concept.words.get(role) or (concept.plain,)
