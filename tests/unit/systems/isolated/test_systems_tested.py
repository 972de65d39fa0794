"""The page that keeps the last result of every system, by version."""

from __future__ import annotations

from systems_tested import HEAD, key, merged, row_of

OLD = "| `mem0` | mem0ai 2.2.0 | 3.11 | 570 MB | 17 | 0 | 0 | 2026-10-01 |"
FAILED = "| `mem0` | mem0ai 2.2.1 | 3.11 | 576 MB | 16 | 0 | test_reopen | 2026-11-30 |"
MENDED = "| `mem0` | mem0ai 2.2.1 | 3.11 | 576 MB | 17 | 0 | 0 | 2026-12-01 |"
OTHER = "| `amem` | amem 1 | 3.11 | 900 MB | 17 | 0 | 0 | 2026-12-01 |"


def test_a_row_takes_the_place_of_that_of_the_same_version_and_no_other() -> None:
    page = merged("", [FAILED, OLD])
    assert page == f"{HEAD}{OLD}\n{FAILED}\n"
    assert merged(page, [OTHER, MENDED]) == f"{HEAD}{OTHER}\n{OLD}\n{MENDED}\n"
    assert merged(page, []) == page


def test_a_row_names_what_failed() -> None:
    row = row_of("memory.py", {"test_a[memory.py]": "passed", "test_b[x|y]": "failed", "test_c": "skipped"})
    assert row.startswith("| `memory.py` | example | – | – | 1 | 1 | test_b[x/y] | 20")
    assert key(row) == ("memory.py", "example")
