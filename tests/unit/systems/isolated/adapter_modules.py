"""Loads files of adapters that need nothing but what this environment has."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from groupmem.lab.systems.isolated.adapter import find_adapter


def module_of(adapter: str, name: str) -> ModuleType:
    """A file beside the worker of an adapter, as a module."""
    path: Path = find_adapter(adapter).folder / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"{name}_of_{adapter}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
