"""The rule that tells a refusal from an answer, and a question without an answer from one that has one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.lab.benchmarks.registry import open_benchmark
from groupmem.lab.reports.outcomes import LONGEST_REFUSAL_WORDS, expects_abstention, says_no_information
from groupmem.lab.runs.reference import NO_INFORMATION
from groupmem.types import Question

REFUSALS = (
    NO_INFORMATION,
    "There is no information available in the conversation to answer this question.",
    "No relevant information was found.",
    "It isn't mentioned anywhere.",
    "The date was never stated.",
    "I don't know.",
    "I don\u2019t know.",
    "I can't answer that from these passages.",
    "I cannot determine who signed.",
    "The cost could not be determined.",
    "The passages do not specify the cost.",
    "The conversation so far does not say.",
    "Not enough information.",
    "The chat does not have any details on it.",
    "UNKNOWN",
    "n/a",
)
ANSWERS = (
    "",
    "Friday",
    "No.",
    "None of them",
    "There was no data loss.",
    "Ines does not know who signed.",
    "She could not attend the review.",
    "It is not available until June.",
    "Friday. Why was not mentioned.",
    "The unknown caller was Tariq.",
    "Not Tuesday, but Wednesday",
    "The team said that " + "the plan changed and " * LONGEST_REFUSAL_WORDS + "no information was lost.",
)


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals_for_want_of_information(text: str) -> None:
    assert says_no_information(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_answers_even_with_negative_words(text: str) -> None:
    assert not says_no_information(text)


@given(st.text())
def test_any_text_has_an_outcome(text: str) -> None:
    assert says_no_information(text) in (True, False)


@pytest.mark.parametrize(
    ("category", "answer", "expected"),
    [
        ("abstention", "Friday", True),
        ("5-adversarial", None, True),
        ("visibility", "There is no information on this.", True),
        ("visibility", "A flat weekly amount", False),
        ("temporal", "Friday", False),
        ("temporal", None, None),
        ("abstentions_of_the_board", "Two members", False),
    ],
)
def test_what_a_question_expects(category: str, answer: str | None, expected: bool | None) -> None:
    assert expects_abstention(Question(id="q", text="?", category=category, answer=answer)) is expected


@pytest.mark.data
@pytest.mark.parametrize("name", ["beam", "locomo", "qmsum", "handwritten/technology"])
def test_the_rule_makes_no_mistake_on_published_gold(name: str, public_data: Callable[[str], Path]) -> None:
    path = public_data(name)
    benchmark = open_benchmark(str(path) if "/" in name else name, unpinned=True)
    gold = [question for unit in benchmark.units() for question in unit.questions() if question.answer is not None]
    assert gold
    for question in gold:
        unanswerable = question.category == "5-adversarial" or (
            question.category in ("abstention", "visibility") and not question.evidence
        )
        assert says_no_information(question.answer or "") is unanswerable, question.answer
