"""What a text states is looked up in it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from planned_corpora import planned

from groupmem.lab.synthesis.base import FactMention, LengthRule, MessagePlan, Point, Stated, Written
from groupmem.lab.synthesis.verify import check_honest, find_surface, missing, problems_of

BASE = planned(700, 2).plans.plan(0)


def plan_with(**changes: Any) -> MessagePlan:

    fields: dict[str, Any] = {
        "mentions": (),
        "points": (),
        "url": None,
        "length": LengthRule(min_sentences=1, max_sentences=3),
    }
    return msgspec.structs.replace(BASE, **{**fields, **changes})


def mention(**fields: Any) -> FactMention:
    return FactMention(**{"fact": "Fact_1", "kind": "deadline", "how": "state", "subject": "permit file", **fields})


@pytest.mark.parametrize(
    ("fields", "text", "surface"),
    [
        ({"value": "EOD Friday"}, "Permit file is due by eod friday!", "eod friday"),
        ({"value": "Friday"}, "Due Fridays", None),
        ({"value": "5%"}, "we allow 15% there", None),
        ({"value": "5%"}, "we allow 5% there", "5%"),
        ({"value": "slate (oiled)"}, "It is slate (oiled).", "slate (oiled)"),
        ({"value": None, "how": "ask"}, "When is the Permit File due?", "Permit File"),
        ({"value": None, "how": "ask"}, "Any news on the permit?", "permit"),
        ({"value": None, "how": "ask"}, "Any news?", None),
        ({"value": "Ilka", "self_value": True, "kind": "owner"}, "I'll take the permit file", "I'll"),
        ({"value": "Ilka", "self_value": True, "kind": "owner"}, "Ilka takes the permit file", "Ilka"),
        ({"value": "Ilka", "self_value": True, "kind": "owner"}, "somebody takes it", None),
    ],
)
def test_where_a_mention_stands(fields: dict[str, Any], text: str, surface: str | None) -> None:
    assert find_surface(mention(**fields), text) == surface


def test_what_is_lacking_is_said_as_an_instruction() -> None:
    plan = plan_with(
        mentions=(mention(value="EOD Friday"), mention(fact="Fact_2", value="slate", optional=True)),
        points=(Point(material="reason", text="one night is short", required=True), Point(material="risk", text="x")),
        url="https://pages.example/a",
        length=LengthRule(min_sentences=1, max_sentences=1, words=6),
    )
    problems = problems_of(plan, "well well well well well well well")
    assert [problem.split(":")[0] for problem in problems] == [
        "say, in exactly these words",
        "say, in exactly these words",
        "put this link in",
        "use at most 6 words",
    ]
    assert problems_of(plan_with(), "") == ["write something"]
    assert problems_of(plan_with(mentions=(mention(value="EOD Friday"),)), "Permit by EOD Friday") == []


@pytest.mark.parametrize(
    ("fact", "surface", "honest"),
    [("Fact_1", "EOD Friday", True), ("Fact_1", "Monday", False), ("Fact_9", "EOD", False), ("Fact_1", "", False)],
)
def test_claims_that_the_text_does_not_bear_out_are_found(fact: str, surface: str, honest: bool) -> None:
    plan = plan_with(mentions=(mention(value="EOD Friday"),))
    complaint = check_honest(plan, Written(text="by EOD Friday", stated=(Stated(fact=fact, surface=surface),)))
    assert complaint is None if honest else "Msg_1" in str(complaint)


def test_only_what_had_to_be_said_is_missed() -> None:
    plan = plan_with(mentions=(mention(value="a"), mention(fact="Fact_2", value="b", optional=True)))
    assert [each.fact for each in missing(plan, Written(text="x"))] == ["Fact_1"]
