"""Reading a pack from its TOML file, and refusing a bad one with the file and the key named."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path

import msgspec

from groupmem.errors import InputError, UnknownNameError
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
MOST_PROBLEMS_SHOWN = 20
DETERMINERS = (
    *("the ", "a ", "an ", "each ", "every ", "any ", "some ", "no ", "all ", "both "),
    *("our ", "your ", "their ", "this ", "these "),
)
"""What no subject begins with, since it is said after "the"."""
_SLOT = re.compile(r"\{([^{}]*)\}")


def shipped_packs() -> dict[str, Path]:
    """The packs inside the package: name -> file."""
    folder = Path(str(resources.files("groupmem"))) / "data" / "packs"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load_pack(source: str | Path) -> Pack:
    """The pack of that name, or in that TOML file.

    Raises UnknownNameError for a name that is no shipped pack and no file, InputError for a file that cannot be used;
    the message names the file and every faulty key.
    """
    path = Path(source)
    if path.suffix != ".toml" and not path.is_file():
        shipped = shipped_packs()
        if str(source) not in shipped:
            raise UnknownNameError("pack", str(source), [*shipped, "a .toml file of your own"])
        path = shipped[str(source)]
    pack = _decode(path)
    problems = list(problems_of(pack))
    if problems:
        shown = problems[:MOST_PROBLEMS_SHOWN]
        rest = f"\n  and {len(problems) - len(shown)} more" if len(problems) > len(shown) else ""
        listed = "".join(f"\n  {problem}" for problem in shown)
        raise InputError(f"{path}: the pack cannot be used; mend these keys:{listed}{rest}")
    return pack


def _decode(path: Path) -> Pack:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such pack file; give a shipped pack's name or a .toml file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not readable as TOML: {error}") from error
    try:
        return msgspec.convert(content, Pack)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: the pack cannot be used: {str(error).replace('$.', '')}") from error


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
        if metric.step <= 0 or metric.low + 2 * metric.step > metric.high:
            yield f"{key}.metrics[{index}]: {metric.low} to {metric.high} by {metric.step} gives fewer than 3 values"


def _options(key: str, choices: Sequence[Choice], least: int) -> Iterator[str]:
    for index, choice in enumerate(choices):
        yield from _least(f"{key}[{index}].options ({choice.subject})", tuple(dict.fromkeys(choice.options)), least)


def _phrase_problems(pack: Pack) -> Iterator[str]:
    known = {concept.id for concept in pack.concepts} | set(SLOTS)
    for key, text in _phrases(msgspec.to_builtins(pack), ""):
        if not text or text != text.strip():
            yield f"{key}: {text!r} is empty or has blanks around it"
        if key.endswith(".form") or key.startswith(("name", "title")):
            continue
        for slot in _SLOT.findall(text):
            if slot not in known:
                yield f"{key}: {{{slot}}} is neither a concept of this pack nor one of {', '.join(SLOTS)}"
            elif slot in SLOTS and key.startswith(("preference", "statuses")):
                yield f"{key}: {{{slot}}} belongs to a project, and this to none"
        if ".subject" in key and text.casefold().startswith(DETERMINERS):
            yield f'{key}: {text!r} must read after "the"'


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
