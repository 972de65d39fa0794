"""What the engine notes about a message when it comes in: deterministic, without a model, from the message alone.

    notes = note(message, directory=Directory(people, channels), parent=parent_notes)

Every note points into the message's text by its span. What two messages say of each other is computed from two `Notes`
(`supersession`). The conventions are in docs/notes.md.
"""

from __future__ import annotations

from groupmem.memory.notes.claims import Claim, find_claims
from groupmem.memory.notes.context import Context
from groupmem.memory.notes.dates import DateNote, DurationNote, find_dates
from groupmem.memory.notes.mentions import Mention, RoleMention, find_mentions, find_roles
from groupmem.memory.notes.people import Directory
from groupmem.memory.notes.reading import read
from groupmem.memory.notes.records import NOTES_VERSION, Notes
from groupmem.memory.notes.statements import Statement, find_statements
from groupmem.memory.notes.subjects import Subject, find_subjects, lent_terms
from groupmem.memory.notes.supersession import Rarity, Supersession, likeness, rarity_of, supersession
from groupmem.memory.notes.values import Value, find_values
from groupmem.types import Message

__all__ = [
    "NOTES_VERSION",
    "Claim",
    "DateNote",
    "Directory",
    "DurationNote",
    "Mention",
    "Notes",
    "Rarity",
    "RoleMention",
    "Statement",
    "Subject",
    "Supersession",
    "Value",
    "likeness",
    "note",
    "rarity_of",
    "supersession",
]


def note(message: Message, *, directory: Directory, parent: Notes | None = None) -> Notes:
    """The notes of `message`. `parent` are those of the message it answers, where that is known.

    The parent decides only what an answer borrows ("Six." takes the words of the question) and whether it answers at
    all: when a parent comes in late, the answer is noted again.
    """
    reading = read(message.text)
    dates, durations = find_dates(reading.sentences, message.sent_at)
    values = find_values(reading, dates, durations)
    mentions = find_mentions(reading, directory)
    context = Context(
        parent_kinds=frozenset([statement.kind for statement in parent.statements]) if parent else frozenset(),
        is_bot=message.is_bot,
        people=tuple([mention.span for mention in mentions]),
        calls=tuple([mention.span for mention in mentions if mention.addressed]),
    )
    statements = find_statements(reading, values, dates, context)
    subjects, terms = find_subjects(reading, values, mentions, statements)
    return Notes(
        message=message.id,
        author=message.author,
        dates=dates,
        durations=durations,
        values=values,
        mentions=mentions,
        roles=find_roles(reading, directory),
        statements=statements,
        claims=find_claims(reading, message.author, mentions, directory),
        subjects=subjects,
        terms=terms,
        parent_terms=lent_terms(parent) if parent else (),
        quotes=reading.quotes,
    )
