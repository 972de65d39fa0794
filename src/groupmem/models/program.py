"""Programs that play a model: a Python file with a function `reply(body)`.

`body` is that of a request of `/chat/completions`. What comes back is the text of the reply, or an object with the
fields of a rule of a script: {"reply": "", "tool_calls": [{"name": "search", "arguments": {"query": "budget"}}]}. The
same body should have the same reply; several threads may ask at a time.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from groupmem.errors import InputError
from groupmem.models.wire import Body

Program = Callable[[Body], str | Mapping[str, Any]]
FUNCTION = "reply"


def is_program(path: Path) -> bool:
    return path.suffix == ".py"


def load_program(path: Path) -> Program:
    """The function of the file. Raises InputError where the file cannot be run, or has none."""
    spec = importlib.util.spec_from_file_location(f"groupmem_script_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InputError(f"{path}: the script cannot be read")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(f"{path} fails when it is loaded: {type(error).__name__}: {error}") from error
    function = getattr(module, FUNCTION, None)
    if not callable(function):
        raise InputError(f"{path} has no function {FUNCTION}(body), which gives the reply to a request")
    program: Program = function
    return program
