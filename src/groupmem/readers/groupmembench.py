"""The layout that GroupMemBench is published in (arXiv 2605.14498): a JSON object per domain, messages by channel name.

    {"channel name": [{"msg_node": "Msg_1", "author": "User_1", "role": "...", "content": "...",
                       "timestamp": "2026-11-02T09:06:12", "reply_to": null, "phase_name": "...", "topic": "...",
                       "is_noise": false, "is_decision_point": false, ...}, ...], ...}

Beside it may lie questions (`readers.questions`), people and channels (`readers.people`). Channels and their messages
keep the order of the file. Fields without a place of their own in `Message` are kept in `extra`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from groupmem.errors import InputError
from groupmem.readers import rows
from groupmem.readers.base import BadRow, Ledger, Loaded, finish
from groupmem.readers.documents import read_document
from groupmem.readers.people import read_channels, read_people
from groupmem.readers.questions import read_questions
from groupmem.types import Conversation, Message, Record

_FIELDS = frozenset(
    (
        *("msg_node", "author", "role", "content", "timestamp", "reply_to", "phase_name", "topic", "is_bot"),
        *("thread", "edited_at"),  # not in the published files; a folder of one's own may have them
    )
)
_NOT_A_CORPUS = frozenset(("people.json", "channels.json"))
EXPECTS = "a folder with corpus.json (or one domain file) and what may lie beside it: questions, people, channels"
EXPECTS_FILE = "a .json file that holds one object of channel name -> list of messages"


class Layout(Record, frozen=True, kw_only=True):
    """The files of one corpus. Only `corpus` must be there; `name` becomes the id of the conversation."""

    name: str
    corpus: Path
    questions: tuple[Path, ...] = ()
    people: Path | None = None
    channels: Path | None = None


def read(path: Path) -> Loaded:
    """Reads a folder in this layout, or a domain file alone. Raises InputError where there is nothing to read."""
    return read_layout(find_layout(path) if path.is_dir() else Layout(name=path.stem, corpus=path))


def recognises_file(path: Path) -> bool:
    """Whether a file can be a domain file; it is read to be sure."""
    return path.suffix == ".json"


def find_layout(folder: Path) -> Layout:
    """The files of a folder. Raises InputError where no corpus is there, or more than one file could be it."""
    corpus = folder / "corpus.json"
    if not corpus.is_file():
        corpus = _only_domain_file(folder)
    questions = [path for path in (folder / "questions.jsonl",) if path.is_file()]
    questions += sorted((folder / "questions").rglob("*.jsonl"))
    people, channels = folder / "people.json", folder / "channels.json"
    return Layout(
        name=folder.resolve().name,
        corpus=corpus,
        questions=tuple(questions),
        people=people if people.is_file() else None,
        channels=channels if channels.is_file() else None,
    )


def read_layout(layout: Layout) -> Loaded:
    """Reads one corpus with all that lies beside it.

    Raises InputError for a file that is empty, no JSON or of another shape; rows that cannot be used are quarantined.
    """
    ledger = Ledger()
    people = read_people(layout.people, ledger) if layout.people else ()
    messages, names = _read_messages(layout.corpus, ledger)
    channels = read_channels(layout.channels, names, ledger)
    conversation = Conversation(id=layout.name, messages=messages, people=people, channels=channels)
    questions = read_questions(layout.questions, ledger)
    return finish(conversation, questions, ledger)


def _only_domain_file(folder: Path) -> Path:
    candidates = sorted(path for path in folder.glob("*.json") if path.name not in _NOT_A_CORPUS)
    if len(candidates) == 1:
        return candidates[0]
    found = "none is there" if not candidates else f"{', '.join(path.name for path in candidates)} are there"
    raise InputError(f"{folder}: no corpus.json, and not exactly one domain file: {found}. Expected: {EXPECTS}")


def _read_messages(path: Path, ledger: Ledger) -> tuple[tuple[Message, ...], list[str]]:
    """All messages, and the names of the channels in the order of the file."""
    document = read_document(path)
    for _ in range(document.non_finite):
        ledger.count("non_finite_numbers")
    if not isinstance(document.value, dict):
        raise InputError(f"{path}: expected one JSON object of channel name -> list of messages")
    messages: list[Message] = []
    seen: set[str] = set()
    for channel, items in document.value.items():
        if not isinstance(items, list):
            raise InputError(f"{path}: channel {channel!r} is not a list of messages")
        position = 0
        for index, row in enumerate(items):
            try:
                _refuse_seen(row, seen)
                message = _message(row, channel, position, ledger)
                if document.lenient and not rows.is_unicode(message):
                    raise BadRow("a lone surrogate, which is no character")
            except BadRow as reason:
                ledger.quarantine(path, f"{channel}[{index}]", reason, row)
                continue
            seen.add(message.id)
            messages.append(message)
            position += 1
    return tuple(messages), list(document.value)


def _refuse_seen(row: Any, seen: set[str]) -> None:
    if not isinstance(row, dict):
        raise BadRow("not a JSON object")
    name = rows.identifier(row, "msg_node")
    if name in seen:
        raise BadRow(f"duplicate id {name}")


def _message(row: rows.Row, channel: str, position: int, ledger: Ledger) -> Message:
    return Message(
        id=rows.identifier(row, "msg_node"),
        channel=channel,
        author=rows.identifier(row, "author"),
        text=rows.text(row, "content"),
        position=position,
        role=rows.optional_text(row, "role"),
        reply_to=rows.optional_identifier(row, "reply_to"),
        thread=rows.optional_identifier(row, "thread"),
        phase=rows.optional_text(row, "phase_name"),
        topic=rows.optional_text(row, "topic"),
        is_bot=rows.flag(row, "is_bot"),
        extra=rows.rest(row, _FIELDS),
        sent_at=rows.time(row, "timestamp", ledger),
        edited_at=rows.time(row, "edited_at", ledger),
    )
