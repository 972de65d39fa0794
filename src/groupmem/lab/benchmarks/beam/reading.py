"""A BEAM conversation as messages and questions.

One turn is one message, its id the one of the set. User turns end in a mark of the generator (" ->-> 1,1"), which is
cut off and kept in `extra`. A session has one date, its first message's; every turn of the session gets it, as midnight
UTC. Evidence is whatever numbers `source_chat_ids` holds, in whatever nesting. Gold is the answer where the probe has
one; instruction and preference probes have a rubric alone. A message that turned into filler is cut behind its last
sound text, once its sum has been found to be the published one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import msgspec

from groupmem.errors import DataError
from groupmem.lab.benchmarks.beam.layouts import Probes, Row
from groupmem.lab.benchmarks.beam.pins import FILLER
from groupmem.lab.benchmarks.dates import utc_time
from groupmem.lab.benchmarks.shared import typed
from groupmem.lab.sessions import DATE, MARK, NUMBER
from groupmem.readers import rows
from groupmem.readers.base import BadRow
from groupmem.types import Message, Question

CHANNEL = "chat"
PROBE_SHA256 = "probe_sha256"
_MARK = re.compile(r"\s*->->[^\n]*\Z")
_ANCHOR = re.compile(r"([A-Z][a-z]+)-(\d{1,2})-(\d{4})")
_GOLD = ("answer", "ideal_answer", "ideal_response", "ideal_summary")


class _Turn(msgspec.Struct):
    role: str
    id: int
    content: str
    time_anchor: str | None = None


class _Probe(msgspec.Struct):
    question: str
    source_chat_ids: Any = None


_TURN = frozenset(_Turn.__struct_fields__)
_PROBE = frozenset(_Probe.__struct_fields__)


def read_messages(sessions: list[list[Row]]) -> Iterator[Message]:
    """Every message in order. Raises BadRow for a date that cannot be read."""
    position = 0
    for number, session in enumerate(sessions, start=1):
        turns = [typed(row, _Turn) for row in session]
        anchor = next((turn.time_anchor for turn in turns if turn.time_anchor), None)
        sent_at = session_date(anchor) if anchor else None
        of_session: dict[str, Any] = {NUMBER: number} | ({DATE: anchor} if anchor else {})
        for row, turn in zip(session, turns, strict=True):
            text, mark = _without_mark(turn)
            yield Message(
                id=str(turn.id),
                channel=CHANNEL,
                author=turn.role,
                text=text,
                sent_at=sent_at,
                position=position,
                role=turn.role,
                is_bot=turn.role == "assistant",
                extra=rows.rest(row, _TURN) | of_session | ({MARK: mark} if mark else {}),
            )
            position += 1


def read_questions(unit: str, probes: Probes) -> Iterator[Question]:
    """Every probe, by ability in the order of the alphabet, as the published set asks them."""
    for ability in sorted(probes):
        for index, row in enumerate(probes[ability]):
            yield _question(f"{unit}:{ability}:{index}", ability, row)


def without_filler(number: str, messages: Iterator[Message], *, strict: bool) -> Iterator[Message]:
    """The messages with the filler cut out of the one that is known to hold it.

    Raises DataError where that message is not the published one and `strict`; else it stays as it is.
    """
    for message in messages:
        if number != FILLER.conversation or message.id != str(FILLER.message):
            yield message
            continue
        found = hashlib.sha256(message.text.encode()).hexdigest()
        if found == FILLER.original_sha256:
            message = msgspec.structs.replace(message, text=message.text[: FILLER.keep_chars] + FILLER.marker)
        elif strict:
            raise DataError(
                f"beam, conversation {number}, message {message.id} has sha256 {found} where it should have "
                f"{FILLER.original_sha256}; --unpinned reads it all the same"
            )
        yield message


def session_date(anchor: str) -> datetime:
    """The date of a session ("March-15-2024"), midnight UTC. Raises BadRow where it cannot be read."""
    match = _ANCHOR.fullmatch(anchor)
    if match is None:
        raise BadRow(f"unreadable session date {anchor!r}")
    return utc_time(year=match[3], month=match[1], day=match[2])


def flatten(value: Any) -> Iterator[str]:
    """Every number in a nesting of lists and mappings, as text."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from flatten(item)
    elif value is not None:
        yield str(value)


def canonical_sha256(value: Any) -> str:
    """sha256 in hex of a JSON value as the published sums take it: sorted keys, no spaces, ASCII with escapes."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _without_mark(turn: _Turn) -> tuple[str, str]:
    """The text of a turn without the mark of the generator, and the mark."""
    match = _MARK.search(turn.content) if turn.role == "user" else None
    return (turn.content, "") if match is None else (turn.content[: match.start()], match[0])


def _question(name: str, ability: str, row: Row) -> Question:
    probe = typed(row, _Probe)
    gold = next((row[field] for field in _GOLD if isinstance(row.get(field), str)), None)
    return Question(
        id=name,
        text=probe.question,
        answer=gold,
        category=ability,
        evidence=tuple(dict.fromkeys(flatten(probe.source_chat_ids))),
        extra=rows.rest(row, _PROBE) | {PROBE_SHA256: canonical_sha256(row)},
    )
