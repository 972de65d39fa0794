"""Runs of systems in processes of their own: their record, what fails their cell, and what a kill leaves."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import msgspec
import pytest
from replay_support import COLOURS, CommandLine, lines
from small_sets import groupmembench_folder

from groupmem.lab.records import CellRecord, RunFolder
from groupmem.lab.systems.isolated.adapter import find_installable
from groupmem.lab.systems.isolated.environment import Environment, environment_folder

RUN = Path("run")
WORKER = """
import sys
from groupmem_worker import serve

class Memory:
    packages = ("no-such-package",)
    notes = ("a note",)
    def __init__(self):
        self.messages = []
    def open(self, setting):
        (open(setting["store_dir"] + "/kept", "w")).write("x" * 1000)
        print("opened", file=sys.stderr)
    def ingest(self, messages):
        self.messages += messages
        if BREAKS == "ingest" and len(messages) > 3:
            raise RuntimeError("the disk of the worker is full")
    def recall(self, question, asker, limit, asked_at):
        if BREAKS == "preflight":
            return []
        words = set(question.lower().split())
        best = sorted(self.messages, key=lambda m: -len(words & set(m["text"].lower().split())))
        return [{"source_ids": [m["id"]]} for m in best[:limit]]
    def usage(self):
        if BREAKS == "usage" and len(self.messages) > 3:
            raise RuntimeError("it cannot count")
        return {}
    def close(self):
        if BREAKS == "close" and len(self.messages) > 3:
            raise RuntimeError("the index cannot be closed")

serve(Memory)
"""


def worker(tmp_path: Path, breaks: str = "") -> str:
    path = tmp_path / "memory.py"
    path.write_text(f"BREAKS = {breaks!r}\n{WORKER}")
    return f"cmd:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def cell_of(system: str) -> CellRecord:
    cell = RunFolder(RUN).read_cell("doors", system)
    assert cell is not None
    return cell


def test_the_record_has_what_the_worker_said_and_keeps(groupmem: CommandLine, doors: Path, tmp_path: Path) -> None:
    system = worker(tmp_path)
    assert groupmem("run", doors, "--system", system, "--out", RUN).code == 0
    cell = cell_of(system)
    assert cell.notes == ("no-such-package no release", "a note")
    assert cell.store_bytes == 1000
    assert len(lines(RUN, system).recalled) == len(COLOURS)
    log = RunFolder(RUN).log_path("doors", system).read_text()
    assert log.count("opened") == 2  # the preflight, and the cell


def test_what_the_preflight_does_not_find_fails_the_cell_before_its_questions(
    groupmem: CommandLine, doors: Path, tmp_path: Path
) -> None:
    system = worker(tmp_path, "preflight")
    ended = groupmem("run", doors, "--system", system, "--system", "bm25", "--out", RUN)
    assert ended.code == 1
    assert "preflight: a planted message did not come back" in (cell_of(system).failure or "")
    assert cell_of(system).messages == 0
    assert cell_of("bm25").status == "done"


def test_a_worker_that_breaks_fails_its_cell_with_its_last_lines(
    groupmem: CommandLine, doors: Path, tmp_path: Path
) -> None:
    system = worker(tmp_path, "ingest")
    assert groupmem("run", doors, "--system", system, "--out", RUN).code == 1
    failure = cell_of(system).failure or ""
    assert "the disk of the worker is full" in failure
    assert "worker.log" in failure
    assert not RunFolder(RUN).stage_path("doors", system, "recalled").exists()
    worker(tmp_path)
    assert groupmem("run", doors, "--system", system, "--out", RUN).code == 0
    assert cell_of(system).status == "done"


@pytest.mark.parametrize(("breaks", "told"), [("close", "closing it failed"), ("usage", "telling what it counted")])
def test_what_breaks_after_the_last_question_is_noted(
    groupmem: CommandLine, doors: Path, tmp_path: Path, breaks: str, told: str
) -> None:
    system = worker(tmp_path, breaks)
    assert groupmem("run", doors, "--system", system, "--out", RUN).code == 0
    cell = cell_of(system)
    assert (cell.status, cell.store_bytes) == ("done", 1000)
    assert told in cell.notes[-1]
    assert "log: " in cell.notes[-1]
    assert len(lines(RUN, system).recalled) == len(COLOURS)


@pytest.mark.parametrize("service", ["postgres", "falkordb"])
def test_a_database_that_does_not_start_fails_its_cell_and_no_other(
    groupmem: CommandLine, doors: Path, tmp_path: Path, service: str
) -> None:
    system = worker(tmp_path)
    path = tmp_path / "memory.py"
    path.write_text(path.read_text().replace("class Memory:", f"class Memory:\n    needs = ('{service}',)"))
    adapter = find_installable(service)
    environment = Environment(name=service, key="", python="", packages={}, installed_bytes=0, seconds=0.0)
    environment_folder(adapter).mkdir(parents=True)
    (environment_folder(adapter) / "environment.json").write_bytes(msgspec.json.encode(environment))
    ended = groupmem("run", doors, "--system", system, "--system", "bm25", "--out", RUN)
    assert ended.code == 1
    assert "lacks" in (cell_of(system).failure or "")
    assert cell_of("bm25").status == "done"


def test_a_pass_of_the_preflight_holds_for_the_next_units(groupmem: CommandLine, tmp_path: Path) -> None:
    data = groupmembench_folder(tmp_path / "data" / "groupmembench", "Finance", "Healthcare").parent
    system = worker(tmp_path)
    ended = groupmem("run", "groupmembench", "--data", data, "--unpinned", "--system", system, "--out", RUN)
    assert ended.code == 0, ended.err
    units = RunFolder(RUN).read_run().units
    assert len(units) == 2
    assert [RunFolder(RUN).log_path(unit, system).read_text().count("opened") for unit in units] == [2, 1]
