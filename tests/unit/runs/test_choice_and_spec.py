"""Which questions are asked, what identifies a run, and who may write to its folder."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_fixtures import HeldUnit, conversation, question

import groupmem
from groupmem.errors import DataError, InputError, UnknownNameError
from groupmem.lab.benchmarks.base import BenchmarkMetadata, DataState
from groupmem.lab.records import PromptUse, RunRecord, RunSpec
from groupmem.lab.runs import provenance
from groupmem.lab.runs.choose import choose_questions
from groupmem.lab.runs.lock import locked
from groupmem.lab.runs.provenance import code_revision, package_versions
from groupmem.lab.runs.spec import check_same_run, check_spec, default_folder, run_id

SPEC = RunSpec(benchmark="sample", systems=("bm25",))
UNITS = tuple(
    HeldUnit(
        unit,
        conversation(),
        tuple(question(f"q{n}", category=("temporal", "abstention")[n % 2]) for n in range(10)),
    )
    for unit in ("north", "south")
)


def _chosen(spec: RunSpec) -> list[tuple[str, str]]:
    return [(unit.id, asked.id) for unit in choose_questions(UNITS, spec) for asked in unit.questions]


def _with(**changes: object) -> RunSpec:
    return msgspec.structs.replace(SPEC, **changes)


class TestChoice:
    def test_everything_by_default_in_its_own_order(self) -> None:
        assert _chosen(SPEC) == [(unit.id, asked.id) for unit in UNITS for asked in unit.asked]

    def test_only_the_wanted_types(self) -> None:
        assert {key for _, key in _chosen(_with(categories=("abstention",)))} == {"q1", "q3", "q5", "q7", "q9"}

    def test_an_unknown_type_lists_the_choices(self) -> None:
        with pytest.raises(UnknownNameError, match=r"temporl.*temporal, abstention"):
            _chosen(_with(categories=("temporl",)))

    @given(st.integers(1, 30), st.integers(0, 5))
    def test_a_sample_is_seeded_ordered_and_of_the_wanted_size(self, count: int, seed: int) -> None:
        spec = _with(sample_questions=count, seed=seed)
        chosen = _chosen(spec)
        assert chosen == _chosen(spec)
        assert len(chosen) == min(count, 20)
        assert chosen == [pair for pair in _chosen(SPEC) if pair in chosen]

    def test_another_seed_draws_others_and_a_unit_without_questions_is_left_out(self) -> None:
        draws = {tuple(_chosen(_with(sample_questions=2, seed=seed))) for seed in range(20)}
        assert len(draws) > 10
        units = [choose_questions(UNITS, _with(sample_questions=1, seed=seed)) for seed in range(5)]
        assert all(len(chosen) == 1 for chosen in units)

    def test_an_id_must_mean_one_question(self) -> None:
        twice = HeldUnit("u", conversation(), asked=(question("q1"), question("q1")))
        with pytest.raises(DataError, match=r"unit u.*'q1'"):
            choose_questions((twice,), SPEC)

    def test_units_without_a_question_are_left_out(self) -> None:
        assert choose_questions((HeldUnit("u", conversation()),), SPEC) == ()


class TestSpec:
    @pytest.mark.parametrize(
        "changes",
        [
            {"systems": ("dense",)},
            {"limit": 5},
            {"depth": 50},
            {"reader": "openai:x"},
            {"seed": 1},
            {"judge_profile": "published"},
        ],
    )
    def test_whatever_changes_a_result_changes_the_folder(self, changes: dict[str, object]) -> None:
        assert run_id(_with(**changes)) != run_id(SPEC)
        assert run_id(_with()) == run_id(SPEC)
        assert default_folder(SPEC, "sample") == Path("runs") / f"sample-{run_id(SPEC)}"
        assert len(run_id(SPEC)) == 12

    @pytest.mark.parametrize(
        ("changes", "complaint"),
        [
            ({"systems": ()}, "--system"),
            ({"systems": ("bm25", "dense", "bm25")}, "bm25 is named twice"),
            ({"limit": 0}, "--limit 0"),
            ({"sample_questions": 0}, "--questions 0"),
            ({"judge_profile": "papier"}, "papier.*paper"),
            ({"depth": 5}, "depth of 5"),
            ({"benchmark": "folder\udcff"}, "not UTF-8 text"),
            ({"depth": 100, "reader": "openai:x"}, "depth of 100"),
        ],
    )
    def test_a_spec_that_nothing_could_come_of_is_refused(self, changes: dict[str, object], complaint: str) -> None:
        with pytest.raises(InputError, match=complaint):
            check_spec(_with(**changes))

    def test_another_run_in_the_folder_is_refused_with_every_difference(self, tmp_path: Path) -> None:
        before = _record(SPEC, files={"corpus.json": "aa"}, prompts={"judge/system": "11"})
        check_same_run(before, before, tmp_path)
        now = _record(_with(limit=5, reader="openai:x"), files={"corpus.json": "bb"}, prompts={"judge/system": "22"})
        with pytest.raises(InputError) as refusal:
            check_same_run(before, now, tmp_path)
        for difference in (
            "limit was 10 and is 5",
            "reader was none and is openai:x",
            "data corpus.json was aa and is bb",
            "prompt judge/system was 11 and is 22",
            "--out",
        ):
            assert difference in str(refusal.value)


class TestLock:
    def test_a_second_process_is_kept_out_until_the_first_ends(self, tmp_path: Path) -> None:
        folder = tmp_path / "run"
        use = "from groupmem.lab.runs.lock import locked\nfrom pathlib import Path\n"
        code = f"{use}with locked(Path({str(folder)!r})): pass"
        with locked(folder):
            refused = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert "is in use by the process" in refused.stderr
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

    def test_a_folder_that_holds_something_else_is_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.tex").write_text("")
        with pytest.raises(InputError, match=r"not empty.*thesis\.tex"), locked(tmp_path):
            pass
        assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]

    def test_a_file_is_no_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(InputError, match="is a file"), locked(tmp_path / "file"):
            pass


def test_provenance_names_the_packages_and_the_commit_of_a_checkout() -> None:
    assert package_versions()["msgspec"] == msgspec.__version__
    revision = code_revision()
    inside = (Path(groupmem.__file__).parents[2] / ".git").exists()
    assert (len(revision.get("revision", "")) == 40) is inside
    assert ("dirty" in revision) is inside


def _record(spec: RunSpec, files: dict[str, str], prompts: dict[str, str]) -> RunRecord:
    return RunRecord(
        spec=spec,
        benchmark=BenchmarkMetadata(name="b", title="B", licence="L", source="s", revision="1", citation="c"),
        data=DataState(status="local", files=files),
        created_at="2025-03-01T00:00:00+00:00",
        groupmem_version="0",
        python="3.11",
        prompts={name: PromptUse(sha256=digest, source="built-in") for name, digest in prompts.items()},
    )


def test_code_is_its_commit_or_the_sum_of_its_files_and_nothing_where_it_was_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = {"revision": "abc", "dirty": "false"}
    monkeypatch.setattr(provenance, "code_revision", lambda: found)
    assert provenance.code_identity() == "commit abc"
    found["dirty"] = "true"
    assert provenance.code_identity() is None
    found.clear()
    told = provenance.code_identity()
    assert told is not None and told == provenance.code_identity()
    assert re.fullmatch("files [0-9a-f]{64}", told)
