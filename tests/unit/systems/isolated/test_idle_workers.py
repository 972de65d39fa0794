"""Workers that serve one cell after another, and what they leave to the next."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from worker_programs import program as program_of
from worker_programs import served

from groupmem.errors import SystemFailure
from groupmem.lab.systems.base import Setting
from groupmem.lab.systems.isolated.idle import IdleWorkers
from groupmem.lab.systems.isolated.lifetime import mark_of
from groupmem.lab.systems.isolated.process import Program
from groupmem.lab.systems.isolated.system import Declaration, IsolatedSystem
from groupmem.types import Message

COUNTING = """
reopens = REOPENS
def __init__(self): self.calls = []
def prepare(self, setting): self.calls.append("prepare " + setting["services"]["postgres"])
def open(self, setting):
    self.calls.append("open " + setting["services"].get("postgres", ""))
    print("opened", setting["store_dir"])
def ingest(self, messages): self.calls.append("ingest")
def recall(self, **asked):
    import json, os
    return [{"source_ids": ["m1"], "text": json.dumps({"pid": os.getpid(), "calls": self.calls})}]
def close(self): BREAK
"""
SAID = Message(id="m1", channel="dock", author="User_1", text="the crane moved")


def counting(folder: Path, *, reopens: bool = True, close: str = "pass") -> Program:
    return served(folder, COUNTING.replace("REOPENS", str(reopens)).replace("BREAK", close))


def cell(folder: Path, number: int, program: Program, workers: IdleWorkers | None) -> dict[str, object]:
    """The process that served a cell, and what its memory was asked to do."""
    system = IsolatedSystem(program, Declaration())
    here = folder / str(number)
    with closing(system):
        system.open(Setting(store_dir=here, log_path=here / "worker.log", workers=workers))
        system.ingest([SAID])
        found = system.recall("where?", asker=None, limit=1, asked_at=None)
    told: dict[str, object] = json.loads(found.passages[0].text)
    return told


def test_the_next_cell_has_the_same_process_and_another_memory(tmp_path: Path) -> None:
    program = counting(tmp_path)
    with IdleWorkers() as workers:
        first, second = cell(tmp_path, 1, program, workers), cell(tmp_path, 2, program, workers)
        assert mark_of(int(str(second["pid"]))) is not None
    assert first["pid"] == second["pid"]
    assert first["calls"] == second["calls"] == ["open ", "ingest"]
    assert mark_of(int(str(second["pid"]))) is None


def test_each_cell_has_its_own_lines_of_the_log_and_the_mark_goes_along(tmp_path: Path) -> None:
    program = counting(tmp_path)
    with IdleWorkers() as workers:
        for number in (1, 2):
            cell(tmp_path, number, program, workers)
        assert not (tmp_path / "1" / "worker.pid").exists()
        assert (tmp_path / "2" / "worker.pid").exists()
    for number in (1, 2):
        log = (tmp_path / str(number) / "worker.log").read_text()
        assert log == f"opened {(tmp_path / str(number)).resolve()}\n"
    assert not (tmp_path / "2" / "worker.pid").exists()


def test_one_that_does_not_reopen_ends_with_its_cell(tmp_path: Path) -> None:
    program = counting(tmp_path, reopens=False)
    with IdleWorkers() as workers:
        first, second = cell(tmp_path, 1, program, workers), cell(tmp_path, 2, program, workers)
        assert mark_of(int(str(first["pid"]))) is None
    assert first["pid"] != second["pid"]


def test_without_others_to_serve_a_worker_ends_with_its_cell(tmp_path: Path) -> None:
    assert mark_of(int(str(cell(tmp_path, 1, counting(tmp_path), None)["pid"]))) is None


def test_one_that_died_between_two_cells_is_replaced(tmp_path: Path) -> None:
    program = counting(tmp_path, close="import threading, os; threading.Timer(0.2, os._exit, (3,)).start()")
    with IdleWorkers() as workers:
        first = cell(tmp_path, 1, program, workers)
        while mark_of(int(str(first["pid"]))) is not None:
            pass
        assert cell(tmp_path, 2, program, workers)["pid"] != first["pid"]


def test_one_that_fails_to_close_serves_nobody_else(tmp_path: Path) -> None:
    program = counting(tmp_path, close="raise KeyError('the index')")
    with IdleWorkers() as workers:
        with pytest.raises(SystemFailure, match="close failed: KeyError"):
            cell(tmp_path, 1, program, workers)
        with pytest.raises(SystemFailure, match="close failed: KeyError"):
            cell(tmp_path, 2, program, workers)


DEAF = """
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    result = {"protocol": 1, "name": "deaf", "reopens": True} if asked["method"] == "hello" else {}
    print(json.dumps({"id": asked["id"], "result": result}), flush=True)
time.sleep(600)
"""
HARNESS = """
import sys, time
from pathlib import Path
from groupmem.lab.systems.isolated.idle import IdleWorkers
from groupmem.lab.systems.isolated.process import Program
workers = IdleWorkers(Path(sys.argv[2]) / "workers")
program = Program(name="deaf", argv=(sys.executable, sys.argv[1]))
worker = workers.take(program, Path(sys.argv[2]) / "cell" / "worker.log")
worker.hello()
workers.give(worker)
print("resting", flush=True)
time.sleep(600)
"""


def test_one_that_rests_while_the_run_is_killed_is_ended_by_the_next_start(tmp_path: Path) -> None:
    """Its cell is done and is not opened again; and it does not notice that nobody is there any more."""
    deaf = program_of(tmp_path, DEAF)
    harness = subprocess.Popen(
        [sys.executable, "-c", HARNESS, deaf.argv[1], str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert harness.stdout is not None
    with harness:
        assert harness.stdout.readline() == "resting\n"
        assert not (tmp_path / "cell" / "worker.pid").exists()
        (mark,) = (tmp_path / "workers").glob("*.pid")
        harness.kill()
    left = json.loads(mark.read_bytes())
    assert mark_of(left["pid"]) is not None
    with IdleWorkers(tmp_path / "workers"):
        assert mark_of(left["pid"]) is None
        assert not Path(left["scratch"]).exists()
    assert not (tmp_path / "workers").exists()


def test_another_program_has_another_worker(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "ab"]
    for folder in folders:
        folder.mkdir()
    with IdleWorkers() as workers:
        first, second = (cell(tmp_path, n, counting(folder), workers) for n, folder in enumerate(folders))
    assert first["pid"] != second["pid"]


def test_preparing_is_asked_in_place_of_opening(tmp_path: Path) -> None:
    program = counting(tmp_path)
    declared = Declaration(needs=("postgres",), prepares=True)
    with IdleWorkers() as workers:
        with closing(IsolatedSystem(program, declared)) as system:
            system.prepare(Setting(services={"postgres": "first"}, workers=workers, log_path=tmp_path / "log"))
        with closing(IsolatedSystem(program, declared)) as system:
            assert system.prepares
            system.open(Setting(services={"postgres": "second"}, workers=workers, log_path=tmp_path / "log"))
            system.ingest([SAID])
            recall = system.recall("where?", asker=None, limit=1, asked_at=None)
    assert json.loads(recall.passages[0].text)["calls"] == ["open second", "ingest"]
