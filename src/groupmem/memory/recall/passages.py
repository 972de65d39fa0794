"""From stored messages to passages: the message as it was written, and beside it what one needs to understand it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from groupmem.memory.notes.people import Directory
from groupmem.memory.store.base import Link, StoredMessage
from groupmem.types import Message, Passage

_GIST = 120
_WORDS_OF_A_FACT = 4


class Writer:
    """Writes passages. `known` are the messages around them (parents, ends of links) by row."""

    def __init__(self, known: Mapping[int, StoredMessage], links: Sequence[Link], directory: Directory) -> None:
        self._known = known
        self._links = links
        self._directory = directory

    def passage(self, stored: StoredMessage, score: float, repeats: Sequence[str] = ()) -> Passage:
        """The passage that is one whole message, its text unchanged; `repeats` are messages that say the same."""
        message = stored.message
        return Passage(
            text=message.text,
            source_ids=(message.id,),
            score=score,
            author=message.author,
            role=message.role or self._role(message.author),
            channel=message.channel,
            phase=message.phase,
            topic=message.topic,
            sent_at=message.sent_at,
            reply_to=message.reply_to,
            notes={label: note for label, note in self._notes(stored, repeats) if note},
        )

    def _role(self, author: str) -> str | None:
        person = self._directory.person(author)
        return person.role if person else None

    def _notes(self, stored: StoredMessage, repeats: Sequence[str]) -> Iterable[tuple[str, str]]:
        parent = self._known.get(stored.parent) if stored.parent is not None else None
        yield "author", self._name(stored.message.author)
        yield "in reply to", self._gist(parent.message) if parent else ""
        yield "dates", "; ".join(_dates(stored))
        yield "reported", "; ".join(self._reported(stored))
        yield "superseded by", "; ".join(self._ends(link.new for link in self._links if link.old == stored.row))
        yield "replaces", "; ".join(self._ends(link.old for link in self._links if link.new == stored.row))
        yield "edited", stored.message.edited_at.date().isoformat() if stored.message.edited_at else ""
        yield "said again in", ", ".join(repeats)

    def _name(self, author: str) -> str:
        """The name behind an id, and who else has that name: a name alone says not who wrote."""
        person = self._directory.person(author)
        if person is None or not person.name or person.name == author:
            return ""
        others = [other for other in self._directory.candidates(person.name) if other != author]
        return person.name + (f" (a name that {', '.join(others)} can be called by as well)" if others else "")

    def _reported(self, stored: StoredMessage) -> Iterable[str]:
        """Whose claims the author passes on: they are not the author's own."""
        for claim in stored.notes.claims:
            if claim.mode == "reported":
                text = stored.message.text[claim.span[0] : claim.span[1]]
                source = self._who(claim.holder) if claim.holder else claim.source_name
                yield f"{self._who(stored.message.author)} reports of {source}: {_short(text)}"

    def _ends(self, rows: Iterable[int]) -> Iterable[str]:
        for row in rows:
            if row in self._known:
                yield self._gist(self._known[row].message)

    def _who(self, person_id: str) -> str:
        """The name and the id of a person; the id alone of one who has no name."""
        person = self._directory.person(person_id)
        return f"{person.name} ({person_id})" if person and person.name and person.name != person_id else person_id

    def _gist(self, message: Message) -> str:
        who = self._who(message.author)
        when = f", {message.sent_at.date().isoformat()}" if message.sent_at else ""
        return f"{message.id}, {who}{when}: {_short(message.text)}"


def fact(message: Message) -> tuple[str, str] | None:
    """What makes two messages say the same thing: the author and the words. None for a message too short to say one."""
    words = message.text.casefold().split()
    return (message.author, " ".join(words)) if len(words) >= _WORDS_OF_A_FACT else None


def _dates(stored: StoredMessage) -> Iterable[str]:
    for date in stored.notes.dates:
        days = date.start.isoformat() if date.start == date.end else f"{date.start} to {date.end}"
        resolved = days + (f" {date.time:%H:%M}" if date.time else "")
        if date.text != days:
            yield f"{date.text} = {resolved}"


def _short(text: str) -> str:
    """The start of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _GIST else line[: _GIST - 1].rsplit(" ", 1)[0] + "…"
