"""What a question describes, apart from what it asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.memory.recall.parts import Split, split


@pytest.mark.parametrize(
    ("sentence", "asked", "described"),
    [
        ("Where Mira wants two rounds, what do I want?", "what do I want?", "Mira wants two rounds"),
        (
            "When is the contract up for the tester whose complaint led to the higher limit?",
            "When is the contract up for the tester",
            "tester whose complaint led to the higher limit?",
        ),
        (
            "By which day must the form for the north gate that waits for the seal be ready?",
            "By which day must the form for the north gate",
            "north gate that waits for the seal be ready?",
        ),
        ("Who drives the crane due by 3 March?", "Who drives the crane", "crane due by 3 March?"),
        (
            'How far is the mast for the harbour last reported as "half done"?',
            "How far is the mast for the harbour",
            'harbour last reported as "half done"?',
        ),
        (
            'When is the mast in North Quay last reported as "half done" due?',
            "When is the mast in North Quay",
            'mast in North Quay last reported as "half done" due?',
        ),
        (
            "What does whoever signed off the crane prefer for the paint?",
            "What does prefer for the paint?",
            "signed off the crane",
        ),
        (
            "What would the person in charge of the mast like for lunch?",
            "What would like for lunch?",
            "in charge of the mast",
        ),
        ("Ask the person who filed it.", "Ask", "who filed it."),
        (
            "Which team owns the service that pages us, and when did it move?",
            "Which team owns the service, and when did it move?",
            "service that pages us",
        ),
    ],
)
def test_descriptions_are_taken_out(sentence: str, asked: str, described: str) -> None:
    found = split(sentence)
    assert (" ".join(found.asked.split()), found.described) == (asked, (described,))


@pytest.mark.parametrize(
    "sentence",
    [
        "Who drives that crane?",
        "On which date was the audit due?",
        "In which phase do we stand?",
        "On what day are the north gate and the south gate due to open?",
        "By what date were cranes supposed to be off the pier?",
        "Which game did Mira play, the game Tomas tried in May?",
        "Do you think that it holds?",
        "What is the novel that Mira is writing?",
        "How high must the mast be?",
        "When it rains we stop",
        "Where is the office, in Berlin or in Bonn?",
        "What did the man say?",
        "How many people asked for the export?",
        "",
        "?",
    ],
)
def test_what_describes_nothing_is_asked_as_it_stands(sentence: str) -> None:
    assert split(sentence) == Split(sentence)


@given(st.text(alphabet="abcdeW ,.?'\"é漢\u200b", max_size=60) | st.sampled_from(["who that which whose the person"]))
def test_any_text_can_be_split(text: str) -> None:
    found = split(text)
    assert found.described == () or any(found.described)
    assert found.asked in text or set(found.asked.split()) <= set(text.split())


def test_a_text_that_was_pasted_has_no_descriptions() -> None:
    sentence = "What does whoever signed off the crane prefer for the paint"
    assert split(sentence).described
    assert split(sentence + " and the mast" * 100) == Split(sentence + " and the mast" * 100)
