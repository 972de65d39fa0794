"""Finds, checks and fills prompts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import StrictUndefined, TemplateError, Undefined, meta
from jinja2.sandbox import SandboxedEnvironment

from groupmem.errors import InputError, UnknownNameError
from groupmem.prompts.official import OFFICIAL, OFFICIAL_SLOTS
from groupmem.types import Record

BUILT_IN = Path(__file__).parent
SUFFIX = ".txt"


class Prompt(Record, frozen=True, kw_only=True):
    """A prompt as it will be used. `sha256` (hex) is of `text`; `source` is "built-in", the name of the official text
    that it equals, or the path of the file that was laid over the built-in one."""

    name: str
    text: str
    sha256: str
    source: str

    def render(self, **slots: object) -> str:
        """The text with its slots filled; values are inserted as they are. Raises InputError for a missing slot."""
        marks = OFFICIAL_SLOTS.get(self.sha256)
        if marks is not None:
            return _filled(self.text, {mark: str(slots[slot]) for mark, slot in marks.items()})
        try:
            return _environment().from_string(self.text).render(slots)
        except TemplateError as error:
            raise InputError(f"prompt {self.name!r} ({self.source}): {error}") from error


class Prompts:
    """The built-in prompts, with the files of `folder` laid over them (`folder`/judge/system.txt replaces
    "judge/system")."""

    def __init__(self, folder: Path | None = None) -> None:
        """Raises InputError for a folder that is not there, or that holds a file which is no prompt of the project."""
        self._folder = folder
        self._loaded: dict[str, Prompt] = {}
        if folder is not None:
            _check_overlay(folder)

    def load(self, name: str) -> Prompt:
        """The prompt of this name. Raises UnknownNameError, or InputError where an overlaid text cannot be used."""
        if name not in self._loaded:
            self._loaded[name] = self._read(name)
        return self._loaded[name]

    def _read(self, name: str) -> Prompt:
        if name not in prompt_names():
            raise UnknownNameError("prompt", name, prompt_names())
        built_in = _text(BUILT_IN / f"{name}{SUFFIX}")
        overlaid = self._folder / f"{name}{SUFFIX}" if self._folder is not None else None
        if overlaid is None or not overlaid.is_file():
            return _prompt(name, built_in, "built-in")
        prompt = _prompt(name, _text(overlaid), str(overlaid))
        if prompt.sha256 not in OFFICIAL_SLOTS:
            _check_slots(overlaid, prompt.text, _slots(built_in))
        return prompt


def load(name: str) -> Prompt:
    """The built-in prompt of this name. Raises UnknownNameError."""
    return Prompts().load(name)


def text_marker(text: str) -> str:
    """12 hex digits to mark where a foreign text begins and ends in a prompt. They depend on the whole text, so that
    nothing inside it can be its own end."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


@cache
def prompt_names() -> tuple[str, ...]:
    """Names of all prompts, sorted."""
    return tuple(sorted(_names_in(BUILT_IN)))


def _names_in(folder: Path) -> list[str]:
    return [path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob(f"*{SUFFIX}")]


def _check_overlay(folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder: --prompts takes a folder of files such as judge/system{SUFFIX}")
    found = sorted(_names_in(folder))
    if not found:
        raise InputError(f"{folder} holds no prompt: name its files {', '.join(n + SUFFIX for n in prompt_names())}")
    for name in found:
        if name not in prompt_names():
            raise UnknownNameError(f"prompt in {folder}", name, prompt_names())


def _check_slots(path: Path, text: str, known: frozenset[str]) -> None:
    try:
        unknown = _slots(text) - known
    except TemplateError as error:
        raise InputError(f"{path}: {error}; a literal brace pair is written {{{{ '{{{{' }}}}") from error
    if unknown:
        offered = ", ".join(sorted(known)) or "none"
        raise InputError(f"{path}: unknown slot {', '.join(sorted(unknown))}; slots of this prompt: {offered}")


def _slots(text: str) -> frozenset[str]:
    return frozenset(meta.find_undeclared_variables(_environment().parse(text)))


def _text(path: Path) -> str:
    """Surrounding white space is the file's, not the prompt's: an editor's final newline changes no hash."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error.reason} at byte {error.start})") from error


def _filled(text: str, values: Mapping[str, str]) -> str:
    """The text with each mark replaced, in one pass: a mark inside a value is only text."""
    return re.sub("|".join(map(re.escape, values)), lambda found: values[found[0]], text)


def _prompt(name: str, text: str, source: str) -> Prompt:
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return Prompt(name=name, text=text, sha256=sha256, source=OFFICIAL.get(name, {}).get(sha256, source))


@cache
def _environment() -> SandboxedEnvironment:
    # Prompts are plain text for a model, so nothing is escaped; an overlaid file is foreign, so it runs sandboxed.
    undefined: type[Undefined] = StrictUndefined
    return SandboxedEnvironment(undefined=undefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)
