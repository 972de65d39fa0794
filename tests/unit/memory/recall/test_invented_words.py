"""Recall knows no subject: where every term, role and decision is an invented word, it finds as much.

The generator of these conversations and the engine have the same authors; so the words of the shipped packs are put
aside, and with them whatever the engine could have been fitted to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any

from groupmem.lab.measures import recall_at_k
from groupmem.lab.questions.making import make_questions
from groupmem.lab.questions.order import Order as Questions
from groupmem.lab.synthesis.making import Order, make_corpus
from groupmem.lab.synthesis.pack_file import load_pack
from groupmem.lab.synthesis.packs import Pack
from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.memory import GroupMemory
from groupmem.models.session import Models
from groupmem.readers.registry import read_any
from groupmem.types import passage_ids
from support.invented_pack import invented_pack

MESSAGES = 1200
PER_TYPE = 12
WITHIN = 0.05


class Silent:
    """Progress that nobody sees."""

    def advance(self, count: int = 1) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Silent]:
        yield self


def test_invented_words_are_found_as_well_as_those_of_a_pack(tmp_path: Path) -> None:
    known = found_at_10(load_pack("technology"), tmp_path / "known")
    invented = found_at_10(invented_pack(seed=1), tmp_path / "invented")
    assert 0.6 < known < 1
    assert invented >= known - WITHIN


def found_at_10(pack: Pack, folder: Path) -> float:
    """recall@10 over all answerable questions that were reworded until BM25 failed on them, by words alone."""
    make_corpus(Order(pack=pack, policy=load_policy(), messages=MESSAGES), folder, Silent(), models)
    make_questions(Questions(per_type=PER_TYPE), folder, folder, Silent(), models)
    conversation = read_any(folder).conversation
    with GroupMemory(folder / "memory.db", embedding=None) as memory:
        memory.set_people(conversation.people)
        memory.set_channels(conversation.channels)
        memory.add(conversation.messages)
        shares = []
        for row in rows(folder / "questions"):
            if row["evidence"]:
                recall = memory.recall(row["question"], asker=row["asking_user_id"])
                shares.append(recall_at_k(passage_ids(recall.passages), row["evidence"], 10))
    return fmean(shares)


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.glob("*.jsonl")):
        yield from map(json.loads, file.read_text(encoding="utf-8").splitlines())


def models(log_path: Path) -> Models:
    return Models(log_path=log_path, cache_path=None)
