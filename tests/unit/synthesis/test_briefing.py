"""What a model is told, prompt by prompt."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from planned_corpora import Planned, planned

from groupmem.lab.synthesis.base import FactMention, MessagePlan, Point, Situation
from groupmem.lab.synthesis.situation import Situations
from groupmem.lab.synthesis.writers.briefing import Briefing
from groupmem.lab.synthesis.writers.instructions import say_fact, say_point, scenarios
from groupmem.prompts import Prompts

N = 400


@pytest.fixture(scope="module")
def corpus() -> Planned:
    return planned(N, 4, small=True)


@pytest.fixture(scope="module")
def briefing(corpus: Planned) -> Briefing:
    return Briefing(corpus.scaffold.pack, corpus.policy, Prompts())


@pytest.fixture(scope="module")
def told(corpus: Planned, briefing: Briefing) -> list[tuple[MessagePlan, Situation, str, str]]:
    """Every plan with its situation, and the two turns that ask for it."""
    situations, all_told = Situations(corpus.plans, seed=4), []
    for index in range(N):
        plan = corpus.plans.plan(index)
        situation = situations.of(index, plan)
        system, user = briefing.messages(plan, situation, plan.sub_issue, "")
        all_told.append((plan, situation, system.content, user.content))
        situations.add(index, plan, f"this is what number {index} has to say")
    return all_told


def mention(**fields: Any) -> FactMention:
    return FactMention(**{"fact": "Fact_1", "kind": "deadline", "how": "state", "subject": "permit file", **fields})


def said(corpus: Planned, **fields: Any) -> str:
    return say_fact(mention(**fields), corpus.plans.plan(0).author)


def test_what_the_author_holds_is_said_in_the_first_person(corpus: Planned) -> None:
    author = corpus.plans.plan(0).author
    held = {"kind": "preference", "value": "mornings", "subject": "weekly check-in", "person_name": "Olek"}
    assert said(corpus, **held, person=author.id) == (
        'Say that for the weekly check-in, you prefer "mornings" (first person).'
    )
    assert said(corpus, **held, person="someone") == 'Say that for the weekly check-in, Olek prefers "mornings".'
    assert said(corpus, **held, person="someone", pronoun="they", how="report") == (
        'Say it for Olek (they), who is not you: for the weekly check-in, Olek prefers "mornings".'
    )


@pytest.mark.parametrize(
    ("how", "ending"),
    [
        ("propose", "nothing is settled yet. So far it is 3 May."),
        ("argue", 'is due "1 June". The other side is for 3 May.'),
        ("reverse", 'is due "1 June". It replaces 3 May.'),
        ("keep", 'is due "1 June". The proposal of 3 May is off.'),
        ("confirm", 'is due "1 June". 3 May was wrong.'),
    ],
)
def test_the_other_value_is_told(corpus: Planned, how: str, ending: str) -> None:
    assert said(corpus, how=how, value="1 June", was="3 May").endswith(ending)
    assert "3 May" not in said(corpus, how=how, value="1 June")


def test_an_author_who_is_replaced_is_told_so(corpus: Planned) -> None:
    me = corpus.plans.plan(0).author.first_name
    text = said(corpus, how="reverse", kind="owner", value="Olek", was=me)
    assert text == 'Say that this is new and final: "Olek" owns the permit file. It replaces you.'


def test_only_what_must_stand_is_in_quotation_marks() -> None:
    assert say_point(Point(material="reason", text="one night is short", required=True)).endswith(
        '"one night is short"'
    )
    assert '"' not in say_point(Point(material="risk", text="one night is short"))


def test_the_words_of_the_role_are_given_and_nobody_elses(told: list[tuple[MessagePlan, Situation, str, str]]) -> None:
    for plan, _, system, _ in told:
        words = system.split("WORDS OF YOUR ROLE\n")[1].split("\n\n")[0]
        assert ("- sync job, batch: the nightly" in words) == (plan.author.role == "Systems Engineer")
        assert ("- chest: one delivery" in words) == (plan.author.role == "Shop Lead")


def test_the_length_rules_are_those_of_the_policy(corpus: Planned) -> None:
    length = msgspec.structs.replace(corpus.policy.length, reply_sentence_words=23, post_sentences_high=7)
    briefing = Briefing(corpus.scaffold.pack, msgspec.structs.replace(corpus.policy, length=length), Prompts())
    system, _ = briefing.messages(corpus.plans.plan(0), Situation(), None, "")
    assert "at most 23 words each, a post 2 to 7 sentences" in system.content


def test_the_history_says_who_answers_whom(told: list[tuple[MessagePlan, Situation, str, str]]) -> None:
    answering = 0
    for plan, situation, _, user in told:
        if plan.path != "reply" or plan.noise is not None or situation.parent is None:
            continue
        shown = user.split("THE MESSAGE THAT YOU ANSWER\n")[1].split("\n")[0]
        to = situation.parent.reply_to_name
        assert shown.startswith(f"{situation.parent.author_name} (") and (f") to {to}, " in shown) == bool(to)
        answering += bool(to)
    assert answering > 20


def test_replies_owe_a_word_about_the_phase_that_they_refer_to(
    told: list[tuple[MessagePlan, Situation, str, str]],
) -> None:
    owing = {"reply": 0, "disagreement": 0}
    for plan, situation, _, user in told:
        if plan.cross_reference is None:
            assert "another phase of the project" not in user
            continue
        assert situation.cross_reference is not None
        assert situation.cross_reference.text in user
        assert ("Risk" in plan.cross_reference.phase) == (plan.cross_reference.phase != plan.cross_reference.spoken)
        duty = f'another phase of the project, "{plan.cross_reference.spoken}", by that name'
        assert (duty in user) == (plan.path == "reply" and plan.noise is None)
        if duty in user:
            owing["reply" if plan.disagreement is None else "disagreement"] += 1
    assert all(owing.values())


def test_mistakes_are_made_in_an_answer_or_in_a_thread_of_their_own(
    told: list[tuple[MessagePlan, Situation, str, str]],
) -> None:
    noisy = [(plan, user) for plan, _, _, user in told if plan.noise is not None]
    assert {plan.parent is None for plan, _ in noisy} == {True, False}
    for plan, user in noisy:
        assert ("Start a new thread" in user) == (plan.parent is None)
        assert ("Write a reply to that message" in user) == (plan.parent is not None)


def test_the_mistake_of_a_noisy_message_is_the_one_that_it_is_told_to_say(
    told: list[tuple[MessagePlan, Situation, str, str]],
) -> None:
    for plan, _, _, user in told:
        if plan.noise is not None:
            assert ("It lies in what the message says; make no other." in user) == bool(plan.mentions)


def test_who_sets_a_message_right_is_told_what_is_wrong_with_it(
    told: list[tuple[MessagePlan, Situation, str, str]],
) -> None:
    setting_right = 0
    for plan, _, _, user in told:
        if plan.act == "correct" and plan.parent_noise is not None:
            setting_right += 1
            assert f"What is wrong: {scenarios()['noise'][plan.parent_noise]}." in user
        else:
            assert "What is wrong" not in user
    assert setting_right


def test_everybody_is_told_to_make_nothing_up(told: list[tuple[MessagePlan, Situation, str, str]]) -> None:
    assert all("Make up no date, number, owner" in user for _, _, _, user in told)
