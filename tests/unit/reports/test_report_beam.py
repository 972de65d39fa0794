"""Record and tables of BEAM runs where something is missing: calls without counts, questions that are still open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from groupmem.lab.benchmarks.base import BenchmarkMetadata, DataState, Grade
from groupmem.lab.records import AnswerLine, CellRecord, RecalledLine, RunFolder, RunRecord, RunSpec, VerdictLine
from groupmem.lab.reports import leaderboard
from groupmem.lab.reports.beam import BeamRecord, beam_tables, read_records
from groupmem.lab.reports.beam.figures import COUNTED
from groupmem.lab.reports.beam.work import PathUsage, merged, path_of, total
from groupmem.lab.systems.dense import EMBEDDING
from groupmem.lab.systems.light.system import CHAT
from groupmem.models.base import Account
from groupmem.models.calllog import CallLog, CallRow
from groupmem.types import Answer, Passage, Question, Usage, Verdict

SYSTEMS = ("bm25", "light:chat=openai:m")


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """Two systems on three questions: one is graded, one failed, one is open; the second system was never begun."""
    run = RunFolder(tmp_path / "run")
    metadata = BenchmarkMetadata(
        name="beam:lite", title="BEAM", licence="x", source="x", revision="1", citation="x", profile="rubric"
    )
    spec = RunSpec(benchmark="beam:lite", systems=SYSTEMS, judge="openai:m")
    facts = {"mode": "lite", "corpora": [{"corpus_id": "conv17", "n_documents": 2, "corpus_tokens": 9, "chunks": 3}]}
    run.write_run(
        RunRecord(
            spec=spec,
            benchmark=metadata,
            data=DataState(status="unpinned"),
            created_at="2026-03-01T09:08:07+00:00",
            groupmem_version="1",
            python="3",
            code={"revision": "r", "dirty": "true"},
            units=("conv17",),
            facts=facts,
        )
    )
    names = ("conv17:summarization:0", "conv17:summarization:1", "conv17:temporal_reasoning:0")
    run.write_questions("conv17", tuple(Question(id=name, text="?", category=name.split(":")[1]) for name in names))
    run.write_cell(CellRecord(unit="conv17", system="bm25", status="answered", ingest_seconds=2))
    for name in names[:2]:
        passages = (Passage(text="x", source_ids=("3", "4")),)
        run.append("conv17", "bm25", "recalled", RecalledLine(question=name, passages=passages, latency_ms=1500))
        answer = Answer(text="x", usage=Usage(calls=2))
        run.append("conv17", "bm25", "answers", AnswerLine(question=name, answer=answer, latency_ms=500))
    good = Grade(verdict=Verdict(outcome="wrong", usage=Usage(calls=3)), scores={"score": 1 / 3})
    failed = Grade(verdict=Verdict(outcome="unscored", reason="provider_error"))
    for name, grade in zip(names, (good, failed), strict=False):
        run.append("conv17", "bm25", "verdicts", VerdictLine(question=name, grade=grade))
    return run


def call(phase: str, step: str = "", tokens: int | None = 10) -> CallRow:
    account = Account(cell="conv17/bm25", phase=phase, step=step)  # type: ignore[arg-type]
    usage = Usage(calls=1, input_tokens=tokens, output_tokens=1, cost_usd=0.5)
    return CallRow(account=account, kind="chat", model="m", base_url="u", request_hash="h", usage=usage)


def log_calls(folder: RunFolder, *rows: CallRow) -> None:
    log = CallLog(folder.calls_path)
    for row in rows:
        log.add(row)
    log.close()


def test_open_and_failed_questions_have_no_score_and_are_told(folder: RunFolder) -> None:
    first, second = read_records(folder)
    assert [(found.status, found.scores) for found in first.questions] == [
        ("ok", {"score": 0.3333}),
        ("provider_error", {}),
        ("open", {}),
    ]
    assert first.questions[0].llm_calls == {"answer": 2, "judge": 3}
    assert (first.questions[0].latency_s, first.questions[0].retrieved_ids) == (2.0, ("3", "4"))
    assert first.scores["aggregate"]["score"].n == 1
    assert [mark.partition(":")[0] for mark in first.marks] == [
        "dirty tree",
        "data unpinned",
        "2 of 3 questions have no score",
    ]
    assert first.run_id.startswith("20260301T090807Z-memory-lite-bm25-")
    assert first.trace is None
    assert second.models["agent"] == "openai:m"
    assert {found.status for found in second.questions} == {"open"}


def test_calls_are_told_by_the_part_of_the_work_and_an_unknown_count_is_unknown(folder: RunFolder) -> None:
    log_calls(folder, call("ingest", "extraction"), call("ingest"), call("recall"), call("answer", "agent"))
    log_calls(folder, call("judge", tokens=None))
    first, second = read_records(folder)
    assert {path: (usage.calls, usage.input_tokens) for path, usage in first.by_path.items()} == {
        "extraction": (1, 10),
        "ingest": (1, 10),
        "agent": (2, 20),
        "judge": (1, None),
    }
    assert (first.usage["llm_calls"], first.usage["input_tokens"], first.usage["cost_usd"]) == (5, None, 2.5)
    assert first.corpora[0].ingest_usage.calls == 2
    assert not first.usage["usage_complete"]
    assert second.by_path == {}


def test_a_judge_that_is_the_model_of_a_system_is_warned_of(folder: RunFolder) -> None:
    warnings = [notice.text for notice in leaderboard(folder).notices if notice.kind == "warning"]
    assert f"the judge is the model of {SYSTEMS[1]} (openai:m): the scores are biased upward" in warnings


@pytest.mark.parametrize(
    ("system", "agent", "embedder"),
    [
        ("bm25", "openai:reader", None),
        ("dense", "openai:reader", "minilm"),
        ("dense:embedding=openai:e", "openai:reader", "openai:e"),
        ("light", CHAT.default, EMBEDDING.default),
        ("light:chat=openai:m", "openai:m", EMBEDDING.default),
        ("mem0:chat=openai:m", "openai:m", "minilm"),
        ("hindsight-raw", "openai:reader", "minilm"),
        ("abstain", "openai:reader", None),
        ("gone.py:Mine", "openai:reader", None),
        ("gone.py:Mine:chat=openai:m,embedding=openai:e", "openai:m", "openai:e"),
        ("cmd:chat=openai:m gone", "openai:m", None),
    ],
)
def test_the_models_of_a_system_are_told_where_its_spec_leaves_them_to_the_defaults(
    folder: RunFolder, system: str, agent: str, embedder: str | None
) -> None:
    run = folder.read_run()
    spec = msgspec.structs.replace(run.spec, systems=(system,), reader="openai:reader", judge=agent)
    folder.write_run(msgspec.structs.replace(run, spec=spec))
    (record,) = read_records(folder)
    assert (record.models["agent"], record.models["embedder"]) == (agent, embedder)
    assert any("biased upward" in notice.text for notice in leaderboard(folder).notices), "the agent judges itself"


def test_the_tables_have_a_row_a_system_and_dashes_for_what_nobody_knows(folder: RunFolder) -> None:
    scores, abilities, questions, calls, graphs = beam_tables(leaderboard(folder))
    assert [row[:2] for row in scores.rows()] == [("bm25", 0.3333), (SYSTEMS[1], None)]
    assert abilities.rows() == (("summarization", 0.3333, None), ("temporal_reasoning", None, None))
    assert [row[2:] for row in questions.rows()] == [(0.3333, None), (None, None), (None, None)]
    assert [row[:3] for row in calls.rows()] == [("bm25", "all", 0), (SYSTEMS[1], "all", 0)]
    assert graphs.rows()[0] == ("bm25", 1, 2, None, None, None, None, 2.0)


def with_figures(folder: RunFolder, said: dict[str, Any]) -> tuple[BeamRecord, tuple[Any, ...]]:
    """Record and row of the table of graphs, of a system that counted this."""
    folder.write_cell(CellRecord(unit="conv17", system="bm25", status="answered", figures=said))
    return read_records(folder)[0], beam_tables(leaderboard(folder))[-1].rows()[0]


def test_figures_of_the_form_of_the_record_are_in_it(folder: RunFolder) -> None:
    said = {"chunks": 3, "empty_extractions": 0, "entities": {"Person": 2, "Tool": 5}, "relations": {}, "notes": "x"}
    record, row = with_figures(folder, said)
    (corpus,) = record.corpora
    assert (corpus.chunks, corpus.empty_extractions) == (3, 0)
    assert corpus.graph == {"entities_by_label": {"Person": 2, "Tool": 5}, "relations_by_type": {}}
    assert row[3:7] == (3, 7, 0, 0)
    assert not any("figures" in mark for mark in record.marks)


@pytest.mark.parametrize("said", [None, "many", True, -1, 1.5, [3], {"Person": "two"}, {"Person": None}, {"a": -1}])
@pytest.mark.parametrize("name", COUNTED)
def test_a_figure_of_another_form_is_left_out_and_told(folder: RunFolder, name: str, said: Any) -> None:
    record, row = with_figures(folder, {name: said})
    assert row[3:7] == (None, None, None, None)
    assert record.corpora[0].graph is None
    told = [mark for mark in record.marks if mark.startswith("figures left out of conv17: ")]
    assert [name in mark for mark in told] == ([] if said is None else [True])


@pytest.mark.parametrize(("name", "said"), [("entities", 3), ("relations", 3), ("chunks", {"a": 3})])
def test_a_number_for_counts_by_name_and_the_other_way_round_leave_the_rest_alone(
    folder: RunFolder, name: str, said: Any
) -> None:
    good = {"chunks": 4, "empty_extractions": 1, "entities": {"Person": 2}, "relations": {"USES": 6}}
    record, row = with_figures(folder, good | {name: said})
    columns = dict(zip(("chunks", "entities", "relations", "empty_extractions"), row[3:7], strict=True))
    assert columns == {"chunks": 4, "entities": 2, "relations": 6, "empty_extractions": 1} | {name: None}
    assert sum("figures left out" in mark for mark in record.marks) == 1


@pytest.mark.parametrize(
    ("phase", "path"),
    [
        ("ingest", "ingest"),
        ("ingest/extraction", "extraction"),
        ("recall", "agent"),
        ("answer", "agent"),
        ("answer/agent", "agent"),
        ("judge", "judge"),
        ("judge/extraction", "judge"),
        ("ingest/judge", "ingest/judge"),
        ("ingest/agent", "ingest/agent"),
        ("ingest/ingest", "ingest/ingest"),
        ("ingest/recall", "recall"),
    ],
)
def test_parts_of_the_work(phase: str, path: str) -> None:
    assert path_of(phase) == path


@pytest.mark.parametrize("step", ["", "extraction", "ingest", "recall", "answer", "agent", "judge", "all"])
def test_a_step_of_ingest_is_booked_on_ingest_whatever_it_is_called(folder: RunFolder, step: str) -> None:
    log_calls(folder, call("ingest", step), call("recall", step), call("judge", step), call("judge", step))
    record = read_records(folder)[0]
    assert record.corpora[0].ingest_usage.calls == 1
    assert {path: usage.calls for path, usage in record.by_path.items() if path in ("agent", "judge")} == {
        "agent": 1,
        "judge": 2,
    }
    rows = {row[1]: row[2] for row in beam_tables(leaderboard(folder))[3].rows() if row[0] == "bm25"}
    assert rows == {f"ingest: {step}" if step else "ingest": 1, "agent": 1, "judge": 2, "all": 4}


def test_usage_is_summed_path_by_path() -> None:
    one = PathUsage(calls=1, input_tokens=2, output_tokens=3, cost_usd=0.5)
    dark = PathUsage(calls=1, input_tokens=None, output_tokens=3, cost_usd=None)
    assert merged([{"a": one}, {"a": one, "b": dark}])["a"] == PathUsage(
        calls=2, input_tokens=4, output_tokens=6, cost_usd=1.0
    )
    assert (one.tokens, dark.tokens) == (5, None)
    assert total([one, dark]) == PathUsage(calls=2, input_tokens=None, output_tokens=6, cost_usd=None)
