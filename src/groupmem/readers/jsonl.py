"""The project's own interchange format (docs/format.md; groupmem.schema.json beside this file).

`NAME.jsonl` holds one header line and then one message a line; `NAME.questions.jsonl`, where it exists, one question a
line. A line is the JSON of the record of that name in `groupmem.types`. What is written is read back equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from groupmem.errors import InputError
from groupmem.files import open_atomic
from groupmem.readers import rows
from groupmem.readers.base import BadRow, Ledger, Loaded, finish
from groupmem.readers.documents import numbered_lines
from groupmem.readers.encoding import as_row, encode_line
from groupmem.types import Channel, Conversation, Message, Person, Question, Record

FORMAT = "groupmem.conversation"
VERSION = 1
EXPECTS = f'a .jsonl file whose first line is {{"format": "{FORMAT}", "version": {VERSION}, "id": "..."}}'

_IDS = ("id", "channel", "author")
RecordT = TypeVar("RecordT", bound=Record)
ItemT = TypeVar("ItemT", Message, Question)
MemberT = TypeVar("MemberT", Person, Channel)


class Header(Record, frozen=True, kw_only=True):
    """The first line of a conversation file. A channel that is not listed is public."""

    format: str = FORMAT
    version: int = VERSION
    id: str
    people: tuple[Person, ...] = ()
    channels: tuple[Channel, ...] = ()


def questions_path(path: Path) -> Path:
    """Where the questions of a conversation file lie: NAME.questions.jsonl beside NAME.jsonl."""
    return path.with_name(f"{path.stem}.questions.jsonl")


def recognises(path: Path) -> bool:
    """Whether a .jsonl file names this format in its first line. Raises InputError where it cannot be read."""
    if path.suffix != ".jsonl" or not path.is_file():
        return False
    _, line = next(numbered_lines(path), (0, b""))
    return FORMAT.encode() in line


# -- reading -----------------------------------------------------------------------------------------------------------


def read(path: Path) -> Loaded:
    """Reads a conversation file, and the questions beside it.

    Raises InputError for a file that is missing or empty, or whose header cannot be used. A line that is no record of
    this format, or whose id was there before, is quarantined.
    """
    ledger = Ledger()
    header = _read_header(path)
    messages = tuple(_read_messages(path, ledger))
    conversation = Conversation(id=header.id, messages=messages, people=header.people, channels=header.channels)
    beside = questions_path(path)
    questions = tuple(_read_questions(beside, ledger)) if beside.is_file() else ()
    return finish(conversation, questions, ledger)


def _read_header(path: Path) -> Header:
    first = next(numbered_lines(path), None)
    if first is None:
        raise InputError(f"{path} is empty; expected {EXPECTS}")
    try:
        header = _header(msgspec.json.decode(first[1]))
    except (msgspec.MsgspecError, UnicodeDecodeError, BadRow) as error:
        raise InputError(f"{path}:{first[0]}: {error}; expected {EXPECTS}") from error
    if header.version != VERSION:
        raise InputError(f"{path}: version {header.version} of the format; this groupmem reads version {VERSION}")
    return header


def _header(row: Any) -> Header:
    if not isinstance(row, dict) or row.get("format") != FORMAT or "version" not in row:
        raise BadRow("no header")
    return msgspec.structs.replace(
        _record(row, Header),
        people=_members(row.get("people", []), Person),
        channels=_members(row.get("channels", []), Channel),
    )


def _members(listed: list[dict[str, Any]], kind: type[MemberT]) -> tuple[MemberT, ...]:
    """The people or channels of a header, whose rows are held to the same rules as lines."""
    members = tuple(_record(row, kind) for row in listed)
    twice = [name for name, uses in Counter(member.id for member in members).items() if uses > 1]
    if twice:
        raise BadRow(f"duplicate {kind.__name__.lower()} id {twice[0]}")
    return members


def _read_messages(path: Path, ledger: Ledger) -> Iterator[Message]:
    """An absent `position` is the number of the channel's messages before it."""
    before: Counter[str] = Counter()
    for message, row in _read_items(path, Message, ledger, first=1):
        position = message.position if "position" in row else before[message.channel]
        before[message.channel] += 1
        yield msgspec.structs.replace(
            message,
            position=position,
            sent_at=message.sent_at and rows.aware(message.sent_at, ledger),
            edited_at=message.edited_at and rows.aware(message.edited_at, ledger),
        )


def _read_questions(path: Path, ledger: Ledger) -> Iterator[Question]:
    for question, _ in _read_items(path, Question, ledger):
        yield msgspec.structs.replace(question, asked_at=question.asked_at and rows.aware(question.asked_at, ledger))


def _read_items(
    path: Path, kind: type[ItemT], ledger: Ledger, first: int = 0
) -> Iterator[tuple[ItemT, Mapping[str, Any]]]:
    """Each record with the row that it came from, from the row with index `first` on."""
    seen: set[str] = set()
    for index, (where, row) in enumerate(rows.json_rows(path, ledger)):
        if index < first:
            continue
        try:
            item = _record(row, kind)
            if item.id in seen:
                raise BadRow(f"duplicate id {item.id}")
        except (msgspec.ValidationError, BadRow) as reason:
            ledger.quarantine(path, where, reason, row)
            continue
        seen.add(item.id)
        yield item, row


def _record(row: Mapping[str, Any], kind: type[RecordT]) -> RecordT:
    """The record of a line. Raises BadRow or ValidationError where a field is unknown, missing or of another type."""
    unknown = row.keys() - set(kind.__struct_fields__)
    if unknown:
        raise BadRow(f"unknown field {min(unknown)}; fields of your own belong into extra")
    for field in _IDS:
        if row.get(field) == "":
            raise BadRow(f"{field} is empty")
    record = msgspec.convert(row, kind)
    if getattr(record, "position", 0) < 0:
        raise BadRow("position is negative")
    return record


# -- writing -----------------------------------------------------------------------------------------------------------


def write(path: Path, conversation: Conversation, questions: Sequence[Question] = ()) -> None:
    """Writes a conversation, and its questions beside it; each file is replaced as a whole.

    Raises InputError for what could not be read back: an id that is empty or used twice, a time without a zone, a value
    that JSON does not know (NaN, a lone surrogate).
    """
    header = Header(id=conversation.id, people=conversation.people, channels=conversation.channels)
    write_stream(path, header, conversation.messages)
    if not questions:
        questions_path(path).unlink(missing_ok=True)
        return
    with open_atomic(questions_path(path)) as file:
        file.writelines(encode_line(as_row(question)) for question in _each_once(questions))


def write_stream(path: Path, header: Header, messages: Iterable[Message]) -> None:
    """Writes a conversation whose messages come one by one, keeping only their ids. Raises as `write` does."""
    before: Counter[str] = Counter()
    with open_atomic(path) as file:
        file.write(encode_line({"format": header.format, "version": header.version, **as_row(header)}))
        for message in _each_once(messages):
            row = as_row(message)
            row.pop("position", None)
            if message.position != before[message.channel]:
                row["position"] = message.position
            before[message.channel] += 1
            file.write(encode_line(row))


def _each_once(items: Iterable[ItemT]) -> Iterator[ItemT]:
    seen: set[str] = set()
    for item in items:
        if item.id in seen:
            raise InputError(f"the id {item.id} is used twice")
        seen.add(item.id)
        yield item
