"""The gateway in a run: opened with the first cell that needs it, and watched while a cell is at work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import msgspec

from groupmem.errors import ModelError
from groupmem.lab.systems.base import GatewayAccess
from groupmem.models.base import CellPhase
from groupmem.models.session import Models
from groupmem.types import Usage

if TYPE_CHECKING:
    from groupmem.models.gateway import Gateway, GatewayCell
    from groupmem.models.gateway.outcomes import Lost

_SHOWN_ERRORS = 3


class QuestionCalls:
    """The access for one question, and what its calls take."""

    def __init__(self, cell: GatewayCell, part: GatewayCell) -> None:
        self.access = _access(part)
        self._cell = cell
        self._part = part
        self._before = cell.usage

    def usage(self, *, alone: bool) -> Usage:
        """What was called so far: over its own access, and where the question is `alone`, over that of the cell too."""
        return self._part.usage + _less(self._cell.usage, self._before) if alone else self._part.usage


class RunGateway:
    """One server for all cells of a run."""

    def __init__(self, models: Models, run: str) -> None:
        self._models = models
        self._run = run
        self._gateway: Gateway | None = None
        self._opened = ExitStack()

    def open_cell(self, cell: str, *, chat: str | None, embedding: str | None) -> CellGateway:
        """Raises InputError for a model that cannot be used here, ModelError where it is out of reach."""
        if self._gateway is None:
            from groupmem.models.gateway import Gateway  # its server loads for a while: only who needs one pays

            self._gateway = self._opened.enter_context(Gateway(self._models, run=self._run))
        return CellGateway(self._gateway, self._gateway.open_cell(cell, chat=chat, embedding=embedding))

    def close(self) -> None:
        self._opened.close()


class CellGateway:
    """A cell's calls over the gateway. A package may keep to itself that one failed; what it made then is no result."""

    def __init__(self, gateway: Gateway, cell: GatewayCell) -> None:
        self._gateway = gateway
        self._cell = cell
        self.lost_in_ingest = 0

    @property
    def access(self) -> GatewayAccess:
        """What the system is given."""
        return _access(self._cell)

    @property
    def stopped(self) -> bool:
        """Whether calls were refused because of the budget (or a log that cannot be written): what was ingested since
        has holes."""
        return self._cell.stopped

    @contextmanager
    def during(self, phase: CellPhase) -> Iterator[None]:
        """Books the calls of the block on `phase`, and raises what the system may have swallowed in it.

        That is BudgetError (or InputError, where the log cannot be written), and ModelError for a question with a call
        that was never answered. An ingest goes on without some of its calls, which `lost_in_ingest` counts; it fails
        where no call of a kind (chat, embedding) was answered. One that is interrupted has lost what it lost, too.
        """
        self._cell.phase = phase
        answered = self._cell.answered
        try:
            yield
        except BaseException as error:
            lost = self._cell.take_lost()  # the error tells of them: whatever comes next does not answer for them
            self._count(phase, lost)
            if isinstance(error, Exception):
                self._cell.check()
            raise
        self._cell.check()
        lost = self._cell.take_lost()
        now = self._cell.answered
        fatal = [call for call in lost if phase != "ingest" or now.get(call.kind, 0) == answered.get(call.kind, 0)]
        if fatal:
            raise ModelError(f"{len(fatal)} of its model calls were not answered ({phase}): {fatal[0].message}")
        self._count(phase, lost)

    @contextmanager
    def question(self) -> Iterator[QuestionCalls]:
        """Calls of one question, over an access of its own or over that of the cell. Raises as `during` does."""
        with self.during("answer"):
            part = self._gateway.open_part(self._cell)
            asked = CellGateway(self._gateway, part)
            try:
                with asked.during("answer"):
                    yield QuestionCalls(self._cell, part)
            finally:
                part.close()
                self._cell.join(part)

    def _count(self, phase: CellPhase, lost: Sequence[Lost]) -> None:
        self.lost_in_ingest += len(lost) if phase == "ingest" else 0

    def notes(self) -> tuple[str, ...]:
        """What the record of the cell says of its calls."""
        notes = []
        failures = self._cell.failures()
        if failures:
            shown = "; ".join(f"{f.count} of {f.phase}: HTTP {f.status} {f.message}" for f in failures[:_SHOWN_ERRORS])
            notes.append(f"{sum(f.count for f in failures)} model calls were answered with an error: {shown}")
        renamed = ", ".join(f"{name} ({count} times)" for name, count in self._cell.renamed.items())
        if renamed:
            notes.append(f"it asked for other models than it was given, and was answered by those: {renamed}")
        return tuple(notes)

    def close(self) -> None:
        self._cell.close()


def _access(cell: GatewayCell) -> GatewayAccess:
    return GatewayAccess(
        base_url=cell.base_url,
        api_key=cell.api_key,
        chat_model=cell.chat_model or "",
        embedding_model=cell.embedding_model or "",
        dimensions=cell.dimensions or 0,
    )


def _less(now: Usage, before: Usage) -> Usage:
    """What came in between; unknown where either is."""
    counts = {name: (getattr(now, name), getattr(before, name)) for name in Usage.__struct_fields__}
    return msgspec.convert({name: None if None in pair else pair[0] - pair[1] for name, pair in counts.items()}, Usage)
