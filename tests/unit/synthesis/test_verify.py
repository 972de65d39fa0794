"""What a text states is looked up in it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from planned_corpora import planned

from groupmem.lab.synthesis.base import (
    CrossReference,
    FactMention,
    LengthRule,
    Listener,
    MessagePlan,
    Point,
    Stated,
    Written,
)
from groupmem.lab.synthesis.verify import check_honest, find_stated, find_surface, missing, problems_of

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
        ({"value": "200 euros"}, "that is 1,200 euros", None),
        ({"value": "5%"}, "we allow 2.5% there", None),
        ({"value": "12"}, "it took 12.5 hours", None),
        ({"value": "12"}, "it took 12.", "12"),
        ({"value": None, "how": "ask", "subject": "permit file for the quay"}, "Anything new from the quay?", None),
        ({"value": "Ilka", "self_value": True, "kind": "owner"}, "I'll take the permit file", "I"),
        ({"value": "Ilka", "self_value": True, "kind": "owner"}, "the permit file? mine", "mine"),
        ({"value": "Ilka", "self_value": True, "kind": "owner"}, "I think the permit file is late", None),
        ({"value": "Ilka", "self_value": True, "kind": "owner"}, "I'd say it's late, let me know, i.e. call", None),
        ({"value": "Ilka", "kind": "owner"}, "@Ilka thanks!", None),
        ({"value": "Ilka", "kind": "owner"}, "@Ilka all yours!", "Ilka"),
        ({"value": "Ilka", "kind": "owner"}, "@Olek Ilka has it", "Ilka"),
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
    ("text", "problems"),
    [
        ("It is due EOD Friday", ['name what it is about: "sync job check for the quay"']),
        ("The job is due EOD Friday", ['name what it is about: "sync job check for the quay"']),
        ("The sync is due EOD Friday", []),
        ("The quay is due EOD Friday", ['name what it is about: "sync job check for the quay"']),
    ],
)
def test_a_value_without_its_subject_says_nothing(text: str, problems: list[str]) -> None:
    about = mention(value="EOD Friday", subject="sync job check for the quay", words=(("stock_sync", "sync job"),))
    plan = plan_with(mentions=(about,), parent_mentions=())
    assert problems_of(plan, text) == problems
    assert bool(find_stated(plan, text)) == (not problems)


def test_what_the_parent_named_need_not_be_named_again_whatever_it_called_it() -> None:
    about = mention(value="EOD Friday", subject="sync job check", words=(("stock_sync", "sync job"),))
    asked = mention(how="ask", subject="evening count check", words=(("stock_sync", "evening count"),))
    other = mention(how="ask", subject="evening count check", words=(("leaf_lot", "evening count"),))
    assert problems_of(plan_with(mentions=(about,), parent_mentions=(asked,)), "EOD Friday") == []
    assert problems_of(plan_with(mentions=(about,), parent_mentions=(other,)), "EOD Friday") != []


def test_who_is_addressed_and_which_phase_is_cited_must_be_there() -> None:
    to = Listener(id="u", name="Ilka Moreau", first_name="Ilka", role="Buyer")
    cited = CrossReference(phase="Risk: Late Permits", message="Msg_1", author_name="Ilka")
    plan = plan_with(path="reply", mention_parent=True, addressee=to, cross_reference=cited)
    assert problems_of(plan, "well") == [
        'address them by writing exactly "@Ilka"',
        'name the other phase: "Late Permits"',
    ]
    assert problems_of(plan, "@Ilka see late permits") == []
    assert problems_of(plan_with(path="post", cross_reference=cited), "well") == []
    assert problems_of(plan_with(path="reply", noise="wrong_detail", cross_reference=cited), "well") == []


def test_a_reply_may_be_as_long_as_its_sentences_may_be_together() -> None:
    plan = plan_with(length=LengthRule(min_sentences=1, max_sentences=3, sentence_words=15))
    assert problems_of(plan, "word " * 45) == []
    assert problems_of(plan, "word " * 46) == ["use at most 3 sentences, each of at most 15 words"]


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
