"""No key, no cache and no run folder of the machine that the tests run on."""

from __future__ import annotations

from pathlib import Path

import pytest
from replay_support import CommandLine, write_conversation


@pytest.fixture(autouse=True)
def clean_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def groupmem(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def doors(tmp_path: Path) -> Path:
    """A small conversation file with questions."""
    return write_conversation(tmp_path)
