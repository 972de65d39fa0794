"""The language: an expansion grammar, read from the text files in `data/grammar`.

A file holds rules. A rule is a name at the margin with a colon, then one alternative an indented line:

    after.deadline:
        that leaves (room|air|slack) for <surprise>
        [anxious] I'd sleep better with a day more
        [chatty,casual][late] nearly there, {to}  *2

    (a|b|)        one of these, here of two words and nothing
    <rule>        an expansion of that rule; `<rule.*>` the one for the kind of fact that is being spoken of
    {slot}        a word or phrase of this message; an alternative whose slot is empty here is no choice
    {me:I'll}     words in which the author names themselves as a fact's value
    [a,b][!c]     only if a or b, and not c, are among the features of the message: tone, style, expertise, stage, ...
    *2            weight, 1 where none is said
    #             a comment line; a backslash takes the meaning from the sign after it

Features make an alternative likelier too, since what fits a persona is what makes it heard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path

from groupmem.errors import InputError
from groupmem.lab.synthesis.writers.grammar.rules import Alternative, Choice, Named, Owned, Part, Slot

FOLDER = Path(str(resources.files("groupmem"))) / "data" / "grammar"
_HEADER = re.compile(r"([a-z][a-z0-9_.]*):$")
_CONDITION = re.compile(r"\s*\[([^\]]*)\]")
_WEIGHT = re.compile(r"\s+\*(\d*\.?\d+)$")
_NAME = re.compile(r"[a-z][a-z0-9_.]*(?:\.\*)?")
_SPECIAL = frozenset("()|<>{}\\")


class Language:
    """All rules by name, linked and checked."""

    def __init__(self, rules: dict[str, Choice]) -> None:
        self.rules = rules

    def __contains__(self, name: str) -> bool:
        return name in self.rules

    def first(self, *names: str) -> Choice | None:
        """The rule with the first of these names that there is."""
        return next((self.rules[name] for name in names if name in self.rules), None)


@cache
def shipped_language() -> Language:
    """The language inside the package, read once."""
    return read_language(FOLDER)


def read_language(folder: Path) -> Language:
    """All `.grammar` files of a folder as one language.

    Raises InputError, naming file and line, for what is no rule, a rule that is there twice, one that is named and not
    there, and one that leads back to itself.
    """
    rules: dict[str, Choice] = {}
    for path in sorted(folder.glob("*.grammar")):
        for choice in _read(path):
            if choice.name in rules:
                raise InputError(f"{choice.origin}: rule {choice.name!r} is already at {rules[choice.name].origin}")
            rules[choice.name] = choice
    for choice in rules.values():
        choice.link(rules)
    done: set[int] = set()
    for choice in rules.values():
        _settle(choice, done, ())
    return Language(rules)


def _settle(choice: Choice, done: set[int], above: tuple[Choice, ...]) -> None:
    if choice in above:
        way = " > ".join(rule.name for rule in (*above, choice) if rule.name)
        raise InputError(f"{choice.origin}: rule {choice.name!r} leads back to itself: {way}")
    if id(choice) in done:
        return
    for child in choice.children():
        _settle(child, done, (*above, choice))
    choice.settle()
    done.add(id(choice))


def _read(path: Path) -> Iterator[Choice]:
    choice: Choice | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        origin = f"{path}:{number}"
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0].isspace():
            if choice is None:
                raise InputError(f"{origin}: an alternative before any rule; begin with a line 'name:' at the margin")
            choice.alternatives.append(_Line(line.strip(), origin).alternative())
            continue
        header = _HEADER.match(line.rstrip())
        if header is None:
            raise InputError(f"{origin}: neither 'name:' at the margin nor an indented alternative: {line.strip()!r}")
        if choice is not None:
            yield choice
        choice = Choice(header[1], origin)
    if choice is not None:
        yield choice


class _Line:
    """Recursive descent over one alternative."""

    def __init__(self, text: str, origin: str) -> None:
        weight = _WEIGHT.search(text)
        self.weight = float(weight[1]) if weight else 1.0
        self.text = text[: weight.start()] if weight else text
        self.origin = origin
        self.at = 0

    def alternative(self) -> Alternative:
        conditions = self._conditions()
        parts = self._sequence()
        if self.at < len(self.text):
            raise self._error(f"a {self.text[self.at]!r} that nothing opened")
        return Alternative(parts, conditions, self.weight)

    def _conditions(self) -> tuple[frozenset[str], ...]:
        found: list[frozenset[str]] = []
        while match := _CONDITION.match(self.text, self.at):
            found.append(frozenset(tag.strip() for tag in match[1].split(",")))
            self.at = match.end()
        self.at += len(self.text[self.at :]) - len(self.text[self.at :].lstrip()) if found else 0
        return tuple(found)

    def _sequence(self) -> tuple[Part, ...]:
        parts: list[Part] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            sign = self.text[self.at]
            if sign == "(":
                parts.append(self._group())
            elif sign == "<":
                parts.append(self._reference())
            elif sign == "{":
                parts.append(self._slot())
            elif sign in ">}":
                raise self._error(f"a {sign!r} that nothing opened")
            else:
                parts.append(self._literal())
        return tuple(parts)

    def _group(self) -> Choice:
        choice = Choice("", self.origin)
        while True:
            self.at += 1
            conditions = self._conditions()
            choice.alternatives.append(Alternative(self._sequence(), conditions, 1.0))
            if self.at >= len(self.text):
                raise self._error("a '(' that nothing closes")
            if self.text[self.at] == ")":
                self.at += 1
                return choice

    def _reference(self) -> Part:
        name = self._until(">")
        if not _NAME.fullmatch(name):
            raise self._error(f"<{name}> is no name of a rule")
        return Named(name)

    def _slot(self) -> Part:
        name = self._until("}")
        return Owned(name.removeprefix("me:")) if name.startswith("me:") else Slot(name)

    def _until(self, sign: str) -> str:
        end = self.text.find(sign, self.at)
        if end < 0:
            raise self._error(f"a {self.text[self.at]!r} that nothing closes")
        inside = self.text[self.at + 1 : end]
        self.at = end + 1
        return inside

    def _literal(self) -> str:
        signs: list[str] = []
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign == "\\" and self.at + 1 < len(self.text):
                self.at += 1
                sign = self.text[self.at]
            elif sign in _SPECIAL:
                break
            signs.append(sign)
            self.at += 1
        return "".join(signs)

    def _error(self, what: str) -> InputError:
        return InputError(f"{self.origin}: {what}, in {self.text!r}")
