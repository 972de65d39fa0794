"""What a shipped pack must keep beyond what `pack_file` refuses: enough matter, nothing twice, grammatical phrases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from groupmem.lab.synthesis.packs import Choice, Matter, Pack, ProjectPart

PHASE_LEAST = {"sub_issues": 8, "deliverables": 5, "decisions": 3, "metrics": 2}
TOPIC_LEAST = {"beliefs": 2, "requirements": 4, "risks": 5, "evidence": 5}
PROJECT_LEAST = {
    "customers": 6,
    "vendors": 5,
    "artefacts": 8,
    "scopes": 5,
    "blockers": 10,
    "reasons": 10,
    "triggers": 10,
    "experiences": 6,
}
PREFERENCES_LEAST, CONCEPTS_LEAST, HOMONYMS_LEAST, ROLES_LEAST = 12, 18, 6, 3
OPTIONS_LEAST = {"decisions": 4, "beliefs": 3}

_NO_NOUN = re.compile(
    r"(?:in|on|by|at|with|after|before|as|until|from|to|for|when|once|if|because|above|below|between|within|without|under"
    r"|over|through|behind|along|during|near|beside|across|against|only|never|always|then|so)(?= |$)"
)
_NO_VERB = re.compile(r"(?:an?|the|not|no|never|only|all|to|in|on|by|at|with|and|or|it|they|\w*[^s]s|\w*[^r]ing)\b")
_PAST = re.compile(
    r"\b(?:\w+ed|was|were|had|became|began|bought|broke|built|burnt|came|caught|cost|could|cut|did|drew|drove|fed|fell|flew"
    r"|forgot|found|froze|gave|got|grew|held|hid|hit|hung|kept|knew|led|left|let|lost|made|met|paid|put|quit|ran|rang|read"
    r"|rose|said|sat|saw|sent|shook|shrank|shut|slid|sold|spent|spoke|stole|stood|struck|stuck|swept|threw|told|took|tore"
    r"|went|woke|won|wrote)\b"
)
_SINGULAR_S = ("ss", "us", "is", "'s", "ergonomics", "logistics", "ethics", "diagnostics", "acoustics", "hydraulics")
_PLURAL_ANYWAY = frozenset({"people", "staff", "children", "feet"})
_HEAD_END = re.compile(
    r" (?:of|at|in|on|from|to|for|with|between|by|per|after|before|behind|under|against|over|about|without|during"
    r"|around|why|when)\b"
)
_SLOT = re.compile(r"\{(\w+)\}")
_ARTICLE = re.compile(r"\b(an?) ([\w-]+)", re.IGNORECASE)
_VOWEL_BUT = ("uni", "one", "use", "usa", "euro", "once")
_CONSONANT_BUT = ("hour", "honest", "x-ray")
_LETTER_VOWELS = "AEFHILMNORSX"


class Phrase(NamedTuple):
    """One phrase of a pack; `kind` is its word in the docstring of `packs`, `plural` matters for subjects."""

    kind: str
    text: str
    plural: bool = False


def phrases(pack: Pack) -> Iterator[Phrase]:
    """Every phrase of the pack once."""
    for choice in pack.preferences:
        yield from _of_choice(choice)
    yield from _of_matter(pack.matter)
    for project in pack.projects:
        yield from _of_project(project)


def amounts_missed(pack: Pack) -> Iterator[str]:
    """Levels that hold less than the docstring of `packs` asks for."""
    yield from _fewer(pack.name, "preferences", pack.preferences, PREFERENCES_LEAST)
    for project in pack.projects:
        yield from _amounts_of(project, project.name, PROJECT_LEAST)
        for topic in project.topics:
            yield from _amounts_of(topic, f"{project.name} / {topic.name}", TOPIC_LEAST)
    for project, _, phase in pack.phases():
        yield from _amounts_of(phase, f"{project.name} / {phase.name}", PHASE_LEAST)


def _amounts_of(level: Matter, where: str, least: Mapping[str, int]) -> Iterator[str]:
    for key, number in least.items():
        yield from _fewer(where, key, getattr(level, key), number)
    for key, number in OPTIONS_LEAST.items():
        for choice in getattr(level, key):
            yield from _fewer(f"{where} / {choice.subject}", "options", choice.options, number)


def repetitions(pack: Pack) -> Iterator[str]:
    """Phrases that are there twice, and options that cannot be told from another of the same choice."""
    counts = Counter(phrase.text.casefold() for phrase in phrases(pack))
    yield from (f"there {count} times: {text}" for text, count in counts.items() if count > 1)
    levels = [level for project, topic, phase in pack.phases() for level in (phase, topic, project)]
    for choice in {id(c): c for level in levels for c in (*level.decisions, *level.beliefs)}.values():
        for one in choice.options:
            for other in choice.options:
                if one != other and one.casefold() in other.casefold():
                    yield f"{choice.subject}: {one!r} is inside {other!r}"


def slips(pack: Pack) -> Iterator[str]:
    """Phrases against the grammar of their kind, as far as it can be seen without understanding them."""
    names = _capitalised_names(pack)
    people = re.compile(rf"\b(?:{'|'.join(person.name.split()[0] for person in pack.people)})\b")
    for phrase in phrases(pack):
        for fault in (*_form_faults(phrase, names), *_KIND_FAULTS.get(phrase.kind, _no_faults)(phrase)):
            yield f"{fault}: {phrase.kind} {phrase.text!r}"
        if people.search(phrase.text):
            yield f"names a participant: {phrase.text!r}"
    for project in pack.projects:
        if not re.match(r"https://[a-z.-]+\.example/", project.documents):
            yield f"{project.documents} is under no reserved domain"


def vocabulary_faults(pack: Pack) -> Iterator[str]:
    """Concepts that too few roles have a word for, roles whose word means two things to themselves, unused concepts,
    and words with two senses of which no project speaks in both."""
    yield from _fewer(pack.name, "concepts", pack.concepts, CONCEPTS_LEAST)
    yield from _fewer(pack.name, "homonyms", list(pack.homonyms()), HOMONYMS_LEAST)
    words = Counter((role, word.casefold()) for c in pack.concepts for role, said in c.words.items() for word in said)
    yield from (f"{role} says {word!r} for two concepts" for (role, word), count in words.items() if count > 1)
    used = [_concepts_of(project) for project in pack.projects]
    for concept in pack.concepts:
        yield from _fewer(concept.id, "roles", list(concept.words), ROLES_LEAST)
        if not any(concept.id in ids for ids in used):
            yield f"no phrase holds {{{concept.id}}}"
    for word, senses in pack.homonyms().items():
        if not any(len(ids & set(senses.values())) > 1 for ids in used):
            yield f"no project speaks of two senses of {word!r}"


def _of_project(project: ProjectPart) -> Iterator[Phrase]:
    yield from (Phrase("artefact", artefact) for artefact in project.artefacts)
    yield from _of_matter(project)
    for topic in project.topics:
        yield from _of_matter(topic)
        for phase in topic.phases:
            yield from (Phrase("sub-issue", text) for text in phase.sub_issues)
            yield from _of_matter(phase)


def _of_matter(matter: Matter) -> Iterator[Phrase]:
    yield from (Phrase("subject", thing.subject, thing.plural) for thing in matter.things())
    yield from (Phrase("subject", metric.subject, metric.plural) for metric in matter.metrics)
    for requirement in matter.requirements:
        yield Phrase("subject", requirement.subject, requirement.plural)
        yield Phrase("must", requirement.must)
    for choice in matter.decisions:
        yield from _of_choice(choice)
    for choice in matter.beliefs:
        yield from _of_choice(choice, "belief")
    for kind in ("blocker", "reason", "trigger", "risk", "experience", "scope"):
        yield from (Phrase(kind, text) for text in getattr(matter, f"{kind}s"))
    yield from (Phrase("evidence", text) for text in matter.evidence)


def _of_choice(choice: Choice, kind: str = "subject") -> Iterator[Phrase]:
    yield Phrase(kind, choice.subject, choice.plural)
    yield from (Phrase("option", option) for option in choice.options)


def _fewer(where: str, what: str, items: Iterable[object], least: int) -> Iterator[str]:
    found = len(tuple(items))
    if found < least:
        yield f"{where}: {found} {what}, {least} wanted"


def _capitalised_names(pack: Pack) -> frozenset[str]:
    named = [name for project in pack.projects for name in (*project.customers, *project.vendors)]
    return frozenset(word for name in named for word in re.findall(r"[\w']+", name))


def _concepts_of(project: ProjectPart) -> set[str]:
    return {slot for phrase in _of_project(project) for slot in _SLOT.findall(phrase.text)}


def _form_faults(phrase: Phrase, names: frozenset[str]) -> Iterator[str]:
    first = phrase.text.split()[0].removesuffix("'s").rstrip(",")
    if first[0].isupper() and not (first in names or re.match(r"[A-Z]{2}", first)):
        yield "starts with a capital"
    if phrase.text[-1] in ".,;:!?":
        yield "ends with a stop"
    if re.search(r"\ban? \{", phrase.text, re.IGNORECASE):
        yield "fixes the article of a slot"
    for article, word in _ARTICLE.findall(phrase.text):
        if (article.casefold() == "an") != _sounds_like_vowel(word):
            yield f"says {article} {word}"


def _sounds_like_vowel(word: str) -> bool:
    if word.isupper():
        return word[0] in _LETTER_VOWELS
    lower = word.casefold()
    return lower.startswith(_CONSONANT_BUT) or (lower[0] in "aeiou" and not lower.startswith(_VOWEL_BUT))


def _number_faults(phrase: Phrase) -> Iterator[str]:
    head = _HEAD_END.split(phrase.text)[0].split()[-1]
    plural = head in _PLURAL_ANYWAY or (head.endswith("s") and not head.endswith(_SINGULAR_S))
    if plural != phrase.plural:
        yield "plural is set wrongly"


def _subject_faults(phrase: Phrase) -> Iterator[str]:
    yield from _number_faults(phrase)
    if re.search(r"\bfor\b", phrase.text):
        yield "leaves no room for a scope"


def _option_faults(phrase: Phrase) -> Iterator[str]:
    if _NO_NOUN.match(phrase.text):
        yield "does not read after 'we go with'"


def _must_faults(phrase: Phrase) -> Iterator[str]:
    if _NO_VERB.match(phrase.text):
        yield "does not start with a verb"


def _trigger_faults(phrase: Phrase) -> Iterator[str]:
    if not _PAST.search(phrase.text):
        yield "is not in the past tense"


def _sub_issue_faults(phrase: Phrase) -> Iterator[str]:
    if phrase.text.split()[0] == "if":
        yield "does not read after 'about'"


def _no_faults(_: Phrase) -> Iterator[str]:
    return iter(())


_KIND_FAULTS: dict[str, Callable[[Phrase], Iterator[str]]] = {
    "subject": _subject_faults,
    "belief": _number_faults,
    "option": _option_faults,
    "must": _must_faults,
    "trigger": _trigger_faults,
    "sub-issue": _sub_issue_faults,
}
