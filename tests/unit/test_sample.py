"""The bundled sample: it is what its script writes, and what its page and its questions claim is so."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from groupmem.lab.benchmarks.sample import SAMPLE
from groupmem.lab.measures import all_evidence_at_k
from groupmem.lab.questions.records import CATEGORIES, NO_ANSWER
from groupmem.lab.systems.base import Setting
from groupmem.lab.systems.registry import create_system
from groupmem.readers import groupmembench
from groupmem.types import passage_ids

SCRIPT = Path(__file__).parents[2] / "tools" / "make_sample.py"
MOST_BYTES = 1_500_000
LOADED = groupmembench.read(SAMPLE)
CONVERSATION = LOADED.conversation
MESSAGES = {message.id: message for message in CONVERSATION.messages}
QUESTIONS = {question.id: question for question in LOADED.questions}
PRIVATE = {channel.id: channel for channel in CONVERSATION.channels if channel.members is not None}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_code_of_today_writes_it_byte_for_byte(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(SCRIPT), str(tmp_path / "sample")], check=True)
    bundled, made = contents(SAMPLE), contents(tmp_path / "sample")
    stale = sorted(name for name in bundled.keys() | made.keys() if bundled.get(name) != made.get(name))
    assert not stale, f"the bundled sample is stale in {', '.join(stale)}: run `make sample` and commit what it writes"


def test_it_is_large_enough_to_mean_something_and_small_enough_to_be_bundled() -> None:
    assert LOADED.report.warnings() == ()
    assert len(MESSAGES) >= 1_500
    assert len(QUESTIONS) >= 120
    by_type = Counter(question.category for question in LOADED.questions)
    assert set(by_type) == set(CATEGORIES)
    assert min(by_type.values()) >= 20
    assert sum(map(len, contents(SAMPLE).values())) <= MOST_BYTES


def test_private_channels_are_written_by_their_members_and_hold_answers() -> None:
    assert PRIVATE
    for message in MESSAGES.values():
        assert message.channel not in PRIVATE or PRIVATE[message.channel].readable_by(message.author), message.id
    resting = [
        question
        for question in LOADED.questions
        if any(MESSAGES[name].channel in PRIVATE for name in question.evidence)
    ]
    assert len(resting) >= 5
    kept_out = [question for question in LOADED.questions if CONVERSATION.hidden_channels(question.asker)]
    assert len(kept_out) > len(QUESTIONS) / 4, "many askers may not read everything, so that leaks can be seen"


def test_twins_have_the_same_words_another_asker_and_another_answer() -> None:
    twins = [question for question in LOADED.questions if question.twin is not None]
    assert 2 * sum(question.category == "user_implicit" for question in twins) >= 20
    for question in twins:
        other = QUESTIONS[str(question.twin)]
        assert (other.twin, other.text) == (question.id, question.text)
        assert other.asker != question.asker
        assert other.answer != question.answer


def test_gold_has_evidence_except_where_nobody_said_it() -> None:
    for question in LOADED.questions:
        assert (question.answer == NO_ANSWER) == (question.category == "abstention") == (not question.evidence)
        assert set(question.evidence) <= MESSAGES.keys()


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_first_wording_of_every_question_is_kept(category: str) -> None:
    raw = [json.loads(line) for line in (SAMPLE / "questions-raw" / f"{category}.jsonl").read_bytes().splitlines()]
    assert all(row["flags"][0] == "raw" for row in raw)
    first = {(row["anchor"], row["asking_user_id"]): row["answer_kind"] for row in raw}
    for question in LOADED.questions:
        if question.category == category:
            assert first[question.extra["anchor"], str(question.asker)] == question.extra["answer_kind"]


def test_the_solver_finds_the_whole_evidence_of_no_question() -> None:
    opened = create_system("bm25")
    opened.system.open(Setting(people=CONVERSATION.people, channels=CONVERSATION.channels, options=opened.options))
    opened.system.ingest(sorted(MESSAGES.values(), key=lambda message: str(message.sent_at)))
    opened.system.settle()
    for question in LOADED.questions:
        found = opened.system.recall(question.text, asker=question.asker, limit=10, asked_at=None)
        assert not question.evidence or not all_evidence_at_k(passage_ids(found.passages), question.evidence, 10)


def test_the_page_on_data_sets_counts_it_rightly() -> None:
    page = (SCRIPT.parents[1] / "docs" / "data.md").read_text(encoding="utf-8")
    assert f"of {len(MESSAGES):,} messages, {len(QUESTIONS)} hard questions" in page
