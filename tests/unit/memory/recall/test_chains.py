"""The order of decisions in what is recalled."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from groupmem.memory.notes.people import Directory
from groupmem.memory.recall.chains import follow
from groupmem.memory.recall.places import Labels
from groupmem.memory.recall.question import Surroundings, understand
from groupmem.memory.recall.weights import WEIGHTS
from groupmem.memory.store.base import Link
from support.recall_talk import ids, recalled, said, view_of

NOBODY = Surroundings(directory=Directory([]), asker=None, humans=(), channels=Labels([]), phases=Labels([]), now=None)
CURRENT = understand("What is the cutoff now?", NOBODY)
PLAIN = understand("What is the cutoff?", NOBODY)
TOPIC = {"topic": "Retention"}
CHAIN = said(
    ("u1", "Decided: retention for the audit log is 30 days.", TOPIC),
    ("u3", "Retention again? Nobody reads the audit log.", TOPIC),
    ("u1", "Retention for the audit log goes from 30 to 90 days.", TOPIC),
    ("u2", "Lunch is at noon.", TOPIC),
)


def test_the_current_statement_stands_above_the_one_it_replaced() -> None:
    found = ids(recalled(view_of(CHAIN), "What is the retention of the audit log? It was decided to be 30 days."))
    assert found.index("m3") < found.index("m1")


def test_what_was_replaced_says_by_what_by_whom_and_when() -> None:
    by_id = {
        passage.source_ids[0]: passage for passage in recalled(view_of(CHAIN), "retention of the audit log").passages
    }
    assert (
        by_id["m1"].notes["superseded by"].startswith("m3, Mira Sandoval (u1), 2031-03-03: Retention for the audit log")
    )
    assert by_id["m3"].notes["replaces"].startswith("m1, Mira Sandoval (u1)")
    assert "superseded by" not in by_id["m3"].notes


scores = st.lists(st.floats(0, 3), min_size=4, max_size=4).map(np.array)
chains = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.floats(0, 1)), max_size=6)


@given(scores, chains, st.booleans())
def test_no_sure_link_is_upside_down(scores: np.ndarray, chain: list[tuple[int, int, float]], current: bool) -> None:
    links = [
        Link(new=new, old=old, new_span=(0, 1), old_span=(0, 1), score=score) for new, old, score in chain if old < new
    ]
    once = {link.old: link for link in links}  # what is replaced, is replaced by one
    rows = np.arange(4)
    after = scores + follow(CURRENT if current else PLAIN, rows, scores, list(once.values()), WEIGHTS)
    for link in once.values():
        if link.score >= WEIGHTS.replaced_by and link.new == max(each.new for each in once.values()):
            assert after[link.new] > after[link.old]
    assert (after >= scores - 1e-9).all()


def test_an_unsure_link_changes_nothing() -> None:
    unsure = Link(new=1, old=0, new_span=(0, 1), old_span=(0, 1), score=WEIGHTS.replaced_by / 2)
    assert not follow(CURRENT, np.arange(2), np.array([2.0, 1.0]), [unsure], WEIGHTS).any()
