"""The model writer: any chat model writes the messages, and its text is held to the plan.

Beside the messages the model is asked once per phase for sub-issues and every few messages for the ledger. Both are
noted in a notebook, so that a killed run asks for neither again.
"""

from __future__ import annotations

import random
import re
import threading
from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path

import msgspec

from groupmem.errors import InputError, ModelError
from groupmem.lab.synthesis.base import MessagePlan, Situation, Written
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.verify import find_stated, problems_of
from groupmem.lab.synthesis.writers.briefing import Briefing, as_lines
from groupmem.models.base import ChatMessage, ChatModel, ChatReply, ChatRequest
from groupmem.text import words
from groupmem.types import Record

ATTEMPTS = 3
MESSAGE_TOKENS = 400
MEMORY_TOKENS = 900
NO_LEDGER = "DECIDED\n(nothing)\nOPEN QUESTIONS\n(none)\nPENDING COMMITMENTS\n(none)"
_FENCE = re.compile(r"\A```\w*\n(.*)\n```\Z", re.DOTALL)
_SUB_ISSUES = {
    "type": "object",
    "properties": {"sub_issues": {"type": "array", "items": {"type": "string"}}},
    "required": ["sub_issues"],
    "additionalProperties": False,
}


class Note(Record, frozen=True, kw_only=True):
    """The phase memory at one message of a phase: its sub-issues (at 0), or its ledger."""

    phase: str
    at: int
    sub_issues: tuple[str, ...] = ()
    ledger: str = ""


class Notebook:
    """The phase memories of a corpus, kept in a JSONL file."""

    def __init__(self, path: Path) -> None:
        """Takes over what is there. Raises InputError, naming the line, for a line that is no note."""
        self._path = path
        self._lock = threading.Lock()
        self._sub_issues: dict[str, tuple[str, ...]] = {}
        self._ledgers: dict[tuple[str, int], str] = {}
        for note in self._read():
            self._take(note)

    def sub_issues(self, phase: str) -> tuple[str, ...] | None:
        return self._sub_issues.get(phase)

    def ledger(self, phase: str, at: int) -> str | None:
        """The ledger that was made before this message of the phase."""
        return self._ledgers.get((phase, at))

    def add(self, note: Note) -> None:
        """Notes it, in memory and on disk."""
        with self._lock, self._path.open("ab") as file:
            self._take(note)
            file.write(msgspec.json.encode(note) + b"\n")

    def _take(self, note: Note) -> None:
        if note.sub_issues:
            self._sub_issues[note.phase] = note.sub_issues
        else:
            self._ledgers[(note.phase, note.at)] = note.ledger

    def _read(self) -> list[Note]:
        if not self._path.is_file():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return []
        content = self._path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            self._path.write_bytes(whole)
        notes = []
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                notes.append(msgspec.json.decode(line, type=Note))
            except msgspec.DecodeError as error:
                raise InputError(f"{self._path}:{number}: {error}; remove the line") from error
        return notes


class ModelWriter:
    """Writes messages with a chat model."""

    def __init__(self, model: ChatModel, briefing: Briefing, policy: Policy, notebook: Notebook) -> None:
        self._model = model
        self._briefing = briefing
        self._memory = policy.memory
        self._notebook = notebook

    @property
    def name(self) -> str:
        return f"model:{self._model.name}"

    def write(self, plan: MessagePlan, situation: Situation, rng: random.Random) -> Written:
        """The message; a draft that lacks what was planned goes back with what it lacks, `ATTEMPTS` times in all.

        Where none has all, the one that lacks least stands: what it leaves out is then not in the ground truth. Raises
        ModelError where the model gives no text, PendingError where it waits for a batch.
        """
        focus = self._focus(plan)
        turns = self._briefing.messages(plan, situation, focus, self._ledger(plan, situation))
        drafts: list[tuple[tuple[bool, int], str]] = []
        for attempt in range(ATTEMPTS):
            request = ChatRequest(messages=turns, max_tokens=MESSAGE_TOKENS, attempt=attempt)
            reply = self._model.complete(request)
            text = cleaned(reply)
            problems = _problems(plan, reply, text)
            if not problems:
                return Written(text=text, stated=find_stated(plan, text))
            if text:
                drafts.append(((reply.finish_reason == "length", len(problems)), text))
            turns = (*turns[:2], *self._sent_back(text, problems))
        if not drafts:
            raise ModelError(f"{self._model.name} gave no text for {plan.id} in {ATTEMPTS} attempts")
        best = min(drafts, key=lambda draft: draft[0])[1]
        return Written(text=best, stated=find_stated(plan, best))

    def _sent_back(self, text: str, problems: list[str]) -> tuple[ChatMessage, ...]:
        content = self._briefing.render("retry", problems=problems)
        return (ChatMessage(role="assistant", content=text or "..."), ChatMessage(role="user", content=content))

    def _focus(self, plan: MessagePlan) -> str | None:
        """The sub-issue to keep in view: of the model's own list where it gave one that long, else the pack's."""
        if plan.sub_issue_index is None:
            return None
        listed = self._notebook.sub_issues(plan.place.phase_id)
        if listed is None:
            listed = self._enumerate(plan)
            self._notebook.add(Note(phase=plan.place.phase_id, at=0, sub_issues=listed or (str(plan.sub_issue),)))
        return listed[plan.sub_issue_index] if plan.sub_issue_index < len(listed) else plan.sub_issue

    def _enumerate(self, plan: MessagePlan) -> tuple[str, ...]:
        place = plan.place
        roles = dict.fromkeys([plan.author.role, *(listener.role for listener in plan.audience)])
        content = self._briefing.render(
            "sub_issues",
            roles=", ".join(roles),
            project=place.project,
            summary=self._briefing.summary(place.project),
            topic=place.topic,
            phase=place.phase,
            category=place.category,
            status_goal=place.status_goal,
            target=place.target.strftime("%d %B %Y"),
            count=self._memory.sub_issues,
        )
        request = ChatRequest(
            messages=(ChatMessage(role="user", content=content),),
            max_tokens=MEMORY_TOKENS,
            response_schema=_SUB_ISSUES,
        )
        return _listed(self._model.complete(request).parsed)[: self._memory.sub_issues]

    def _ledger(self, plan: MessagePlan, situation: Situation) -> str:
        """The ledger as of the last refresh; made anew when this message is the first after a refresh is due."""
        every = self._memory.ledger_every
        due = plan.ordinal_in_phase // every * every
        if due == 0:
            return ""
        phase = plan.place.phase_id
        kept = self._notebook.ledger(phase, due)
        if kept is not None:
            return kept
        content = self._briefing.render(
            "ledger",
            phase=plan.place.phase,
            project=plan.place.project,
            previous=self._notebook.ledger(phase, due - every) or NO_LEDGER,
            messages=as_lines(situation.recent[-self._memory.ledger_window :]),
            words=self._memory.ledger_words,
        )
        request = ChatRequest(messages=(ChatMessage(role="user", content=content),), max_tokens=MEMORY_TOKENS)
        text = _first_words(cleaned(self._model.complete(request)), self._memory.ledger_words)
        self._notebook.add(Note(phase=phase, at=due, ledger=text or NO_LEDGER))
        return text or NO_LEDGER


def cleaned(reply: ChatReply) -> str:
    """The message alone: without a code fence or quotation marks around the whole of it; a refusal is none."""
    text = "" if reply.finish_reason == "refusal" else reply.text.strip()
    fenced = _FENCE.match(text)
    text = fenced[1].strip() if fenced else text
    if len(text) > 1 and text[0] in '"“' and text[-1] in '"”' and not re.search('["“”]', text[1:-1]):
        text = text[1:-1].strip()
    return text


def _problems(plan: MessagePlan, reply: ChatReply, text: str) -> list[str]:
    if reply.finish_reason == "refusal":
        return ["write the message; it is fiction about an ordinary working day"]
    if reply.finish_reason == "length":
        return ["write less: it was cut off"]
    return problems_of(plan, text)


def _listed(parsed: object) -> tuple[str, ...]:
    """The sub-issues of a reply; none where it has another shape."""
    found = parsed.get("sub_issues") if isinstance(parsed, Mapping) else None
    if not isinstance(found, list):
        return ()
    return tuple(dict.fromkeys(item.strip() for item in found if isinstance(item, str) and item.strip()))


def _first_words(text: str, most: int) -> str:
    """The text up to so many words, its lines kept; a bullet is no word."""
    kept: list[str] = []
    for line in text.splitlines():
        counted = list(accumulate(bool(words(token)) for token in line.split()))
        room = bisect_right(counted, most)
        kept.append(" ".join(line.split()[:room]))
        if room < len(counted):
            break
        most -= counted[-1] if counted else 0
    return "\n".join(kept).rstrip("\n -*")
