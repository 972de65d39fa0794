"""What single people hold: beliefs about a project and preferences of their own, each the same wherever it is said.

Options are dealt out over the people in turn, so that people who talk about the same thing hold incompatible things and
go on holding them.
"""

from __future__ import annotations

import random

from groupmem.lab.synthesis.base import FactKind
from groupmem.lab.synthesis.items import fill_slots
from groupmem.lab.synthesis.packs import Choice, ProjectPart
from groupmem.lab.synthesis.planned import PlannedFact
from groupmem.lab.synthesis.scaffold import Scaffold


class Held:
    """One fact for each person and matter, made when it is first asked for."""

    def __init__(self, scaffold: Scaffold, seed: int) -> None:
        self._scaffold = scaffold
        self._seed = seed
        self._facts: dict[tuple[str, int], PlannedFact] = {}
        self._dealt: dict[str, tuple[str, list[str], list[int]]] = {}
        """By matter: subject, options with slots filled, and each person's place in the deal."""

    def belief(self, phase: int, choice: Choice, member: int) -> PlannedFact:
        """What this person believes; a belief belongs to the project."""
        project = self._scaffold.pack.projects[self._scaffold.phases[phase].project]
        return self._fact("belief", f"{project.name}/belief/{choice.subject}", choice, (phase, member), project)

    def preference(self, phase: int, choice: Choice, member: int) -> PlannedFact:
        """What this person prefers; a preference goes with the person wherever they are."""
        return self._fact("preference", f"preference/{choice.subject}", choice, (phase, member), None)

    def facts(self) -> list[PlannedFact]:
        """Everything held that was stated."""
        return [fact for fact in self._facts.values() if fact.is_known]

    def _fact(
        self, kind: FactKind, matter: str, choice: Choice, place: tuple[int, int], project: ProjectPart | None
    ) -> PlannedFact:
        phase, member = place
        fact = self._facts.get((matter, member))
        if fact is None:
            subject, options, ranks = self._deal(matter, choice, project)
            fact = PlannedFact(
                kind=kind,
                matter=matter,
                phase=phase,
                subject=subject,
                plural=choice.plural,
                raw_value=options[ranks[member] % len(options)],
                holder=member,
            )
            self._facts[(matter, member)] = fact
        return fact

    def _deal(self, matter: str, choice: Choice, project: ProjectPart | None) -> tuple[str, list[str], list[int]]:
        if matter not in self._dealt:
            rng = random.Random(f"{self._seed}/held/{matter}")
            phrases = [choice.subject, *choice.options]
            if project is not None:
                phrases = [fill_slots(phrase, project, rng) for phrase in phrases]
            ranks = list(range(len(self._scaffold.members)))
            rng.shuffle(ranks)
            self._dealt[matter] = (phrases[0], phrases[1:], ranks)
        return self._dealt[matter]
