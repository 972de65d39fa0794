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
    """One document for each message, for each channel, or for each session of a channel (`by` says which of them)."""
    if by == "message":
        return [_document(message["id"], [message], _block) for message in messages]
    groups = {}
    for message in messages:
        session = message.get("extra", {}).get("session", "") if by == "session" else ""
        groups.setdefault((message["channel"], session), []).append(message)
    layout = _session_block if by == "session" else _block
    return [_document(f"{channel}#{said[0]['id']}", said, layout) for (channel, _), said in groups.items()]


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


def _document(key, messages, layout):
    """`layout` gives the words of a message as they stand in the text, told whether it is the first one there."""
    blocks = [layout(message, number == 0) for number, message in enumerate(messages)]
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


def _block(message, first):
    """Author, role, channel, phase and time stand before the words: the package reads nothing but text."""
    role = f" ({message['role']})" if message.get("role") else ""
    phase = f", phase {message['phase']}" if message.get("phase") else ""
    when = f", {message['sent_at']}" if message.get("sent_at") else ""
    return f"[{message['author']}{role} in {message['channel']}{phase}{when}]\n{message['text']}"


def _session_block(message, first):
    """The layout of the package's own benchmark of conversations: a head with number and date, then tagged messages."""
    extra = message.get("extra", {})
    tagged = f"[msg {message['id']} | {message.get('role')}] {message['text']}{extra.get('mark', '')}"
    if not first:
        return tagged
    date = extra.get("session_date") or message.get("sent_at", "unknown")[:10]
    return f"Session {extra.get('session', 1)}, date: {date}{_BETWEEN}{tagged}"
