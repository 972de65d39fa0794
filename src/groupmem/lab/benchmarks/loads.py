"""What work takes before it is done, where a benchmark knows: calls and tokens by stage."""

from __future__ import annotations

from groupmem.types import Record


class Load(Record, frozen=True, kw_only=True):
    """Calls of one stage and their tokens. `output_tokens` 0: all are counted as input, for the source gives totals."""

    calls: int
    input_tokens: int
    output_tokens: int = 0


class AgentLoads(Record, frozen=True, kw_only=True):
    """What a system that answers by its own agent takes of one unit: to ingest its `chunks`, and to answer and judge
    one question."""

    chunks: int
    ingest: Load
    answer: Load
    judge: Load


class AgentCaps(Record, frozen=True, kw_only=True):
    """The most that such a system may take of a whole set, unless the user says otherwise."""

    calls: int
    tokens: int
