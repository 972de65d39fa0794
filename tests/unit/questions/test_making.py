"""Making questions: the files, the same bytes for the same order, resuming, refusing."""

from __future__ import annotations

import hashlib
import json
import shutil
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from questions_bench import Quiet, open_models

from groupmem.errors import InputError, UnknownNameError
from groupmem.files import only_process
from groupmem.lab.questions import making
from groupmem.lab.questions.journal import Journal
from groupmem.lab.questions.making import Made, make_questions
from groupmem.lab.questions.order import Order
from groupmem.lab.questions.output import WORK
from groupmem.lab.questions.records import CATEGORIES, Outcome
from groupmem.readers.registry import read_any

PER_TYPE = 6
ORDER = Order(per_type=PER_TYPE)


def make(corpus: Path, out: Path, order: Order = ORDER) -> Made:
    return make_questions(order, corpus, out, Quiet(), open_models)


def digests(folder: Path) -> dict[str, str]:
    """sha256 by file, but of the call log, which has times."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and "sqlite" not in path.name)
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope="module")
def made(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(corpus, tmp_path_factory.mktemp("made"))


def test_the_files_hold_what_was_counted(made: Made) -> None:
    assert [counts.category for counts in made.counts] == list(CATEGORIES)
    for counts in made.counts:
        accepted = rows(made.folder / "questions" / f"{counts.category}.jsonl")
        raw = rows(made.folder / "questions-raw" / f"{counts.category}.jsonl")
        assert PER_TYPE <= len(accepted) == counts.accepted <= PER_TYPE + 1
        assert len(raw) == counts.raw
        assert sum(row["twin"] is not None for row in accepted) == counts.twins
        refused = sum(counts.refused.values())
        assert counts.anchors - refused == len({row["anchor"] for row in accepted})
    trace = rows(made.folder / "questions-made" / "trace.jsonl")
    assert len(trace) == sum(counts.anchors for counts in made.counts)


def test_a_row_has_the_published_fields_and_what_is_known_beyond(made: Made, corpus: Path) -> None:
    ids = {message.id for message in read_any(corpus).conversation.messages}
    for category in CATEGORIES:
        for row in rows(made.folder / "questions" / f"{category}.jsonl"):
            assert {"id", "question", "answer", "asking_user_id"} <= row.keys()
            assert row["type"] == category and row["solver"] == "bm25" and row["asker_role"]
            assert set(row["evidence"]) <= ids
            assert bool(row["evidence"]) == (category != "abstention")
            assert row["hops"] == len(row["evidence"]) or len(set(row["evidence"])) < row["hops"]
            assert (row["answer_kind"] == "abstention") == (category == "abstention")


def test_every_accepted_question_defeated_the_solver(made: Made) -> None:
    for outcome in rows(made.folder / "questions-made" / "trace.jsonl"):
        for number, one in enumerate(outcome["rounds"], start=1):
            solved = any(trial["solved"] for trial in one["trials"])
            plain = any(draft.get("plain", False) for draft in one["wording"])
            last = number == len(outcome["rounds"])
            assert solved or plain or last
            assert not (plain and last) or "refusal" in outcome
            if last and "refusal" not in outcome:
                assert not solved and all(trial["answerable"] for trial in one["trials"])


def test_the_folder_of_questions_is_read_with_its_corpus(made: Made, corpus: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    shutil.copytree(corpus, whole)
    shutil.copytree(made.folder / "questions", whole / "questions")
    loaded = read_any(whole)
    assert len(loaded.questions) == sum(counts.accepted for counts in made.counts)
    assert not loaded.report.quarantined
    twins = {question.id: question.twin for question in loaded.questions if question.twin}
    assert twins and all(twins[twin] == name for name, twin in twins.items())


def test_the_same_order_gives_the_same_bytes(made: Made, corpus: Path, tmp_path: Path) -> None:
    make(corpus, tmp_path / "again")
    assert digests(made.folder) == digests(tmp_path / "again")


def test_another_seed_gives_other_questions(made: Made, corpus: Path, tmp_path: Path) -> None:
    make(corpus, tmp_path / "other", Order(per_type=PER_TYPE, seed=1))
    changed = digests(made.folder).items() ^ digests(tmp_path / "other").items()
    assert "questions/multi_hop.jsonl" in dict(changed)


@pytest.mark.parametrize("done", [1, 7, 23])
def test_a_killed_process_goes_on_where_it_was(
    made: Made, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: int
) -> None:
    class Killed(Exception):
        pass

    class Dying(Journal):
        def add(self, outcome: Outcome) -> None:
            if len(self) == done:
                raise Killed
            super().add(outcome)

    out = tmp_path / "killed"
    with monkeypatch.context() as patch:
        patch.setattr(making, "Journal", Dying)
        with pytest.raises(Killed):
            make(corpus, out)
    journal = out / "questions-made" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes() + b'{"anchor": "half a li')
    assert make(corpus, out).resumed == done
    assert digests(out) == digests(made.folder)


def test_a_finished_folder_is_only_read(made: Made, corpus: Path) -> None:
    before = digests(made.folder)
    again = make(corpus, made.folder)
    assert again.counts == made.counts and again.resumed == sum(counts.anchors for counts in made.counts)
    assert digests(made.folder) == before


def test_another_order_in_the_same_folder_is_refused(made: Made, corpus: Path) -> None:
    with pytest.raises(InputError, match="another order"):
        make(corpus, made.folder, Order(per_type=PER_TYPE, seed=9))


def test_questions_of_somebody_else_are_not_overwritten(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text("{}\n")
    with pytest.raises(InputError, match="not made here"):
        make(corpus, tmp_path)


def test_two_processes_do_not_write_to_one_folder(corpus: Path, tmp_path: Path) -> None:
    with only_process(tmp_path / WORK / "lock", tmp_path), pytest.raises(InputError, match="is in use by the process"):
        make(corpus, tmp_path)
    assert make(corpus, tmp_path).counts


def test_a_corpus_that_does_not_know_its_facts_needs_an_author(corpus: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    shutil.copy(corpus / "corpus.json", bare)
    with pytest.raises(InputError, match=r"facts\.jsonl"):
        make(bare, tmp_path / "out")


def test_an_unknown_solver_is_named_with_the_choices(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="bm25"):
        make(corpus, tmp_path, Order(solver="bm52"))


def test_a_fact_about_a_message_that_is_not_there_is_an_error(corpus: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(corpus, broken)
    path = broken / "facts.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0].replace("Msg_", "Nsg_"), *islice(lines, 1, None)]) + "\n")
    with pytest.raises(InputError, match="no message of the corpus"):
        make(broken, tmp_path / "out")
    path.write_text("{}\n")
    with pytest.raises(InputError, match=r"facts\.jsonl:1"):
        make(broken, tmp_path / "out2")
