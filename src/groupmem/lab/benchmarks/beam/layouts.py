"""The two layouts of BEAM's files: the repository's JSON, two files a conversation, and the parquet of the data set.

Either way a conversation becomes a list of sessions, each a list of messages, and its probes by ability. The 10M tier
has plans above its sessions; their sessions follow each other, and where the ids of a plan begin anew they are moved
behind those before, as the code of the authors does. Nothing else of a row is ever read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from groupmem.errors import DataError
from groupmem.lab.benchmarks.beam.pins import chat_path, probes_path
from groupmem.lab.benchmarks.files import DataFiles
from groupmem.lab.benchmarks.shared import read_json
from groupmem.readers.base import BadRow

Row = dict[str, Any]
Probes = dict[str, list[Row]]


class RawChat(NamedTuple):
    """A conversation as its source has it: messages by session, probes by ability. `renumbered`: ids came more than
    once, so that a probe's source, which is told by id, may be any of several messages."""

    sessions: list[list[Row]]
    probes: Probes
    renumbered: bool = False


class ChatSource(NamedTuple):
    """A conversation that can be read; nothing of it is held before `read`."""

    number: str
    read: Callable[[], RawChat]


def json_chats(files: DataFiles, tier: str, numbers: tuple[str, ...], set_name: str) -> Iterator[ChatSource]:
    """The conversations whose two files are there. Raises DataError for one that has a single file."""
    for number in numbers:
        chat, probes = chat_path(tier, number), probes_path(tier, number)
        missing = [path for path in (chat, probes) if not files.has(path)]
        if len(missing) == 1:
            raise DataError(f"{files.folder / missing[0]} is missing: run `groupmem data fetch {set_name}`")
        if not missing:
            yield ChatSource(number, partial(_read_json, files.folder / chat, files.folder / probes))


def parquet_chats(path: Path) -> Iterator[ChatSource]:
    """The conversations of a parquet file, each read by itself. Raises DataError for a file that is none of BEAM."""
    import polars as pl

    try:
        numbers = pl.scan_parquet(path).select("conversation_id").collect()["conversation_id"].to_list()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"{path} is not in the layout of its set: {error}") from error
    for index, number in enumerate(numbers):
        yield ChatSource(str(number), partial(_read_parquet, path, index))


def _read_json(chat: Path, probes: Path) -> RawChat:
    return _raw_chat(read_json(chat, list[Any]), read_json(probes, dict[str, list[dict[str, Any]]]))


def _read_parquet(path: Path, index: int) -> RawChat:
    import polars as pl

    columns = pl.scan_parquet(path).select("chat", "probing_questions").slice(index, 1).collect()
    row = columns.row(0, named=True)
    try:
        probes = ast.literal_eval(row["probing_questions"])
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise DataError(f"{path}, row {index}: probing_questions is no literal ({error})") from error
    return _raw_chat(row["chat"], probes)


def _raw_chat(chat: list[Any], probes: Probes) -> RawChat:
    sessions = sessions_of(chat)
    as_given = _ids([session for part in chat for session in _sessions_within(part)])
    return RawChat(sessions, probes, renumbered=len(set(as_given)) < len(as_given))


def sessions_of(chat: list[Any]) -> list[list[Row]]:
    """The sessions of a chat in any of its shapes: lists of messages, turns within batches, batches within plans.

    Raises BadRow for another shape.
    """
    sessions: list[list[Row]] = []
    last = -1
    for part in chat:
        found = list(_sessions_within(part))
        if _is_plan(part):
            found = _moved_behind(found, last)
        sessions += found
        last = max([last, *_ids(found)])
    return sessions


def _sessions_within(part: Any) -> Iterator[list[Row]]:
    if isinstance(part, list):
        yield [_without_nulls(message) for message in part]
    elif _is_plan(part):
        for batch in next((value for value in part.values() if value is not None), []):
            yield from _sessions_within(batch)
    elif isinstance(part, Mapping):
        yield [_without_nulls(message) for turn in part["turns"] for message in _listed(turn)]
    else:
        raise BadRow(f"a session is a list of messages or a batch of turns, not {type(part).__name__}")


def _listed(turn: Any) -> list[Any]:
    if not isinstance(turn, list):
        raise BadRow(f"a turn is a list of messages, not {type(turn).__name__}")
    return turn


def _is_plan(part: Any) -> bool:
    return isinstance(part, Mapping) and "turns" not in part


def _moved_behind(sessions: list[list[Row]], last: int) -> list[list[Row]]:
    ids = _ids(sessions)
    if not ids or min(ids) > last:
        return sessions
    return [[{**message, "id": int(message["id"]) + last + 1} for message in session] for session in sessions]


def _ids(sessions: list[list[Row]]) -> list[int]:
    try:
        return [int(message["id"]) for session in sessions for message in session]
    except (KeyError, TypeError, ValueError) as error:
        raise BadRow("a message has no number for an id") from error


def _without_nulls(message: Any) -> Row:
    """A parquet row has every column, where the JSON leaves out what a message does not have."""
    if not isinstance(message, Mapping):
        raise BadRow(f"a message is an object, not {type(message).__name__}")
    return {name: value for name, value in message.items() if value is not None}
