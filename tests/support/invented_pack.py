"""A pack of invented words, of any size and from any seed: for properties that must not depend on a shipped pack."""

from __future__ import annotations

import random
from dataclasses import dataclass

from groupmem.lab.synthesis.packs import (
    Choice,
    Concept,
    Matter,
    Metric,
    Pack,
    PackPerson,
    PhasePart,
    ProjectPart,
    Requirement,
    Role,
    TopicPart,
)

_ONSETS = ("b", "br", "d", "f", "g", "gl", "k", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v", "z")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")
_CODAS = ("", "l", "m", "n", "r", "s", "t", "x")
_CATEGORIES = ("Risks", "Milestone", "Work Items")


@dataclass(frozen=True)
class Size:
    """How much of everything; the defaults are those of the source's Technology corpus."""

    projects: int = 7
    topics: int = 5
    phases: int = 2
    people: int = 18
    roles: int = 6
    concepts: int = 12


class _Tongue:
    """Invented words, none given out twice."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(f"invented/{seed}")
        self._used: set[str] = set()

    def word(self) -> str:
        while True:
            syllables = self.rng.randint(2, 3)
            word = "".join(
                self.rng.choice(_ONSETS) + self.rng.choice(_VOWELS) + self.rng.choice(_CODAS) for _ in range(syllables)
            )
            if word not in self._used:
                self._used.add(word)
                return word

    def words(self, count: int) -> str:
        return " ".join(self.word() for _ in range(count))

    def name(self) -> str:
        return self.word().capitalize()

    def phrases(self, count: int, length: int = 3) -> tuple[str, ...]:
        return tuple(self.words(length) for _ in range(count))


def invented_pack(seed: int = 0, size: Size | None = None) -> Pack:
    """A complete pack; every third subject holds a concept."""
    size = size or Size()
    tongue = _Tongue(seed)
    roles = tuple(Role(name=f"{tongue.name()} Lead", minds=tongue.words(2)) for _ in range(size.roles))
    concepts = _concepts(tongue, roles, size.concepts)
    return Pack(
        name=f"invented-{seed}",
        title=tongue.name(),
        statuses=tongue.phrases(5, 2),
        roles=roles,
        people=tuple(
            PackPerson(name=f"{tongue.name()} {tongue.name()}", role=roles[number % len(roles)].name)
            for number in range(size.people)
        ),
        concepts=concepts,
        preferences=tuple(_choice(tongue, 3, None) for _ in range(6)),
        projects=tuple(_project(tongue, concepts, size, number) for number in range(size.projects)),
        matter=Matter(
            reasons=tongue.phrases(6, 4),
            triggers=tuple(f"{{customer}} {phrase}" for phrase in tongue.phrases(4)),
            blockers=tuple(f"{phrase} from {{vendor}}" for phrase in tongue.phrases(5)),
            risks=tongue.phrases(6, 4),
            evidence=tongue.phrases(6, 4),
            experiences=tongue.phrases(4, 4),
        ),
    )


def _concepts(tongue: _Tongue, roles: tuple[Role, ...], count: int) -> tuple[Concept, ...]:
    """Concepts with a word for every role; each second one shares a word with the one before, for another role."""
    concepts: list[Concept] = []
    for number in range(count):
        words = {role.name: (tongue.word(),) for role in roles}
        if number % 2 and len(roles) > 1:
            words[roles[1].name] = concepts[-1].words[roles[0].name]
        concepts.append(Concept(id=f"concept_{number}", meaning=tongue.words(3), plain=tongue.words(2), words=words))
    return tuple(concepts)


def _project(tongue: _Tongue, concepts: tuple[Concept, ...], size: Size, number: int) -> ProjectPart:
    return ProjectPart(
        name=f"{tongue.name()} {tongue.name()}",
        summary=tongue.words(3),
        categories=("Common", f"Own {number}"),
        ticket=f"T{number}",
        documents=f"https://docs.example/{number}",
        customers=tuple(tongue.name() for _ in range(5)),
        vendors=tuple(tongue.name() for _ in range(3)),
        artefacts=tongue.phrases(4, 2),
        scopes=tuple(f"the {phrase}" for phrase in tongue.phrases(3, 2)),
        beliefs=tuple(_choice(tongue, 3, None) for _ in range(3)),
        experiences=tongue.phrases(3, 4),
        requirements=tuple(Requirement(subject=tongue.words(2), must=tongue.words(4)) for _ in range(4)),
        topics=tuple(_topic(tongue, concepts, size) for _ in range(size.topics)),
    )


def _topic(tongue: _Tongue, concepts: tuple[Concept, ...], size: Size) -> TopicPart:
    return TopicPart(
        name=f"{tongue.name()} {tongue.word()}",
        phases=tuple(_phase(tongue, concepts) for _ in range(size.phases)),
    )


def _phase(tongue: _Tongue, concepts: tuple[Concept, ...]) -> PhasePart:
    return PhasePart(
        name=f"{tongue.name()} {tongue.word()}",
        category=tongue.rng.choice(_CATEGORIES),  # type: ignore[arg-type]
        sub_issues=tuple(f"{{{concepts[0].id}}} of {{customer}} {phrase}" for phrase in tongue.phrases(7, 4)),
        deliverables=(*tongue.phrases(4, 2), f"{{{tongue.rng.choice(concepts).id}}} {tongue.word()}"),
        decisions=(
            _choice(tongue, 4, None),
            _choice(tongue, 4, tongue.rng.choice(concepts)),
        ),
        metrics=(
            Metric(subject=tongue.words(2), form=f"{{}} {tongue.word()}", low=10, high=200, step=5),
            Metric(
                subject=f"{{{tongue.rng.choice(concepts).id}}} {tongue.word()}", form="{}%", low=1, high=9, step=0.5
            ),
        ),
    )


def _choice(tongue: _Tongue, options: int, concept: Concept | None) -> Choice:
    subject = tongue.words(2) if concept is None else f"{{{concept.id}}} {tongue.word()}"
    return Choice(subject=subject, options=tongue.phrases(options, 2))
