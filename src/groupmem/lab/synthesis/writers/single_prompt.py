"""The baseline to compare with: one prompt asks for a stretch of chat, without graph, plan or facts.

GroupMemBench, section 3.2 (quality assessment), "Single-Prompt Baseline". The corpus has the same files, with nothing
in its ground truth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any

import msgspec

from groupmem.errors import ModelError
from groupmem.lab.synthesis.packs import Pack
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.writing import Progress
from groupmem.models.base import ChatMessage, ChatModel, ChatRequest
from groupmem.prompts import Prompts
from groupmem.types import Message, Person, Record

AT_ONCE = 25
"""Messages asked for in one call."""
TAIL = 12
"""Messages of the chat so far that the next call is shown."""
ATTEMPTS = 3
TOKENS_EACH = 120
PROMPT = "synthesis/single_prompt"


class Drafted(Record, frozen=True, kw_only=True):
    """One message of a reply."""

    author: str
    channel: str
    text: str
    minutes_later: float = 1.0
    reply_to: int = 0


class SinglePromptWriter:
    """Asks for stretch after stretch until there are as many messages as wanted."""

    def __init__(self, model: ChatModel, pack: Pack, policy: Policy, prompts: Prompts) -> None:
        self._model = model
        self._pack = pack
        self._prompt = prompts.load(PROMPT)
        self._begin = datetime.combine(policy.schedule.start, time(policy.schedule.day_from_hour), tzinfo=UTC)
        self._people = {
            person.name: Person(
                id=f"User_{number}", name=person.name, role=person.role, aliases=(person.name.split()[0],)
            )
            for number, person in enumerate(pack.people, start=1)
        }
        self._by_first_name = {name.split()[0]: person for name, person in self._people.items()}
        self._channels = [project.name for project in pack.projects]

    @property
    def name(self) -> str:
        return f"single-prompt:{self._model.name}"

    @property
    def people(self) -> tuple[Person, ...]:
        return tuple(self._people.values())

    @property
    def channels(self) -> tuple[str, ...]:
        return tuple(self._channels)

    def write(self, wanted: int, progress: Progress) -> list[Message]:
        """`wanted` messages in the order of time. Raises ModelError where a call gives none that can be used in
        `ATTEMPTS` attempts, PendingError where it waits for a batch; finished calls come from the cache."""
        written: list[Message] = []
        while len(written) < wanted:
            count = min(AT_ONCE, wanted - len(written))
            drafts = self._ask(written, count)
            for draft in drafts[:count]:
                written.append(self._message(draft, written))
            progress.advance(min(count, len(drafts)))
        return written

    def _ask(self, written: Sequence[Message], count: int) -> list[Drafted]:
        content = self._prompt.render(
            count=count,
            title=self._pack.title,
            people=[f"{person.name}, {person.role}" for person in self._people.values()],
            projects=[f"{project.name}: {project.summary}" for project in self._pack.projects],
            tail="\n".join(self._shown(message) for message in written[-TAIL:]),
        )
        for attempt in range(ATTEMPTS):
            request = ChatRequest(
                messages=(ChatMessage(role="user", content=content),),
                max_tokens=TOKENS_EACH * count,
                response_schema=_schema(),
                sample=len(written),
                attempt=attempt,
            )
            drafts = [draft for draft in _drafts(self._model.complete(request).parsed) if self._is_usable(draft)]
            if drafts:
                return drafts
        raise ModelError(f"{self._model.name} gave no usable messages after {len(written)} in {ATTEMPTS} attempts")

    def _is_usable(self, draft: Drafted) -> bool:
        """Whether it has text and an author of the pack."""
        return bool(draft.text.strip()) and self._person(draft.author) is not None

    def _person(self, name: str) -> Person | None:
        return self._people.get(name) or self._by_first_name.get(name.split()[0] if name.split() else "")

    def _message(self, draft: Drafted, written: Sequence[Message]) -> Message:
        person = self._person(draft.author)
        if person is None:
            raise ValueError(f"unknown author {draft.author!r}")
        before = written[-1].sent_at if written else None
        minutes = min(max(draft.minutes_later, 0.0), 24 * 60.0)
        answered = written[-draft.reply_to] if 0 < draft.reply_to <= len(written) else None
        named = draft.channel if draft.channel in self._channels else self._channels[0]
        return Message(
            id=f"Msg_{len(written) + 1}",
            channel=answered.channel if answered else named,
            author=person.id,
            text=draft.text.strip(),
            sent_at=(before or self._begin) + timedelta(minutes=minutes),
            role=person.role,
            reply_to=answered.id if answered else None,
        )

    def _shown(self, message: Message) -> str:
        name = next(person.name for person in self._people.values() if person.id == message.author)
        return f"{name} in {message.channel}: {message.text}"


def _drafts(parsed: Any) -> list[Drafted]:
    """The messages of a reply that have the asked shape."""
    rows = parsed.get("messages") if isinstance(parsed, Mapping) else None
    drafts = []
    for row in rows if isinstance(rows, list) else []:
        try:
            drafts.append(msgspec.convert(row, Drafted, strict=False))
        except msgspec.ValidationError:
            continue
    return drafts


def _schema() -> dict[str, Any]:
    fields = {
        "author": {"type": "string"},
        "channel": {"type": "string"},
        "text": {"type": "string"},
        "minutes_later": {"type": "number"},
        "reply_to": {"type": "integer"},
    }
    message = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    messages = {"type": "array", "items": message}
    return {
        "type": "object",
        "properties": {"messages": messages},
        "required": ["messages"],
        "additionalProperties": False,
    }
