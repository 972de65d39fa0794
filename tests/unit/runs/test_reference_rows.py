"""The reference rows: what they are given, what they return, how a reader is asked for them."""

from __future__ import annotations

import msgspec
import pytest
from run_fixtures import START, HeldUnit, conversation, question

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.records import RecalledLine
from groupmem.lab.runs.reader import Reader, passage_block
from groupmem.lab.runs.reference import NO_INFORMATION, REFERENCE_ROWS
from groupmem.lab.runs.roster import make_entry
from groupmem.lab.runs.rows import Row
from groupmem.lab.runs.sizes import PassageSizes
from groupmem.lab.runs.unit import RunUnit
from groupmem.prompts import Prompts
from groupmem.text import count_tokens
from groupmem.types import passage_ids

READER = Reader(prompts=Prompts())
UNIT = RunUnit(HeldUnit("small", conversation(40)), ())
TIMELINE = UNIT.timeline


def _open(name: str, said: int = 40) -> Row:
    row = make_entry(name, UNIT).row
    row.ingest(TIMELINE.messages[:said])
    row.settle()
    return row


@pytest.mark.parametrize("name", REFERENCE_ROWS)
def test_every_reference_row_is_marked_and_takes_no_foreign_option(name: str) -> None:
    assert make_entry(name, UNIT).row.traits.reference
    with pytest.raises(InputError, match="k1"):
        make_entry(f"{name}:k1=2", UNIT)


def test_names_of_reference_rows_are_offered_where_a_system_is_unknown() -> None:
    with pytest.raises(UnknownNameError, match="oracle"):
        make_entry("orcle", UNIT)


class TestAbstain:
    def test_answers_without_looking(self) -> None:
        row = _open("abstain")
        assert row.recall(question("q"), 10).passages == ()
        assert row.answer(question("q")).text == NO_INFORMATION
        assert not row.traits.ranked


class TestNoMemory:
    def test_asks_the_reader_alone(self) -> None:
        row = _open("no-memory")
        request = row.request(READER, question("q"), RecalledLine(question="q"))
        assert request == READER.request_alone(question("q"))


class TestOracle:
    def test_returns_all_evidence_in_the_order_it_was_said(self) -> None:
        found = _open("oracle").recall(question("q", evidence=("m7", "m2", "m30")), limit=1)
        assert passage_ids(found.passages) == ["m2", "m7", "m30"]

    def test_has_nothing_for_a_question_without_evidence(self) -> None:
        assert _open("oracle").recall(question("q"), 10).passages == ()


class TestFullContext:
    def test_shows_everything_that_fits_in_order(self) -> None:
        found = _open("full-context").recall(question("q"), limit=3)
        assert passage_ids(found.passages) == [message.id for message in TIMELINE.messages]
        assert found.truncated == 0

    @pytest.mark.parametrize("tokens", [1, 60, 300, 700])
    def test_keeps_the_newest_within_the_window_and_counts_the_rest(self, tokens: int) -> None:
        found = _open(f"full-context:tokens={tokens}").recall(question("q"), limit=3)
        kept = passage_ids(found.passages)
        assert count_tokens(passage_block(found.passages)) <= tokens
        assert kept == [message.id for message in TIMELINE.messages][len(TIMELINE.messages) - len(kept) :]
        assert found.truncated == len(TIMELINE.messages) - len(kept) > 0

    def test_the_window_is_not_wasted(self) -> None:
        found = _open("full-context:tokens=300").recall(question("q"), limit=3)
        one_more = TIMELINE.messages[-len(found.passages) - 1]
        size = PassageSizes([one_more]).mean
        assert count_tokens(passage_block(found.passages)) + size > 290

    def test_the_reader_is_sent_what_was_said_before_the_question_though_the_line_left_it_out(self) -> None:
        asked = question("q", asked_at=START.replace(minute=10))
        row = _open("full-context", said=11)
        whole = row.recall(asked, 3)
        fresh = make_entry("full-context", UNIT).row
        assert fresh.request(READER, asked, RecalledLine(question="q")) == READER.request(asked, whole.passages)

    @pytest.mark.parametrize("tokens", ["0", "many", "-4"])
    def test_a_window_that_is_none_is_refused(self, tokens: str) -> None:
        with pytest.raises(InputError, match="tokens"):
            make_entry(f"full-context:tokens={tokens}", UNIT)


def test_what_a_plan_expects_is_what_comes() -> None:
    sizes = PassageSizes(TIMELINE.messages)
    asked = question("q", evidence=("m7", "m2"))
    for name in REFERENCE_ROWS:
        row = _open(name)
        tokens = count_tokens(passage_block(row.recall(asked, 5).passages))
        if name in ("oracle", "full-context"):
            assert row.expected_tokens(asked, 5, sizes) == pytest.approx(tokens, rel=0.1)
        else:
            assert row.expected_tokens(asked, 5, sizes) == tokens == 0
    assert msgspec.structs.asdict(asked)["evidence"] == ("m7", "m2")
