"""Making a corpus: from an order to a folder of files. The same order goes on with what a killed run has left."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import msgspec

from groupmem import __version__
from groupmem.errors import InputError, PendingError, UnknownNameError
from groupmem.files import only_process, write_atomic
from groupmem.lab.synthesis.content import plan_content
from groupmem.lab.synthesis.corpus import CorpusFiles, Provenance, structure_counts
from groupmem.lab.synthesis.journal import Journal
from groupmem.lab.synthesis.packs import Pack
from groupmem.lab.synthesis.plans import Plans
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.scaffold import VOICES
from groupmem.lab.synthesis.scaffolding import build_scaffold
from groupmem.lab.synthesis.structure import draw_structure
from groupmem.lab.synthesis.writers.briefing import PROMPTS, Briefing
from groupmem.lab.synthesis.writers.instructions import SCENARIOS
from groupmem.lab.synthesis.writers.model import ModelWriter, Notebook
from groupmem.lab.synthesis.writers.single_prompt import PROMPT, SinglePromptWriter
from groupmem.lab.synthesis.writing import Progress, Writing
from groupmem.models.base import Account, canonical_json
from groupmem.models.names import parse_model_name
from groupmem.models.session import Models
from groupmem.prompts import Prompts
from groupmem.types import Record

WRITERS = ("grammar", "model:NAME", "single-prompt:NAME")
WORK = ".making"
CALLS = "calls.sqlite"
FLUSH_EVERY = 200
"""Messages of the grammar writer between two flushes of the journal: it writes them again faster than a disk syncs."""


class Tasks(Protocol):
    """Where progress is shown."""

    def task(self, label: str, total: int) -> AbstractContextManager[Progress]: ...


class Order(Record, frozen=True, kw_only=True):
    """What corpus is wanted. `writer` is "grammar", "model:NAME" or "single-prompt:NAME"."""

    pack: Pack
    policy: Policy
    messages: int
    writer: str = "grammar"
    seed: int = 0
    prompts: Path | None = None
    workers: int = 8
    """Model calls under way at a time."""


class Made(Record, frozen=True, kw_only=True):
    """What came of an order. `resumed` messages were there before, all of them where the corpus was whole."""

    folder: Path
    provenance: Provenance
    resumed: int


def make_corpus(order: Order, folder: Path, tasks: Tasks, open_models: Callable[[Path], Models]) -> Made:
    """Writes the corpus into the folder; `open_models` opens the models with a call log at the path it is given.

    Raises InputError for an order that cannot be kept or a folder that holds another corpus, UnknownNameError for the
    writer, and what the models raise; what was written until then is kept, and the same order goes on.
    """
    kind, model = _writer(order.writer)
    if kind == "grammar" and order.prompts is not None:
        raise InputError("--prompts is for model writers; the grammar writer has none")
    provenance = _provenance(order, kind)
    finished = _check_folder(folder, provenance)
    if finished is not None:
        return Made(folder=folder, provenance=finished, resumed=order.messages)
    making = _Making(order, folder, tasks, provenance)
    if kind == "single-prompt":
        with making.alone(), open_models(folder / CALLS) as models:
            return making.with_single_prompt(models, model)
    plans = _plan(order, tasks)
    if kind == "grammar":
        with making.alone():
            return making.with_grammar(plans)
    with making.alone(), open_models(folder / CALLS) as models:
        return making.with_model(plans, models, model)


class _Making:
    """One order being carried out in its folder, which is taken once nothing can be wrong with the order any more."""

    def __init__(self, order: Order, folder: Path, tasks: Tasks, provenance: Provenance) -> None:
        self.order = order
        self.folder = folder
        self.tasks = tasks
        self.provenance = provenance

    def with_grammar(self, plans: Plans) -> Made:
        from groupmem.lab.synthesis.writers.grammar import GrammarWriter

        writer = GrammarWriter(self.order.pack, self.order.seed)
        writing = self.writing(plans, FLUSH_EVERY)
        with self.tasks.task("writing", self.order.messages - writing.resumed) as progress:
            writing.in_order(writer, progress)
        return self.finish(writing)

    def with_model(self, plans: Plans, models: Models, name: str) -> Made:
        order = self.order
        chat = models.chat(name, self.account())
        writing = self.writing(plans, 1)
        briefing = Briefing(order.pack, order.policy, Prompts(order.prompts))
        writer = ModelWriter(chat, briefing, order.policy, Notebook(self.folder / "phase_memory.jsonl"))
        with self.tasks.task("writing", order.messages - writing.resumed) as progress:
            writing.in_rounds(writer, progress, order.workers, models.flush_batches)
        return self.finish(writing)

    def with_single_prompt(self, models: Models, name: str) -> Made:
        order = self.order
        pack = build_scaffold(order.pack, order.policy, order.seed).pack
        writer = SinglePromptWriter(models.chat(name, self.account()), pack, order.policy, Prompts(order.prompts))
        self.claim()
        with self.tasks.task("writing", order.messages) as progress:
            try:
                messages = writer.write(order.messages, progress)
            except PendingError:
                models.flush_batches()
                raise
        self.files().write_plain(messages, writer.people, writer.channels, self.provenance)
        return _finished(self.folder, 0)

    def writing(self, plans: Plans, flush_every: int) -> Writing:
        """Takes the folder, and what is written there already."""
        self.claim()
        journal = Journal(self.folder / WORK / "written.jsonl", flush_every=flush_every)
        return Writing(plans, journal, self.order.seed)

    def finish(self, writing: Writing) -> Made:
        """Writes the files; then the journal is not needed any more."""
        scaffold = writing.plans.scaffold
        counted = msgspec.structs.replace(
            self.provenance,
            **structure_counts(writing.plans),
            phases=len(scaffold.phases),
            topics=len(scaffold.topics),
            projects=len(scaffold.projects),
            people=len(scaffold.members),
            roles=len({member.role for member in scaffold.members}),
        )
        self.files().write(writing.plans, writing.texts(), counted)
        return _finished(self.folder, writing.resumed)

    def alone(self) -> AbstractContextManager[None]:
        """Keeps other processes out of the folder. Raises InputError where one is at work in it."""
        return only_process(self.folder / WORK / "lock", self.folder)

    def claim(self) -> None:
        """Says in the folder what is being made there, so that only the same order goes on with it."""
        write_atomic(self.folder / WORK / "order.json", msgspec.json.encode(self.provenance))

    def account(self) -> Account:
        return Account(run=self.folder.resolve().name, phase="write")

    def files(self) -> CorpusFiles:
        order = self.order
        return CorpusFiles(self.folder, f"{order.pack.name}-{order.messages}-{order.seed}")


def _plan(order: Order, tasks: Tasks) -> Plans:
    with tasks.task("planning", 3) as progress:
        scaffold = build_scaffold(order.pack, order.policy, order.seed)
        progress.advance()
        slots = draw_structure(scaffold, order.policy, order.messages, order.seed)
        progress.advance()
        story = plan_content(scaffold, order.policy, slots, order.seed)
        progress.advance()
    return Plans(scaffold, order.policy, slots, story, order.seed)


def _finished(folder: Path, resumed: int) -> Made:
    shutil.rmtree(folder / WORK, ignore_errors=True)
    return Made(folder=folder, provenance=read_provenance(folder), resumed=resumed)


def read_provenance(folder: Path) -> Provenance:
    """What a finished corpus was made from. Raises InputError where the folder holds none."""
    path = folder / "provenance.json"
    if not path.is_file():
        hint = "; it is not finished, run the same command again" if (folder / WORK).is_dir() else ""
        raise InputError(f"{folder} is no synthesised corpus: it has no provenance.json{hint}")
    return _read(path)


def _read(path: Path) -> Provenance:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Provenance)
    except msgspec.DecodeError as error:
        raise InputError(f"{path}: {error}; make the corpus again in another folder") from error


def _check_folder(folder: Path, provenance: Provenance) -> Provenance | None:
    """The provenance of the corpus where it is there already, None where it can be made or gone on with.

    Raises InputError for a folder that holds something else.
    """
    if (folder / "provenance.json").is_file():
        found = read_provenance(folder)
        _same_order(found, provenance, folder)
        return found
    begun = folder / WORK / "order.json"
    if begun.is_file():
        _same_order(_read(begun), provenance, folder)
    elif folder.is_dir() and any(not path.name.startswith((CALLS, WORK)) for path in folder.iterdir()):
        raise InputError(f"{folder} is not empty and no corpus of this command: give another --out")
    elif folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: give a folder with --out")
    return None


def _same_order(found: Provenance, wanted: Provenance, folder: Path) -> None:
    for name in ("groupmem", "pack_sha256", "policy_sha256", "writer", "seed", "messages", "prompts"):
        if getattr(found, name) != getattr(wanted, name):
            raise InputError(
                f"{folder} holds a corpus with another {name} ({getattr(found, name)}, not {getattr(wanted, name)}): "
                "give another --out"
            )


def _provenance(order: Order, kind: str) -> Provenance:
    return Provenance(
        groupmem=__version__,
        pack=order.pack.name,
        pack_sha256=hashlib.sha256(canonical_json(order.pack)).hexdigest(),
        policy_sha256=order.policy.sha256,
        writer=order.writer,
        seed=order.seed,
        messages=order.messages,
        prompts=_prompt_hashes(kind, Prompts(order.prompts)),
    )


def _prompt_hashes(kind: str, prompts: Prompts) -> dict[str, str]:
    """sha256 of everything that decides what a model is told."""
    if kind == "grammar":
        return {}
    if kind == "single-prompt":
        return {PROMPT: prompts.load(PROMPT).sha256}
    hashes = {f"synthesis/{name}": prompts.load(f"synthesis/{name}").sha256 for name in PROMPTS}
    return hashes | {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (SCENARIOS, VOICES)}


def _writer(name: str) -> tuple[str, str]:
    """Kind of writer and name of its model. Raises UnknownNameError or InputError for either."""
    kind, _, model = name.partition(":")
    if kind not in ("grammar", "model", "single-prompt") or (kind == "grammar") == bool(model):
        raise UnknownNameError("writer", name, WRITERS)
    if model:
        parse_model_name(model)
    return kind, model
