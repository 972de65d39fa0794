"""Reading a policy, laying files and single settings over the defaults, and refusing an impossible one."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.policy_checks import problems_of

DEFAULTS = Path(__file__).parents[2] / "data" / "synthesis" / "policy.toml"


def load_policy(file: Path | None = None, settings: Sequence[str] = ()) -> Policy:
    """The default policy, with `file` and then the `settings` ("group.key=value") laid over it.

    Raises InputError naming file or setting and key for what cannot be read, UnknownNameError for an unknown key, and
    InputError with every contradiction of an impossible policy.
    """
    content = tomllib.loads(DEFAULTS.read_text(encoding="utf-8"))
    if file is not None:
        _lay_over(content, _read(file), str(file))
    for setting in settings:
        _lay_over(content, _parse(setting), f"--set {setting}")
    try:
        policy = msgspec.convert(content, Policy)
    except msgspec.ValidationError as error:
        raise InputError(f"policy: {str(error).replace('$.', '')}") from error
    problems = list(problems_of(policy))
    if problems:
        raise InputError("the policy is impossible:" + "".join(f"\n  {problem}" for problem in problems))
    return policy


def _read(file: Path) -> dict[str, Any]:
    """The groups of a TOML file, or of the policy.json that lies in a corpus."""
    try:
        text = file.read_text(encoding="utf-8")
        content = msgspec.json.decode(text) if file.suffix == ".json" else tomllib.loads(text)
    except FileNotFoundError as error:
        raise InputError(f"{file}: no such policy file") from error
    except (tomllib.TOMLDecodeError, msgspec.DecodeError, UnicodeDecodeError, IsADirectoryError) as error:
        raise InputError(f"{file}: not readable as a policy: {error}") from error
    if not isinstance(content, dict):
        raise InputError(f"{file}: a policy is an object of groups")
    return content


def _parse(setting: str) -> dict[str, Any]:
    """{"paths": {"post": 0.25}} from "paths.post=.25"."""
    key, equals, value = setting.partition("=")
    group, dot, name = key.strip().partition(".")
    if not equals or not dot:
        raise InputError(f"--set {setting}: write it as group.key=value, for example paths.post=0.25")
    text = value.strip()
    if text.startswith("."):
        text = f"0{text}"
    try:
        return {group: {name.strip('"'): tomllib.loads(f"value = {text}")["value"]}}
    except tomllib.TOMLDecodeError:
        return {group: {name.strip('"'): text}}


def _lay_over(content: dict[str, Any], over: Mapping[str, Any], where: str) -> None:
    for group, values in over.items():
        if group not in content:
            raise UnknownNameError(f"policy group in {where}:", group, content)
        if not isinstance(values, dict):
            raise InputError(f"{where}: {group} is a group of keys; write [{group}] and its keys below")
        for name, value in values.items():
            if name not in content[group]:
                raise UnknownNameError(f"policy key in {where}:", name, content[group])
            content[group][name] = value
