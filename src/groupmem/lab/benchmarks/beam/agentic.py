"""What an agent over a memory graph takes on BEAM: the published estimate of the agentic-graphrag harness, and its
caps.

calls  = ceil(chunks x calls a chunk) + questions x (agent calls + judge calls)
tokens = chunks x tokens a chunk + questions x (agent tokens + judge calls x judge tokens)

The estimate is linear in the chunks, where the work of resolution grows faster: a run of a whole conversation was found
to take more. The caps are about half as much again.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from groupmem.lab.benchmarks.loads import AgentCaps, AgentLoads, Load
from groupmem.lab.chunking import chunk
from groupmem.lab.sessions import session_documents
from groupmem.types import Conversation, Record

SYSTEM = "agentic-graphrag"
"""The system that the figures are of."""


class AgentProfile(Record, frozen=True, kw_only=True):
    """The figures of one set: means a chunk and a question. `judge_tokens` are of one call of the judge."""

    chunk_calls: float
    chunk_tokens: int
    agent_calls: int
    agent_tokens: int
    judge_calls: int
    judge_tokens: int
    caps: AgentCaps


PROFILES: Mapping[str, AgentProfile] = {
    "lite": AgentProfile(
        chunk_calls=2,
        chunk_tokens=8_000,
        agent_calls=7,
        agent_tokens=25_000,
        judge_calls=2,
        judge_tokens=1_000,
        caps=AgentCaps(calls=40, tokens=120_000),
    ),
    "full": AgentProfile(
        chunk_calls=7,
        chunk_tokens=105_000,
        agent_calls=60,
        agent_tokens=250_000,
        judge_calls=12,
        judge_tokens=2_000,
        caps=AgentCaps(calls=17_000, tokens=133_900_000),
    ),
}
"""By the name of the set; of the whole tiers nobody has figures."""


def loads(profile: AgentProfile, conversation: Conversation) -> AgentLoads:
    """What ingesting the conversation takes, and answering one question about it."""
    chunks = chunk_count(conversation)
    return AgentLoads(
        chunks=chunks,
        ingest=Load(calls=ceil(chunks * profile.chunk_calls), input_tokens=chunks * profile.chunk_tokens),
        answer=Load(calls=profile.agent_calls, input_tokens=profile.agent_tokens),
        judge=Load(calls=profile.judge_calls, input_tokens=profile.judge_calls * profile.judge_tokens),
    )


def chunk_count(conversation: Conversation) -> int:
    """Chunks of about 1,000 tokens over all sessions."""
    documents = session_documents(conversation.id, conversation.messages)
    return sum(len(chunk(document.text)) for document in documents)
