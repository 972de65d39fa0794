"""What became of anchors so far, so that a killed or waiting process goes on where it was."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from groupmem.lab.questions.records import Category, Outcome
from groupmem.lab.records import read_lines


class Journal:
    """Append-only JSONL of outcomes. A last line that was left half written is cut when the journal is opened."""

    def __init__(self, path: Path) -> None:
        self._path = path
        if path.is_file():
            content = path.read_bytes()
            if not content.endswith(b"\n"):
                os.truncate(path, content.rfind(b"\n") + 1)
        self._known = {(line.category, line.anchor): line for line in read_lines(path, Outcome)}

    def __len__(self) -> int:
        return len(self._known)

    def find(self, category: Category, anchor: str) -> Outcome | None:
        """What became of the anchor; None where that is not known yet."""
        return self._known.get((category, anchor))

    def add(self, outcome: Outcome) -> None:
        """Keeps an outcome; it reaches the operating system at once."""
        self._known[outcome.category, outcome.anchor] = outcome
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab", buffering=0) as file:
            file.write(msgspec.json.encode(outcome) + b"\n")

    def remove(self) -> None:
        """The work is done and lies elsewhere."""
        self._path.unlink(missing_ok=True)
