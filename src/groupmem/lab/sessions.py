"""The sessions of a conversation as documents, for memories that read documents and not messages.

One session is one document: a head line with number and date, then every message under a tag with its id and role,
blank lines between. The layout is that of the BEAM memory harness of agentic-graphrag, whose published sums hold for
it. A part of a session keeps number and date, and has the messages that are in it alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import groupby

from groupmem.types import Message, Record

NUMBER, DATE, MARK = "session", "session_date", "mark"
"""Fields of a message's `extra` that a benchmark with sessions fills: the number from 1, the date as its source writes
it, and what was cut off behind the text (a document gives the text as its source has it)."""


class SessionDocument(Record, frozen=True, kw_only=True):
    """One session of the conversation `id` is made from; `id` is also its title."""

    id: str
    session: int
    text: str
    message_ids: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """Of the UTF-8 text, in hex."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


def session_documents(conversation: str, messages: Iterable[Message]) -> tuple[SessionDocument, ...]:
    """The documents of the messages of one conversation, in their order. Messages that are in no session are one
    session 1 without a date."""
    found = []
    for number, group in groupby(messages, key=lambda message: int(message.extra.get(NUMBER, 1))):
        session = tuple(group)
        found.append(
            SessionDocument(
                id=f"{conversation}-s{number}",
                session=number,
                text="\n\n".join([_head(number, session[0]), *map(_tagged, session)]),
                message_ids=tuple(message.id for message in session),
            )
        )
    return tuple(found)


def _head(number: int, first: Message) -> str:
    date = first.extra.get(DATE) or (first.sent_at.date().isoformat() if first.sent_at else "unknown")
    return f"Session {number}, date: {date}"


def _tagged(message: Message) -> str:
    return f"[msg {message.id} | {message.role}] {message.text}{message.extra.get(MARK, '')}"
