"""Stand-ins for packages that are imported and never used, in a Python process of their own."""

from __future__ import annotations

import subprocess
import sys

from groupmem.lab.systems.isolated.surroundings import HELPER


def run(code: str) -> str:
    """What the code prints, with the helpers of workers on its path."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(HELPER)!r})\n{code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_what_is_absent_can_be_imported_named_and_inherited_from() -> None:
    told = run(
        "from groupmem_absent import absent; absent('heavy.nn.functional', 'heavy.io')\n"
        "import heavy, heavy.io, heavy.nn.functional as F\n"
        "from heavy import Tensor, nn\n"
        "class Own(nn.Module): pass\n"
        "def takes(value: heavy.Tensor) -> F.Result: return isinstance(value, Tensor)\n"
        "import importlib.util\n"
        "print(takes(1), Tensor is heavy.Tensor, issubclass(Own, nn.Module), importlib.util.find_spec('heavy').name)\n"
    )
    assert told == "False True True heavy"


def test_using_it_is_an_error_that_names_it() -> None:
    told = run(
        "from groupmem_absent import AbsentError, absent; absent('heavy.nn')\n"
        "from heavy.nn import Linear\n"
        "class Own(Linear): pass\n"
        "for made in (Linear, Own):\n"
        "    try: made(3, size=4)\n"
        "    except AbsentError as error: print(error)\n"
    )
    assert told.splitlines() == [
        "heavy.nn.Linear is not installed in this environment",
        "__main__.Own is not installed in this environment",
    ]


def test_what_is_really_there_stays() -> None:
    assert (
        run("import json; from groupmem_absent import absent; absent('json', 'json.extra'); print(json.dumps([1]))")
        == "[1]"
    )


def test_what_was_not_declared_is_still_missing() -> None:
    told = run(
        "from groupmem_absent import absent; absent('heavy')\n"
        "try: import heavy.other\n"
        "except ImportError as error: print(type(error).__name__)\n"
    )
    assert told == "ModuleNotFoundError"
