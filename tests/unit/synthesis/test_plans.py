"""Message plans: words by role, lengths, links, references, audience, and what a reply is told of its parent."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from planned_corpora import Planned, planned

from groupmem.lab.synthesis.base import FactMention, MessagePlan
from groupmem.lab.synthesis.packs import Concept
from groupmem.lab.synthesis.planned import CONCEPT

N = 6000


@pytest.fixture(scope="module")
def corpus() -> Planned:
    return planned(N, 3)


@pytest.fixture(scope="module")
def plans(corpus: Planned) -> list[MessagePlan]:
    return [corpus.plans.plan(index) for index in range(N)]


def mentions(plans: list[MessagePlan]) -> list[tuple[MessagePlan, FactMention]]:
    return [(plan, mention) for plan in plans for mention in plan.mentions]


def test_nothing_is_left_to_be_filled_in(plans: list[MessagePlan]) -> None:
    for plan in plans:
        texts = [point.text for point in plan.points]
        texts += [text for mention in plan.mentions for text in (mention.subject, mention.value, mention.was) if text]
        assert not any("{" in text for text in (*texts, plan.sub_issue or ""))


def test_a_plan_is_the_same_whenever_it_is_made(corpus: Planned, plans: list[MessagePlan]) -> None:
    assert [corpus.plans.plan(index) for index in range(0, N, 7)] == plans[::7]


def test_hardly_anybody_speaks_of_a_day_that_is_over_as_if_it_were_ahead(plans: list[MessagePlan]) -> None:
    told = [(plan, each) for plan, each in mentions(plans) if each.on is not None and each.how != "mistake"]
    over = [(plan, each) for plan, each in told if each.on is not None and each.on < plan.sent_at.date()]
    assert len(told) > 500
    assert not [
        each for plan, each in over if plan.act in ("acknowledge", "add", "defend", "close", "push_back", "advise")
    ]
    assert len(over) < 0.02 * len(told)


def test_concepts_are_in_the_words_of_the_speaker_or_of_the_listener(corpus: Planned, plans: list[MessagePlan]) -> None:
    concepts = {concept.id: concept for concept in corpus.scaffold.pack.concepts}
    kinds: Counter[str] = Counter()
    for plan, mention in mentions(plans):
        for concept_id, word in mention.words:
            concept = concepts[concept_id]
            assert word in f"{mention.subject} {mention.value}"
            listener = plan.addressee.role if plan.addressee else plan.author.role
            kinds[_whose(concept, word, plan.author.role, listener)] += 1
    total = sum(kinds.values())
    assert kinds["nobody's"] == 0
    assert kinds["speaker's"] > 0.7 * total
    assert kinds["adapted"] > 0.1 * total


def test_no_word_is_adapted_where_the_policy_says_so() -> None:
    corpus = planned(1500, 0, ("facts.adapt_words=0",))
    concepts = {concept.id: concept for concept in corpus.scaffold.pack.concepts}
    for plan, mention in mentions([corpus.plans.plan(index) for index in range(1500)]):
        for concept, word in mention.words:
            assert word in concepts[concept].words[plan.author.role]


def test_the_same_fact_is_told_in_different_words(plans: list[MessagePlan]) -> None:
    subjects: dict[str, set[str]] = {}
    for _, mention in mentions(plans):
        if mention.words and mention.fact:
            subjects.setdefault(mention.fact, set()).add(mention.subject)
    assert sum(len(words) > 1 for words in subjects.values()) > 0.2 * len(subjects)


def test_dates_are_relative_as_often_as_the_policy_says(plans: list[MessagePlan], corpus: Planned) -> None:
    forms = Counter(
        mention.date_form
        for plan, mention in mentions(plans)
        if mention.on is not None and 0 <= (mention.on - plan.sent_at.date()).days <= 20 and mention.value
    )
    share = forms["relative"] / sum(forms.values())
    assert share == pytest.approx(corpus.policy.facts.relative_date, abs=0.04)


def test_the_first_person_stands_for_the_author(plans: list[MessagePlan]) -> None:
    own = [(plan, mention) for plan, mention in mentions(plans) if mention.self_value]
    assert own
    assert all(mention.value == plan.author.first_name for plan, mention in own)
    assert {mention.kind for _, mention in own} == {"owner", "approval"}


def test_questions_name_a_subject_and_no_value(plans: list[MessagePlan]) -> None:
    for _, mention in mentions(plans):
        assert (mention.value is None) == (mention.how == "ask")
        assert mention.subject
        assert not mention.subject.startswith("the ")


def test_length_follows_the_kind_of_message(corpus: Planned, plans: list[MessagePlan]) -> None:
    for plan in plans:
        rule = plan.length
        if plan.ultra_short:
            assert (rule.min_sentences, rule.max_sentences, rule.words) == (1, 1, 6)
        elif plan.path == "post":
            assert (rule.min_sentences, rule.max_sentences, rule.words) == (2, 4, None)
        else:
            assert (rule.min_sentences, rule.max_sentences, rule.sentence_words) == (1, 3, 15)


def test_ultra_short_messages_are_asked_for_nothing_long(plans: list[MessagePlan]) -> None:
    for plan in plans:
        if plan.ultra_short:
            assert plan.url is None and plan.cross_reference is None
            assert not any(point.required for point in plan.points)
            for mention in plan.mentions:
                assert mention.optional or mention.value is None or len(mention.value.split()) <= 6


def test_closure_is_asked_for_in_late_replies_only(corpus: Planned, plans: list[MessagePlan]) -> None:
    for plan in plans:
        assert plan.closure == (plan.path != "post" and plan.place.progress > 0.8)


def test_stages_follow_progress(plans: list[MessagePlan]) -> None:
    stages = [(plan.place.progress, plan.place.stage) for plan in plans]
    assert (
        max(p for p, stage in stages if stage == "early") < 0.33 <= min(p for p, stage in stages if stage == "middle")
    )
    assert max(p for p, stage in stages if stage == "middle") < 0.67 <= min(p for p, stage in stages if stage == "late")


def test_the_audience_is_the_phase_with_the_person_turned_to_first(corpus: Planned, plans: list[MessagePlan]) -> None:
    by_id = {plan.id: plan for plan in plans}
    members = {phase.id: phase.members for phase in corpus.scaffold.phases}
    for slot, plan in zip(corpus.slots, plans, strict=True):
        ids = [listener.id for listener in plan.audience]
        assert plan.author.id not in ids
        assert len(set(ids)) == len(ids)
        assert {corpus.scaffold.members[m].id for m in members[plan.place.phase_id]} - {plan.author.id} <= set(ids)
        if plan.path == "reply":
            assert plan.addressee is not None
            assert plan.addressee.id == ids[0] == by_id[str(plan.parent)].author.id
        if plan.path == "cross_project_reply":
            assert plan.addressee is not None
            assert plan.addressee.id == ids[0] == corpus.scaffold.members[slot.target or 0].id


def test_a_reply_is_told_what_its_parent_said(plans: list[MessagePlan]) -> None:
    by_id = {plan.id: plan for plan in plans}
    for plan in plans:
        if plan.parent is not None:
            parent = by_id[plan.parent]
            assert (plan.parent_act, plan.parent_mentions) == (parent.act, parent.mentions)
            assert (plan.parent_points, plan.parent_noise) == (parent.points, parent.noise)
            root = by_id[str(plan.thread)]
            assert root.path == "post"


def test_references_point_back_at_a_sibling_phase_that_the_readers_may_see(
    corpus: Planned, plans: list[MessagePlan]
) -> None:
    by_id = {plan.id: plan for plan in plans}
    references = [plan for plan in plans if plan.cross_reference is not None]
    assert len(references) > 0.12 * N
    private = {phase.channel for phase in corpus.scaffold.phases if phase.private}
    for plan in references:
        reference = plan.cross_reference
        assert reference is not None
        told = by_id[reference.message]
        assert told.sent_at <= plan.sent_at
        assert (told.place.project, told.place.phase) == (plan.place.project, reference.phase)
        assert told.place.phase_id != plan.place.phase_id
        assert told.channel not in private or told.channel == plan.channel
        if reference.mention is not None:
            assert reference.mention.how == "refer" and reference.mention.optional
            assert reference.mention.fact in {mention.fact for mention in told.mentions}


def test_no_reference_where_the_policy_wants_none() -> None:
    corpus = planned(700, 2, ("context.cross_reference=0",))
    assert not any(corpus.plans.plan(index).cross_reference for index in range(700))


def test_sub_issues_are_those_of_the_phase(corpus: Planned, plans: list[MessagePlan]) -> None:
    sub_issues = {phase.id: phase.sub_issues for phase in corpus.scaffold.phases}
    for plan in plans:
        if plan.sub_issue_index is None:
            assert plan.sub_issue is None
        else:
            worded = CONCEPT.sub(".+", sub_issues[plan.place.phase_id][plan.sub_issue_index])
            assert plan.sub_issue is not None and re.fullmatch(worded, plan.sub_issue)


def test_links_are_those_of_the_phase(plans: list[MessagePlan]) -> None:
    links = {plan.place.phase_id: plan.url for plan in plans if plan.url}
    assert all(plan.url in (None, plan.place.url) for plan in plans)
    assert len(set(links.values())) == len(links)


def test_a_slipped_tone_is_not_the_persons_own(corpus: Planned, plans: list[MessagePlan]) -> None:
    own = {member.id: member.tone for member in corpus.scaffold.members}
    for slot, plan in zip(corpus.slots, plans, strict=True):
        assert (plan.author.tone != own[plan.author.id]) == (slot.tone is not None)


def _whose(concept: Concept, word: str, speaker: str, listener: str) -> str:
    if word in concept.words[speaker]:
        return "speaker's"
    return "adapted" if word == concept.plain or word in concept.words[listener] else "nobody's"
