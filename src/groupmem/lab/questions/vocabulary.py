"""Who calls a thing what: learned from the words in which people of each role spoke of the concepts of the corpus."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import pairwise

from groupmem.lab.questions.facts import Fact, Truth
from groupmem.text import words

OWN_SHARE = 0.5
"""A word that makes up this share of what a role says for a concept is the role's own."""

USED_SHARE = 0.15
"""A word below it is one that the role took from a listener."""


class Vocabulary:
    """The words of roles for concepts, and the plain words that the ground truth has for them."""

    def __init__(self, truth: Truth) -> None:
        counts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        self._plain: dict[str, str] = {}
        for fact in truth.facts:
            for spoken in fact.mentions:
                role = truth.role(spoken.author)
                for concept, word in spoken.words.items():
                    if role is not None:
                        counts[role][concept][word] += 1
                    self._learn_plain(fact, spoken.subject, concept, word)
        self._words: Mapping[str, Mapping[str, Counter[str]]] = counts

    def plain(self, concept: str) -> str | None:
        """The neutral words for a concept; None where no subject shows them."""
        return self._plain.get(concept)

    def own_word(self, role: str | None, concept: str) -> str | None:
        """The word that people of this role use for the concept; None where they have none of their own."""
        words = self._words.get(role or "", {}).get(concept)
        if not words:
            return None
        word, count = min(words.items(), key=lambda item: (-item[1], item[0]))
        return word if count >= OWN_SHARE * sum(words.values()) else None

    def meaning(self, role: str | None, word: str) -> str | None:
        """The concept that people of this role mean by a word; None for none, or more than one."""
        meant = [concept for concept in self._words.get(role or "", {}) if word in self.used(role, concept)]
        return meant[0] if len(meant) == 1 else None

    def used(self, role: str | None, concept: str) -> tuple[str, ...]:
        """The words that people of a role use for the concept themselves, not only to suit a listener."""
        words = self._words.get(role or "", {}).get(concept, Counter[str]())
        least = max(2, USED_SHARE * sum(words.values()))
        return tuple(sorted(word for word, count in words.items() if count >= least))

    def in_subject(self, fact: Fact) -> bool:
        """Whether the fact's one concept is part of the name of its subject."""
        plain = self.plain(fact.concepts[0]) if len(fact.concepts) == 1 else None
        return plain is not None and plain in fact.subject

    def reword(self, text: str, fact: Fact, role: str | None) -> str:
        """The text with the fact's concepts in the words of a role; a word that would stand twice in a row is left."""
        for concept in fact.concepts:
            plain, word = self.plain(concept), self.own_word(role, concept)
            reworded = text.replace(plain, word) if plain and word else text
            text = text if _stutters(reworded) else reworded
        return text

    def _learn_plain(self, fact: Fact, subject: str, concept: str, word: str) -> None:
        before, found, after = subject.partition(word)
        if found and concept not in self._plain and fact.subject.startswith(before) and fact.subject.endswith(after):
            plain = fact.subject[len(before) : len(fact.subject) - len(after)]
            if plain and len(fact.concepts) == 1:
                self._plain[concept] = plain


def _stutters(text: str) -> bool:
    found = words(text)
    return any(left == right for left, right in pairwise(found))
