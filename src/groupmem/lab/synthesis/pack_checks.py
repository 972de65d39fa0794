"""What makes a decoded pack unusable: too little matter, roles that nobody has, phrases that cannot be said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from groupmem.lab.synthesis.packs import SLOTS, Choice, Matter, Pack, PhasePart, ProjectPart, TopicPart

LEAST_MATTER = {
    "deliverables": 3,
    "decisions": 2,
    "metrics": 1,
    "requirements": 1,
    "beliefs": 1,
    "blockers": 2,
    "reasons": 3,
    "triggers": 2,
    "risks": 2,
    "evidence": 2,
    "experiences": 1,
}
"""What a phase must see of each kind, its own level and those above it taken together."""
LEAST_SUB_ISSUES = 6
LEAST_OPTIONS = {"decisions": 3, "beliefs": 2, "preferences": 3}
LEAST_STATUSES = 4
LEAST_PREFERENCES = 3
MOST = 1_000_000_000_000
"""Of the value of a metric."""
DETERMINERS = (
    *("the ", "a ", "an ", "each ", "every ", "any ", "some ", "no ", "all ", "both "),
    *("our ", "your ", "their ", "this ", "these "),
)
"""What no subject begins with, since it is said after "the"."""
PLAIN_PARTS = frozenset({"name", "title", "role", "person", "concept"})
PLAIN_KEYS = frozenset({"name", "summary", "category", "categories", "ticket", "documents", "url"})
"""What is said as it stands: whole parts of a pack, and keys of the others."""
OF_NO_PROJECT = frozenset({"preference", "statuses"})
FILLED_IN = frozenset({"customers", "vendors", "artefacts", "scopes"})
SAID = frozenset(
    {
        *("subject", "options", "must", "deliverables", "sub_issues", "statuses", "blockers", "reasons"),
        *("triggers", "risks", "evidence", "experiences", "scopes"),
    }
)
"""Keys whose phrases become part of a sentence."""
_SLOT = re.compile(r"\{([^{}]*)\}")
_INDEX = re.compile(r"\[\d+\]")


def problems_of(pack: Pack) -> Iterator[str]:
    """Everything in a decoded pack that would make a corpus impossible or ungrammatical, each with its key."""
    yield from _people_problems(pack)
    yield from _concept_problems(pack)
    yield from _least("statuses", pack.statuses, LEAST_STATUSES)
    yield from _least("preference", pack.preferences, LEAST_PREFERENCES)
    yield from _options("preference", pack.preferences, LEAST_OPTIONS["preferences"])
    yield from _structure_problems(pack)
    for project, topic, phase, key in _phases_with_keys(pack):
        yield from _least(f"{key}.sub_issues", phase.sub_issues, LEAST_SUB_ISSUES)
        yield from _matter_problems(pack.matter_of(project, topic, phase), key)
    yield from _phrase_problems(pack)


def _people_problems(pack: Pack) -> Iterator[str]:
    roles = [role.name for role in pack.roles]
    yield from _repeated("role", roles)
    yield from _least("person", pack.people, 2)
    for index, person in enumerate(pack.people):
        if person.role not in roles:
            yield f"person[{index}].role: {person.role!r} is none of the roles: {', '.join(roles)}"
    yield from _repeated(
        "person (first names)", [person.name.split()[0] for person in pack.people if person.name.split()]
    )
    for role in roles:
        if not any(person.role == role for person in pack.people):
            yield f"role: nobody is {role!r}"


def _concept_problems(pack: Pack) -> Iterator[str]:
    roles = {role.name for role in pack.roles}
    yield from _least("concept", pack.concepts, 1)
    yield from _repeated("concept", [concept.id for concept in pack.concepts])
    for index, concept in enumerate(pack.concepts):
        if concept.id in SLOTS:
            yield f"concept[{index}].id: {concept.id!r} is the name of a slot; choose another"
        for role, words in concept.words.items():
            if role not in roles:
                yield f"concept[{index}].words.{role}: no such role; roles are {', '.join(sorted(roles))}"
            yield from _least(f"concept[{index}].words.{role}", words, 1)


def _structure_problems(pack: Pack) -> Iterator[str]:
    yield from _least("project", pack.projects, 1)
    yield from _repeated("project", [project.name for project in pack.projects])
    yield from _repeated("project ticket", [project.ticket for project in pack.projects])
    for index, project in enumerate(pack.projects):
        key = f"project[{index}]"
        for name in ("categories", "customers", "vendors", "artefacts", "topics"):
            yield from _least(
                f"{key}.{name.removesuffix('s') if name == 'topics' else name}", getattr(project, name), 1
            )
        yield from _repeated(f"{key}.topic", [topic.name for topic in project.topics])
        yield from _repeated(f"{key}: phase", [phase.name for topic in project.topics for phase in topic.phases])
        for number, topic in enumerate(project.topics):
            yield from _least(f"{key}.topic[{number}].phase", topic.phases, 1)


def _matter_problems(matter: Matter, key: str) -> Iterator[str]:
    for name, least in LEAST_MATTER.items():
        found = len(getattr(matter, name))
        if found < least:
            yield f"{key}.{name}: needs {least} with those of the topic, the project and the pack; there are {found}"
    yield from _options(f"{key}.decisions", matter.decisions, LEAST_OPTIONS["decisions"])
    yield from _options(f"{key}.beliefs", matter.beliefs, LEAST_OPTIONS["beliefs"])
    for index, metric in enumerate(matter.metrics):
        if metric.form.count("{}") != 1:
            yield f"{key}.metrics[{index}].form: {metric.form!r} must hold {{}} once, where the number goes"
        if not (metric.step > 0 and metric.low >= -MOST and metric.low + 2 * metric.step <= metric.high <= MOST):
            values = f"{metric.low} to {metric.high} by {metric.step}"
            yield f"{key}.metrics[{index}]: {values} is no range of 3 values or more, within {MOST:,}"


def _options(key: str, choices: Sequence[Choice], least: int) -> Iterator[str]:
    for index, choice in enumerate(choices):
        yield from _least(f"{key}[{index}].options ({choice.subject})", tuple(dict.fromkeys(choice.options)), least)


def _phrase_problems(pack: Pack) -> Iterator[str]:
    concepts = {concept.id for concept in pack.concepts}
    for key, text in _phrases(msgspec.to_builtins(pack), ""):
        if not text or text != text.strip() or text.splitlines() != [text]:
            yield f"{key}: {text!r} is empty, has blanks around it or a line break in it"
        path = _INDEX.sub("", key).split(".")
        if path[-1] != "form":
            yield from _slot_problems(key, path, text, concepts)
        if path[-1] == "subject" and text.casefold().startswith(DETERMINERS):
            yield f'{key}: {text!r} must read after "the"'
        if path[-1] in SAID and text.endswith("."):
            yield f"{key}: {text!r} must not end with a full stop"


def _slot_problems(key: str, path: Sequence[str], text: str, concepts: set[str]) -> Iterator[str]:
    """Braces that stand for nothing, or for something that is not filled in at this place."""
    found = _SLOT.findall(text)
    if "{" in _SLOT.sub("", text) or "}" in _SLOT.sub("", text):
        yield f"{key}: {text!r} has a brace that opens or closes nothing"
    if found and (path[0] in PLAIN_PARTS or path[-1] in PLAIN_KEYS):
        yield f"{key}: {text!r} is said as it stands, without anything in braces"
        return
    for slot in found:
        if slot not in concepts and slot not in SLOTS:
            yield f"{key}: {{{slot}}} is neither a concept of this pack nor one of {', '.join(SLOTS)}"
        elif slot in SLOTS and path[0] in OF_NO_PROJECT:
            yield f"{key}: {{{slot}}} belongs to a project, and this to none"
        elif slot in SLOTS and path[-1] in FILLED_IN:
            yield f"{key}: {{{slot}}} cannot stand in what is itself filled in"


def _phrases(value: object, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _phrases(item, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _phrases(item, f"{key}[{index}]")


def _phases_with_keys(pack: Pack) -> Iterator[tuple[ProjectPart, TopicPart, PhasePart, str]]:
    for i, project in enumerate(pack.projects):
        for j, topic in enumerate(project.topics):
            for k, phase in enumerate(topic.phases):
                yield project, topic, phase, f"project[{i}].topic[{j}].phase[{k}]"


def _least(key: str, items: Sequence[object], least: int) -> Iterator[str]:
    if len(items) < least:
        yield f"{key}: needs at least {least}, has {len(items)}"


def _repeated(key: str, names: Sequence[str]) -> Iterator[str]:
    for name, count in Counter(names).items():
        if count > 1:
            yield f"{key}: {name!r} is there {count} times"
