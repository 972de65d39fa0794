"""The order of decisions in what is recalled, and what is recalled with them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.memory.notes.people import Directory
from groupmem.memory.recall import Recaller
from groupmem.memory.recall.chains import changes_first, follow
from groupmem.memory.recall.places import Labels
from groupmem.memory.recall.question import Surroundings, understand
from groupmem.memory.recall.turns import Turn
from groupmem.memory.recall.weights import WEIGHTS, Weights
from groupmem.memory.store.base import Link
from support.recall_talk import VECTORS, ids, recalled, said, view_of

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
    changes = [Turn(link, link.score) for link in sorted(once.values(), key=lambda link: link.new)]
    after = scores + follow(CURRENT if current else PLAIN, rows, scores, changes, {}, WEIGHTS)
    for link in once.values():
        if link.new == max(each.new for each in once.values()):
            assert after[link.new] > after[link.old]
    assert (after >= scores - 1e-9).all()


QUARREL = said(
    ("u1", "Agreed: the pier crane paints its hooks yellow.", TOPIC),
    ("u2", "The harbour master could not see a hook at dusk. How about signal orange?", TOPIC | {"reply_to": "m1"}),
    ("u3", "The hooks are fine as they are, yellow is cheap.", TOPIC | {"reply_to": "m2"}),
    ("u1", "Ok, decided: we change the hooks to signal orange now.", TOPIC | {"reply_to": "m3"}),
    ("u2", "Lunch is at noon.", TOPIC),
    ("u3", "The crane hooks are yellow, I saw them.", TOPIC),
)


def test_what_was_argued_about_comes_with_what_settled_it_and_what_set_it_off() -> None:
    found = ids(recalled(view_of(QUARREL), "Why did we change the colour of the hooks of the pier crane?", limit=4))
    assert found.index("m4") < found.index("m1")
    assert "m2" in found


def test_a_change_that_is_not_asked_about_has_to_be_likely() -> None:
    view = view_of(QUARREL)
    links = view.links(view.members("channel", 0))
    unlikely = Weights(replaced_by=1.01)
    plain = Recaller(None, weights=unlikely).explain(view, "Which colour do the hooks of the pier crane have?")
    assert links
    assert not any(reasons.components.get("decided") for reasons in plain.reasons)


CHANGED = (
    ("u1", "We take red for the harbour crane.", {"topic": "Crane", "phase": "Paint"}),
    ("u2", "Change of plan: blue for the harbour crane from now on.", {"topic": "Crane", "phase": "Paint"}),
    ("u3", "Change of plan: green for the harbour crane from now on.", {"topic": "Crane", "phase": "Sale"}),
    ("u1", "Red it is for the harbour crane, as before.", {"topic": "Crane", "phase": "Paint"}),
)


def raised(question: str, scores: Sequence[float]) -> list[bool]:
    """Whether each message of `CHANGED` gains, where they have these scores."""
    ranked = Recaller(VECTORS).rank(view_of(said(*CHANGED)), question, None)
    assert ranked.found.rows.tolist() == [0, 1, 2, 3]
    gains = changes_first(ranked.asked, ranked.found, np.array(scores), WEIGHTS)
    after = np.array(scores) + gains
    assert not gains[1] or after[1] > after[0]
    return (gains > 0).tolist()


@pytest.mark.parametrize(
    ("question", "scores", "expected"),
    [
        ("What colour is the harbour crane now?", (2.0, 1.0, 0.5, 0.4), [False, True, False, False]),
        ("What colour is the harbour crane now?", (1.0, 2.0, 0.5, 0.4), [False, False, False, False]),
        ("What colour is the harbour crane now?", (0.5, 1.0, 0.4, 2.0), [False, False, False, False]),
        ("What colour is the harbour crane?", (2.0, 1.0, 0.5, 0.4), [False, False, False, False]),
    ],
)
def test_a_change_stands_above_what_was_said_before_it_in_its_topic_and_phase(
    question: str, scores: Sequence[float], expected: Sequence[bool]
) -> None:
    assert raised(question, scores) == list(expected)


def test_without_a_topic_a_change_is_one_of_its_thread() -> None:
    plain = [(author, text, {}) for author, text, _ in CHANGED]
    ranked = Recaller(VECTORS).rank(view_of(said(*plain)), "What colour is the harbour crane now?", None)
    scores = np.array([2.0, 1.0, 0.5, 0.4])
    assert not changes_first(ranked.asked, ranked.found, scores, WEIGHTS).any()
    answered = [plain[0], *((author, text, {"reply_to": "m1"}) for author, text, _ in plain[1:])]
    ranked = Recaller(VECTORS).rank(view_of(said(*answered)), "What colour is the harbour crane now?", None)
    assert changes_first(ranked.asked, ranked.found, scores, WEIGHTS)[1] > 0


def test_a_change_in_another_channel_or_without_a_word_of_the_question_stays_where_it_is() -> None:
    scores = np.array([2.0, 1.0, 0.5, 0.4])
    elsewhere = [
        (author, text, further | {"channel": f"room{place}"}) for place, (author, text, further) in enumerate(CHANGED)
    ]
    ranked = Recaller(VECTORS).rank(view_of(said(*elsewhere)), "What colour is the harbour crane now?", None)
    assert not changes_first(ranked.asked, ranked.found, scores, WEIGHTS).any()
    ranked = Recaller(VECTORS).rank(view_of(said(*CHANGED)), "What is it now?", None)
    assert not changes_first(ranked.asked, ranked.found, np.ones(len(ranked.found.rows)), WEIGHTS).any()
