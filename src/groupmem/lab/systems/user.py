"""Memory systems of users: a class in a Python file, found by its path."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.systems.base import BaseSystem, Capabilities, MemorySystem, Setting
from groupmem.lab.systems.options import Option
from groupmem.types import Answer, Message, Recall

METHODS = ("ingest", "settle", "recall")


class UserSystem(BaseSystem):
    """An object of a user's class. What it lacks beyond the three methods is the base's: no options, nothing to do.

    `sha256` (hex) is of the file that the class was loaded from; modules that the file imports are not in it.
    """

    def __init__(self, system: MemorySystem, sha256: str) -> None:
        self.sha256 = sha256
        self._system = system
        self.capabilities = getattr(system, "capabilities", Capabilities())
        self.options = tuple(getattr(system, "options", ()))
        self.needs = tuple(getattr(system, "needs", ()))

    def open(self, setting: Setting) -> None:
        if hasattr(self._system, "open"):
            self._system.open(setting)

    def ingest(self, messages: Sequence[Message]) -> None:
        self._system.ingest(messages)

    def settle(self) -> None:
        self._system.settle()

    def recall(self, question: str, *, asker: str | None, limit: int, asked_at: datetime | None) -> Recall:
        return self._system.recall(question, asker=asker, limit=limit, asked_at=asked_at)

    def answer(self, question: str, *, asker: str | None, asked_at: datetime | None) -> Answer:
        if not hasattr(self._system, "answer"):
            return super().answer(question, asker=asker, asked_at=asked_at)
        answered: Answer = self._system.answer(question, asker=asker, asked_at=asked_at)
        return answered

    def figures(self) -> Mapping[str, Any]:
        return self._system.figures() if hasattr(self._system, "figures") else {}

    def close(self) -> None:
        if hasattr(self._system, "close"):
            self._system.close()


def load_user_system(path: Path, class_name: str) -> UserSystem:
    """An object of the class in the file, made without arguments.

    Raises InputError for a file that is missing or fails, a class that is missing, cannot be made without arguments, or
    lacks one of the three methods; the message says which.
    """
    module, sha256 = _load_module(path.expanduser())
    kind = _class_of(module, path, class_name)
    missing = [name for name in METHODS if not _has_method(kind, name)]
    if missing:
        raise InputError(f"{path}: {class_name} lacks {', '.join(missing)}; a memory system has {', '.join(METHODS)}")
    try:
        system = kind()
    except (Exception, SystemExit) as error:
        raise InputError(f"{path}: {class_name}() without arguments fails: {_told(error)}") from error
    _check(system, f"{path}: {class_name}")
    return UserSystem(system, sha256)


def _load_module(path: Path) -> tuple[ModuleType, str]:
    """Runs the file once for each content it has; modules beside it can be imported from it. With its sha256."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; name a Python file and a class in it") from error
    sha256 = hashlib.sha256(content).hexdigest()
    place = hashlib.sha256(str(path.resolve()).encode()).hexdigest()
    name = f"groupmem_user_{path.stem}_{place[:12]}_{sha256[:12]}"
    if name in sys.modules:
        return sys.modules[name], sha256
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise InputError(f"{path} fails when it is loaded: {_told(error)}") from error
    return module, sha256


def _class_of(module: ModuleType, path: Path, class_name: str) -> type[Any]:
    own = [name for name, kind in vars(module).items() if _is_own_class(kind, module)]
    if not class_name:
        raise InputError(
            f"which class of {path}? write {path}:CLASS with one of {', '.join(own) or 'none: it has none'}"
        )
    kind = getattr(module, class_name, None)
    if not inspect.isclass(kind):
        raise UnknownNameError(f"class in {path}", class_name, own)
    return kind


def _is_own_class(value: object, module: ModuleType) -> bool:
    return inspect.isclass(value) and value.__module__ == module.__name__ and not value.__name__.startswith("_")


def _has_method(kind: type[Any], name: str) -> bool:
    method = getattr(kind, name, None)
    return callable(method) and not getattr(method, "__isabstractmethod__", False)


def _check(system: Any, where: str) -> None:
    try:
        inspect.signature(system.recall).bind("", asker=None, limit=1, asked_at=None)
    except TypeError as error:
        raise InputError(f"{where}.recall must take (question, *, asker, limit, asked_at): {error}") from error
    capabilities, options = getattr(system, "capabilities", Capabilities()), getattr(system, "options", ())
    if not isinstance(capabilities, Capabilities):
        raise InputError(f"{where}.capabilities must be a Capabilities, not {type(capabilities).__name__}")
    if capabilities.answers and not hasattr(system, "answer"):
        raise InputError(f"{where} answers by itself, and has no method answer")
    if not isinstance(options, tuple | list) or not all(isinstance(option, Option) for option in options):
        raise InputError(f"{where}.options must be a tuple of Option")


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
