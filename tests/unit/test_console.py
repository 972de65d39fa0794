"""What commands print, and where."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from rich.markup import render
from typer.core import TyperGroup
from typer.main import get_command

import groupmem
from groupmem.cli import app, console
from groupmem.cli.console import Console


class TestConsole:
    def test_tells_the_end_of_a_task_in_a_line_on_stderr(self, capsys: pytest.CaptureFixture[str]) -> None:
        with Console().task("reading", 3) as task:
            task.advance()
            task.advance(2)
        said = capsys.readouterr()
        assert said.err.startswith("reading: 3 of 3, ")
        assert said.out == ""

    def test_tells_now_and_then_where_it_takes_long(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clock = iter(range(0, 1000, 4))
        monkeypatch.setattr(console.time, "monotonic", lambda: float(next(clock)))
        with Console().task("reading", 6) as task:
            for _ in range(6):
                task.advance()
        told = [line.partition(",")[0] for line in capsys.readouterr().err.splitlines()]
        assert told == ["reading: 3 of 6", "reading: 6 of 6", "reading: 6 of 6"]

    def test_quiet_says_nothing(self, capsys: pytest.CaptureFixture[str]) -> None:
        quiet = Console(quiet=True)
        with quiet.task("reading", 3) as task:
            task.advance(3)
        quiet.note("a warning")
        assert capsys.readouterr() == ("", "")

    def test_a_task_of_nothing_is_not_worth_a_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        with Console().task("reading", 0):
            pass
        assert capsys.readouterr().err == ""

    def test_a_task_that_broke_off_does_not_claim_its_end(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(ZeroDivisionError), Console().task("reading", 3) as task:
            task.advance(1 // 0)
        assert capsys.readouterr().err == ""

    def test_a_name_cannot_steer_the_terminal(self, capsys: pytest.CaptureFixture[str]) -> None:
        Console().note("asker \x1b[2Jmira\u202e")
        assert capsys.readouterr().err == "asker \\u001b[2Jmira\\u202e\n"

    def test_a_name_stays_on_its_line_and_keeps_its_emoji(self, capsys: pytest.CaptureFixture[str]) -> None:
        Console().note("doors failed: one\ntwo \udcff 👩‍🚀 漢字")
        assert capsys.readouterr().err == "doors failed: one two \\udcff 👩‍🚀 漢字\n"

    def test_a_terminal_is_shown_a_bar(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        monkeypatch.setenv("TERM", "xterm")
        with Console().task("reading [/x] [b]\x1b[2J", 3) as task:
            task.advance(3)
        said = capsys.readouterr()
        assert "reading [/x] [b]\\u001b[2J" in said.err
        assert "3 of 3, " not in said.err
        assert said.out == ""


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "groupmem", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_version_is_the_package_s() -> None:
    assert _run("--version").stdout == f"groupmem {groupmem.__version__}\n"


def test_wrong_usage_is_exit_code_2_and_said_on_stderr() -> None:
    ended = _run("run", "--no-such-option")
    assert ended.returncode == 2
    assert "--no-such-option" in ended.stderr
    assert ended.stdout == ""


def test_a_terminal_without_unicode_shows_escapes() -> None:
    command = [sys.executable, "-m", "groupmem", "run", "nowhere/漢", "--system", "bm25"]
    ended = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert ended.returncode == 1
    assert ended.stderr.startswith(b"error: nowhere/\\u6f22 does not exist")


def test_help_loads_nothing_heavy() -> None:
    heavy = ("numpy", "polars", "openai", "onnxruntime", "scipy", "genai_prices", "matplotlib")
    code = f"import sys\nimport groupmem.cli\nprint(sorted(set({heavy!r}) & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"


def test_every_command_says_what_it_is_for() -> None:
    assert {command.callback.__name__ for command in app.registered_commands} >= {"run", "plan", "report"}  # type: ignore[union-attr]
    assert all(command.callback.__doc__ for command in app.registered_commands)


def _commands(group: TyperGroup, name: str = "groupmem") -> Iterator[tuple[str, str]]:
    for command in group.commands.values():
        full = f"{name} {command.name}"
        helps = [command.help, *(getattr(param, "help", None) for param in command.params)]
        yield from ((full, text) for text in helps if text)
        if isinstance(command, TyperGroup):
            yield from _commands(command, full)


def test_no_help_loses_what_stands_in_brackets() -> None:
    """The page of help is marked up by square brackets, and what looks like a mark is gone from it."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    helps = list(_commands(group))
    assert len(helps) > 100
    assert [name for name, text in helps if render(text).plain != text] == []
