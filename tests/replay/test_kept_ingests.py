"""Ingests that are kept: paid for once, given again where all that made them is the same, and never half there."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from replay_support import COLOURS, CommandLine, Ended, lines

from groupmem.lab.names import cell_name
from groupmem.lab.records import CellRecord, RunFolder
from groupmem.lab.runs.kept.cache import IngestCache, default_ingest_cache
from groupmem.lab.runs.kept.cell import HURRIED
from groupmem.models.calllog import CallLog, Totals
from support.openai_server import OpenAIServer, RecordedRequest, Reply, error

RUN, AGAIN = Path("run"), Path("again")
CODE = "groupmem.lab.runs.kept.cell.code_identity"
WORKER = '''
"""Has a model write a note on every message, and finds notes by their words. Of a question it makes no call."""
import json
import urllib.request
from pathlib import Path

from groupmem_worker import serve


class Memory:
    capabilities = {"restorable": True}
    needs = ("chat",)
    options = (
        {"name": "style", "default": "plain", "summary": "how notes are written"},
        {"name": "steps", "default": "5", "summary": "how long it thinks of a question", "ingest": False},
    )

    def open(self, setting):
        self.gateway, self.style = setting["gateway"], setting["options"]["style"]
        self.restored = setting["restored"]
        self.path = Path(setting["store_dir"]) / "notes.jsonl"
        self.found = [json.loads(line) for line in self.path.open()] if self.restored else []

    def ingest(self, messages):
        for message in () if self.restored else messages:
            self.found.append({"id": message["id"], "note": self.note(message["text"])})
            with self.path.open("a") as file:
                file.write(json.dumps(self.found[-1]) + "\\n")

    def note(self, text):
        body = {"model": self.gateway["chat_model"], "messages": [{"role": "user", "content": f"{self.style}: {text}"}]}
        url = self.gateway["base_url"].removesuffix("/v1") + "/notes/v1/chat/completions"
        request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)["choices"][0]["message"]["content"]

    def recall(self, question, asker, limit, asked_at):
        asked = set(question.lower().strip("?").split())
        ranked = sorted(self.found, key=lambda each: -len(asked & set(each["note"].lower().split())))
        return [{"source_ids": [each["id"]], "text": each["note"]} for each in ranked[:limit]]

    def usage(self):
        figures = {} if self.restored else {"chunks": len(self.found)}
        return {"figures": figures, "notes": [] if self.restored else ["one note was short"]}


serve(Memory)
'''


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A model whose note on a message is the message."""
    with OpenAIServer(lambda request: Reply(request.last_message)) as server:
        yield server


@pytest.fixture(autouse=True)
def committed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CODE, lambda: "commit 1")


@pytest.fixture
def worker(tmp_path: Path) -> Path:
    path = tmp_path / "memory.py"
    path.write_text(WORKER)
    return path


class Kept:
    """Runs of the worker above on the conversation of doors."""

    def __init__(self, groupmem: CommandLine, doors: Path, server: OpenAIServer, worker: Path) -> None:
        self._groupmem = groupmem
        self.doors = doors
        self.server = server
        self._worker = worker

    def system(self, options: str = "", model: str = "small") -> str:
        program = f"{shlex.quote(sys.executable)} {shlex.quote(str(self._worker))}"
        return f"cmd:chat=openai:{model}@{self.server.url} {options} {program}".replace("  ", " ")

    def arguments(self, system: str, out: Path) -> list[str]:
        return ["run", str(self.doors), "--system", system, "--no-cache", "--out", str(out)]

    def __call__(self, out: Path, *more: str, system: str | None = None) -> tuple[Ended, list[RecordedRequest]]:
        """How it ended, and the requests that it made."""
        before = len(self.server.requests)
        ended = self._groupmem(*self.arguments(system or self.system(), out), *more)
        assert ended.code == 0, ended.err
        return ended, self.server.requests[before:]

    def cell(self, out: Path, system: str | None = None) -> CellRecord:
        cell = RunFolder(out).read_cell("doors", system or self.system())
        assert cell is not None
        return cell

    def ingest_of(self, out: Path, system: str | None = None) -> Totals:
        log = CallLog(RunFolder(out).calls_path, read_only=True)
        totals = log.totals(cell=cell_name("doors", system or self.system()), phase="ingest/notes")
        log.close()
        return totals


@pytest.fixture
def kept(groupmem: CommandLine, doors: Path, server: OpenAIServer, worker: Path) -> Kept:
    return Kept(groupmem, doors, server, worker)


def keys() -> list[str]:
    return [entry.key for entry in IngestCache(default_ingest_cache()).entries()]


def plain(cell: CellRecord) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(cell).items() if name != "kept_ingest"}


def test_a_second_run_makes_no_call_of_ingest_and_ends_with_the_same(kept: Kept) -> None:
    first, calls = kept(RUN)
    assert len(calls) == 3 + len(COLOURS), "the preflight, and every message"
    assert "its ingest is kept for later runs" in first.err
    again, calls = kept(AGAIN)
    assert calls == []
    assert "nothing of it is paid again" in " ".join(again.err.split())
    assert lines(AGAIN, kept.system()) == lines(RUN, kept.system())
    before, after = kept.cell(RUN), kept.cell(AGAIN)
    assert before.kept_ingest is not None
    assert after.kept_ingest == msgspec.structs.replace(before.kept_ingest, reused=True)
    assert before.kept_ingest.key == keys()[0]
    assert plain(after) == plain(before), "seconds, bytes, figures and notes too"
    assert after.figures == {"chunks": len(COLOURS)}
    assert "one note was short" in after.notes


def test_what_it_took_is_on_the_bill_of_the_method_and_no_new_money(kept: Kept) -> None:
    prices = Path("prices.toml")
    prices.write_text("[small]\ninput = 1000.0\noutput = 1000.0\n")
    kept(RUN, "--prices", str(prices))
    kept(AGAIN, "--prices", str(prices), "--max-usd", "0", "--max-calls", "0")
    before, after = kept.ingest_of(RUN), kept.ingest_of(AGAIN)
    assert after.usage == before.usage
    assert after.usage.calls == len(COLOURS)
    assert (before.usage.cost_usd or 0) > 0
    assert (before.paid_usd, after.paid_usd) == (before.usage.cost_usd, 0)
    assert after.cached_calls == len(COLOURS)


def test_seconds_that_the_cache_of_replies_made_short_are_told_again(kept: Kept, groupmem: CommandLine) -> None:
    with_cache = [argument for argument in kept.arguments(kept.system(), Path("first")) if argument != "--no-cache"]
    assert groupmem(*with_cache, "--no-ingest-cache").code == 0
    assert groupmem(*with_cache[:-1], "second").code == 0
    kept(AGAIN)
    assert HURRIED in kept.cell(AGAIN).notes
    assert HURRIED not in kept.cell(Path("second")).notes


def test_the_same_run_that_goes_on_books_nothing_twice(kept: Kept) -> None:
    """Its cell has failed since: what it ingested is there."""
    kept(RUN)
    before = kept.ingest_of(RUN)
    folder = RunFolder(RUN)
    folder.write_cell(msgspec.structs.replace(kept.cell(RUN), status="failed", failure="the power went"))
    _, calls = kept(RUN)
    assert calls == []
    assert kept.cell(RUN).status == "done"
    assert kept.ingest_of(RUN) == before


@pytest.mark.parametrize("changed", ["option", "model", "messages", "seed", "file", "code"])
def test_whatever_decides_an_ingest_makes_another_one(
    changed: str, kept: Kept, worker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(RUN)
    system, more = kept.system(), []
    if changed == "option":
        system = kept.system("style=terse")
    elif changed == "model":
        system = kept.system(model="large")
    elif changed == "messages":
        kept.doors.write_text(kept.doors.read_text().replace("painted ochre", "painted amber"))
    elif changed == "seed":
        more = ["--seed", "1"]
    elif changed == "file":
        worker.write_text(WORKER + "# another schema\n")
    else:
        monkeypatch.setattr(CODE, lambda: "commit 2")
    _, calls = kept(AGAIN, *more, system=system)
    assert len(calls) == 3 + len(COLOURS)
    assert len(set(keys())) == 2


def test_what_is_done_with_questions_alone_is_no_part_of_the_key(kept: Kept) -> None:
    kept(RUN)
    _, calls = kept(AGAIN, "--limit", "3", system=kept.system("steps=9"))
    assert calls == []


def test_code_that_is_in_no_commit_neither_uses_nor_keeps_one(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(RUN)
    monkeypatch.setattr(CODE, lambda: None)
    ended, calls = kept(AGAIN)
    assert len(calls) == 3 + len(COLOURS)
    assert ended.err.count("in no commit") == 1
    assert len(keys()) == 1
    assert kept.cell(AGAIN).kept_ingest is None


def test_the_option_leaves_it_alone(kept: Kept) -> None:
    kept(RUN, "--no-ingest-cache")
    assert keys() == []
    kept(AGAIN)
    _, calls = kept(Path("third"), "--no-ingest-cache")
    assert len(calls) == 3 + len(COLOURS)


def test_a_damaged_one_is_made_anew(kept: Kept) -> None:
    kept(RUN)
    path = default_ingest_cache() / keys()[0] / "store" / "notes.jsonl"
    path.write_text(path.read_text().replace("ochre", "amber"))
    _, calls = kept(AGAIN)
    assert len(calls) == 3 + len(COLOURS)
    assert lines(AGAIN, kept.system()) == lines(RUN, kept.system())


def test_an_ingest_that_lacks_a_call_is_not_kept(groupmem: CommandLine, doors: Path, worker: Path) -> None:
    """The worker goes on without the note of a message."""
    note = 'self.note(message["text"])'
    worker.write_text(WORKER.replace(note, f'{note} if "teal" not in message["text"] else self.tried(message)', 1))
    worker.write_text(worker.read_text().replace("    def recall", FORGIVING, 1))

    def reply(request: RecordedRequest) -> Reply:
        lost = "teal" in request.last_message
        return error(401, "the key has ended") if lost else Reply(request.last_message)

    with OpenAIServer(reply) as server:
        kept = Kept(groupmem, doors, server, worker)
        kept(RUN)
        assert any("1 model calls of its ingest were never answered" in note for note in kept.cell(RUN).notes)
    assert keys() == []


FORGIVING = """
    def tried(self, message):
        try:
            return self.note(message["text"])
        except OSError:
            return "unknown"

    def recall"""


def test_the_command_shows_sizes_and_removes(kept: Kept, groupmem: CommandLine) -> None:
    kept(RUN)
    kept(AGAIN, system=kept.system("style=terse"))
    listed = groupmem("cache", "list", "--json").object
    assert [each["options"]["style"] for each in listed["ingests"]] == ["plain", "terse"]
    on_disk = sum(path.stat().st_size for path in default_ingest_cache().rglob("*") if path.is_file())
    records = sum(path.stat().st_size for path in default_ingest_cache().glob("*/entry.json"))
    assert listed["bytes"] == sum(each["bytes"] for each in listed["ingests"]) == on_disk - records
    assert "2 kept ingests, 0.0 MB in" in groupmem("cache", "list").out
    first, second = (each["key"] for each in listed["ingests"])
    assert groupmem("cache", "clear", first[:8], "--json").object["removed"] == [first]
    assert keys() == [second]
    missing = groupmem("cache", "clear", "0" * 12)
    assert (missing.code, "kept ingest" in missing.err) == (1, True)
    assert "removed 1 kept ingests" in groupmem("cache", "clear").out
    assert list(default_ingest_cache().iterdir()) == []


DEADLY = """
import os, signal, sys
from groupmem.lab.runs.kept import cache, cell
cell.code_identity = lambda: "commit 1"
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[1] == "keeping":
    cell.seal = die
elif sys.argv[1] == "taking":
    cache.Path.rename = lambda self, to: die() if self.name == ".store.copy" else os.rename(self, to)
from groupmem.cli import main
sys.argv[:2] = ["groupmem"]
main()
"""


def killed(kept: Kept, when: str, out: Path) -> None:
    command = [sys.executable, "-c", DEADLY, when, *kept.arguments(kept.system(), out)]
    done = subprocess.run(command, env={**os.environ}, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


def test_killed_while_it_is_kept_nothing_is_there(kept: Kept) -> None:
    killed(kept, "keeping", RUN)
    assert keys() == []
    (half,) = default_ingest_cache().iterdir()
    assert (half / "store" / "notes.jsonl").is_file(), "it was in the middle of it"
    _, calls = kept(RUN)
    assert len(calls) == 3 + len(COLOURS)
    assert [path.name for path in default_ingest_cache().iterdir()] == keys() != []


def test_killed_while_it_is_taken_over_the_next_start_takes_it_again(kept: Kept) -> None:
    kept(RUN)
    killed(kept, "taking", AGAIN)
    assert not RunFolder(AGAIN).store_path("doors", kept.system()).exists()
    _, calls = kept(AGAIN)
    assert calls == []
    assert lines(AGAIN, kept.system()) == lines(RUN, kept.system())
