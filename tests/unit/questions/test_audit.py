"""The audit finds each kind of fault, and stays silent where a question is only hard."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import msgspec
import pytest

from groupmem.cli import main
from groupmem.errors import InputError
from groupmem.lab.benchmarks.handwritten import HANDWRITTEN
from groupmem.lab.benchmarks.sample import SAMPLE
from groupmem.lab.questions.audit import Audit
from groupmem.lab.questions.auditing import audit_file
from groupmem.readers.registry import read_any
from groupmem.types import Channel, Conversation, Message, Person, Question

CONVERSATION = Conversation(
    id="doors",
    messages=(
        Message(id="m1", channel="open", author="u1", role="Painter", text="We paint the big door ochre on Friday."),
        Message(id="m2", channel="open", author="u2", text="It takes eleven litres."),
        Message(id="m3", channel="closed", author="u1", text="The budget is 400 crowns."),
    ),
    people=(Person(id="u1", name="Mira Castellane", role="Painter"), Person(id="u2", name="Tomas Okonjo")),
    channels=(Channel(id="open"), Channel(id="closed", members=("u1",))),
)
GOOD = Question(id="q1", text="Which colour gets the big door?", answer="Ochre", asker="u2", evidence=("m1",))


def found(*questions: Question) -> list[tuple[str, str]]:
    return [(finding.question, finding.problem) for finding in Audit(CONVERSATION).findings(questions)]


def changed(**fields: object) -> Question:
    return msgspec.structs.replace(GOOD, **fields)


@pytest.mark.parametrize(
    ("question", "problem"),
    [
        (changed(asker="u9"), "unknown_asker"),
        (changed(evidence=("m1", "m8")), "missing_evidence"),
        (changed(text="What may it cost?", answer="400 crowns", evidence=("m3",)), "hidden_evidence"),
        (changed(answer="Emerald"), "unsupported_gold"),
        (changed(answer="Emerald", evidence=()), "unknown_gold"),
        (changed(text="Which colour, as in big door ochre, is it?", answer="big door ochre"), "answer_in_question"),
        (changed(twin="q7"), "twin_missing"),
    ],
)
def test_each_fault_is_found_alone(question: Question, problem: str) -> None:
    assert found(question) == [("q1", problem)]


@pytest.mark.parametrize(
    "question",
    [
        GOOD,
        changed(answer="an ochre paint, as the painter said"),
        changed(text="How many litres?", answer="11", evidence=("m2",)),
        changed(text="Who paints?", answer="Mira Castellane"),
        changed(text="When?", answer="2026-03-06"),
        changed(text="What does it weigh?", answer="There is no information on this.", evidence=()),
        changed(text="Is it to be ochre or teal?"),
        changed(answer=None),
    ],
)
def test_what_is_only_said_otherwise_is_no_fault(question: Question) -> None:
    assert found(question) == []


def test_twins_with_one_answer_and_questions_asked_twice() -> None:
    left, right = changed(twin="q2"), changed(id="q2", asker="u1", twin="q1", answer="ochre!")
    assert found(left, right) == [("q1", "twin_same_gold"), ("q2", "twin_same_gold")]
    assert found(GOOD, changed(id="q3", text="which colour gets the big door")) == [("q3", "duplicate")]


@pytest.mark.data
def test_nothing_is_found_on_questions_written_by_hand(public_data: Callable[[str], Path]) -> None:
    loaded = read_any(public_data("handwritten") / "technology")
    assert len(loaded.questions) == 56
    assert list(Audit(loaded.conversation).findings(loaded.questions)) == []


@pytest.mark.parametrize("folder", [SAMPLE, HANDWRITTEN], ids=lambda folder: folder.name)
def test_nothing_is_found_on_what_is_bundled(folder: Path) -> None:
    assert audit_file(folder).findings == ()


def test_faults_that_are_put_into_good_questions_are_all_found() -> None:
    loaded = read_any(HANDWRITTEN)
    told = [question for question in loaded.questions if question.evidence]
    assert len(told) >= 20
    moved = [msgspec.structs.replace(question, evidence=("no such message",), asker="a stranger") for question in told]
    findings = list(Audit(loaded.conversation).findings(moved))
    for problem in ("missing_evidence", "unknown_asker"):
        assert {finding.question for finding in findings if finding.problem == problem} == {one.id for one in told}


def test_a_file_is_audited_with_the_corpus_above_it(tmp_path: Path) -> None:
    corpus = {"open": [{"msg_node": "m1", "author": "u1", "content": "The door is ochre.", "timestamp": "2026-03-04"}]}
    (tmp_path / "corpus.json").write_text(json.dumps(corpus))
    file = tmp_path / "questions" / "Doors" / "temporal.jsonl"
    file.parent.mkdir(parents=True)
    row = {"id": "t1", "question": "Which colour?", "answer": "teal", "asking_user_id": "u1", "evidence": ["m1"]}
    file.write_text(json.dumps(row) + "\nno row\n")
    audited = audit_file(file)
    assert [(one.question, one.problem) for one in audited.findings] == [("t1", "unsupported_gold")]
    assert (audited.questions, audited.unreadable) == (1, 1)
    alone = tmp_path.parent / f"{tmp_path.name}-alone.jsonl"
    alone.write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match="--corpus"):
        audit_file(alone)
    assert audit_file(alone, tmp_path).findings == audited.findings


def command(*arguments: object) -> str:
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out):
        patch.setattr(sys, "argv", ["groupmem", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code in (None, 0)
    return out.getvalue()


def test_errata_give_both_scores(tmp_path: Path) -> None:
    """An audit's findings, laid over a finished run, take nothing away and put the other score beside it."""
    bad = tmp_path / "questions.jsonl"
    rows = [json.loads(line) for line in (HANDWRITTEN / "questions.jsonl").read_text().splitlines()]
    withdrawn = [row["id"] for row in rows if row["evidence"]][:5]
    bad.write_text("".join(json.dumps({**row, "evidence": ["Msg_1"], "answer": "zzz"}) + "\n" for row in rows[:5]))
    errata = tmp_path / "errata.jsonl"
    shown = json.loads(command("questions", "audit", bad, "--corpus", HANDWRITTEN, "--errata", errata, "--json"))
    assert {finding["problem"] for finding in shown["findings"]} >= {"unsupported_gold"}
    assert len(errata.read_text().splitlines()) == len(shown["findings"])
    assert {finding["question"] for finding in shown["findings"]} == set(withdrawn)

    run = ("run", "handwritten", "-s", "bm25", "--out", tmp_path / "run", "-q")
    plain = json.loads(command(*run, "--json"))["rows"][-1]
    both = json.loads(command(*run, "--errata", errata, "--json"))["rows"][-1]
    assert "known_bad" not in plain
    assert both["known_bad"] == 5 and both["questions"] == plain["questions"]
    assert both["recall@10"] == plain["recall@10"]
    recalled = tmp_path / "run/cells/handwritten/bm25/recalled.jsonl"
    lines = [json.loads(line) for line in recalled.read_text().splitlines()]
    ranks = {line["question"]: [one["source_ids"][0] for one in line["passages"]][:10] for line in lines}
    kept = [row for row in rows if row["evidence"] and row["id"] not in withdrawn]
    recalls = [len(set(row["evidence"]) & set(ranks[row["id"]])) / len(set(row["evidence"])) for row in kept]
    assert both["recall@10_without_bad"] == pytest.approx(sum(recalls) / len(recalls))
    assert "Without 5 questions of wrong gold" in command(*run, "--errata", errata)


@pytest.mark.parametrize(("content", "message"), [("{}\n", "errata.jsonl:1"), (None, "does not exist")])
def test_errata_that_cannot_be_read(tmp_path: Path, content: str | None, message: str) -> None:
    from groupmem.lab.runs.errata import read_errata

    path = tmp_path / "errata.jsonl"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_errata(path)
