"""Draws the scaffold of a corpus from a pack, a policy and a seed."""

from __future__ import annotations

import itertools
import random
from datetime import UTC, datetime, time, timedelta

import msgspec

from groupmem.errors import InputError
from groupmem.lab.synthesis.items import fill_slots
from groupmem.lab.synthesis.packs import Pack, PhasePart, ProjectPart, TopicPart
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.scaffold import Member, Phase, Project, Scaffold, Topic, voices

DAY_SECONDS = 86_400.0


def build_scaffold(pack: Pack, policy: Policy, seed: int) -> Scaffold:
    """Draws people, teams and windows. Raises InputError where pack and policy do not fit together."""
    rng = random.Random(f"{seed}/scaffold")
    return _Drawing(_part_of(pack, policy.pack.projects, rng), policy, rng).scaffold()


class _Drawing:
    """One pass over the pack, with its random generator."""

    def __init__(self, pack: Pack, policy: Policy, rng: random.Random) -> None:
        self.pack = pack
        self.policy = policy
        self.rng = rng
        self.topics: list[Topic] = []
        self.phases: list[Phase] = []

    def scaffold(self) -> Scaffold:
        members = self.members()
        teams = self.teams(members)
        private = self.private_topics()
        projects = []
        for index, part in enumerate(self.pack.projects):
            first = len(self.topics)
            for topic in part.topics:
                self.add_topic(index, part, topic, teams[index], (part.name, topic.name) in private)
            projects.append(
                Project(
                    name=part.name,
                    categories=part.categories,
                    topics=tuple(range(first, len(self.topics))),
                    members=teams[index],
                    related=self.related(index),
                )
            )
        return Scaffold(
            pack=self.pack,
            members=members,
            projects=tuple(projects),
            topics=tuple(self.topics),
            phases=tuple(self.phases),
        )

    def members(self) -> tuple[Member, ...]:
        """Tone and style jointly without replacement; expertise (and, if asked for, role) uniformly."""
        vocabulary = voices()
        pairs = list(itertools.product(vocabulary["tone"], vocabulary["style"]))
        people = self.pack.people
        if len(people) > len(pairs):
            raise InputError(f"pack {self.pack.name}: {len(people)} people, but only {len(pairs)} voices (tone, style)")
        minds = {role.name: role.minds for role in self.pack.roles}
        realism = self.policy.realism
        members = []
        for number, (person, (tone, style)) in enumerate(zip(people, self.rng.sample(pairs, len(people)), strict=True)):
            role = person.role if self.policy.people.roles == "pack" else self.rng.choice(self.pack.roles).name
            members.append(
                Member(
                    id=f"User_{number + 1}",
                    name=person.name,
                    first_name=person.name.split()[0],
                    role=role,
                    minds=minds[role],
                    pronoun=person.pronoun,
                    tone=tone,
                    style=style,
                    expertise=self.rng.choice(list(vocabulary["expertise"])),
                    jitter=self.rng.uniform(realism.tone_jitter_low, realism.tone_jitter_high),
                )
            )
        return tuple(members)

    def teams(self, members: tuple[Member, ...]) -> list[tuple[int, ...]]:
        """A team for each project: first who has fewest teams, then roles that the team lacks; nobody is left out."""
        wanted = self.policy.people.per_project
        if wanted > len(members):
            raise InputError(
                f"people.per_project is {wanted}, but pack {self.pack.name} has {len(members)} people: "
                f"--set people.per_project={len(members)}, with per_phase and private_members no higher"
            )
        size = max(wanted, -(-len(members) // len(self.pack.projects)))
        load = [0] * len(members)
        teams = []
        for _ in self.pack.projects:
            team: list[int] = []
            while len(team) < size:
                present = {members[index].role for index in team}
                ranks = {
                    index: (load[index], members[index].role in present, self.rng.random())
                    for index in range(len(members))
                    if index not in team
                }
                chosen = min(ranks, key=ranks.__getitem__)
                team.append(chosen)
                load[chosen] += 1
            teams.append(tuple(sorted(team)))
        return teams

    def private_topics(self) -> set[tuple[str, str]]:
        """Topics for channels of their own: of different projects, first of those that keep another in the open."""
        wanted = self.policy.channels.private_topics
        if wanted and (wanted > len(self.pack.projects) or wanted >= sum(len(p.topics) for p in self.pack.projects)):
            raise InputError(
                f"channels.private_topics is {wanted}, but pack {self.pack.name} has {len(self.pack.projects)} "
                "projects, each with one at most, and a topic must stay in the open: --set channels.private_topics=0"
            )
        ranks = {project.name: (len(project.topics) == 1, self.rng.random()) for project in self.pack.projects}
        chosen = sorted(self.pack.projects, key=lambda project: ranks[project.name])[:wanted]
        return {(project.name, self.rng.choice(project.topics).name) for project in chosen}

    def add_topic(
        self, project: int, part: ProjectPart, topic: TopicPart, team: tuple[int, ...], private: bool
    ) -> None:
        """One topic; its phases follow each other from a start within the stagger."""
        schedule = self.policy.schedule
        # In the middle of a working day, so that the last stretch of a phase lies in working hours as well.
        noon = (schedule.day_from_hour + schedule.day_to_hour) // 2
        begin = _on_monday(datetime.combine(schedule.start, time(noon), tzinfo=UTC))
        begin += timedelta(weeks=int(self.rng.uniform(0, schedule.stagger_days) / 7))
        size = self.policy.channels.private_members if private else self.policy.people.per_phase
        insiders = self.rng.sample(team, size)
        first = len(self.phases)
        for number, phase in enumerate(topic.phases):
            people = insiders if private else self.rng.sample(team, size)
            start = _on_workday(begin + timedelta(days=number * schedule.phase_step_days))
            self.phases.append(self.phase((project, part, topic, phase), tuple(sorted(people)), start, private))
        self.topics.append(
            Topic(
                id=f"{part.name}::{topic.name}",
                name=topic.name,
                project=project,
                phases=tuple(range(first, len(self.phases))),
                private=private,
            )
        )

    def phase(
        self,
        place: tuple[int, ProjectPart, TopicPart, PhasePart],
        people: tuple[int, ...],
        start: datetime,
        private: bool,
    ) -> Phase:
        project, part, topic, phase = place
        wanted = self.policy.memory.sub_issues
        if len(phase.sub_issues) < wanted:
            raise InputError(
                f"memory.sub_issues is {wanted}, but phase {phase.name!r} of {part.name!r} in pack {self.pack.name} "
                f"has {len(phase.sub_issues)}"
            )
        statuses = self.policy.statuses[phase.category]
        names = random.Random(f"{part.name}/{topic.name}/{phase.name}")
        return Phase(
            id=f"{part.name}::{topic.name}::{phase.name}",
            name=phase.name,
            project=project,
            topic=len(self.topics),
            channel=f"{part.name} - {topic.name}" if private else part.name,
            private=private,
            category=phase.category,
            statuses=statuses,
            status_goal=self.rng.choice(statuses[1:]),
            owner=self.rng.choice(people),
            members=people,
            start=start.timestamp(),
            end=start.timestamp() + self.policy.schedule.phase_days * DAY_SECONDS,
            url=phase.url or f"{part.documents.rstrip('/')}/{_slug(topic.name)}/{_slug(phase.name)}",
            matter=self.pack.matter_of(part, topic, phase),
            sub_issues=tuple(fill_slots(issue, part, names) for issue in self.rng.sample(phase.sub_issues, wanted)),
        )

    def related(self, index: int) -> tuple[int, ...]:
        """Other projects with a category in common."""
        own = set(self.pack.projects[index].categories)
        others = enumerate(self.pack.projects)
        return tuple(number for number, part in others if number != index and own.intersection(part.categories))


def _part_of(pack: Pack, projects: int, rng: random.Random) -> Pack:
    """The pack with so many of its projects (0: all), in their order."""
    if projects > len(pack.projects):
        raise InputError(f"pack.projects is {projects}, but pack {pack.name} has {len(pack.projects)}")
    chosen = sorted(rng.sample(range(len(pack.projects)), projects)) if projects else range(len(pack.projects))
    return msgspec.structs.replace(pack, projects=tuple(pack.projects[index] for index in chosen))


def _on_monday(moment: datetime) -> datetime:
    """The same hour of the next Monday, or the moment where it is one."""
    return moment + timedelta(days=-moment.weekday() % 7)


def _on_workday(moment: datetime) -> datetime:
    """The moment, or the same hour of the Monday after it where it falls on a weekend."""
    return moment + timedelta(days=7 - moment.weekday() if moment.weekday() > 4 else 0)


def _slug(name: str) -> str:
    kept = "".join(character if character.isalnum() else "-" for character in name.casefold())
    return "-".join(part for part in kept.split("-") if part)
