"""Messages and questions for `engine_speed.py`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import msgspec
import numpy as np

from groupmem import Message
from groupmem.text import words

ROUND = timedelta(days=400)
Asked = tuple[str, str | None]
"""A question, and who asks."""


def write_corpus(folder: Path, count: int) -> None:
    """A synthesised conversation and questions about it; written once."""
    if not (folder / "messages.jsonl").exists():
        groupmem("synth", "make", "technology", "--quiet", "--messages", str(count), "--out", str(folder))
    if not (folder / "questions").exists():
        groupmem("questions", "make", str(folder))


def groupmem(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "groupmem", *arguments], check=True, capture_output=True)


def repeated(messages: Sequence[Message]) -> Iterator[Message]:
    """The messages without end, each round later than the one before and under ids of its own."""
    number = 0
    while True:
        for message in messages:
            yield msgspec.structs.replace(
                message,
                id=f"{message.id}.{number}",
                reply_to=message.reply_to and f"{message.reply_to}.{number}",
                thread=message.thread and f"{message.thread}.{number}",
                sent_at=message.sent_at and message.sent_at + number * ROUND,
            )
        number += 1


def half_remembered(messages: Sequence[Message], count: int) -> list[Asked]:
    """Askers with five words of one message and two of another, as somebody may ask who half remembers."""
    random = np.random.default_rng(1)
    chosen = random.choice(len(messages), size=(count, 2))
    asked: list[Asked] = []
    for one, other in chosen.tolist():
        first, second = words(messages[one].text), words(messages[other].text)
        picked = [*random.permutation(first)[:5].tolist(), *random.permutation(second)[:2].tolist()]
        asked.append((f"What was said about {' '.join(picked)}?", messages[one].author))
    return asked


def made(folder: Path, count: int) -> list[Asked]:
    """Questions of `groupmem questions make`, of all types."""
    lines = [line for path in sorted((folder / "questions").glob("*.jsonl")) for line in path.read_text().splitlines()]
    chosen = np.random.default_rng(1).permutation(len(lines))[:count].tolist()
    return [(each["question"], each["asking_user_id"]) for each in (json.loads(lines[place]) for place in chosen)]
