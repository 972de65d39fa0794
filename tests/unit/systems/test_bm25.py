"""The lexical systems against other implementations of the same formulas, and against their rules."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from groupmem.lab.systems.base import BaseSystem, Setting
from groupmem.lab.systems.bm25 import lucene, okapi
from groupmem.lab.systems.inverted_index import InvertedIndex
from groupmem.lab.systems.registry import create_system
from groupmem.types import Message, Passage

START = datetime(2031, 3, 3, 9, tzinfo=UTC)
WEIGHTINGS = {"lucene": lucene(1.5, 0.75), "okapi": okapi(1.5, 0.75, 0.25)}
vocabulary = st.sampled_from(["crane", "dock", "valve", "storm", "User_1", "user_2", "the", "ok"])
documents = st.lists(st.lists(vocabulary, max_size=12), min_size=1, max_size=40)
queries = st.lists(st.one_of(vocabulary, st.just("unheard")), min_size=1, max_size=6)


def opened(spec: str) -> BaseSystem:
    system = create_system(spec)
    system.system.open(Setting(options=system.options))
    return system.system


def said(*texts: str) -> list[Message]:
    return [Message(id=f"m{number}", channel="dock", author="a", text=text) for number, text in enumerate(texts)]


def recalled(system: BaseSystem, question: str, asker: str | None = None, limit: int = 10) -> tuple[Passage, ...]:
    return system.recall(question, asker=asker, limit=limit, asked_at=None).passages


def ids(passages: Sequence[Passage]) -> list[str]:
    return [passage.source_ids[0] for passage in passages]


def published_baseline(messages: Sequence[Message], query: str) -> list[tuple[str, float]]:
    """The rules of the published baseline, driven by the package that it uses."""
    ordered = sorted(messages, key=lambda m: (m.channel, m.sent_at.isoformat() if m.sent_at else "", m.id))
    cut = re.compile(r"[A-Za-z0-9_]+")
    index = BM25Okapi([[run.lower() for run in cut.findall(html.unescape(m.text).strip())] for m in ordered])
    scores = index.get_scores([run.lower() for run in cut.findall(query)])
    best = sorted(range(len(ordered)), key=lambda place: scores[place], reverse=True)[:10]
    return [(ordered[place].id, float(scores[place])) for place in best]


@st.composite
def chats(draw: st.DrawFn) -> list[Message]:
    texts = draw(documents.filter(any))
    channels = draw(st.lists(st.sampled_from(["dock", "Dock", "yard"]), min_size=len(texts), max_size=len(texts)))
    minutes = draw(st.lists(st.one_of(st.none(), st.integers(0, 5)), min_size=len(texts), max_size=len(texts)))
    return [
        Message(
            id=f"Msg_{number}",
            channel=channel,
            author="a",
            text=" ".join(text),
            sent_at=None if minute is None else START + timedelta(minutes=minute),
        )
        for number, (text, channel, minute) in enumerate(zip(texts, channels, minutes, strict=True))
    ]


@given(chats(), queries)
def test_okapi_ranks_and_scores_as_the_published_baseline(messages: list[Message], query: list[str]) -> None:
    system = opened("bm25-okapi")
    system.ingest(messages)
    found = recalled(system, " ".join(query), asker="User_1")
    expected = published_baseline(messages, f"User_1 {' '.join(query)}")
    assert ids(found) == [message for message, _ in expected]
    assert [passage.score for passage in found] == pytest.approx([score for _, score in expected], abs=1e-9)


@given(documents.filter(any), queries, st.floats(0, 5), st.floats(0, 1))
def test_lucene_scores_are_those_of_bm25s(texts: list[list[str]], query: list[str], k1: float, b: float) -> None:
    theirs = bm25s.BM25(method="lucene", k1=k1, b=b, dtype="float64")
    theirs.index(texts, show_progress=False)
    ours = InvertedIndex(lucene(k1, b))
    ours.add(texts)
    known = [token for token in query if any(token in text for text in texts)]
    expected = theirs.get_scores(known) if known else np.zeros(len(texts))
    np.testing.assert_allclose(ours.scores(query), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("weighting", WEIGHTINGS.values(), ids=WEIGHTINGS.keys())
@given(texts=documents, query=queries, cuts=st.lists(st.integers(0, 40), max_size=5))
def test_an_index_grown_in_parts_is_the_index_built_at_once(weighting, texts, query, cuts) -> None:
    at_once, in_parts = InvertedIndex(weighting), InvertedIndex(weighting)
    at_once.add(texts)
    for start, end in pairwise([0, *sorted(cuts), len(texts)]):
        in_parts.add(texts[start:end])
    assert len(in_parts) == len(texts)
    np.testing.assert_array_equal(in_parts.scores(query), at_once.scores(query))


def test_a_word_that_is_asked_twice_counts_twice() -> None:
    index = InvertedIndex(lucene(1.5, 0.75))
    index.add([["crane"], ["valve"]])
    np.testing.assert_array_equal(index.scores(["crane", "crane"]), 2 * index.scores(["crane"]))


@pytest.mark.parametrize("weighting", WEIGHTINGS.values(), ids=WEIGHTINGS.keys())
def test_documents_without_a_token_score_nothing(weighting) -> None:
    index = InvertedIndex(weighting)
    index.add([[], []])
    np.testing.assert_array_equal(index.scores(["crane"]), [0, 0])


@pytest.mark.parametrize("spec", ["bm25", "bm25-stemmed"])
def test_messages_that_share_no_word_are_not_ranked(spec: str) -> None:
    system = opened(spec)
    system.ingest(said("the crane", "a valve", "crane, crane"))
    assert ids(recalled(system, "crane?")) == ["m2", "m0"]


@pytest.mark.parametrize("spec", ["bm25", "bm25-stemmed"])
def test_ties_are_in_message_order(spec: str) -> None:
    system = opened(spec)
    system.ingest(said(*["crane fixed", "valve fixed"] * 20))
    assert ids(recalled(system, "crane", limit=3)) == ["m0", "m2", "m4"]


@pytest.mark.parametrize("spec", ["bm25", "bm25-stemmed", "bm25-okapi"])
def test_the_query_is_the_asker_and_the_question(spec: str) -> None:
    system = opened(spec)
    system.ingest(said("crane is up", "dock is wet", "ask User_7 please"))
    assert ids(recalled(system, "the valve", asker="User_7"))[0] == "m2"


@pytest.mark.parametrize("spec", ["bm25:asker=off", "bm25-stemmed:asker=off"])
def test_the_asker_can_be_left_out_of_the_query(spec: str) -> None:
    system = opened(spec)
    system.ingest(said("crane is up", "ask User_7 please"))
    assert recalled(system, "the valve", asker="User_7") == ()


def test_k1_and_b_decide_the_scores() -> None:
    texts = ("crane crane crane", "crane", "valve storm dock")
    default, flat = opened("bm25"), opened("bm25:k1=0,b=0")
    default.ingest(said(*texts))
    flat.ingest(said(*texts))
    assert len({round(passage.score or 0.0, 9) for passage in recalled(default, "crane")}) == 2
    assert len({round(passage.score or 0.0, 9) for passage in recalled(flat, "crane")}) == 1


def test_stems_find_other_forms_of_a_word() -> None:
    plain, stemmed = opened("bm25"), opened("bm25-stemmed")
    for system in (plain, stemmed):
        system.ingest(said("inspections moved", "crane"))
    assert recalled(plain, "moving inspection") == ()
    assert ids(recalled(stemmed, "moving inspection")) == ["m0"]


def test_words_of_any_script_are_found_whatever_their_case() -> None:
    system = opened("bm25")
    system.ingest(said("КРАН сломан", "会議 は水曜日", "ÉCLAIR", "الرافعة معطلة"))
    for question, found in (("кран", "m0"), ("会議", "m1"), ("éclair", "m2"), ("الرافعة", "m3")):
        assert ids(recalled(system, question)) == [found]


def test_okapi_ranks_ten_messages_whatever_they_say_and_orders_ties_as_text() -> None:
    system = opened("bm25-okapi")
    messages = [Message(id=f"Msg_{number}", channel="dock", author="a", text="no") for number in range(1, 13)]
    system.ingest([*messages, Message(id="Msg_0", channel="annex", author="a", text="no")])
    found = recalled(system, "crane", limit=10)
    assert ids(found) == ["Msg_0", "Msg_1", "Msg_10", "Msg_11", "Msg_12", "Msg_2", "Msg_3", "Msg_4", "Msg_5", "Msg_6"]
    assert {passage.score for passage in found} == {0.0}


@pytest.mark.parametrize("question", ["", "?!", "会議"])
def test_okapi_gives_nothing_for_a_query_without_ascii_words(question: str) -> None:
    system = opened("bm25-okapi")
    system.ingest(said("会議 crane", "valve"))
    assert recalled(system, question, asker=None) == ()


def test_okapi_indexes_unescaped_text_and_returns_it_as_written() -> None:
    system = opened("bm25-okapi")
    system.ingest(said("nothing here", "  R&amp;D owns the crane  ", "amp it up"))
    assert ids(recalled(system, "amp"))[0] == "m2"
    assert recalled(system, "crane")[0].text == "  R&amp;D owns the crane  "


def test_passages_carry_what_is_known_of_their_message() -> None:
    message = Message(
        id="m0",
        channel="dock",
        author="User_1",
        text="crane",
        sent_at=START,
        role="Rigger",
        reply_to="m9",
        phase="Spring",
        topic="Lifting",
    )
    system = opened("bm25")
    system.ingest([message])
    (passage,) = recalled(system, "crane")
    for field in ("channel", "author", "text", "sent_at", "role", "reply_to", "phase", "topic"):
        assert getattr(passage, field) == getattr(message, field)
    assert passage.score is not None and passage.score > 0


def test_a_conversation_that_grows_between_questions_is_answered_as_if_it_had_been_there_at_once() -> None:
    texts = [f"crane {number} of {number % 7}" for number in range(60)]
    grown, whole = opened("bm25"), opened("bm25")
    for message in said(*texts):
        grown.ingest([message])
        recalled(grown, "crane 3")
    whole.ingest(said(*texts))
    assert recalled(grown, "crane 3 of 5") == recalled(whole, "crane 3 of 5")
