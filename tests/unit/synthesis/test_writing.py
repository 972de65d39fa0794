"""Writing a corpus: in order, in rounds, cut off and gone on with; and the files that come out."""

from __future__ import annotations

import json
import random
from collections import Counter
from datetime import date
from pathlib import Path

import msgspec
import pytest
from plain_writer import LyingWriter, PlainWriter
from planned_corpora import planned

from groupmem.errors import InputError
from groupmem.lab.synthesis.base import MessagePlan, Situation, Written
from groupmem.lab.synthesis.corpus import CorpusFiles, Provenance, structure_counts
from groupmem.lab.synthesis.dates import absolute_phrases, relative_phrases
from groupmem.lab.synthesis.journal import Journal
from groupmem.lab.synthesis.stats import corpus_statistics, paper_counts
from groupmem.lab.synthesis.truth import DecisionLine, FactLine, UnansweredLine
from groupmem.lab.synthesis.writing import WriterError, Writing
from groupmem.readers import groupmembench, jsonl

N = 1500


class Silent:
    def advance(self, count: int = 1) -> None:
        pass


class Mortal(PlainWriter):
    """Dies with the n-th message that it is to write."""

    def __init__(self, after: int) -> None:
        self._left = after

    def write(self, plan: MessagePlan, situation: Situation, rng: random.Random) -> Written:
        self._left -= 1
        if self._left < 0:
            raise KeyboardInterrupt
        return super().write(plan, situation, rng)


def begin(folder: Path, flush_every: int = 1) -> Writing:
    return Writing(planned(N).plans, Journal(folder / "written.jsonl", flush_every=flush_every), seed=0)


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    writing = begin(tmp_path_factory.mktemp("whole"))
    writing.in_order(PlainWriter(), Silent())
    return [written.text for written in writing.texts()]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    writing = begin(folder / "work")
    writing.in_order(PlainWriter(), Silent())
    provenance = Provenance(
        groupmem="0", pack="invented", pack_sha256="", policy_sha256="", writer="plain", seed=0, messages=N, projects=7
    )
    counted = msgspec.structs.replace(provenance, **structure_counts(writing.plans))
    CorpusFiles(folder, "corpus").write(writing.plans, writing.texts(), counted)
    return folder


def lines(path: Path, kind: type[msgspec.Struct]) -> list[msgspec.Struct]:
    return [msgspec.json.decode(line, type=kind) for line in path.read_bytes().splitlines()]


@pytest.mark.parametrize(("flush_every", "kills"), [(1, [0, 1, 700]), (200, [37, 5, 950])])
def test_a_corpus_that_was_cut_off_becomes_the_same(
    tmp_path: Path, texts: list[str], flush_every: int, kills: list[int]
) -> None:
    for after in kills:
        with pytest.raises(KeyboardInterrupt):
            begin(tmp_path, flush_every).in_order(Mortal(after), Silent())
    resumed = begin(tmp_path, flush_every)
    assert 0 < resumed.resumed <= sum(kills)
    resumed.in_order(PlainWriter(), Silent())
    assert [written.text for written in resumed.texts()] == texts


def test_rounds_write_what_order_writes(tmp_path: Path, texts: list[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        begin(tmp_path).in_rounds(Mortal(400), Silent(), 3, lambda: None)
    resumed = begin(tmp_path)
    resumed.in_rounds(PlainWriter(), Silent(), 3, lambda: None)
    assert [written.text for written in resumed.texts()] == texts


def test_a_line_that_was_never_finished_is_written_again(tmp_path: Path, texts: list[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        begin(tmp_path).in_order(Mortal(20), Silent())
    path = tmp_path / "written.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    resumed = begin(tmp_path)
    assert resumed.resumed == 19
    resumed.in_order(PlainWriter(), Silent())
    assert [written.text for written in resumed.texts()] == texts


def test_a_line_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "written.jsonl").write_text('{"slot": 0, "text": "x"}\nnot a line\n')
    with pytest.raises(InputError, match=r"written\.jsonl:2: "):
        begin(tmp_path)


def test_a_writer_that_claims_what_it_did_not_say_makes_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(WriterError, match="writer lying: Msg_1: 'something' for Fact_"):
        begin(tmp_path).in_order(LyingWriter(), Silent())


def test_both_formats_are_read_back_as_the_same_conversation(corpus: Path) -> None:
    published, own = groupmembench.read(corpus), jsonl.read(corpus / "messages.jsonl")
    assert published.report == own.report
    assert not own.report.warnings()
    assert published.conversation.messages == own.conversation.messages
    assert published.conversation.people == own.conversation.people
    assert published.conversation.channels == own.conversation.channels
    assert len(own.conversation.messages) == N
    private = [channel for channel in own.conversation.channels if channel.members is not None]
    assert [len(channel.members or ()) for channel in private] == [3]


def test_every_fact_can_be_read_where_it_is_said_to_stand(corpus: Path) -> None:
    messages = {message.id: message for message in jsonl.read(corpus / "messages.jsonl").conversation.messages}
    people = {person.id: person for person in jsonl.read(corpus / "messages.jsonl").conversation.people}
    facts = lines(corpus / "facts.jsonl", FactLine)
    assert len(facts) > 500
    for fact in facts:
        assert isinstance(fact, FactLine)
        assert fact.stated_in
        for mention in fact.mentions:
            message = messages[mention.message]
            assert mention.surface in message.text
            assert mention.author == message.author
            assert all(word.casefold() in message.text.casefold() for word in mention.words.values())
            if mention.message in fact.stated_in:
                assert fact.valid_from <= (message.sent_at or fact.valid_from)
                assert fact.valid_until is None or message.sent_at is None or message.sent_at <= fact.valid_until
        if fact.value_kind == "date":
            on = date.fromisoformat(fact.value)
            for mention in fact.mentions:
                said = messages[mention.message].sent_at
                if mention.message in fact.stated_in and said is not None:
                    ways = (*relative_phrases(on, said.date()), *absolute_phrases(on, said.date()))
                    assert mention.surface in ways
        if fact.value_kind == "person":
            surfaces = {mention.surface for mention in fact.mentions if mention.message in fact.stated_in}
            assert surfaces <= {str(people[fact.value].name).split()[0], "I"}


def test_facts_that_replace_each_other_point_at_each_other(corpus: Path) -> None:
    facts = {fact.id: fact for fact in lines(corpus / "facts.jsonl", FactLine) if isinstance(fact, FactLine)}
    replaced = [fact for fact in facts.values() if fact.superseded_by]
    assert replaced
    for fact in replaced:
        later = facts[str(fact.superseded_by)]
        assert later.supersedes == fact.id
        assert later.matter == fact.matter
        assert later.valid_from == fact.valid_until


def test_decisions_say_what_changed_why_and_where(corpus: Path) -> None:
    facts = {fact.id: fact for fact in lines(corpus / "facts.jsonl", FactLine) if isinstance(fact, FactLine)}
    decisions = lines(corpus / "decisions.jsonl", DecisionLine)
    assert decisions
    for decision in decisions:
        assert isinstance(decision, DecisionLine)
        assert facts[decision.before_fact].value_text == decision.before
        assert decision.reason_in == (decision.steps[-1].message,)
        assert decision.trigger_in == (decision.steps[0].message,)
        assert decision.steps[0].author == decision.proposed_by
        assert decision.steps[-1].author == decision.settled_by
        if decision.outcome == "changed":
            assert facts[str(decision.after_fact)].value_text == decision.after
            assert decision.steps[-1].message in facts[str(decision.after_fact)].stated_in
            if decision.number == 1:
                assert decision.committed_in == facts[decision.before_fact].stated_in[0]
        else:
            assert decision.after_fact is None


def test_what_nobody_answered_is_told_nowhere(corpus: Path) -> None:
    told = {fact.matter for fact in lines(corpus / "facts.jsonl", FactLine) if isinstance(fact, FactLine)}
    unanswered = lines(corpus / "unanswered.jsonl", UnansweredLine)
    assert unanswered
    assert all(isinstance(line, UnansweredLine) and line.asked_in for line in unanswered)
    assert told


def test_the_statistics_count_what_is_in_the_files(corpus: Path) -> None:
    statistics = corpus_statistics(corpus)
    rows = [row for messages in json.loads((corpus / "corpus.json").read_text()).values() for row in messages]
    counts = statistics.counts
    assert (counts.messages, counts.projects, counts.topics, counts.phases) == (N, 7, 35, 70)
    assert (counts.participants, counts.roles) == (18, 6)
    assert counts.posts + counts.replies + counts.cross_project_replies == N
    assert counts.noise_messages == sum(row["is_noise"] for row in rows)
    assert counts.decision_points == sum(row["is_decision_point"] for row in rows)
    assert counts.decision_changes >= 65
    assert sum(statistics.drawn.values()) == pytest.approx(1)
    assert Counter(statistics.paper)["Technology"] is not None
    assert statistics.paper["Finance"].shares()["post"] == pytest.approx(0.2255, abs=1e-3)


def test_the_published_counts_add_up() -> None:
    for counts in paper_counts().values():
        assert counts.posts + counts.replies + counts.cross_project_replies == counts.messages == 30_000


def test_statistics_want_a_finished_corpus(tmp_path: Path) -> None:
    (tmp_path / ".making").mkdir()
    with pytest.raises(InputError, match="not finished, run the same command again"):
        corpus_statistics(tmp_path)
    with pytest.raises(InputError, match=r"is no synthesised corpus: it has no provenance\.json$"):
        corpus_statistics(tmp_path / ".making")
