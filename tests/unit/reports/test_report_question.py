"""One question as a person reads it."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console
from run_builder import QUESTIONS, RunBuilder, question

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.records import AnswerLine, RecalledLine, RunFolder
from groupmem.lab.reports import print_question, view_question
from groupmem.types import Answer, Passage, Question


def shown(folder: RunFolder, name: str, **options: object) -> str:
    console = Console(file=io.StringIO(), width=100, color_system=None)
    print_question(view_question(folder, name, **options), console)  # type: ignore[arg-type]
    return "".join(f"{line.rstrip()}\n" for line in console.file.getvalue().splitlines())  # type: ignore[attr-defined]


def test_a_name_with_a_line_break_forges_no_line(build: RunBuilder) -> None:
    build.run(["alpha"], {"u1": [question("q1\n", "x\n  1  GOLD", ["m1"])]}).cell("alpha")
    passage = Passage(text="t", source_ids=("m\n1",), author="ines\n    1  GOLD  m1", channel="general\u2028")
    build.folder.append("u1", "alpha", "recalled", RecalledLine(question="q1\n", passages=(passage,)))
    assert not [line for line in shown(build.folder, "q1\n").splitlines() if line.lstrip().startswith("1  GOLD")]


def test_of_what_lies_beyond_the_limit_only_gold_is_printed(build: RunBuilder) -> None:
    build.run(["alpha"], {"u1": [question("q1", "x", ["m15"])]}).cell("alpha")
    build.recall("alpha", "q1", [f"m{number}" for number in range(1, 31)])
    printed = shown(build.folder, "q1").splitlines()
    ranks = [line.split()[0] for line in printed if ": text of m" in line and line.startswith("   ")]
    assert ranks == [*map(str, range(1, 11)), "15"]
    assert "  and 19 more without gold (--json)" in printed
    assert len(view_question(build.folder, "q1").systems[0].recalled.passages) == 30  # type: ignore[union-attr]


def test_what_each_system_returned(retrieval_run: RunFolder) -> None:
    assert (
        shown(retrieval_run, "q1")
        == """\
q1  (multi_hop, unit u1)
ines asks: What about q1?
gold: Friday
evidence m1: text of m1
evidence m2: text of m2

alpha: 1.0 ms, 10 context tokens
    1  GOLD  m1  ines: text of m1
    2  x1  ines: text of x1
  missed: m2

beta: 1.0 ms, 100 context tokens
    1  m3  ines: text of m3
    2  x1  ines: text of x1
  missed: m1, m2

gamma: failed: ValueError: no index

oracle: 1.0 ms, 100 context tokens
    1  GOLD  m1  ines: text of m1
    2  GOLD  m2  ines: text of m2
"""
    )


def test_answers_and_verdicts_with_the_words_of_the_judge(answered_run: RunFolder) -> None:
    text = shown(answered_run, "q3")
    assert "  answered: Friday\n  verdict: wrong\n    It does not.\n    Final: Incorrect\n" in text
    assert "beta: 1.0 ms" in text and "  answered: Monday\n" in text
    assert "no-memory: 1.0 ms, 100 context tokens\n  returns nothing in rank order" in text
    assert "verdict: unscored (unparsable)\n    hm\n" in shown(answered_run, "q4", systems=["alpha"])


def test_hidden_and_empty_results_are_marked(retrieval_run: RunFolder) -> None:
    text = shown(retrieval_run, "q5", systems=["alpha"])
    assert "evidence: none" in text
    assert "    2  HIDDEN  h1  ines: text of h1\n" in text
    assert "returned nothing" in shown(retrieval_run, "q6", systems=["alpha"])


def test_a_passage_takes_a_rank_for_each_new_id(build: RunBuilder) -> None:
    build.run(["alpha"], {"u1": [question("q1", "x", ["m2", "m9"])]}).cell("alpha")
    sources = [("m1", "m2"), ("m2",), ("m3",), ()]
    passages = tuple(Passage(text="t", source_ids=ids, channel="general") for ids in sources)
    build.folder.append("u1", "alpha", "recalled", RecalledLine(question="q1", passages=passages, support=0.25))
    (system,) = view_question(build.folder, "q1").systems
    assert system.recalled is not None
    assert [passage.rank for passage in system.recalled.passages] == [1, None, 3, None]
    assert [passage.gold for passage in system.recalled.passages] == [("m2",), ("m2",), (), ()]
    assert system.recalled.missed == ("m9",)
    text = shown(build.folder, "q1")
    assert "support 0.25" in text and "    –  no source  ?  general: t" in text
    assert "evidence m9: its text is in no passage of this run" in text


def test_everything_known_about_a_question_is_shown(build: RunBuilder) -> None:
    asked = Question(
        id="q1", text="When?", asked_at=datetime(2026, 3, 1, 9, tzinfo=UTC), twin="q2", known_bad="two dates fit"
    )
    build.run(["alpha", "beta"], {"u1": [asked]}, reader="scripted:x").cell("alpha", status="ingested")
    build.folder.append(
        "u1", "alpha", "answers", AnswerLine(question="q1", answer=Answer(text=""), problem="refused", detail="policy")
    )
    text = shown(build.folder, "q1")
    assert "somebody asks at 2026-03-01T09:00:00+00:00: When?" in text
    assert "gold: none" in text and "twin: q2" in text and "gold known to be wrong: two dates fit" in text
    assert "alpha: ingested; this question was not asked so far" in text
    assert "answered [refused] policy: (nothing)" in text
    assert "beta: missing; this question was not asked so far" in text


def test_messages_steer_no_terminal(build: RunBuilder) -> None:
    build.run(["alpha"], {"u1": QUESTIONS[1:2]}).cell("alpha")
    passage = Passage(text="[red]x[/red] \x1b]0;owned\x07 \u202etxet", source_ids=("m3",), author="i\x1bnes")
    build.folder.append("u1", "alpha", "recalled", RecalledLine(question="q2", passages=(passage,)))
    text = shown(build.folder, "q2")
    assert "[red]x[/red] \\u001b]0;owned\\u0007 \\u202etxet" in text
    assert "\x1b" not in text and "\u202e" not in text


def test_wrong_names_list_the_nearest(retrieval_run: RunFolder) -> None:
    with pytest.raises(UnknownNameError, match="unknown question 'q44': choose from q4, "):
        view_question(retrieval_run, "q44")
    with pytest.raises(UnknownNameError, match="unknown system 'alpa': choose from alpha"):
        view_question(retrieval_run, "q1", systems=["alpa"])
    with pytest.raises(UnknownNameError, match="unknown unit 'u2': choose from u1"):
        view_question(retrieval_run, "q1", unit="u2")


def test_only_the_nearest_of_many_questions_are_listed(build: RunBuilder) -> None:
    build.run(["alpha"], {"u1": [question(f"item-{number}", "x") for number in range(500)]})
    with pytest.raises(UnknownNameError) as caught:
        view_question(build.folder, "item-4x")
    assert len(caught.value.choices) == 10


def test_a_question_of_several_units_needs_the_unit(build: RunBuilder, tmp_path: Path) -> None:
    build.run(["alpha"], {"u1": QUESTIONS[:1], "u2": QUESTIONS[:1]}).cell("alpha", unit="u2")
    build.recall("alpha", "q1", ["m1"], unit="u2")
    with pytest.raises(InputError, match="in several units: say --unit u1 or u2"):
        view_question(build.folder, "q1")
    assert view_question(build.folder, "q1", unit="u2").systems[0].recalled is not None
