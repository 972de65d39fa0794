"""The helper of Python workers: it runs where nothing is installed, and cuts what is too much."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.lab.systems.isolated.surroundings import HELPER

SOURCE = (HELPER / "groupmem_worker.py").read_text(encoding="utf-8")
TREE = ast.parse(SOURCE, feature_version=(3, 10))
PASSAGES = st.lists(st.builds(dict, source_ids=st.lists(st.sampled_from("abcdef"), max_size=4)), max_size=10)


def first_ranks() -> Callable[..., list[dict[str, Any]]]:
    """Without the module: importing it takes the standard streams of this process away."""
    (function,) = [node for node in TREE.body if isinstance(node, ast.FunctionDef) and node.name == "first_ranks"]
    future = ast.parse("from __future__ import annotations").body
    names: dict[str, Any] = {}
    exec(compile(ast.Module([*future, function], []), "helper", "exec"), names)  # noqa: S102
    found: Callable[..., list[dict[str, Any]]] = names["first_ranks"]
    return found


FIRST_RANKS = first_ranks()


def test_it_needs_nothing_but_the_standard_library() -> None:
    imported = {alias.name for node in ast.walk(TREE) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(TREE) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in imported} <= sys.stdlib_module_names


@given(PASSAGES, st.integers(0, 8), st.booleans())
def test_the_limit_is_kept_in_passages_and_in_ids(passages: list[dict[str, Any]], limit: int, repeated: bool) -> None:
    kept = FIRST_RANKS(passages, limit, repeated=repeated)
    ids = [source for passage in kept for source in passage["source_ids"]]
    assert len(kept) <= limit
    assert len(set(ids)) <= limit
    assert all(passage["source_ids"] for passage in kept)
    if not repeated:
        assert len(ids) == len(set(ids))


@given(PASSAGES, st.booleans())
def test_what_is_within_the_limit_keeps_all_ids_in_their_order(passages: list[dict[str, Any]], repeated: bool) -> None:
    kept = FIRST_RANKS(passages, 100, repeated=repeated)
    given_ids = dict.fromkeys(source for passage in passages for source in passage["source_ids"])
    assert list(dict.fromkeys(source for passage in kept for source in passage["source_ids"])) == list(given_ids)


@pytest.mark.parametrize(
    ("limit", "repeated", "kept"),
    [
        (3, False, ["ab", "c"]),
        (2, False, ["ab"]),
        (1, False, ["a"]),
        (3, True, ["ab", "a", "ac"]),
        (2, True, ["ab", "a"]),
    ],
)
def test_ids_that_came_before_are_dropped_unless_they_are_wanted(limit: int, repeated: bool, kept: list[str]) -> None:
    passages = [{"source_ids": list(ids), "text": ids} for ids in ("ab", "a", "ac")]
    assert ["".join(passage["source_ids"]) for passage in FIRST_RANKS(passages, limit, repeated=repeated)] == kept
