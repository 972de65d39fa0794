"""Making messages and stores, and putting what a view shows into a form that can be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from groupmem.memory.analysis import content_terms
from groupmem.memory.decisions import link
from groupmem.memory.notes.statements import KINDS
from groupmem.memory.store.base import NO_ROW, View
from groupmem.memory.store.sqlite import SqliteStore
from groupmem.models.base import EmbeddingModel
from groupmem.types import Message

NINE = datetime(2031, 3, 3, 9, tzinfo=UTC)
FIELDS = ("content", "context")


def said(name: str, text: str, *, minute: int | None = None, **fields: Any) -> Message:
    """A message of the channel "desk" by "mira", `minute` minutes after nine (by its id, where that is a number)."""
    if minute is None and name.isdecimal():
        minute = int(name)
    sent_at = None if minute is None else NINE + timedelta(minutes=minute)
    return Message(**{"id": name, "channel": "desk", "author": "mira", "text": text, "sent_at": sent_at, **fields})


def open_store(path: Path, embedding: EmbeddingModel | None = None, workspace: str = "default") -> SqliteStore:
    """A store that does not wait for the disk: these tests stop no machine (test_engine_crash.py stops processes)."""
    store = SqliteStore(path, link=link, workspace=workspace, embedding=embedding)
    store._connection.execute("PRAGMA synchronous = OFF")
    return store


def found(view: View, *words: str, field: str = "content") -> list[str]:
    """The texts of the messages that hold any of these words, best first."""
    rows, _ = view.lexical(field, dict.fromkeys(content_terms(" ".join(words)), 1.0)).top(100)
    return [stored.message.text for stored in view.messages(rows)]


def near(view: View, embedding: EmbeddingModel, question: str, limit: int = 100) -> list[str]:
    """The texts of the messages nearest to a question, best first."""
    rows, _ = view.nearest(embedding.embed([question], kind="query")[0]).top(limit)
    return [stored.message.text for stored in view.messages(rows)]


def everything(view: View) -> np.ndarray[Any, Any]:
    """All rows that a view shows."""
    rows = [view.members("channel", place) for place in range(len(view.channels))]
    return np.sort(np.concatenate([np.empty(0, dtype=np.int64), *rows]))


def picture(view: View, terms: Iterable[str]) -> dict[str, Any]:
    """Everything that a view shows, with rows replaced by the ids of their messages; scores exactly as they are."""
    rows, terms = everything(view), list(terms)
    stored = view.messages(rows)
    names = {each.row: f"{each.message.channel}/{each.message.id}" for each in stored}
    names[NO_ROW] = "-"
    outline = view.outline(rows)
    labels = {kind: list(getattr(view, kind)) for kind in ("authors", "roles", "phases", "topics")}
    return {
        "count": view.count,
        "channels": [channel.id for channel in view.channels],
        "labels": {kind: dict(getattr(view, kind)) for kind in labels},
        "counterparts": {role: view.counterparts(" ".join(terms), role) for role in view.roles},
        "messages": {names[each.row]: (each.message, each.notes, each.replaced_texts) for each in stored},
        "places": {
            names[each.row]: [
                names[NO_ROW if row is None else row] for row in (each.parent, each.previous, each.next, *each.children)
            ]
            for each in stored
        },
        "outline": {
            names[int(row)]: (
                _label(labels["authors"], outline.author[place]),
                _label(labels["roles"], outline.role[place]),
                _label(labels["phases"], outline.phase[place]),
                _label(labels["topics"], outline.topic[place]),
                view.channels[outline.channel[place]].id,
                str(outline.sent_at[place]),
                int(outline.words[place]),
                bool(outline.is_bot[place]),
                bool(outline.threaded[place]),
                [names[int(child)] for child in outline.children[place]],
                dict(zip(KINDS, outline.statements[place].tolist(), strict=True)),
            )
            for place, row in enumerate(rows)
        },
        "links": [
            (names[each.new], names[each.old], each.new_span, each.old_span, each.score) for each in view.links(rows)
        ],
        "frequencies": {field: view.frequencies(field, list(terms)).tolist() for field in FIELDS},
        "scores": {
            (field, term): dict(zip(map(names.get, map(int, rows)), scored.at(rows).tolist(), strict=True))
            for field in FIELDS
            for term in terms
            for scored in [view.lexical(field, {term: 1.0})]
        },
    }


def differences(first: dict[str, Any], second: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Where two pictures differ, each with the place, what the first shows, and what the second shows."""
    found: list[tuple[Any, ...]] = []
    for key in [*first, *(key for key in second if key not in first)]:
        one, other = first.get(key), second.get(key)
        if isinstance(one, dict) and isinstance(other, dict):
            found += [(key, *difference) for difference in differences(one, other)]
        elif one != other:
            found.append((key, one, other))
    return found


def _label(labels: list[str], place: int) -> str | None:
    return None if place == NO_ROW else labels[place]


Opener = Callable[..., SqliteStore]
