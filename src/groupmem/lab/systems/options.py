"""The options that may follow a system's name: `bm25:k1=1.2,asker=off`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groupmem.errors import InputError, UnknownNameError
from groupmem.types import Record

NO_CHAT = "none"
"""The value of the option `chat` where no chat model is wanted."""


class Option(Record, frozen=True, kw_only=True):
    """One option of a system, with the value it has where the user says nothing.

    `choices` are the values it may take; `bounds` makes it a number between the two, both included; with neither, any
    text is good. `ingest` False: what is made of the messages does not depend on it, only what is done with a question.
    """

    name: str
    default: str
    summary: str
    choices: tuple[str, ...] = ()
    bounds: tuple[float, float] | None = None
    ingest: bool = True

    @property
    def allowed(self) -> str:
        """The allowed values in words, for listings and errors."""
        if self.choices:
            return "|".join(self.choices)
        return f"a number from {self.bounds[0]:g} to {self.bounds[1]:g}" if self.bounds else "text"

    def check(self, value: str, owner: str) -> None:
        """Raises InputError where `value` is not allowed; `owner` is the system that is meant."""
        where = f"option {self.name} of {owner}"
        if self.choices and value not in self.choices:
            raise UnknownNameError(f"value for {where}", value, self.choices)
        if self.bounds and not self._within(value):
            raise InputError(f"{where}: {value!r} is not {self.allowed}")
        if not value:
            raise InputError(f"{where}: no value; say {self.name}={self.default}")

    def _within(self, value: str) -> bool:
        try:
            number = float(value)
        except ValueError:
            return False
        return self.bounds is not None and self.bounds[0] <= number <= self.bounds[1]


def resolve_options(given: Mapping[str, str], declared: Sequence[Option], *, owner: str) -> dict[str, str]:
    """Every declared option with its value: the given one, else the default.

    Raises UnknownNameError for an option that was not declared, InputError for a value that is not allowed.
    """
    names = [option.name for option in declared]
    if given and not names:
        raise InputError(f"{owner} takes no options, it declares none: leave out {', '.join(given)}")
    for name in given:
        if name not in names:
            raise UnknownNameError(f"option of {owner}", name, names)
    resolved = {option.name: given.get(option.name, option.default) for option in declared}
    for option in declared:
        option.check(resolved[option.name], owner)
    return resolved
