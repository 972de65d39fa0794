"""What a rule of the grammar is made of, and how it is expanded."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from itertools import accumulate

from groupmem.errors import InputError
from groupmem.lab.synthesis.writers.grammar.marks import value

BOOST = 2.0
"""How much likelier each condition that is met makes an alternative, beside those that anybody may use."""
SLOT = "{"
"""Begins the feature that says that a slot is filled."""
NOT = "!"
"""Begins a condition that is met by the lack of a feature."""
REDRAWS = 3
"""How often another alternative is drawn in place of one that this message has used already."""


def is_negative(condition: frozenset[str]) -> bool:
    """Whether a condition only excludes something."""
    return all(feature.startswith(NOT) for feature in condition)


class Slot:
    """A phrase of the message."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Owned:
    """First-person words that stand for the author as a fact's value."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Named:
    """The name of a rule in a line, until it is linked."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class ByKind:
    """The rule `prefix` + kind, for the kind of fact that is being spoken of; nothing where there is none."""

    __slots__ = ("prefix", "rules")

    def __init__(self, prefix: str, rules: Mapping[str, Choice]) -> None:
        self.prefix = prefix
        self.rules = rules


class Cue:
    """What one expansion depends on: features, slots, the kind and number of the fact spoken of; and the dice."""

    __slots__ = ("features", "index", "kind", "rng", "slots", "used")

    def __init__(
        self,
        rng: random.Random,
        features: frozenset[str],
        slots: Mapping[str, str],
        used: set[int],
        kind: str = "",
        index: int = 0,
    ) -> None:
        self.rng = rng
        self.features = features.union([SLOT + name for name in slots])
        self.slots = slots
        self.used = used
        self.kind = kind
        self.index = index

    def about(self, slots: Mapping[str, str], features: frozenset[str], kind: str, index: int) -> Cue:
        """The same message, speaking of one of its facts."""
        return Cue(self.rng, self.features | features, {**self.slots, **slots}, self.used, kind, index)

    def without(self, names: Collection[str]) -> Cue:
        """The same message without what fills these slots."""
        features = self.features.difference([SLOT + name for name in names])
        slots = {name: text for name, text in self.slots.items() if name not in names}
        return Cue(self.rng, features, slots, self.used, self.kind, self.index)


class Alternative:
    """One way to expand a rule; `conditions` are sets of features of which it needs one each."""

    __slots__ = ("conditions", "needs", "parts", "weight")

    def __init__(self, parts: tuple[Part, ...], conditions: tuple[frozenset[str], ...], weight: float) -> None:
        self.parts = parts
        self.conditions = conditions
        self.weight = weight * BOOST ** sum(not is_negative(condition) for condition in conditions)
        self.needs: frozenset[str] = frozenset()

    def settle(self) -> None:
        """Find the slots without which this cannot be expanded, and make them conditions."""
        choices = [part for part in self.parts if type(part) is Choice]
        slots = {SLOT + part.name for part in self.parts if type(part) is Slot}
        self.needs = frozenset(slots).union(*(choice.needs for choice in choices))
        self.conditions += tuple(frozenset({slot}) for slot in sorted(self.needs))
        self.conditions += tuple(choice.needs_one_of for choice in choices if choice.needs_one_of)

    def fits(self, features: frozenset[str]) -> bool:
        """Whether every condition is met."""
        return all(
            any((feature[1:] not in features) if feature[0] == NOT else (feature in features) for feature in condition)
            for condition in self.conditions
        )


class Choice:
    """A rule, or a group within a line: alternatives with weights."""

    __slots__ = ("_pools", "alternatives", "features", "name", "needs", "needs_one_of", "origin")

    def __init__(self, name: str, origin: str) -> None:
        self.name = name
        self.origin = origin
        self.alternatives: list[Alternative] = []
        self.needs: frozenset[str] = frozenset()
        self.needs_one_of: frozenset[str] = frozenset()
        self.features: frozenset[str] = frozenset()
        self._pools: dict[frozenset[str], tuple[list[float], list[Alternative]]] = {}

    def link(self, rules: Mapping[str, Choice]) -> None:
        """Put the rules themselves where their names stand."""
        if not self.alternatives:
            raise InputError(f"{self.origin}: rule {self.name!r} has no alternatives")
        for alternative in self.alternatives:
            alternative.parts = tuple(self._linked(part, rules) for part in alternative.parts)

    def _linked(self, part: Part, rules: Mapping[str, Choice]) -> Part:
        if type(part) is Choice:
            part.link(rules)
        elif type(part) is Named and part.name.endswith(".*"):
            prefix = part.name.removesuffix("*")
            found = {name.removeprefix(prefix): rule for name, rule in rules.items() if name.startswith(prefix)}
            if not found:
                raise InputError(f"{self.origin}: there is no rule whose name begins with {prefix!r}")
            return ByKind(prefix, found)
        elif type(part) is Named:
            if part.name not in rules:
                raise InputError(f"{self.origin}: there is no rule {part.name!r}")
            return rules[part.name]
        return part

    def children(self) -> Iterator[Choice]:
        """The rules and groups that stand in the alternatives."""
        for alternative in self.alternatives:
            for part in alternative.parts:
                if type(part) is Choice:
                    yield part
                elif type(part) is ByKind:
                    yield from part.rules.values()

    def settle(self) -> None:
        """Once all children are settled: the slots that every alternative needs, or of which each needs one or another;
        and the features that matter here."""
        for alternative in self.alternatives:
            alternative.settle()
        needs = [alternative.needs for alternative in self.alternatives]
        self.needs = frozenset.intersection(*needs)
        self.needs_one_of = frozenset().union(*needs) if all(needs) and not self.needs else frozenset()
        asked = (feature for a in self.alternatives for condition in a.conditions for feature in condition)
        self.features = frozenset(feature.removeprefix(NOT) for feature in asked)

    def expand(self, cue: Cue) -> str:
        """A text for this rule; empty where no alternative fits the cue."""
        out: list[str] = []
        self._walk(cue, out)
        return "".join(out)

    def _walk(self, cue: Cue, out: list[str]) -> None:
        alternative = self._pick(cue)
        if alternative is None:
            return
        for part in alternative.parts:
            if type(part) is str:
                out.append(part)
            elif type(part) is Slot:
                out.append(cue.slots[part.name])
            elif type(part) is Choice:
                part._walk(cue, out)
            elif type(part) is Owned:
                out.append(value(part.text, cue.index))
            elif type(part) is ByKind:
                rule = part.rules.get(cue.kind) or part.rules.get(cue.kind.partition(".")[0])
                if rule is not None:
                    rule._walk(cue, out)

    def _pick(self, cue: Cue) -> Alternative | None:
        key = self.features & cue.features
        pool = self._pools.get(key)
        if pool is None:
            fitting = [alternative for alternative in self.alternatives if alternative.fits(key)]
            pool = self._pools[key] = (list(accumulate(alternative.weight for alternative in fitting)), fitting)
        weights, alternatives = pool
        if not alternatives:
            return None
        for _ in range(REDRAWS):
            picked = alternatives[bisect_right(weights, cue.rng.random() * weights[-1], 0, len(weights) - 1)]
            if not self.name or id(picked) not in cue.used:
                break
        if self.name:
            cue.used.add(id(picked))
        return picked


Part = str | Slot | Owned | Named | ByKind | Choice
