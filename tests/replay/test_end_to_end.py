"""From a conversation on disk to verdicts and a leaderboard, over real HTTP."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from replay_support import (
    COLOURS,
    CommandLine,
    Counted,
    answer_wave,
    counted,
    is_judge,
    lines,
    read_or_judge,
    reading_server,
    write_conversation,
)

from groupmem.lab.records import RunFolder
from groupmem.lab.runs.reference import NO_INFORMATION
from support.openai_server import Reply

ROW_KEYS = {
    *("benchmark", "unit", "system", "category", "questions", "recall@5", "recall@10", "hit@10", "all@10", "mrr"),
    *("ndcg@10", "leak@10", "value@1"),
}
JUDGED_KEYS = {"accuracy", "interval", "scored", "unscored"}
QUESTIONS = len(COLOURS)


def _total(shown: dict[str, object], system: str) -> dict[str, object]:
    (row,) = (
        row
        for row in shown["rows"]  # type: ignore[attr-defined]
        if (row["system"], row["unit"], row["category"]) == (system, "all", "all")
    )
    return row  # type: ignore[no-any-return]


def test_answers_are_read_judged_and_counted_for_systems_and_reference_rows(groupmem: CommandLine, doors: Path) -> None:
    systems = ("bm25", "oracle", "abstain", "no-memory", "full-context")
    chosen = [part for name in systems for part in ("--system", name)]
    with reading_server() as (server, models):
        # Equal calls under way at the same time are one, and in the cache too: here each is made.
        alone = ("--no-cache", "--concurrency", 1)
        ended = groupmem("run", doors, *chosen, *models, *alone, "--out", "run", "--json")
        assert ended.code == 0, ended.err
        # abstain answers by itself, and everybody is judged
        assert counted(server) == Counted(reads=4 * QUESTIONS, judgements=5 * QUESTIONS)
    accuracy = {name: _total(ended.object, name)["accuracy"] for name in systems}
    assert accuracy == {"bm25": 1.0, "oracle": 1.0, "abstain": 0.0, "no-memory": 0.0, "full-context": 1.0}
    assert {answer for answer, _ in lines(Path("run"), "abstain").answers.values()} == {NO_INFORMATION}
    assert _total(ended.object, "oracle")["recall@10"] == 1.0
    assert _total(ended.object, "abstain")["recall@10"] is None


def test_the_object_of_a_run_is_all_that_stands_on_stdout_and_has_the_documented_keys(
    groupmem: CommandLine, doors: Path
) -> None:
    retrieval = groupmem("run", doors, "--system", "bm25", "--out", "plain", "--json").object
    assert retrieval["run"] == "plain"
    assert all(row.keys() >= ROW_KEYS and not row.keys() & JUDGED_KEYS for row in retrieval["rows"])
    categories = {(row["unit"], row["category"]) for row in retrieval["rows"]}
    assert {("all", "all"), ("doors", "temporal"), ("doors", "multi_hop")} <= categories
    with reading_server() as (_, models):
        judged = groupmem("run", doors, "--system", "bm25", *models, "--out", "judged", "--json").object
    assert all(row.keys() >= ROW_KEYS | JUDGED_KEYS for row in judged["rows"])


def test_without_a_reader_nothing_is_called_and_retrieval_is_the_end(groupmem: CommandLine, doors: Path) -> None:
    assert groupmem("run", doors, "--system", "bm25", "--system", "abstain", "--out", "run").code == 0
    run = RunFolder(Path("run"))
    assert {cell.status for cell in run.cells()} == {"done"}
    assert len(run.recalled("doors", "bm25")) == QUESTIONS
    assert run.answers("doors", "abstain") == {} == run.verdicts("doors", "bm25")


def test_where_nobody_reads_more_ranks_are_asked_for_and_the_tokens_are_those_of_the_first_ten(
    groupmem: CommandLine,
) -> None:
    shown = {}
    for name, limit in (("deep", ()), ("ten", ("--limit", 10))):
        shown[name] = groupmem("run", "handwritten", "--system", "bm25", *limit, "--out", name, "--json").object
    deep, ten = (RunFolder(Path(name)).recalled("handwritten", "bm25") for name in shown)
    assert max(len(line.passages) for line in deep.values()) > max(len(line.passages) for line in ten.values()) == 10
    for key, line in ten.items():
        assert deep[key].passages[:10] == line.passages
        assert deep[key].context_tokens == line.context_tokens
    for measure in ("recall@5", "recall@10", "hit@10", "all@10", "ndcg@10", "leak@10"):
        assert _total(shown["deep"], "bm25")[measure] == _total(shown["ten"], "bm25")[measure]
    assert _total(shown["deep"], "bm25")["mrr"] > _total(shown["ten"], "bm25")["mrr"]  # type: ignore[operator]


def test_the_same_command_again_calls_nothing_and_says_the_same(groupmem: CommandLine, doors: Path) -> None:
    with reading_server() as (server, models):
        command = ("run", doors, "--system", "bm25", "--system", "oracle", *models, "--json", "--no-cache")
        first = groupmem(*command)
        calls = len(server.requests)
        again = groupmem(*command)
        assert len(server.requests) == calls
    assert again.object == first.object
    assert list(Path("runs").iterdir()) == [Path(first.object["run"])]


def test_neither_system_nor_reader_is_shown_gold_category_or_evidence(groupmem: CommandLine, doors: Path) -> None:
    with reading_server() as (server, models):
        groupmem("run", doors, "--system", "no-memory", *models, "--out", "run")
        reads = [json.dumps(request.body) for request in server.requests if not is_judge(request)]
    assert len(reads) == QUESTIONS
    assert not [sent for sent in reads for colour in COLOURS if colour in sent]
    assert not [sent for sent in reads if "temporal" in sent or "multi_hop" in sent]


def test_hidden_ids_are_those_that_the_asker_may_not_read(groupmem: CommandLine, tmp_path: Path) -> None:
    groupmem("run", write_conversation(tmp_path, asker="tomas"), "--system", "oracle", "--out", "run")
    hidden = {key: line.hidden for key, line in RunFolder(Path("run")).recalled("doors", "oracle").items()}
    assert {key: ids for key, ids in hidden.items() if ids} == {"q3": ("m3",), "q7": ("m7",)}


def test_a_question_by_somebody_unknown_is_asked_and_warned_about(groupmem: CommandLine, tmp_path: Path) -> None:
    path = write_conversation(tmp_path, asker="nobody")
    ended = groupmem("run", path, "--system", "bm25", "--system", "oracle", "--out", "run")
    assert ended.code == 0
    warning = f"questions by an asker who is neither in the people nor an author, kept: {QUESTIONS}"
    assert f"warning: {warning}\n" in ended.err
    assert warning in RunFolder(Path("run")).read_run().warnings
    assert len(RunFolder(Path("run")).recalled("doors", "bm25")) == QUESTIONS


def test_rows_set_aside_are_counted_told_and_kept(groupmem: CommandLine, doors: Path) -> None:
    broken = ('{"id": "m1", "channel": "open", "author": "mira", "text": "again"}', '{"id": "half')
    doors.write_text(doors.read_text() + "\n".join(broken) + "\n")
    ended = groupmem("run", doors, "--system", "bm25", "--out", "run")
    assert ended.code == 0
    assert f"warning: doors: rows set aside: 2, first {doors}, line 10: duplicate id m1\n" in ended.err
    assert "warning: all rows set aside are in run/quarantine.jsonl\n" in ended.err
    kept = [json.loads(line) for line in Path("run/quarantine.jsonl").read_text().splitlines()]
    assert [row["where"] for row in kept] == ["line 10", "line 11"]
    assert tuple(json.loads(kept[0]["row"])) == tuple(json.loads(broken[0])) and kept[1]["row"] == broken[1]


def test_where_no_question_is_left_the_reason_and_the_place_are_told(groupmem: CommandLine, doors: Path) -> None:
    asked = doors.with_name("doors.questions.jsonl")
    asked.write_text('{"id": "q1"}\n')
    ended = groupmem("run", doors, "--system", "bm25", "--out", "run")
    assert ended.code == 1
    assert f"{doors} has no question to ask; doors: rows set aside: 1, first {asked}, line 1" in ended.err
    assert "NAME.questions.jsonl" in ended.err
    assert not Path("run").exists()


def test_the_record_says_what_was_used(groupmem: CommandLine, doors: Path) -> None:
    with reading_server() as (_, models):
        groupmem("run", doors, "--system", "bm25", "--system", "dense", *models, "--out", "run", "--seed", 3)
    record = RunFolder(Path("run")).read_run()
    assert record.spec.seed == 3
    assert set(record.prompts) == {
        *("judge/system", "judge/user", "reader/system", "reader/user", "reader/alone", "reader/alone_user")
    }
    assert all(len(used.sha256) == 64 and used.source == "built-in" for used in record.prompts.values())
    assert set(record.models) == {models[1], "minilm"}
    assert record.data.status == "local"
    assert len(record.data.files["doors.jsonl"]) == 64
    assert record.packages["msgspec"]


@pytest.mark.parametrize(
    "asked",
    [("--system", "bm25", "--reader", "openai:gpt-5"), ("--system", "dense:embedding=openai:text-embedding-3-large")],
    ids=("reader", "embedding"),
)
def test_a_missing_key_is_told_before_a_folder_is_made(
    groupmem: CommandLine, doors: Path, asked: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ended = groupmem("run", doors, *asked, "--out", "run")
    assert ended.code == 1 and "OPENAI_API_KEY" in ended.err
    assert not Path("run").exists()
    assert groupmem("plan", doors, *asked, "--json").code == 0


def test_prompts_of_ones_own_are_used_and_recorded(groupmem: CommandLine, doors: Path) -> None:
    overlay = Path("prompts/reader")
    overlay.mkdir(parents=True)
    (overlay / "system.txt").write_text("OUR OWN READER")
    with reading_server() as (server, models):
        groupmem("run", doors, "--system", "bm25", *models, "--prompts", "prompts", "--out", "run")
        systems = {request.body["messages"][0]["content"] for request in server.requests if not is_judge(request)}
    assert systems == {"OUR OWN READER"}
    assert RunFolder(Path("run")).read_run().prompts["reader/system"].source == str(overlay / "system.txt")


@pytest.mark.parametrize(
    ("profile", "cap", "temperature"), [((), 2048, 1.0), (("--profile", "published"), 256, 0.2)], ids=str
)
def test_the_profile_decides_how_the_judge_is_called(
    groupmem: CommandLine, doors: Path, profile: tuple[str, ...], cap: int, temperature: float
) -> None:
    with reading_server() as (server, models):
        groupmem("run", doors, "--system", "oracle", *models, *profile, "--out", "run")
        judged = [request.body for request in server.requests if is_judge(request)]
        read = [request.body for request in server.requests if not is_judge(request)]
    assert {(body["max_tokens"], body["temperature"]) for body in judged} == {(cap, temperature)}
    assert {(body["max_tokens"], body["temperature"]) for body in read} == {(512, 0.2)}


def test_a_reader_without_a_judge_leaves_everything_unscored(groupmem: CommandLine, doors: Path) -> None:
    with reading_server() as (server, models):
        shown = groupmem("run", doors, "--system", "bm25", *models[:2], "--out", "run", "--json").object
        assert counted(server).judgements == 0
    assert {reason for _, reason, _ in lines(Path("run"), "bm25").verdicts.values()} == {"no_judge"}
    assert (_total(shown, "bm25")["scored"], _total(shown, "bm25")["unscored"]) == (0, QUESTIONS)


def test_types_and_a_seeded_number_of_questions_choose_a_part(groupmem: CommandLine, doors: Path) -> None:
    groupmem("run", doors, "--system", "bm25", "--types", "temporal", "--out", "a")
    assert set(lines(Path("a"), "bm25").recalled) == {"q0", "q2", "q4", "q6"}
    groupmem("run", doors, "--system", "bm25", "--types", "temporal, multi_hop", "--questions", 3, "--out", "b")
    assert len(lines(Path("b"), "bm25").recalled) == 3


def test_a_bundled_conversation_runs_to_its_end_over_http(groupmem: CommandLine) -> None:
    def reply(request: object) -> Reply:
        said = read_or_judge(request)  # type: ignore[arg-type]
        return said if is_judge(request) else Reply("Looked.\nFinal: no information")  # type: ignore[arg-type]

    with reading_server(reply) as (server, models):
        chosen = ("--system", "bm25-stemmed", "--system", "hybrid", "--system", "oracle", "--system", "abstain")
        alone = ("--no-cache", "--concurrency", 1)
        ended = groupmem("run", "handwritten", *chosen, *models, *alone, "--out", "run", "--json")
        assert ended.code == 0, ended.err
        questions = len(RunFolder(Path("run")).read_questions("handwritten"))
        assert counted(server) == Counted(reads=3 * questions, judgements=4 * questions)
    total = _total(ended.object, "hybrid")
    assert total["questions"] == total["scored"] == questions >= 30


def test_a_bundled_conversation_runs_to_its_end_through_batch_files(groupmem: CommandLine) -> None:
    models = ("--reader", "batch:reader@waves", "--judge", "batch:reader@waves")
    chosen = ("--system", "bm25-stemmed", "--system", "abstain")
    command = ("run", "handwritten", *chosen, *models, "--out", "run", "--json")
    codes = []
    for _ in range(3):
        ended = groupmem(*command)
        codes.append(ended.code)
        answer_wave(Path("waves"))
    assert codes == [3, 3, 0]  # the answers, the verdicts on them, the end
    questions = len(RunFolder(Path("run")).read_questions("handwritten"))
    for system in ("bm25-stemmed", "abstain"):
        assert _total(ended.object, system)["scored"] == questions


def test_the_table_and_the_folder_are_printed_where_no_object_is_asked_for(groupmem: CommandLine, doors: Path) -> None:
    ended = groupmem("run", doors, "--system", "bm25", "--out", "run", "--quiet")
    assert "bm25" in ended.out
    assert ended.out.endswith("run: run\n")
    assert ended.err == ""
