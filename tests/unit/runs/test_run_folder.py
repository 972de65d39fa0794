"""The run folder: names, lines, and what a killed process leaves behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.errors import InputError
from groupmem.lab.names import encode_name
from groupmem.lab.records import CellRecord, RecalledLine, RunFolder

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300)


class TestNames:
    @given(names)
    def test_any_name_is_one_file_name(self, name: str) -> None:
        encoded = encode_name(name)
        assert encoded not in (".", "..")
        assert not set(encoded) & set("/\\:\0")
        assert len(encoded.encode()) <= 255

    @given(names, names)
    def test_another_name_is_another_file(self, left: str, right: str) -> None:
        assert (encode_name(left) == encode_name(right)) == (left == right)

    def test_two_long_names_that_begin_alike_stay_apart(self) -> None:
        assert encode_name("x" * 400) != encode_name("x" * 401)


class TestLines:
    def test_come_back_by_question_and_the_last_one_counts(self, tmp_path: Path) -> None:
        folder = RunFolder(tmp_path)
        for latency in (1.0, 2.0):
            folder.append("u", "s", "recalled", RecalledLine(question="q1", latency_ms=latency))
        folder.append("u", "s", "recalled", RecalledLine(question="q2"))
        folder.sync("u", "s", "recalled")
        assert [(key, line.latency_ms) for key, line in folder.recalled("u", "s").items()] == [("q1", 2.0), ("q2", 0.0)]

    def test_a_line_cut_anywhere_is_dropped_and_the_next_one_is_whole(self, tmp_path: Path) -> None:
        folder = RunFolder(tmp_path)
        folder.append("u", "s", "recalled", RecalledLine(question="ünï"))
        path = folder.stage_path("u", "s", "recalled")
        first = path.read_bytes()
        for cut in range(len(first)):
            path.write_bytes(first + first[:cut])
            assert list(folder.recalled("u", "s")) == ["ünï"]
            folder.mend("u", "s", "recalled")
            assert path.read_bytes() == first
            folder.append("u", "s", "recalled", RecalledLine(question="next"))
            assert list(folder.recalled("u", "s")) == ["ünï", "next"]

    def test_a_file_that_is_one_half_line_mends_to_nothing(self, tmp_path: Path) -> None:
        folder = RunFolder(tmp_path)
        path = folder.stage_path("u", "s", "answers")
        path.parent.mkdir(parents=True)
        path.write_bytes(b'{"question":')
        folder.mend("u", "s", "answers")
        assert path.read_bytes() == b""

    def test_a_broken_line_in_the_middle_is_named(self, tmp_path: Path) -> None:
        folder = RunFolder(tmp_path)
        folder.append("u", "s", "recalled", RecalledLine(question="q1"))
        path = folder.stage_path("u", "s", "recalled")
        path.write_bytes(b"{oops\n" + path.read_bytes())
        with pytest.raises(InputError, match=r"recalled\.jsonl:1"):
            folder.recalled("u", "s")


def test_a_folder_without_a_record_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a run folder"):
        RunFolder(tmp_path).read_run()
    (tmp_path / "run.json").write_text('{"version": 1}')
    with pytest.raises(InputError, match=r"run\.json"):
        RunFolder(tmp_path).read_run()


def test_a_discarded_cell_leaves_nothing(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.write_cell(CellRecord(unit="u", system="s", messages=3))
    folder.append("u", "s", "recalled", RecalledLine(question="q"))
    assert folder.read_cell("u", "s") == CellRecord(unit="u", system="s", messages=3)
    folder.discard_cell("u", "s")
    assert folder.read_cell("u", "s") is None
    assert folder.recalled("u", "s") == {}
