"""Reading a pack from its TOML file, and refusing a bad one with the file and the key named."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path

import msgspec

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.synthesis.pack_checks import problems_of
from groupmem.lab.synthesis.packs import Pack

MOST_PROBLEMS_SHOWN = 20


def shipped_packs() -> dict[str, Path]:
    """The packs inside the package: name -> file."""
    folder = Path(str(resources.files("groupmem"))) / "data" / "packs"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load_pack(source: str | Path) -> Pack:
    """The pack of that name, or in that TOML file.

    Raises UnknownNameError for a name that is no shipped pack and no file, InputError for a file that cannot be used;
    the message names the file and every faulty key.
    """
    path = Path(source)
    if path.suffix != ".toml" and not path.is_file():
        shipped = shipped_packs()
        if str(source) not in shipped:
            raise UnknownNameError("pack", str(source), [*shipped, "a .toml file of your own"])
        path = shipped[str(source)]
    pack = _decode(path)
    problems = list(problems_of(pack))
    if problems:
        shown = problems[:MOST_PROBLEMS_SHOWN]
        rest = f"\n  and {len(problems) - len(shown)} more" if len(problems) > len(shown) else ""
        listed = "".join(f"\n  {problem}" for problem in shown)
        raise InputError(f"{path}: the pack cannot be used; mend these keys:{listed}{rest}")
    return pack


def _decode(path: Path) -> Pack:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such pack file; give a shipped pack's name or a .toml file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not readable as TOML: {error}") from error
    try:
        return msgspec.convert(content, Pack)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: the pack cannot be used: {str(error).replace('$.', '')}") from error
