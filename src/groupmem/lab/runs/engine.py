"""Runs a spec from the first message to the last verdict; what is on record already is not done again."""

from __future__ import annotations

import tempfile
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from groupmem.errors import InputError
from groupmem.lab.judging.judge import Judge, judge_profile
from groupmem.lab.records import RunFolder, RunSpec
from groupmem.lab.runs.agents import spend_cap
from groupmem.lab.runs.attached.base import Template
from groupmem.lab.runs.attached.pool import ServicePool
from groupmem.lab.runs.cell import Cell
from groupmem.lab.runs.errata import mark, read_errata
from groupmem.lab.runs.estimate import make_plan
from groupmem.lab.runs.gateway import RunGateway
from groupmem.lab.runs.history import ASSISTANT_CHANNEL
from groupmem.lab.runs.kept.cache import IngestCache, Kept
from groupmem.lab.runs.kept.cell import RunIngests
from groupmem.lab.runs.lock import locked
from groupmem.lab.runs.opening import NO_CAP, WallClock, open_run
from groupmem.lab.runs.plan import Caps, check_caps
from groupmem.lab.runs.prepare import Prepared, prepare
from groupmem.lab.runs.progress import Progress, Silent
from groupmem.lab.runs.reader import Reader
from groupmem.lab.runs.roster import Entry, make_entry
from groupmem.lab.runs.services import CellServices
from groupmem.lab.runs.spec import run_id
from groupmem.lab.runs.stages.answer import AnswerStage
from groupmem.lab.runs.stages.calls import Crew
from groupmem.lab.runs.stages.ingest import open_store
from groupmem.lab.runs.stages.judge import JudgeStage
from groupmem.lab.runs.stages.own import OwnAnswers
from groupmem.lab.runs.stages.preflight import preflight
from groupmem.lab.runs.stages.recall import RecallOptions, RecallStage
from groupmem.lab.runs.unit import RunUnit
from groupmem.lab.runs.waiting import Waiting
from groupmem.lab.systems.base import GatewayAccess, Need, Setting
from groupmem.lab.systems.isolated.idle import IdleWorkers
from groupmem.lab.systems.isolated.lifetime import SCRATCH
from groupmem.lab.systems.registry import create_system
from groupmem.models.base import Account
from groupmem.models.budget import Budget
from groupmem.models.prices import Prices
from groupmem.models.session import Models

PREFLIGHT_SECONDS = 600.0
"""For how long a system that found what was planted is taken to be in order."""


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a run is carried out; nothing of it changes a result, so nothing of it is part of the spec.

    `out` None puts the run into runs/ below the current folder. `caps` hold over all starts of the run. `concurrency`
    is the number of model calls that are under way at a time. `cache_path` None keeps no replies beyond the run, and
    `ingest_cache` None no ingests. `own` is for systems that answer by themselves; it may change a result, and is noted
    in the record.
    """

    out: Path | None = None
    data_dir: Path | None = None
    errata: Path | None = None
    caps: Caps = Caps()
    concurrency: int = 8
    cache_path: Path | None = None
    ingest_cache: Path | None = None
    own: OwnAnswers = OwnAnswers()
    prices: Prices = msgspec.field(default_factory=Prices)
    progress: Progress = msgspec.field(default_factory=Silent)


def run(spec: RunSpec, options: RunOptions) -> RunFolder:
    """Carries out what is left of the run and returns its folder. Cells whose system broke are marked as failed in it.

    Raises InputError for what is wrong with the spec, the data or the folder; BudgetError where the plan is above a cap
    or a cap is reached; PendingError where batch files wait for answers; ModelError where every call of a stage failed.
    After each of them the same call goes on where it stopped.
    """
    prepared = prepare(spec, options.data_dir)
    if options.errata is not None:
        mark(prepared.units, read_errata(options.errata))
    for name, kind in prepared.named:  # a missing key shows before a folder is made, not after hours of ingest
        Models.require_key(name, kind)
    folder = RunFolder(options.out or prepared.default_folder)
    cap = spend_cap(prepared.benchmark, spec.systems, options.caps)
    with locked(folder.path):
        opened = open_run(folder, prepared, cap, options.own)
        for warning in opened.warnings:
            options.progress.note(f"warning: {warning}")
        clock = WallClock(folder, opened)
        budget = Budget(usd=cap.usd, calls=cap.calls, tokens=cap.tokens)
        with Models(
            log_path=folder.calls_path,
            cache_path=options.cache_path,
            trace_path=folder.trace_path if prepared.traced else None,
            budget=budget,
            prices=options.prices,
            concurrency=options.concurrency,
        ) as models:
            if cap != NO_CAP:
                plan = make_plan(prepared, folder.path, options.prices, options.caps, options.ingest_cache)
                check_caps(plan, budget.spent)
            crew = Crew(models=models, run=run_id(spec), workers=options.concurrency, progress=options.progress)
            with (
                closing(RunGateway(models, crew.run)) as gateway,
                ServicePool(folder.path) as pool,
                IdleWorkers(folder.path / "workers") as workers,
            ):
                _Run(prepared, folder, crew, _Attached(gateway, pool, workers), options, clock).carry_out()
    return folder


class _Attached(NamedTuple):
    """What the cells of a run share of what it has started."""

    gateway: RunGateway
    pool: ServicePool
    workers: IdleWorkers


class _Run:
    """The stages of one run, in order."""

    def __init__(
        self,
        prepared: Prepared,
        folder: RunFolder,
        crew: Crew,
        attached: _Attached,
        options: RunOptions,
        clock: WallClock,
    ) -> None:
        self._prepared = prepared
        self._spec = prepared.spec
        self._folder = folder
        self._crew = crew
        self._attached = attached
        self._own = options.own
        self._clock = clock
        self._tried_at: dict[str, float] = {}
        self._ingests = RunIngests(
            IngestCache(options.ingest_cache) if options.ingest_cache and not prepared.spec.append_answers else None,
            crew.models,
            crew.progress,
            run=crew.run,
            seed=prepared.spec.seed,
            prompts=prepared.prompts,
        )
        self._waiting = Waiting(crew.models.flush_batches)
        self._reader: AnswerStage | None = None
        if self._spec.reader is not None:
            reader = Reader(prompts=prepared.prompts, whole=prepared.benchmark.whole_answers)
            self._reader = AnswerStage(self._spec.reader, reader, crew)

    def carry_out(self) -> None:
        with closing(self._clock):
            self._carry_out()

    def _carry_out(self) -> None:
        self._open_models()
        with self._waiting:
            live = [cell for unit in self._prepared.units for cell in self._recall(unit) if not cell.failed]
        if self._reader is not None:
            self._reader.run(live)
            for cell in live:
                if cell.record.status != "done":
                    cell.finish("answered")
        if self._answering:
            judge = self._spec.judge
            judge_of = partial(self._judge, judge) if judge is not None else None
            JudgeStage(judge_of, self._prepared.benchmark, self._crew).run(live)
        for cell in live:
            cell.finish("done")

    @property
    def _answering(self) -> bool:
        """Whether rows that answer by themselves are asked to; without reader and judge a run ends with retrieval."""
        return self._spec.reader is not None or self._spec.judge is not None

    def _open_models(self) -> None:
        """A script or a batch folder that cannot be used shows before hours of ingest."""
        for name in filter(None, (self._spec.reader, self._spec.judge)):
            self._crew.models.chat(name, Account())

    def _recall(self, unit: RunUnit) -> list[Cell]:
        """The cells of one unit; afterwards every question is recalled or waits for a batch, or the cell has failed."""
        cells = []
        for name in self._spec.systems:
            entry = self._entry(name, unit)
            cell = Cell(self._folder, unit.id, entry.row, unit.questions)
            if cell.outdated:
                self._crew.progress.note(f"{cell.name}: its file has changed since, so the cell starts over")
            services = CellServices(self._crew.models, run=self._crew.run, cell=cell.name)
            stage = RecallStage(cell, unit, services, self._recall_options())
            if stage.todo:
                with closing(services), self._waiting.one():
                    make_setting = partial(self._setting, unit, cell, entry, services)
                    first = partial(self._preflight, cell, entry) if self._is_to_be_tried(entry) else None
                    ingests = self._ingests.of_cell(cell, unit, entry, services)
                    stage.run(make_setting, self._crew.progress, first, ingests)
                self._clock.write()
            cells.append(cell)
        unit.release()
        return cells

    def _entry(self, name: str, unit: RunUnit) -> Entry:
        entry = make_entry(name, unit)
        if entry.row.sha256 != self._prepared.systems.get(name):
            raise InputError(f"{name}: its file was changed while the run was under way; run the same command again")
        return entry

    def _recall_options(self) -> RecallOptions:
        now = self._reader.now if self._reader is not None and self._spec.append_answers else None
        limit = self._spec.limit
        depth = self._spec.depth or limit
        return RecallOptions(limit=limit, depth=depth, answering=self._answering, answer_now=now, own=self._own)

    def _setting(self, unit: RunUnit, cell: Cell, entry: Entry, services: CellServices, kept: Kept | None) -> Setting:
        """Raises SystemFailure where a database does not start, InputError where it is not installed."""
        conversation = unit.conversation
        said = (ASSISTANT_CHANNEL,) if self._spec.append_answers else ()
        return Setting(
            people=conversation.people,
            channels=(*conversation.channels, *said),
            store_dir=open_store(cell, kept),
            embedding=services.embedding(entry.embedding) if entry.embedding else None,
            chat=services.chat(entry.chat) if entry.chat else None,
            options=entry.options,
            seed=self._spec.seed,
            prompts=self._prepared.prompts,
            gateway=self._access(entry, services),
            services=self._databases(cell, entry, services, kept),
            restored=kept is not None,
            question_timeout_s=self._own.timeout_s,
            log_path=self._folder.log_path(cell.unit, cell.row.name),
            workers=self._attached.workers,
        )

    def _is_to_be_tried(self, entry: Entry) -> bool:
        """A pass holds for a while: sets of many small units would spend more time on this than on their questions."""
        tried_at = self._tried_at.get(entry.row.name)
        recently = tried_at is not None and time.monotonic() - tried_at < PREFLIGHT_SECONDS
        return entry.row.traits.planted and not recently

    def _preflight(self, cell: Cell, entry: Entry, setting: Setting) -> None:
        """Tries a fresh instance, with calls and databases of its own: they are not the cell's cost and size.

        Raises SystemFailure where it does not find what it was told, besides what the calls raise.
        """
        services = CellServices(self._crew.models, run=self._crew.run, cell=f"{cell.name} preflight")
        with closing(services):
            own = msgspec.structs.replace(
                setting,
                gateway=self._access(entry, services),
                services=self._databases(cell, entry, services),
            )
            with services.during("ingest"):
                preflight(create_system(cell.row.name).system, own)
        self._tried_at[cell.row.name] = time.monotonic()

    def _databases(self, cell: Cell, entry: Entry, services: CellServices, kept: Kept | None = None) -> dict[Need, str]:
        traits = entry.row.traits
        template = Template(entry.row.name, partial(self._prepare, cell, entry)) if traits.prepares else None
        dumped = kept.databases if kept else None
        return services.databases(self._attached.pool, traits.needs, template, dumped)

    def _prepare(self, cell: Cell, entry: Entry, url: str) -> None:
        """Has an instance of its own fill the database of which cells get copies; its calls are no cell's cost."""
        services = CellServices(self._crew.models, run=self._crew.run, cell=f"{cell.name} preparation")
        with closing(services), tempfile.TemporaryDirectory(prefix=SCRATCH) as folder, services.during("ingest"):
            setting = Setting(
                store_dir=Path(folder),
                options=entry.options,
                seed=self._spec.seed,
                gateway=self._access(entry, services),
                services={"postgres": url},
                log_path=self._folder.log_path(cell.unit, cell.row.name),
                workers=self._attached.workers,
            )
            with closing(create_system(cell.row.name).system) as system:
                system.prepare(setting)

    def _access(self, entry: Entry, services: CellServices) -> GatewayAccess | None:
        if not {"chat", "embedding"} & set(entry.row.traits.needs):
            return None
        return services.gateway(self._attached.gateway, chat=entry.chat, embedding=entry.embedding)

    def _judge(self, model: str, cell: Cell) -> Judge:
        chat = self._crew.chat(model, cell.name, "judge")
        return Judge(model=chat, profile=judge_profile(self._spec.judge_profile), prompts=self._prepared.prompts)
