"""Every adapter folder is of its form. Adding one needs no change here."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import get_args

import pytest

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.systems.isolated import adapter as adapters
from groupmem.lab.systems.isolated.adapter import Adapter, adapter_names, find_adapter, find_installable, service_names
from groupmem.lab.systems.isolated.environment import version_bounds
from groupmem.lab.systems.isolated.official import SERVICE_NEEDS
from groupmem.lab.systems.isolated.protocol import Method
from groupmem.lab.systems.registry import SYSTEMS, create_system

PAGE = (Path(__file__).parents[4] / "docs" / "isolated-systems.md").read_text(encoding="utf-8")
INSTALLABLE = (*adapter_names(), *service_names())
LINE = re.compile(
    r"[A-Za-z0-9._-]+(\[[a-z0-9,._-]+\])?==[^ ;\\]+( ; [^\\]+)?( \\)?|    --hash=sha256:[0-9a-f]{64}( \\)?"
)


@pytest.mark.parametrize("name", INSTALLABLE)
def test_it_is_called_as_its_folder_and_says_what_it_is(name: str) -> None:
    adapter = find_installable(name)
    manifest = adapter.manifest
    assert manifest.name == name
    assert manifest.title
    assert manifest.version
    assert 0 < manifest.download_mb < manifest.installed_mb
    low, high = version_bounds(adapter)
    assert 10 <= low < high


@pytest.mark.parametrize("name", INSTALLABLE)
def test_its_environment_is_pinned(name: str) -> None:
    lines = find_installable(name).requirements_path.read_text(encoding="utf-8").splitlines()
    assert lines
    assert [line for line in lines if line and not line.startswith("#") and not LINE.fullmatch(line)] == []


@pytest.mark.parametrize("name", adapter_names())
def test_a_system_has_a_worker_that_can_be_read_and_a_page(name: str) -> None:
    adapter = find_adapter(name)
    assert "groupmem_worker" in adapter.worker_path.read_text(encoding="utf-8")
    assert (adapter.folder / "README.md").stat().st_size > 0
    if adapter.manifest.worker is None:
        for path in adapter.folder.rglob("*.py"):
            imported = {
                node.module for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.ImportFrom)
            }
            assert not [module for module in imported if (module or "").split(".")[0] == "groupmem"], path
    else:
        assert not (adapter.folder / "worker.py").exists()
        assert adapter.manifest.worker in adapter_names()


@pytest.mark.parametrize("name", adapter_names())
def test_options_do_not_take_the_place_of_those_of_the_lab(name: str) -> None:
    manifest = find_adapter(name).manifest
    assert not {option.name for option in manifest.options} & {"chat", "embedding"}
    for option in manifest.options:
        option.check(option.default, name)
    known = {option.name: option for option in manifest.options}
    for option_name, value in manifest.chatless.items():
        known[option_name].check(value, name)


@pytest.mark.parametrize("name", adapter_names())
def test_one_that_is_not_installed_says_how_to(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    chat = ":chat=openai:gpt-5-mini" if "chat" in find_adapter(name).manifest.needs else ""
    with pytest.raises(InputError, match=f"groupmem systems install {name}"):
        create_system(name + chat)


def test_the_manifest_of_the_page_is_one(tmp_path: Path) -> None:
    """It shows every field, but for the one of an adapter that shares another's worker."""
    listing = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert listing is not None
    (tmp_path / "adapter.toml").write_text(listing[1], encoding="utf-8")
    manifest = Adapter(tmp_path).manifest
    left_out = {
        name for name in manifest.__struct_fields__ if f"{name} = " not in listing[1] and f"[{name}" not in listing[1]
    }
    assert left_out == {"worker"}
    assert 'worker = "' in PAGE


def test_the_page_has_every_method_of_the_protocol() -> None:
    named = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert tuple(named) == get_args(Method)


def test_the_services_are_those_that_a_system_can_need() -> None:
    assert set(service_names()) == SERVICE_NEEDS


def test_no_name_means_two_systems() -> None:
    assert not set(SYSTEMS) & set(INSTALLABLE)


def test_unknown_names_list_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="postgres"):
        find_installable("postgre")
    with pytest.raises(UnknownNameError, match="bm25"):
        create_system("bm52")


@pytest.mark.parametrize(
    "wrong",
    [
        'verison = "1"',
        "[capabilities]\nresumeable = true",
        "[timeouts]\ncall = 3",
        '[[options]]\nname = "k"\ndefault = "1"\nsummary = "x"\nchoice = ["1"]',
        'needs = ["redis"]',
        'python = "3.12"\n',
    ],
)
def test_a_manifest_with_what_nobody_knows_is_refused(tmp_path: Path, wrong: str) -> None:
    whole = 'name = "x"\ntitle = "x"\nversion = "1"\ndownload_mb = 1\ninstalled_mb = 2\n'
    python = "" if wrong.startswith("python") else 'python = ">=3.11"\n'
    (tmp_path / "adapter.toml").write_text(f"{whole}{python}{wrong}\n")
    with pytest.raises(InputError, match=r"adapter\.toml"):
        version_bounds(Adapter(tmp_path))


def test_what_it_is_made_of_is_its_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapters, "ADAPTERS", tmp_path)
    for name, worker in (("first", ""), ("second", 'worker = "first"\n')):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "adapter.toml").write_text(
            f'name = "{name}"\ntitle = "x"\nversion = "1"\npython = ">=3.11"\n'
            f"download_mb = 1\ninstalled_mb = 2\n{worker}"
        )
    (tmp_path / "first" / "worker.py").write_text("pass\n")
    before = {name: find_adapter(name).sha256 for name in ("first", "second")}
    (tmp_path / "first" / "README.md").write_text("a page\n")
    assert before == {name: find_adapter(name).sha256 for name in ("first", "second")}
    (tmp_path / "first" / "worker.py").write_text("pass  # changed\n")
    assert not set(before.values()) & {find_adapter(name).sha256 for name in ("first", "second")}
