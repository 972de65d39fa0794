"""What is noted about one message.

Notes and what they are made of hold no cycles, so the garbage collector is told to leave them out (`gc=False`): a
writer keeps thousands at hand, and going through them again and again took a tenth of its time.
"""

from __future__ import annotations

from groupmem.memory.notes.claims import Claim
from groupmem.memory.notes.dates import DateNote, DurationNote
from groupmem.memory.notes.mentions import Mention, RoleMention
from groupmem.memory.notes.reading import Span
from groupmem.memory.notes.statements import Statement
from groupmem.memory.notes.subjects import Subject
from groupmem.memory.notes.values import Value
from groupmem.types import Record

NOTES_VERSION = 1


class Notes(Record, frozen=True, kw_only=True, gc=False):
    """Everything noted about one message, by its id. All spans are offsets into its text; JSON as it stands.

    `terms` are the content words of the whole message, `parent_terms` those that it may borrow from the message it
    answers.
    """

    message: str
    author: str
    version: int = NOTES_VERSION
    dates: tuple[DateNote, ...] = ()
    durations: tuple[DurationNote, ...] = ()
    values: tuple[Value, ...] = ()
    mentions: tuple[Mention, ...] = ()
    roles: tuple[RoleMention, ...] = ()
    statements: tuple[Statement, ...] = ()
    claims: tuple[Claim, ...] = ()
    subjects: tuple[Subject, ...] = ()
    terms: tuple[str, ...] = ()
    parent_terms: tuple[str, ...] = ()
    quotes: tuple[Span, ...] = ()
