"""How well messages match: what counts in full, and what an answer has of what it answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from groupmem.memory.analysis import content_terms
from groupmem.memory.notes.people import Directory
from groupmem.memory.recall import ALL_PARTS, Recaller
from groupmem.memory.recall.names import Meanings
from groupmem.memory.recall.places import Labels
from groupmem.memory.recall.question import Clause, Surroundings, understand
from groupmem.memory.recall.search import Searcher
from groupmem.memory.recall.vocabulary import renamings
from groupmem.memory.recall.weights import WEIGHTS
from groupmem.memory.store.base import Counterpart, Named
from support.memory_view import MemoryView
from support.recall_talk import VECTORS, said, view_of

QUESTION = "harbour crane letter audit key crate lunch"


def best_by_words(view: MemoryView, question: str, *, by_meaning: bool) -> float:
    """The share of its words that the best message by words has in its score."""
    vector = VECTORS.embed([question], kind="query")[0] if by_meaning else None
    clause = Clause(meaning=question, terms=dict.fromkeys(content_terms(question), 1.0))
    search = Searcher(view, WEIGHTS, ALL_PARTS).whole(clause, vector)
    return float(search.content.at(np.arange(view.count)).max())


@pytest.mark.parametrize("held", [QUESTION, "harbour crane letter audit"])
def test_the_best_message_by_words_counts_in_full_where_it_has_much_of_the_question(held: str) -> None:
    talk = said(("u1", held), *[("u3", f"note {number} on the weather") for number in range(20)])
    assert best_by_words(view_of(talk), QUESTION, by_meaning=True) == 1.0


def test_a_single_word_in_common_counts_for_little_beside_meaning_and_in_full_without() -> None:
    talk = said(("u1", "the key lies here"), *[("u3", f"note {number} on the weather") for number in range(20)])
    view = view_of(talk)
    assert best_by_words(view, QUESTION, by_meaning=True) < 0.75
    assert best_by_words(view, QUESTION, by_meaning=False) == 1.0


def meanings(talk_answers: bool) -> dict[str, float]:
    noise = [("u3", f"note {number} on the weather", {"reply_to": "m1"}) for number in range(3)]
    answer = ("u2", "Yes, by noon.", {"reply_to": "m5"} if talk_answers else {})
    talk = said(("u3", "weather notes"), *noise, ("u1", "Is the harbour crane repaired?"), answer)
    ranked = Recaller(VECTORS).rank(view_of(talk), "How far is the harbour crane?", None)
    found = dict(zip(ranked.found.rows.tolist(), ranked.found.components["meaning"].tolist(), strict=True))
    return {"asked": found[4], "answer": found.get(5, 0.0)}


def test_an_answer_is_nearly_as_near_by_meaning_as_what_it_answers() -> None:
    alone, answering = meanings(talk_answers=False), meanings(talk_answers=True)
    assert answering["answer"] == pytest.approx(WEIGHTS.answered * answering["asked"])
    assert alone["answer"] < answering["answer"] / 2


def test_the_meaning_of_a_question_is_moved_to_what_others_call_a_thing() -> None:
    meanings = Meanings(VECTORS)
    asked, old, new = VECTORS.embed(["how far is the crane", "crane", "harbour"], kind="query")
    moved = meanings.renamed(asked, [("crane", "harbour")], 0.6)
    assert float(np.linalg.norm(moved)) == pytest.approx(1.0)
    assert float(moved @ new) > float(asked @ new)
    assert float(moved @ old) < float(asked @ old)
    assert meanings.renamed(asked, [], 0.6) is asked


def test_only_what_others_surely_say_moves_the_meaning() -> None:
    around = Surroundings(Directory(()), None, (), Labels(()), Labels(()), None)
    asked = understand("How far is the crane?", around)
    said_by_others = [("hoist", 2.4), ("lift", 1.6), ("lunch", 0.4)]
    counterparts = [
        Counterpart(phrase=name, strength=strength, uses=3, own_uses=0) for name, strength in said_by_others
    ]
    named = Named(phrase="crane", uses=4, own_uses=4, counterparts=tuple(counterparts))
    assert renamings(replace(asked, named=(named,)), WEIGHTS) == [("crane", "hoist"), ("crane", "lift")]
