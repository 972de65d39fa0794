"""Rates conversations on the six dimensions of quality, and keeps what the judge said in a folder.

quality.json     judge, prompts, seeds, and the scores of each conversation
ratings.jsonl    every rating with its reasoning
calls.sqlite     the call log
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from groupmem import __version__
from groupmem.files import write_atomic
from groupmem.lab.judging.judge import PAPER, Judge
from groupmem.lab.judging.quality import (
    EXCERPT_MESSAGES,
    PROMPT_NAMES,
    QualityScores,
    Rating,
    Task,
    rate,
    score_ratings,
    tasks,
)
from groupmem.lab.records import PromptUse
from groupmem.lab.runs.progress import Progress
from groupmem.lab.runs.provenance import code_revision
from groupmem.lab.runs.stages.calls import Crew, call_all
from groupmem.models.session import Models
from groupmem.prompts import Prompts
from groupmem.types import Conversation, Record


class QualityOrder(Record, frozen=True, kw_only=True):
    """The judge by name, how many seeds, a folder of prompts that are laid over ours, and the calls at a time."""

    judge: str
    seeds: int = 10
    prompts: Path | None = None
    workers: int = 8


class QualityRecord(Record, frozen=True, kw_only=True, omit_defaults=False):
    """quality.json. `model` is what was called; `sha256` (hex, of the conversation as JSON) and `scores` are by the
    name of the conversation."""

    judge: str
    model: str
    seeds: int
    temperature: float
    excerpt_messages: int
    prompts: Mapping[str, PromptUse]
    groupmem_version: str
    code: Mapping[str, str]
    sha256: Mapping[str, str]
    scores: Mapping[str, QualityScores]


def assess(
    conversations: Mapping[str, Conversation],
    order: QualityOrder,
    folder: Path,
    progress: Progress,
    open_models: Callable[[Path], Models],
) -> QualityRecord:
    """Rates every conversation, given by its name, and writes the folder. `open_models` is given the call log's path.

    Raises PendingError where a batch waits for its answers, BudgetError where the budget is used up, and ModelError
    where every call failed. What was answered is in the cache or the batch then, and the same call goes on from there.
    """
    prompts = Prompts(order.prompts)
    loaded = [prompts.load(name) for name in PROMPT_NAMES]
    Models.require_key(order.judge)  # said before a folder is made
    with open_models(folder / "calls.sqlite") as models:
        crew = Crew(models=models, run="quality", workers=order.workers, progress=progress)
        ratings = _rate_all(conversations, order, prompts, crew)
    record = QualityRecord(
        judge=order.judge,
        model=Models.describe(order.judge),
        seeds=order.seeds,
        temperature=PAPER.temperature,
        excerpt_messages=EXCERPT_MESSAGES,
        prompts={prompt.name: PromptUse(sha256=prompt.sha256, source=prompt.source) for prompt in loaded},
        groupmem_version=__version__,
        code=code_revision(),
        sha256={name: hashlib.sha256(msgspec.json.encode(each)).hexdigest() for name, each in conversations.items()},
        scores={name: score_ratings([each for each in ratings if each.conversation == name]) for name in conversations},
    )
    write_atomic(folder / "ratings.jsonl", b"".join(msgspec.json.encode(rating) + b"\n" for rating in ratings))
    write_atomic(folder / "quality.json", msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")
    return record


def _rate_all(
    conversations: Mapping[str, Conversation], order: QualityOrder, prompts: Prompts, crew: Crew
) -> list[Rating]:
    """The ratings in the order of what was asked, in whichever order they came in."""
    judges = {
        name: Judge(model=crew.chat(order.judge, name, "judge"), profile=PAPER, prompts=prompts)
        for name in conversations
    }
    asked = [task for name, each in conversations.items() for task in tasks(each, name, order.seeds)]
    found: dict[tuple[str, int, str], Rating] = {}

    def keep(task: Task, rating: Rating) -> str | None:
        found[task.conversation, task.seed, task.dimension] = rating
        return rating.reply if rating.unscored == "provider_error" else None

    call_all(asked, lambda task: rate(task, judges[task.conversation]), keep, crew=crew, what="ratings")
    return [found[task.conversation, task.seed, task.dimension] for task in asked]
