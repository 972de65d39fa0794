"""A cell and the kept ingests: it is given one that was made from the same, or leaves its own for later runs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import msgspec

from groupmem.errors import InputError
from groupmem.lab.records import KeptIngest, RunSpec
from groupmem.lab.runs.cell import Cell
from groupmem.lab.runs.kept.cache import CALLS, DATABASES, STORE, Entry, IngestCache, Kept, seal
from groupmem.lab.runs.kept.key import MadeFrom, made_from
from groupmem.lab.runs.progress import Progress
from groupmem.lab.runs.provenance import code_identity
from groupmem.lab.runs.roster import Entry as RosterEntry
from groupmem.lab.runs.roster import make_entry
from groupmem.lab.runs.services import CellServices
from groupmem.lab.runs.unit import RunUnit
from groupmem.models.base import Account
from groupmem.models.session import Models
from groupmem.prompts import Prompts

UNCOMMITTED = (
    "the code has changes that are in no commit: kept ingests are neither used nor added to "
    "(docs/runs.md, Kept ingests)"
)
HURRIED = "its ingest, of an earlier run, had replies of models from the cache: without them it takes longer"
_MEGABYTE = 1e6


class RunIngests:
    """The kept ingests as a run uses them: not at all where its cells take in a history that grows with the answers."""

    def __init__(
        self, cache: IngestCache | None, models: Models, progress: Progress, *, run: str, seed: int, prompts: Prompts
    ) -> None:
        self._cache = cache
        self._models = models
        self._progress = progress
        self._run = run
        self._seed = seed
        self._prompts = prompts

    def of_cell(self, cell: Cell, unit: RunUnit, entry: RosterEntry, services: CellServices) -> CellIngest | None:
        """None where the ingest of this cell can neither be kept nor be given."""
        cache = self._cache
        if cache is None or not entry.row.traits.restorable or self._code is None:
            return None
        made = ingested(unit, entry, code=self._code, seed=self._seed, prompts=self._prompts)
        if made is None:
            return None
        account = Account(run=self._run, cell=cell.name, phase="ingest")
        return CellIngest(cache, made, cell, services, self._models, account, self._progress)

    @cached_property
    def _code(self) -> str | None:
        """Found with the first cell that asks, and told once where there is none."""
        code = code_identity()
        if code is None:
            self._progress.note(UNCOMMITTED)
        return code


def ingested(unit: RunUnit, entry: RosterEntry, *, code: str, seed: int, prompts: Prompts) -> MadeFrom | None:
    """What the ingest of a unit is made from, where it is taken in at once: all questions are asked after the same
    message."""
    counts = {unit.timeline.said_before(question) for question in unit.questions}
    if len(counts) != 1:
        return None
    messages = unit.timeline.messages[: counts.pop()]
    return made_from(entry, unit.conversation, messages, code=code, seed=seed, prompts=prompts)


def kept_already(spec: RunSpec, prompts: Prompts, cache: IngestCache | None) -> Callable[[RunUnit, str], bool]:
    """Whether the ingest of a system on a unit would be given to a run of this spec."""

    def is_kept(unit: RunUnit, system: str) -> bool:
        code = None if cache is None or spec.append_answers else code_identity()
        if cache is None or code is None:
            return False
        try:
            entry = make_entry(system, unit)
        except InputError:  # it is not installed, or its model is not named: planned all the same
            return False
        if not entry.row.traits.restorable:
            return False
        made = ingested(unit, entry, code=code, seed=spec.seed, prompts=prompts)
        return made is not None and cache.holds(made.key)

    return is_kept


class CellIngest:
    """The ingest of one cell."""

    def __init__(
        self,
        cache: IngestCache,
        made: MadeFrom,
        cell: Cell,
        services: CellServices,
        models: Models,
        account: Account,
        progress: Progress,
    ) -> None:
        self._cache = cache
        self._made = made
        self._cell = cell
        self._services = services
        self._models = models
        self._account = account
        self._progress = progress
        self._began_after = models.last_call()

    def find(self) -> Kept | None:
        """The ingest that was kept, if it was."""
        return self._cache.find(self._made.key)

    def take_over(self, kept: Kept) -> None:
        """Books what a kept ingest took on the cell: its seconds, its calls at no new money, what it counted."""
        entry = kept.entry
        self._models.book_again(kept.calls(), self._account)
        self._cell.update(
            ingest_seconds=entry.ingest_seconds,
            figures=entry.figures,
            kept_ingest=KeptIngest(key=entry.key, made_at=entry.made_at, reused=True),
        )
        self._cell.add_notes((*entry.notes, *((HURRIED,) if entry.hurried else ())))
        self._progress.note(
            f"{self._cell.name}: its ingest is the one of {entry.made_at}, kept under {entry.key[:12]}; nothing of it "
            "is paid again (--no-ingest-cache makes it anew)"
        )

    def keep(self) -> None:
        """Leaves the ingest that has just ended for later runs. Where it cannot be written, that is told, and stops
        nothing. Raises SystemFailure where the system or a database of it breaks."""
        key = self._made.key
        if self._services.lost_in_ingest or self._cell.record.lost_ingest_calls or self._cache.holds(key):
            return
        try:
            with self._cache.making(key) as folder:
                sealed = self._fill(folder)
        except (OSError, shutil.Error) as error:
            self._progress.note(f"{self._cell.name}: its ingest could not be kept for later runs: {error}")
            return
        self._cell.update(kept_ingest=KeptIngest(key=key, made_at=sealed.made_at, reused=False))
        self._progress.note(
            f"{self._cell.name}: its ingest is kept for later runs, {sealed.bytes / _MEGABYTE:,.1f} MB (all kept "
            f"ingests: {self._cache.bytes / _MEGABYTE:,.1f} MB in {self._cache.root}; groupmem cache)"
        )

    def _fill(self, folder: Path) -> Entry:
        cell = self._cell
        store = cell.folder.store_path(cell.unit, cell.row.name)
        self._services.dump(folder / DATABASES)
        shutil.copytree(store, folder / STORE, symlinks=True)
        replies = self._models.replies_since(self._began_after, cell.name, "ingest")
        (folder / CALLS).write_bytes(b"".join(msgspec.json.encode(reply) + b"\n" for reply in replies))
        return seal(
            folder,
            Entry(
                key=self._made.key,
                made_from=self._made,
                made_at=datetime.now(UTC).isoformat(timespec="seconds"),
                unit=cell.unit,
                hurried=any(reply["cached"] for reply in replies),
                messages=cell.record.messages,
                ingest_seconds=cell.record.ingest_seconds,
                figures=cell.row.figures(),
                notes=tuple(dict.fromkeys((*cell.row.notes(), *self._services.notes()))),
            ),
        )
