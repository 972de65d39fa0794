"""Code that comes from git: what is copied of a checkout, and what is said where there is none."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from groupmem.cli import app
from groupmem.errors import InputError
from groupmem.lab.systems.isolated import adapter as adapters
from groupmem.lab.systems.isolated.adapter import Checkout, adapter_names, find_adapter
from groupmem.lab.systems.isolated.checkout import extract
from groupmem.lab.systems.isolated.environment import key_of

FROM_GIT = [name for name in adapter_names() if find_adapter(name).manifest.checkout]


def git(where: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.invalid"]
    done = subprocess.run(["git", "-C", str(where), *identity, *arguments], capture_output=True, text=True, check=True)  # noqa: S607
    return done.stdout.strip()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A repository of which one file, a large one that nobody needs, is not at hand: a sparse clone of it."""
    folder = tmp_path / "source"
    (folder / "code" / "inner").mkdir(parents=True)
    for path, text in {"code/a.py": "A = 1", "code/inner/b.py": "B = 2", "LICENSE": "free", "data.json": "{}"}.items():
        (folder / path).write_text(text)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "all of it")
    blob = git(folder, "rev-parse", "HEAD:data.json")
    (folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    return folder


def copied(source: Path, target: Path, *paths: str) -> list[str]:
    extract(Checkout(repository="owner/code", commit=git(source, "rev-parse", "HEAD"), paths=paths), source, target)
    return sorted(str(path.relative_to(target)) for path in target.rglob("*") if path.is_file())


def test_what_is_named_is_copied_and_nothing_else_is_looked_at(source: Path, tmp_path: Path) -> None:
    assert copied(source, tmp_path / "some", "code", "LICENSE") == ["LICENSE", "code/a.py", "code/inner/b.py"]
    assert copied(source, tmp_path / "one", "code/a.py") == ["code/a.py"]


def test_what_is_needed_and_missing_is_an_error(source: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be read.*data\.json"):
        copied(source, tmp_path / "all")
    with pytest.raises(InputError, match=r"cannot be read.*never\.py"):
        copied(source, tmp_path / "never", "never.py")


def test_other_paths_of_a_checkout_are_another_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapters, "ADAPTERS", tmp_path)
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "requirements.txt").write_text("tiny==1.0\n")
    keys = set()
    for paths in ([], ["code"], ["code", "LICENSE"]):
        (tmp_path / "small" / "adapter.toml").write_text(
            'name = "small"\ntitle = "x"\nversion = "1"\npython = ">=3.11"\ndownload_mb = 1\ninstalled_mb = 2\n'
            f'[checkout]\nrepository = "owner/small"\ncommit = "{"0" * 40}"\npaths = {paths}\n'
        )
        keys.add(key_of(find_adapter("small"), "3.11"))
    assert len(keys) == 3


@pytest.mark.parametrize("name", FROM_GIT)
def test_without_a_checkout_the_doctor_says_which_is_needed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    needed = find_adapter(name).manifest.checkout
    assert needed is not None
    assert re.fullmatch(r"[0-9a-f]{40}", needed.commit)
    assert needed.paths
    told = CliRunner().invoke(app, ["systems", "doctor", name])
    assert told.exit_code == 1
    assert f"clone {needed.repository}, so that commit {needed.commit} is in it" in told.stdout
    assert f"groupmem systems install {name} --from FOLDER" in told.stdout
    told = CliRunner().invoke(app, ["systems", "install", name])
    assert isinstance(told.exception, InputError)
    assert "MB to fetch" not in told.output  # nothing is announced that cannot be done
