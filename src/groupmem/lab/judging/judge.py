"""A judge: a chat model with the settings and the prompts that it judges under."""

from __future__ import annotations

import msgspec

from groupmem.errors import UnknownNameError
from groupmem.models.base import ChatMessage, ChatModel, ChatReply, ChatRequest
from groupmem.prompts import Prompts
from groupmem.types import Record, UnscoredReason


class JudgeProfile(Record, frozen=True, kw_only=True):
    """How a judge is called: the cap on its reply in tokens, and its temperature."""

    name: str
    max_tokens: int
    temperature: float


PAPER = JudgeProfile(name="paper", max_tokens=2048, temperature=1.0)
"""GroupMemBench, App. "LLM Judge Configuration"."""

PUBLISHED = JudgeProfile(name="published", max_tokens=256, temperature=0.2)
"""The scripts published with GroupMemBench."""

BEAM = JudgeProfile(name="beam", max_tokens=2048, temperature=0.0)
"""The memory harness of agentic-graphrag on BEAM: one sample at temperature 0. The cap is ours; it names none."""

_STOPPED_SHORT: dict[str, UnscoredReason] = {"length": "truncated", "refusal": "refused"}
_PROFILES = {profile.name: profile for profile in (PAPER, PUBLISHED, BEAM)}


def judge_profile(name: str) -> JudgeProfile:
    """The profile of this name. Raises UnknownNameError."""
    if name not in _PROFILES:
        raise UnknownNameError("judge profile", name, _PROFILES)
    return _PROFILES[name]


def stopped_short(reply: ChatReply) -> UnscoredReason | None:
    """Why a reply states nothing, whatever it says: it was cut off or refused. None for one that ended by itself."""
    return _STOPPED_SHORT.get(reply.finish_reason)


class Judge(msgspec.Struct, frozen=True, kw_only=True):
    """What `Benchmark.grade` is given: the model, how it is called, and the prompts, the user's own laid over ours."""

    model: ChatModel
    profile: JudgeProfile = PAPER
    prompts: Prompts = msgspec.field(default_factory=Prompts)

    def ask(self, system: str | None, user: str) -> ChatReply:
        """One call under the profile, None: without a system prompt. Raises ModelError, BudgetError or PendingError."""
        first = () if system is None else (ChatMessage(role="system", content=system),)
        turns = (*first, ChatMessage(role="user", content=user))
        return self.model.complete(
            ChatRequest(messages=turns, max_tokens=self.profile.max_tokens, temperature=self.profile.temperature)
        )
