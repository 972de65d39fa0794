"""Auditing a file: finds the questions and the conversation that they are about, and checks one against the other."""

from __future__ import annotations

from pathlib import Path

from groupmem.errors import InputError
from groupmem.lab.questions.audit import Audit, Finding
from groupmem.readers.base import Ledger
from groupmem.readers.questions import read_questions
from groupmem.readers.registry import read_any
from groupmem.types import Record

LEVELS = 3
"""Folders above a question file in which its corpus is looked for: questions/<Domain>/<type>.jsonl lies two below."""


class Audited(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What was checked, and what was found. `unreadable` rows of the file are no questions."""

    corpus: str
    questions: int
    findings: tuple[Finding, ...]
    unreadable: int = 0


def audit_file(path: Path, corpus: Path | None = None) -> Audited:
    """Audits a question file, or all questions of a folder. Raises InputError where one of the two cannot be read."""
    if not path.exists():
        raise InputError(f"{path} does not exist")
    place = corpus or _corpus_of(path)
    loaded = read_any(place)
    questions, unreadable = loaded.questions, 0
    if path.is_file():
        ledger = Ledger()
        questions = read_questions((path,), ledger)
        unreadable = len(ledger.report().quarantined)
    if not questions:
        raise InputError(f"{path} holds no question")
    findings = tuple(Audit(loaded.conversation).findings(questions))
    return Audited(corpus=str(place), questions=len(questions), findings=findings, unreadable=unreadable)


def _corpus_of(path: Path) -> Path:
    if path.is_dir():
        return path
    for folder in path.resolve().parents[:LEVELS]:
        if (folder / "corpus.json").is_file():
            return folder
    raise InputError(f"no corpus.json beside {path}: name the conversation with --corpus")
