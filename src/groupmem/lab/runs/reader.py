"""The reader: the one prompt that turns passages into an answer, the same for every system.

The layout of a passage, the numbering and the "Final:" line follow the published GroupMemBench scripts; the words of
the prompts are ours. A message is data: it can forge neither a tag, nor a passage, nor the end of the block.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from groupmem.errors import ModelError
from groupmem.lab.judging.final import split_final
from groupmem.lab.records import AnswerLine, AnswerProblem
from groupmem.models.base import ChatMessage, ChatReply, ChatRequest
from groupmem.prompts import Prompts, text_marker
from groupmem.types import Answer, Passage, Question, passage_ids

MAX_TOKENS = 512
"""Cap on a reply, as in the published scripts."""

TEMPERATURE = 0.2
"""As in the published scripts."""

WHOLE_MAX_TOKENS = 2048
"""Cap on a reply that is an answer as a whole: a summary, or a list of events."""

PROMPT_NAMES = ("reader/system", "reader/user", "reader/alone", "reader/alone_user")
WHOLE_PROMPT_NAMES = ("reader/whole", "reader/user", "reader/alone_whole", "reader/alone_user")

_PROBLEMS: dict[str, AnswerProblem] = {"length": "truncated", "refusal": "refused"}
_LINE_START = r"(^|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])"
_PASSAGE_HEAD = re.compile(_LINE_START + r"(?=\s*\[\d+\]\s*\[)")
_SPACES = re.compile(r"\s+")


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """The prompts of the reader, the user's own laid over ours. `whole`: a reply is the answer as it stands, for
    questions that take more than a line; else it reasons first and ends with a line that is the answer."""

    prompts: Prompts
    whole: bool = False

    def request(self, question: Question, passages: Sequence[Passage]) -> ChatRequest:
        """What is sent for passages that were found; for none, the reader is told so."""
        block = passage_block(passages)
        user = self.prompts.load("reader/user").render(
            **_slots(question), passages=block, count=len(passages), marker=text_marker(block)
        )
        return self._request("reader/whole" if self.whole else "reader/system", user)

    def request_alone(self, question: Question) -> ChatRequest:
        """What is sent where the reader has nothing but the question (the no-memory row)."""
        user = self.prompts.load("reader/alone_user").render(**_slots(question))
        return self._request("reader/alone_whole" if self.whole else "reader/alone", user)

    def read(self, question: Question, reply: ChatReply) -> AnswerLine:
        """The line of a reply."""
        if not self.whole:
            return read_answer(question, reply)
        answer = Answer(text=reply.text.strip(), finish_reason=reply.finish_reason, usage=reply.usage)
        return answer_line(question, answer)

    def _request(self, system: str, user: str) -> ChatRequest:
        turns = (
            ChatMessage(role="system", content=self.prompts.load(system).render()),
            ChatMessage(role="user", content=user),
        )
        cap = WHOLE_MAX_TOKENS if self.whole else MAX_TOKENS
        return ChatRequest(messages=turns, max_tokens=cap, temperature=TEMPERATURE)


def read_answer(question: Question, reply: ChatReply) -> AnswerLine:
    """The line of a reply: what stands on its "Final:" line is the answer."""
    reasoning, final = split_final(reply.text)
    answer = Answer(text=final, reasoning=reasoning, finish_reason=reply.finish_reason, usage=reply.usage)
    return answer_line(question, answer)


def answer_line(question: Question, answer: Answer) -> AnswerLine:
    """The line of an answer; one that was cut off or refused is kept, and is none that can be judged."""
    return AnswerLine(question=question.id, answer=answer, problem=_PROBLEMS.get(answer.finish_reason))


def provider_error(question: Question, error: ModelError) -> AnswerLine:
    """The line of a question whose call failed for good; the next start asks it again."""
    return AnswerLine(
        question=question.id, answer=Answer(text="", finish_reason="error"), problem="provider_error", detail=str(error)
    )


def passage_block(passages: Sequence[Passage]) -> str:
    """Numbered passages, best first, a blank line between; empty for none. Context tokens are counted on this text."""
    return "\n\n".join(f"[{rank}] {_passage(passage)}" for rank, passage in enumerate(passages, start=1))


def first_ranks(passages: Sequence[Passage], limit: int) -> tuple[Passage, ...]:
    """The passages of the first `limit` ranks; one that would go beyond them ends the list."""
    for count in range(min(limit, len(passages)), 0, -1):
        if len(passage_ids(passages[:count])) <= limit:
            return tuple(passages[:count])
    return ()


def _passage(passage: Passage) -> str:
    lines = [_tag_line(passage), _PASSAGE_HEAD.sub(r"\1\\", passage.text)]
    if passage.notes:
        lines.append("Notes")
        lines += [f"- {_one_line(label)}: {_one_line(note)}" for label, note in passage.notes.items()]
    return "\n".join(lines)


def _tag_line(passage: Passage) -> str:
    tags = {
        "user": passage.author or "?",
        "speaker_role": passage.role,
        "channel": passage.channel,
        "phase_name": passage.phase,
        "topic": passage.topic,
        "timestamp": passage.sent_at.isoformat() if passage.sent_at else None,
        "reply_to": passage.reply_to,
        "msg_node": ", ".join(passage.source_ids),
    }
    return "[" + " / ".join(f"{tag}={_tag_value(value)}" for tag, value in tags.items() if value) + "]"


def _tag_value(value: str) -> str:
    """A name chosen by a participant stays inside its tag: no bracket closes the line, no slash opens another tag."""
    escaped = _one_line(value).replace("[", r"\[").replace("]", r"\]")
    return escaped.replace(" / ", r" \/ ")


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", text).strip()


def _slots(question: Question) -> dict[str, str | None]:
    asked_at = question.asked_at.isoformat() if question.asked_at else None
    return {"question": question.text, "asker": question.asker, "asked_at": asked_at}
