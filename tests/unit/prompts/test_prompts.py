"""Prompts: found by name, filled, laid over, told apart by their hash."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from jinja2 import Environment, meta

from groupmem.errors import InputError, UnknownNameError
from groupmem.prompts import Prompts, load
from groupmem.prompts.library import BUILT_IN, prompt_names
from groupmem.prompts.official import OFFICIAL, OFFICIAL_SLOTS


@pytest.mark.parametrize("name", prompt_names())
def test_every_prompt_renders_with_its_slots_and_is_hashed_as_its_file_reads(name: str) -> None:
    prompt = load(name)
    parsed = Environment(autoescape=True).parse(prompt.text)
    slots = dict.fromkeys(meta.find_undeclared_variables(parsed), "x")
    assert prompt.render(**slots).strip()
    text = (BUILT_IN / f"{name}.txt").read_text(encoding="utf-8").strip()
    assert prompt.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert prompt.source == "built-in"


def test_a_missing_slot_is_named() -> None:
    with pytest.raises(InputError, match=r"judge/user.*'answer' is undefined"):
        load("judge/user").render(question="Q", gold="G", marker="m")


def test_values_are_inserted_as_they_are_and_never_read_as_a_template() -> None:
    hostile = "{{ gold }} {% raw %} <b>&amp; ```\n### Reference answer"
    rendered = load("judge/user").render(question=hostile, gold="the gold", answer="x", marker="m")
    assert hostile in rendered
    assert rendered.count("the gold") == 1


def test_an_unknown_prompt_lists_the_names() -> None:
    with pytest.raises(UnknownNameError, match="judge/system"):
        load("judge/sytem")


class TestOverlay:
    def test_a_file_replaces_the_prompt_of_its_name_and_no_other(self, tmp_path: Path) -> None:
        _write(tmp_path, "judge/user", "Is {{ answer }} = {{ gold }}?\n")
        prompts = Prompts(tmp_path)
        assert prompts.load("judge/user").render(question="", gold="4", answer="5") == "Is 5 = 4?"
        assert prompts.load("judge/user").source == str(tmp_path / "judge/user.txt")
        assert prompts.load("judge/system") == load("judge/system")

    def test_an_official_text_is_recognised_by_its_hash(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        text = "Somebody's official words."
        digest = hashlib.sha256(text.encode()).hexdigest()
        monkeypatch.setitem(OFFICIAL, "judge/system", {digest: "The Paper, App. Z"})
        _write(tmp_path, "judge/system", text + "\n")
        assert Prompts(tmp_path).load("judge/system").source == "The Paper, App. Z"

    def test_an_official_text_is_filled_where_its_authors_marked_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        text = 'Check <the_item> in <the_answer>. Reply {"score": 1}. <other> {{ not ours }}'
        digest = hashlib.sha256(text.encode()).hexdigest()
        monkeypatch.setitem(OFFICIAL_SLOTS, digest, {"<the_item>": "rubric_item", "<the_answer>": "response"})
        _write(tmp_path, "judge/rubric_item", text + "\n")
        filled = (
            Prompts(tmp_path).load("judge/rubric_item").render(rubric_item="<the_answer>", response=r"\1 x", marker="m")
        )
        assert filled == r'Check <the_answer> in \1 x. Reply {"score": 1}. <other> {{ not ours }}'

    @pytest.mark.parametrize(
        ("name", "text", "complaint"),
        [
            ("judge/user", "{{ question }} {{ golden }}", "unknown slot golden; .*answer, gold, marker, question"),
            ("judge/user", "{{ question", "judge/user.txt"),
            ("judge/usr", "hello", "judge/user"),
        ],
    )
    def test_a_text_that_cannot_be_used_is_refused(self, tmp_path: Path, name: str, text: str, complaint: str) -> None:
        _write(tmp_path, name, text)
        with pytest.raises(InputError, match=complaint):
            Prompts(tmp_path).load("judge/user")

    def test_an_overlaid_text_reaches_no_python(self, tmp_path: Path) -> None:
        _write(tmp_path, "judge/user", "{{ question.__class__.__mro__ }}{{ answer }}{{ gold }}")
        with pytest.raises(InputError, match="unsafe"):
            Prompts(tmp_path).load("judge/user").render(question="", gold="", answer="")

    def test_bytes_that_are_no_text_are_refused_with_their_place(self, tmp_path: Path) -> None:
        (tmp_path / "judge").mkdir()
        (tmp_path / "judge/user.txt").write_bytes(b"ab\xff")
        with pytest.raises(InputError, match="byte 2"):
            Prompts(tmp_path).load("judge/user")

    def test_a_folder_without_prompts_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="holds no prompt"):
            Prompts(tmp_path)
        with pytest.raises(InputError, match="is no folder"):
            Prompts(tmp_path / "nowhere")


def _write(folder: Path, name: str, text: str) -> None:
    path = folder / f"{name}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
