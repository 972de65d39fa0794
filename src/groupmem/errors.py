"""The exceptions of the project. Every message says what was wrong, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process


class GroupMemError(Exception):
    """Base of all errors that a user can act on; the command line prints them as one line, without a traceback."""

    exit_code = 1


class InputError(GroupMemError):
    """A file, an option or a value that cannot be used as it is."""


class UnknownNameError(InputError):
    """A name that is not among the choices; the message lists them with the nearest first."""

    def __init__(self, kind: str, name: str, choices: Iterable[str]) -> None:
        self.name = name
        self.choices = nearest_first(name, choices)
        listed = ", ".join(self.choices) if self.choices else "none"
        super().__init__(f"unknown {kind} {name!r}: choose from {listed}")


class DataError(InputError):
    """A data set is missing, or its checksum is not the pinned one."""


class ModelError(GroupMemError):
    """A model call failed for good: wrong name or key, a provider that keeps failing, a reply that is no reply."""


class BudgetError(GroupMemError):
    """The budget does not allow the next call. The run stops here and the same command resumes it."""

    exit_code = 4


class PendingError(GroupMemError):
    """Requests were written out for a batch and wait for their answers; run the same command again when they are in."""

    exit_code = 3

    def __init__(self, count: int, folder: str, detail: str = "") -> None:
        self.count = count
        self.folder = folder
        super().__init__(f"{count} requests in {folder}; run again when answered" + (f" ({detail})" if detail else ""))


class SystemFailure(GroupMemError):
    """A memory system broke its contract or crashed; its cell is marked failed, never scored as empty results."""


def nearest_first(name: str, choices: Iterable[str]) -> list[str]:
    """`choices` ordered by similarity to `name`, ties in their own order."""
    listed = list(choices)
    ranked = process.extract(name, listed, scorer=fuzz.ratio, limit=None)
    return [choice for choice, _, _ in ranked]
