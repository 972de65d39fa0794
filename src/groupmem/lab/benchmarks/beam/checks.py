"""Holds what was read to the published sums, before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from groupmem.errors import DataError
from groupmem.lab.benchmarks.beam.pins import sums
from groupmem.lab.benchmarks.beam.reading import PROBE_SHA256
from groupmem.lab.sessions import SessionDocument
from groupmem.types import Question


class Mismatch(DataError):
    """Something is not as it was published; the message shows both sums."""

    def __init__(self, what: str, found: str, should_be: str) -> None:
        super().__init__(
            f"beam, {what} has sha256 {found} where it should have {should_be}; --unpinned reads it all the same"
        )


def check_sessions(unit: str, documents: Sequence[SessionDocument]) -> None:
    """Raises DataError, with both sums, for a session of the memory set that is not the published one."""
    pinned = sums().sessions.get(unit)
    if pinned is None:
        return
    if len(documents) != len(pinned):
        raise DataError(f"beam, {unit} has {len(documents)} sessions where it should have {len(pinned)}")
    for document, should_be in zip(documents, pinned, strict=True):
        if document.sha256 != should_be:
            raise Mismatch(document.id, document.sha256, should_be)


def check_slices(documents: Sequence[SessionDocument]) -> None:
    """Raises DataError, with both sums, for a slice of the lite set that is not the published one."""
    for document in documents:
        should_be = sums().slices.get(document.id, "none: it is no slice of the set")
        if document.sha256 != should_be:
            raise Mismatch(f"slice {document.id}", document.sha256, should_be)


def check_probes(questions: Sequence[Question]) -> None:
    """Raises DataError, with both sums, for a probe of the memory set that is not the published one."""
    for question, should_be in _pinned_probes(questions):
        found = question.extra[PROBE_SHA256]
        if found != should_be:
            raise Mismatch(f"probe {question.id}", found, should_be)


def _pinned_probes(questions: Sequence[Question]) -> Iterator[tuple[Question, str]]:
    for question in questions:
        should_be = sums().probes.get(question.id)
        if should_be is not None:
            yield question, should_be
