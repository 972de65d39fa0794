"""Expanding a rule until it fits."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from groupmem.lab.synthesis.writers.grammar.language import Language
from groupmem.lab.synthesis.writers.grammar.rules import Choice, Cue
from groupmem.lab.synthesis.writers.grammar.surface import is_clumsy, longest, sentence_count, tidy, words

TRIES = 5
SPECIFIC = 0.7
"""How often the more specific of two rules is taken."""


@dataclass(frozen=True)
class Room:
    """What a text must fit into: words of each sentence, sentences, words in all."""

    words: int
    sentences: int = sys.maxsize
    in_all: int = sys.maxsize

    def holds(self, text: str) -> bool:
        """Whether the text fits."""
        return longest(text) <= self.words and sentence_count(text) <= self.sentences and words(text) <= self.in_all

    def better(self, one: str, other: str) -> str:
        """The text that fits better, where both say something: one that is held, then the one of shorter sentences."""
        return min(
            (text for text in (one, other) if text), key=lambda text: (not self.holds(text), longest(text)), default=""
        )


class Phrasing:
    """The language, asked by the names of rules."""

    def __init__(self, language: Language) -> None:
        self._rules = language.rules

    def has(self, name: str) -> bool:
        """Whether there is a rule of this name."""
        return name in self._rules

    def fitting(self, cue: Cue, room: Room, *names: str) -> str:
        """A text that fits, from one of the rules that there are of these names, the more specific first.

        Where none did it is the shortest of what was tried; empty where there is no such rule or no choice in it.
        """
        best = ""
        rules = [self._rules[name] for name in names if name in self._rules]
        tries = 0
        while rules and tries < TRIES:
            rule = _one_of(rules, cue)
            text = tidy(rule.expand(cue))
            if not text:
                rules.remove(rule)
                continue
            if room.holds(text) and not is_clumsy(text):
                return text
            best = room.better(best, text)
            tries += 1
        return best

    def plain(self, cue: Cue, name: str) -> str:
        """An expansion as it comes, with the signs at its ends; empty where there is no such rule."""
        rule = self._rules.get(name)
        return rule.expand(cue) if rule is not None else ""

    def plain_of(self, cue: Cue, *names: str) -> str:
        """The same for one of several rules, the more specific first."""
        rules = [self._rules[name] for name in names if name in self._rules]
        return _one_of(rules, cue).expand(cue) if rules else ""


def _one_of(rules: list[Choice], cue: Cue) -> Choice:
    for rule in rules[:-1]:
        if cue.rng.random() < SPECIFIC:
            return rule
    return rules[-1]
