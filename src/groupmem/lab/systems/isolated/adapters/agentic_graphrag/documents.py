"""Messages as documents of the package, and hits of its search as passages of messages."""

from __future__ import annotations

import bisect
import hashlib
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

from agrag.common.data_models.document import Document, DocumentFamily, SourceFormat

_BETWEEN = "\n\n"


@dataclass(frozen=True)
class Made:
    """A document with the ids of its messages, in order, and where each begins in its text."""

    document: Document
    ids: tuple[str, ...]
    starts: tuple[int, ...]
    channel: str

    def ids_within(self, start, end):
        """The messages that have a part in [start, end) of the text."""
        first = max(bisect.bisect_right(self.starts, start) - 1, 0)
        return list(self.ids[first : max(bisect.bisect_left(self.starts, end), first + 1)])


def make(messages, by):
    """One document for each message, or one for each channel that these messages are of (`by` says which)."""
    if by == "message":
        return [_document(message["id"], [message]) for message in messages]
    channels = {}
    for message in messages:
        channels.setdefault(message["channel"], []).append(message)
    return [_document(f"{channel}#{said[0]['id']}", said) for channel, said in channels.items()]


class Sources:
    """All documents that were made."""

    def __init__(self):
        self._made = {}

    def add(self, made):
        self._made.update((each.document.document_key, each) for each in made)

    def keys_in(self, channels, known):
        """Keys of the documents of these channels; a channel that nothing is known of is public."""
        return frozenset(
            key for key, made in self._made.items() if made.channel in channels or made.channel not in known
        )

    def passage(self, hit):
        """The passage of a hit; whole messages, so that the reader is shown what was said."""
        made = self._made[hit.document_key]
        start, end = hit.location.char_start, hit.location.char_end
        if len(made.ids) == 1:
            return {"source_ids": list(made.ids), "score": hit.score}
        return {
            "source_ids": made.ids_within(start, end),
            "text": made.document.text[start:end],
            "score": hit.score,
            "channel": made.channel,
        }


def _document(key, messages):
    blocks = [_block(message) for message in messages]
    starts = accumulate((len(block) + len(_BETWEEN) for block in blocks[:-1]), initial=0)
    text = _BETWEEN.join(blocks)
    said = messages[0].get("sent_at")
    document = Document(
        text=text,
        title=key,
        uri=key,
        document_key=key,
        source_format=SourceFormat.TXT,
        family=DocumentFamily.PROSE,
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        loader_name="groupmem",
        char_count=len(text),
        content_date=datetime.fromisoformat(said).date() if said else None,
    )
    return Made(document, tuple(message["id"] for message in messages), tuple(starts), messages[0]["channel"])


def _block(message):
    """Author, role, channel, phase and time stand before the words: the package reads nothing but text."""
    role = f" ({message['role']})" if message.get("role") else ""
    where = f"in {message['channel']}"
    phase = f", phase {message['phase']}" if message.get("phase") else ""
    when = f", {message['sent_at']}" if message.get("sent_at") else ""
    return f"[{message['author']}{role} {where}{phase}{when}]\n{message['text']}"
