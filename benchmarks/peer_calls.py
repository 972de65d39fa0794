"""What official packages call: 30 messages and 4 questions in a run of their own, with a stand-in for the chat model.

    python benchmarks/peer_calls.py                all systems that are installed (groupmem systems install NAME)
    python benchmarks/peer_calls.py mem0 mem0-v1

The stand-in finds one fact in every message. Calls and tokens (o200k) are those of the call log of the run, as the
gateway saw them; embeddings are MiniLM's. One row a system and phase, as Markdown.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "contract")]

from isolated_cells import Peer, installed_peers  # noqa: E402  (the path above leads to them)

from groupmem.lab.records import RunFolder, RunSpec  # noqa: E402
from groupmem.lab.runs.engine import RunOptions, run  # noqa: E402
from groupmem.lab.systems.isolated.adapter import find_adapter  # noqa: E402
from groupmem.lab.systems.isolated.environment import installed  # noqa: E402
from groupmem.readers import jsonl  # noqa: E402
from groupmem.types import Channel, Conversation, Message, Person, Question  # noqa: E402
from support.openai_server import OpenAIServer, Reply  # noqa: E402

PEOPLE = ("Ines", "Orrin", "Tamsin", "Bo", "Quill")
ROOMS = ("dock", "yard", "office")
THINGS = ("crane", "winch", "lifeboat", "gangway", "boiler", "anchor", "radar", "hatch", "pump", "mast")
STATES = ("was inspected on {day}", "needs a new bolt before {day}", "will be painted by {person} on {day}")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
MESSAGES, QUESTIONS = 30, 4
START = datetime(2031, 3, 3, 8, tzinfo=UTC)
HEAD = (
    "| system | phase | chat calls | chat tokens in | out | embedding calls | texts' tokens | notes |\n"
    + "|---" * 8
    + "|"
)
_CALLS = "SELECT phase, kind, COUNT(*), SUM(input_tokens), SUM(output_tokens) FROM calls WHERE cell = ? GROUP BY 1, 2"


class Phase(NamedTuple):
    """Calls of one phase: (calls, input tokens, output tokens) by kind."""

    name: str
    chat: tuple[int, int, int]
    embedding: tuple[int, int, int]


def conversation() -> tuple[Conversation, tuple[Question, ...]]:
    messages = tuple(
        Message(
            id=f"m{n}",
            channel=ROOMS[n % 3],
            author=PEOPLE[n % 5],
            role="Mechanic",
            text=f"The {THINGS[n % 10]} of ship {n} "
            + STATES[n % 3].format(day=DAYS[n % 5], person=PEOPLE[(n + 1) % 5]),
            sent_at=START + timedelta(minutes=11 * n),
        )
        for n in range(MESSAGES)
    )
    questions = tuple(
        Question(id=f"q{n}", text=f"What is said of the {THINGS[n]} of ship {n}?", asker="Bo", evidence=(f"m{n}",))
        for n in range(QUESTIONS)
    )
    people, channels = tuple(Person(id=name) for name in PEOPLE), tuple(Channel(id=room) for room in ROOMS)
    return Conversation(id="ships", messages=messages, people=people, channels=channels), questions


def measure(peer: Peer, folder: Path) -> tuple[list[Phase], tuple[str, ...], str]:
    """Calls by phase, the notes of the cell, and why it failed ("" where it did not)."""
    jsonl.write(folder / "ships.jsonl", *conversation())
    with OpenAIServer(peer.reply or (lambda _: Reply(""))) as server:
        system = peer.spec(server.url)
        spec = RunSpec(benchmark=str(folder / "ships.jsonl"), systems=(system,))
        record = run(spec, RunOptions(out=folder / "run"))
    cell = RunFolder(folder / "run").read_cell("ships", system)
    assert cell is not None
    return list(phases(record.calls_path, f"ships/{system}")), cell.notes, cell.failure or ""


def phases(log: Path, cell: str) -> Iterator[Phase]:
    with closing(sqlite3.connect(log)) as database:
        rows = database.execute(_CALLS, (cell,)).fetchall()
    for name in dict.fromkeys(row[0] for row in rows):
        by_kind = {
            kind: (calls, tokens_in or 0, out or 0) for phase, kind, calls, tokens_in, out in rows if phase == name
        }
        yield Phase(name, by_kind.get("chat", (0, 0, 0)), by_kind.get("embedding", (0, 0, 0)))


def show(peer: Peer) -> None:
    environment = installed(find_adapter(peer.name))
    assert environment is not None
    with tempfile.TemporaryDirectory(prefix="groupmem-peers-") as folder:
        found, notes, failure = measure(peer, Path(folder))
    told = failure.splitlines()[0] if failure else f"{environment.installed_bytes / 1e6:,.0f} MB; {'; '.join(notes)}"
    for phase in found or [Phase("none", (0, 0, 0), (0, 0, 0))]:
        chat, embedding = phase.chat, phase.embedding
        figures = f"{chat[0]} | {chat[1]:,} | {chat[2]:,} | {embedding[0]} | {embedding[1]:,}"
        print(f"| `{peer}` | {phase.name} | {figures} | {told} |", flush=True)
        told = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("systems", nargs="*", help="default: all that are installed")
    wanted = parser.parse_args().systems
    print(HEAD)
    for peer in installed_peers():
        if not wanted or peer.name in wanted or str(peer) in wanted:
            show(peer)


if __name__ == "__main__":
    main()
