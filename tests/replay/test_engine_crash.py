"""kill -9 while a memory is written: nothing that was acknowledged is lost, and nothing is half there."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

from groupmem.memory.store.sqlite import SqliteStore
from support.memory_store import everything, found, near, open_store
from support.word_vectors import WordVectors

KILLS = 20
WRITER = """
import sys
from pathlib import Path

from groupmem.memory.decisions import link
from groupmem.memory.store import generations, segments, sqlite
from groupmem.types import Message
from support.word_vectors import WordVectors

# Small thresholds, so that segments, merges, vectors and compactions happen all the time.
sqlite.TAIL_ENTRIES, sqlite.BATCH_MESSAGES = 7, 5
path, start = Path(sys.argv[1]), int(sys.argv[2])
store = sqlite.SqliteStore(path, link=link, embedding=WordVectors())
print("open", flush=True)
number = start
while True:
    batch = [
        Message(id=str(each), channel=f"room{each % 3}", author="mira", text=f"lamp word{each}", reply_to=str(each - 3))
        for each in range(number, number + 4)
    ]
    store.add(batch)
    print("added", number, number + 4, flush=True)
    number += 4
    if number % 12 == 0:
        store.add([Message(id=str(start), channel=f"room{start % 3}", author="mira", text=f"kettle {number}")])
        print("edited", start, number, flush=True)
    if number % 16 == 0:
        gone = number - 2
        store.delete(f"room{gone % 3}", str(gone))
        print("deleted", gone, flush=True)
    if number % 40 == 0:
        store.compact()
"""


class Acknowledged:
    """What the writers said that they had done, before they were killed."""

    def __init__(self) -> None:
        self.texts: dict[int, set[str]] = {}
        self.gone: set[int] = set()
        self.next = 0

    def take(self, lines: list[str]) -> None:
        for line in lines:
            what, *numbers = line.split()
            values = list(map(int, numbers))
            if what == "added":
                for each in range(*values):
                    self.texts[each] = {f"lamp word{each}"}
                self.next = values[1]
            elif what == "edited":
                self.texts[values[0]] = {f"kettle {values[1]}"}
            elif what == "deleted":
                self.gone.add(values[0])


def killed_writer(path: Path, start: int, seconds: float) -> list[str]:
    """Runs a writer for a while from the moment it has opened the memory; gives the lines that it printed whole."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(start)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    lines = process.stdout.readlines()
    assert process.wait() == -signal.SIGKILL
    return [line for line in lines if line.endswith("\n")]


def check(store: SqliteStore, model: WordVectors, known: Acknowledged) -> None:
    """All that was acknowledged is there and whole; what was under way may be there or not."""
    view = store.view(None)
    stored = {int(each.message.id): each for each in view.messages(everything(view))}
    for number, texts in known.texts.items():
        if number in known.gone:
            assert number not in stored
        elif number in stored:
            text = stored[number].message.text
            assert text in texts or text.startswith("kettle "), "an edit that was under way may have come through"
        else:
            assert number == known.next - 2, "only the deletion that was under way may have come through"
            known.gone.add(number)  # and stays gone in all that follows
    for number, each in stored.items():
        if number - 3 in stored:
            assert each.parent == stored[number - 3].row
        assert each.notes.message == each.message.id
    assert view.frequencies("content", ["lamp"])[0] == sum("lamp" in each.message.text for each in stored.values())
    some = random.Random(len(stored)).sample(sorted(stored), min(5, len(stored)))
    for number in some:
        text = stored[number].message.text
        assert text in found(view, text.split()[1])
        assert near(view, model, text, limit=1) == [text]


def test_a_writer_that_is_killed_again_and_again(tmp_path: Path) -> None:
    path, model, known = tmp_path / "team.db", WordVectors(), Acknowledged()
    pause = random.Random(0)
    for _ in range(KILLS):
        first = max(known.texts, default=-1) + 1000  # past all that may have come through unacknowledged
        known.take(killed_writer(path, first, pause.uniform(0.0, 0.25)))
        store = open_store(path, model)
        check(store, model, known)
        store.close()
    assert len(known.texts) > KILLS, "the writers must have come to write"
    store = open_store(path, model)
    store.rebuild()
    check(store, model, known)
    store.compact()
    check(store, model, known)
    assert store.status().unembedded == store.status().unindexed == 0
    left = {file.suffix for file in path.with_name("team.db.index").iterdir()}
    assert left == {".lock", ".postings", ".int8", ".entries"}, "no file of a killed process is left"
    store.close()
