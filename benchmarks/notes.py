"""Times what is noted at ingest: microseconds a message for the notes and for the analyser, each message read once.

    python benchmarks/notes.py FILE_OR_FOLDER

Takes any conversation that `groupmem import` takes. The first tenth only warms up; the caches of words then hold what
they would hold in a running engine. Processor time, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from groupmem.memory.analysis import terms
from groupmem.memory.notes import Directory, Notes, note
from groupmem.readers.registry import read_any
from groupmem.types import Conversation, Message


def measure(conversation: Conversation) -> str:
    """One line: messages timed, words a message, and the three figures."""
    directory = Directory(conversation.people, conversation.channels)
    messages = conversation.messages
    warm, timed = messages[: len(messages) // 10], messages[len(messages) // 10 :]
    notes: dict[str, Notes] = {}
    _note(warm, directory, notes)
    noting = _seconds(lambda: _note(timed, directory, notes)) / len(timed)
    cutting = _seconds(lambda: [terms(message.text) for message in timed]) / len(timed)
    words = sum(len(message.text.split()) for message in timed) / len(timed)
    return (
        f"{len(timed)} messages of {words:.1f} words: notes {noting * 1e6:.0f} us, terms {cutting * 1e6:.0f} us, "
        f"{1 / (noting + cutting):.0f} messages a second"
    )


def _note(messages: tuple[Message, ...], directory: Directory, notes: dict[str, Notes]) -> None:
    for message in messages:
        notes[message.id] = note(message, directory=directory, parent=notes.get(message.reply_to or ""))


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("conversation", type=Path)
    print(measure(read_any(parser.parse_args().conversation).conversation))
