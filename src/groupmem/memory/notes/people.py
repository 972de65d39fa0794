"""The roster: who can be meant by a name or a role. Nothing is guessed: whoever fits is a candidate.

Names are compared normalised (NFKC, casefold, accents dropped). A person answers to the id, the whole name, each alias,
and the single words of a plain name; a name with anything but letters, marks, spaces, hyphens, apostrophes and stops
in it counts only as a whole, so that "Tomas] [Mira" cannot pass for Mira.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable

from rapidfuzz.distance import OSA

from groupmem.memory.known import LONGEST_WORD, known_if_short
from groupmem.types import Channel, Person

_WORD = re.compile(r"[^\W_]+(?:['’](?!s\b)[^\W_]+)*")
_PLAIN_NAME = re.compile(r"(?:[^\W\d_]|[\u0300-\u036f .'’\-])+")
_TITLES = frozenset({"dr", "mr", "mrs", "ms", "mx", "prof", "professor", "sir"})
_SHORTEST_TYPO = 6
_REMEMBERED = 4096
_PLURALS = ("s", "es")


@known_if_short(1 << 14)
def normalise(name: str) -> str:
    """A name as it is compared; its words are separated by single spaces."""
    if name.isascii():
        return " ".join(_WORD.findall(name.lower()))
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    bare = "".join(character for character in folded if not unicodedata.combining(character))
    return " ".join(_WORD.findall(bare.replace("’", "'")))


class Directory:
    """People of a setting by name and by role.

    Channel members that `people` lacks are known by their id. `starts` and `role_starts` are the first words of all
    names and roles, `initials` the roles in capitals: a text without any of them names nobody.
    """

    def __init__(self, people: Iterable[Person], channels: Iterable[Channel] = ()) -> None:
        self._people = {person.id: person for person in people}
        for channel in channels:
            for member in channel.members or ():
                self._people.setdefault(member, Person(id=member))
        self._whole: dict[str, list[str]] = defaultdict(list)
        self._parts: dict[str, list[str]] = defaultdict(list)
        self._roles: dict[str, dict[str, None]] = defaultdict(dict)
        self._holders: dict[str, list[str]] = defaultdict(list)
        for person in self._people.values():
            self._add_names(person)
            if person.role:
                self._add_role(person.id, person.role)
        names = (*self._whole, *self._parts)
        self.starts = frozenset(name.split()[0] for name in names if name)
        self.role_starts = frozenset(phrase.split()[0] for phrase in self._roles if not phrase.isupper())
        self.initials = frozenset(phrase for phrase in self._roles if phrase.isupper())
        self._found: dict[str, tuple[str, ...]] = {}
        self.longest = max((name.count(" ") + 1 for name in names), default=0)

    def __len__(self) -> int:
        return len(self._people)

    def person(self, person_id: str) -> Person | None:
        return self._people.get(person_id)

    def candidates(self, name: str) -> tuple[str, ...]:
        """Ids of all who answer to `name` (an id counts exactly), those whose whole name it is first."""
        found = self._found.get(name)
        if found is None:
            found = self._find(name)
            if len(name) <= LONGEST_WORD:
                if len(self._found) >= _REMEMBERED:
                    self._found.clear()
                self._found[name] = found
        return found

    def _find(self, name: str) -> tuple[str, ...]:
        if name in self._people:
            return (name,)
        words = normalise(name).split()
        if len(words) > 1 and words[0] in _TITLES:
            words = words[1:]
        key = " ".join(words)
        return tuple(dict.fromkeys((*self._whole.get(key, ()), *self._parts.get(key, ()))))

    def is_surname(self, name: str) -> bool:
        """Whether `name` is no whole name and nobody's first name: in lower case it is a word like others."""
        key = normalise(name)
        return key not in self._whole and all(self._first_name(found) != key for found in self._parts.get(key, ()))

    def misspelt(self, name: str) -> tuple[str, ...]:
        """Ids for a long name with one letter wrong, missing, added or swapped; () where two names are so near."""
        key = normalise(name)
        if len(key) < _SHORTEST_TYPO:
            return ()
        near = [known for known in (*self._whole, *self._parts) if OSA.distance(key, known, score_cutoff=1) <= 1]
        found = dict.fromkeys(found for known in near for found in self.candidates(known))
        return tuple(found) if len(found) == 1 else ()

    def roles(self, phrase: str) -> tuple[str, ...]:
        """The roles that a phrase names: whole ("release manager"), by its head ("managers") or its initials ("RM")."""
        return tuple(self._roles.get(phrase, ()))

    def holders(self, roles: Iterable[str]) -> tuple[str, ...]:
        """Ids of the people who have one of `roles`."""
        return tuple(dict.fromkeys(person for role in roles for person in self._holders.get(role, ())))

    def _first_name(self, person_id: str) -> str:
        return normalise(self._people[person_id].name or "").partition(" ")[0]

    def _add_names(self, person: Person) -> None:
        for name in (person.id, person.name or "", *person.aliases):
            key = normalise(name)
            if key and person.id not in self._whole[key]:
                self._whole[key].append(person.id)
        words = normalise(person.name or "").split()
        if len(words) > 1 and _PLAIN_NAME.fullmatch(person.name or ""):
            for word in words:
                if len(word) > 1 and word not in _TITLES and person.id not in self._parts[word]:
                    self._parts[word].append(person.id)

    def _add_role(self, person_id: str, role: str) -> None:
        self._holders[role].append(person_id)
        words = normalise(role).split()
        if not words:
            return
        phrases = {" ".join(words), words[-1]}
        for phrase in list(phrases):
            phrases.update(phrase + ending for ending in _PLURALS)
        self._mark(phrases, role)
        shouted = {word for word in role.split() if word.isupper() and len(word) > 1}
        if len(words) > 1:
            shouted.add("".join(word[0] for word in words).upper())
        self._mark(shouted, role)

    def _mark(self, phrases: Iterable[str], role: str) -> None:
        for phrase in phrases:
            self._roles[phrase][role] = None
