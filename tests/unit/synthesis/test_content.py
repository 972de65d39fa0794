"""The content pass: facts and their lives, arguments on real threads, beliefs side by side, mistakes."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import pytest
from planned_corpora import Planned, planned

from groupmem.lab.synthesis.arguments import eligible
from groupmem.lab.synthesis.changes import Change
from groupmem.lab.synthesis.planned import PlannedFact, Seed
from groupmem.lab.synthesis.slots import Slot

CORPORA = [(80, 1), (700, 2), (1500, 0), (6000, 3)]
TRUE_NOW = ("state", "confirm", "reverse", "keep", "refer")


@pytest.fixture(scope="module", params=CORPORA, ids=str)
def corpus(request: pytest.FixtureRequest) -> Planned:
    messages, seed = request.param
    return planned(messages, seed)


@pytest.fixture(scope="module")
def large() -> Planned:
    return planned(30_000)


def seeds(corpus: Planned) -> list[tuple[Slot, Seed]]:
    return [(slot, seed) for slot in corpus.slots for seed in corpus.story.contents[slot.index].seeds]


def phases_of(corpus: Planned) -> dict[int, list[Slot]]:
    found: dict[int, list[Slot]] = defaultdict(list)
    for slot in corpus.slots:
        found[slot.phase].append(slot)
    return found


def changed(corpus: Planned) -> list[Change]:
    return [change for change in corpus.story.changes if change.outcome == "changed"]


def test_facts_are_told_only_while_they_hold(corpus: Planned) -> None:
    for slot, seed in seeds(corpus):
        if seed.how in TRUE_NOW and seed.fact.holder is None:
            assert seed.fact.valid_from is not None
            assert seed.fact.valid_from <= slot.index
            assert seed.fact.valid_until is None or slot.index < seed.fact.valid_until


def test_the_status_of_a_phase_is_confirmed_only_while_it_is_so(corpus: Planned) -> None:
    confirmed = 0
    for slot, seed in seeds(corpus):
        phase = corpus.scaffold.phases[slot.phase]
        own = seed.fact.kind == "status" and seed.fact.subject.startswith(phase.name.rpartition(": ")[2])
        if own and seed.how == "confirm":
            confirmed += 1
            assert seed.fact.raw_value == phase.status(slot.progress).casefold()
    assert confirmed or len(corpus.slots) < 700


def test_every_fact_is_stated_by_the_message_that_begins_it(corpus: Planned) -> None:
    stated = {(id(seed.fact), slot.index) for slot, seed in seeds(corpus) if not seed.optional}
    for fact in corpus.story.facts:
        assert (id(fact), fact.valid_from) in stated, fact


def test_a_question_without_an_answer_is_never_told(corpus: Planned) -> None:
    open_facts = {id(fact) for fact in corpus.story.open}
    assert all(seed.how in ("ask", "mistake", "dispute") for _, seed in seeds(corpus) if id(seed.fact) in open_facts)


def test_a_chain_of_values_has_no_gap_and_no_overlap(corpus: Planned) -> None:
    chains: dict[str, list[PlannedFact]] = defaultdict(list)
    for fact in corpus.story.facts:
        if fact.holder is None:
            chains[fact.matter].append(fact)
    for chain in chains.values():
        chain.sort(key=lambda fact: fact.valid_from or 0)
        for earlier, later in pairwise(chain):
            assert earlier.superseded_by is later
            assert later.supersedes is earlier
            assert earlier.valid_until == later.valid_from
        assert chain[-1].valid_until is None


def test_subjects_are_not_shared_between_phases_of_a_project(corpus: Planned) -> None:
    places: dict[tuple[int, str], set[int]] = defaultdict(set)
    for fact in (*corpus.story.facts, *corpus.story.open):
        if fact.kind not in ("belief", "preference"):
            places[(corpus.scaffold.phases[fact.phase].project, fact.subject)].add(fact.phase)
    assert all(len(phases) == 1 for phases in places.values())


def test_a_decision_changes_in_every_eligible_phase(corpus: Planned) -> None:
    changes = corpus.policy.changes
    able = {index for index, slots in phases_of(corpus).items() if eligible(slots, changes)}
    assert {change.before.phase for change in changed(corpus)} == able


def test_changes_happen_where_they_may(corpus: Planned) -> None:
    changes = corpus.policy.changes
    for change in corpus.story.changes:
        first, settled = change.argument.steps[0], change.argument.settled
        assert changes.eligible_from <= first.progress <= settled.progress <= changes.eligible_to
        assert first.in_phase >= changes.eligible_messages


def test_an_argument_is_a_connected_piece_of_a_thread(corpus: Planned) -> None:
    taken: Counter[int] = Counter()
    for change in corpus.story.changes:
        steps = change.argument.steps
        assert [slot.index for slot in steps] == sorted({slot.index for slot in steps})
        taken.update(slot.index for slot in steps)
        if change.argument.restated is None:
            assert len(steps) == 1
            continue
        taken[change.argument.restated.index] += 1
        assert steps[0].parent == change.argument.restated.index
        before = {change.argument.restated.index}
        followed = set(before)
        for slot in steps:
            ancestors = _ancestors(corpus, slot)
            assert followed & ancestors, "every step goes back to the restatement"
            followed.add(slot.index)
    assert not taken or max(taken.values()) == 1


def test_a_change_has_commitment_reason_and_trigger(corpus: Planned) -> None:
    for change in corpus.story.changes:
        steps = [corpus.story.contents[slot.index] for slot in change.argument.steps]
        texts = {point.text for content in steps for point in content.points if point.required}
        assert texts == {change.reason, change.trigger}
        assert not change.before.same_value(change.after)
        if change.number == 1:
            assert change.committed is not None
            assert change.committed.index < change.argument.steps[0].index
            assert change.before.valid_from == change.committed.index
        if change.outcome == "changed":
            assert change.after.valid_from == change.before.valid_until == change.argument.settled.index
        else:
            assert change.after.valid_from is None
            assert steps[-1].act == "keep"


def test_in_a_large_corpus_several_people_argue_and_some_decisions_change_twice(large: Planned) -> None:
    people = [len({slot.author for slot in change.argument.steps}) for change in changed(large)]
    assert sum(count >= 3 for count in people) > 0.8 * len(people)
    phases = len(large.scaffold.phases)
    assert phases <= len(changed(large)) <= 1.4 * phases
    twice = [change for change in changed(large) if change.number == 2]
    assert 0.1 * phases < len(twice) < 0.35 * phases
    back = [
        change
        for change in twice
        if change.before.supersedes is not None and change.after.same_value(change.before.supersedes)
    ]
    assert 0 < len(back) < len(twice)
    assert {change.before.kind for change in changed(large)} == {"decision", "deadline", "owner", "number"}
    assert any(change.outcome == "kept" for change in large.story.changes)


def test_who_argued_for_the_loser_goes_on_holding_it(large: Planned) -> None:
    held = [fact for change in changed(large) for fact in change.held.values()]
    assert held
    for change in changed(large):
        for member, fact in change.held.items():
            assert fact.holder == member
            assert fact.same_value(change.before)
            assert fact.matter == change.before.matter
            assert fact.valid_until is None


def test_the_share_of_phases_with_a_change_is_configurable() -> None:
    corpus = planned(6000, 3, ("changes.phase_rate=0.05", "changes.kept_rate=0"))
    assert 0 < len({change.before.phase for change in corpus.story.changes}) < 12
    assert not planned(1500, 0, ("changes.phase_rate=0", "changes.kept_rate=0")).story.changes


def test_the_hazard_decides_when_in_the_window_a_change_begins() -> None:
    def mean_start(hazard: float) -> float:
        corpus = planned(6000, 3, (f"changes.hazard={hazard}", "changes.second_rate=0", "changes.kept_rate=0"))
        starts = [change.argument.steps[0].progress for change in corpus.story.changes]
        return sum(starts) / len(starts)

    assert mean_start(1.0) + 0.05 < mean_start(0.0)


def test_people_hold_incompatible_beliefs_and_keep_them(large: Planned) -> None:
    holders: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for _, seed in seeds(large):
        if seed.fact.kind in ("belief", "preference"):
            holders[seed.fact.matter][seed.fact.holder or 0].add(seed.fact.raw_value)
    assert all(len(values) == 1 for people in holders.values() for values in people.values())
    several = [people for people in holders.values() if len(people) > 2]
    assert several
    assert all(len({value for values in people.values() for value in values}) > 1 for people in several)


def test_some_facts_are_told_by_one_person_for_another(large: Planned) -> None:
    reports = [
        (slot, seed, large.story.contents[slot.index].reporting) for slot, seed in seeds(large) if seed.how == "report"
    ]
    assert reports
    for slot, seed, reporting in reports:
        assert seed.fact.holder == reporting != slot.author
        assert large.slots[slot.parent or 0].author != reporting


def test_mistakes_are_wrong_and_count_as_no_statement(large: Planned) -> None:
    mistakes = [(slot, seed) for slot, seed in seeds(large) if seed.how == "mistake"]
    assert {slot.noise for slot, _ in mistakes} == {
        *("wrong_detail", "misunderstanding", "stale_info", "premature_assumption", "wrong_audience")
    }
    for slot, seed in mistakes:
        assert slot.noise is not None
        assert seed.value_of is not None
        if seed.fact.is_known and seed.fact.holds_at(slot.index) and slot.noise != "premature_assumption":
            assert not seed.value_of.same_value(seed.fact)
    stale = [seed for slot, seed in mistakes if slot.noise == "stale_info" and seed.fact.supersedes is seed.value_of]
    assert len(stale) > 100


def test_noisy_messages_say_nothing_true_and_others_nothing_wrong(large: Planned) -> None:
    for slot, seed in seeds(large):
        assert (slot.noise is not None) == (seed.how == "mistake")


def test_a_mistake_that_is_replied_to_is_often_set_right(large: Planned) -> None:
    corrections = [slot for slot in large.slots if large.story.contents[slot.index].act == "correct"]
    assert len(corrections) > 150
    assert all(large.slots[slot.parent or 0].noise is not None for slot in corrections)


def test_replies_take_up_their_parent(large: Planned) -> None:
    for slot in large.slots:
        content = large.story.contents[slot.index]
        if content.act == "answer":
            parent = large.story.contents[slot.parent or 0]
            question = parent.first("ask")
            assert question is not None
            assert content.seeds[0].fact.matter == question.fact.matter
        if content.act == "defend":
            assert large.story.contents[slot.parent or 0].act == "push_back"


def test_most_open_questions_are_answered(large: Planned) -> None:
    asked = {id(seed.fact) for _, seed in seeds(large) if seed.how == "ask"}
    unanswered = {id(fact) for fact in large.story.open}
    assert 0.02 * len(asked) < len(unanswered) < 0.6 * len(asked)


def test_bridges_bring_experience_and_public_facts_of_their_own_project(large: Planned) -> None:
    referred = 0
    for slot in large.slots:
        content = large.story.contents[slot.index]
        if slot.path != "cross_project_reply" or slot.noise is not None:
            continue
        assert content.act == "advise"
        assert [point.material for point in content.points] == ["experience"]
        assert content.points[0].text in large.scaffold.phases[slot.source_phase or 0].matter.experiences
        for seed in content.seeds:
            referred += 1
            assert seed.how == "refer"
            assert seed.fact.phase == slot.source_phase
            assert not large.scaffold.phases[seed.fact.phase].private
    assert referred > 1000


def test_what_is_said_in_private_about_the_work_stays_there(large: Planned) -> None:
    for slot, seed in seeds(large):
        if seed.fact.holder is None and seed.fact.matter and large.scaffold.phases[seed.fact.phase].private:
            assert large.scaffold.phases[slot.phase].channel == large.scaffold.phases[seed.fact.phase].channel


def test_the_same_seed_gives_the_same_story() -> None:
    one, other = planned(700, 2), planned.__wrapped__(700, 2)
    assert one.slots == other.slots
    assert [one.plans.plan(index) for index in range(700)] == [other.plans.plan(index) for index in range(700)]


def test_there_is_enough_to_say(large: Planned) -> None:
    kinds = Counter(fact.kind for fact in large.story.facts)
    assert set(kinds) == {
        *("deadline", "owner", "status", "decision", "requirement", "blocker", "approval", "number"),
        *("preference", "belief"),
    }
    assert min(kinds.values()) > 50
    subjects = {fact.subject for fact in large.story.facts if fact.kind == "deadline"}
    assert len(subjects) > 1500


def _ancestors(corpus: Planned, slot: Slot) -> set[int]:
    found: set[int] = set()
    parent = slot.parent
    while parent is not None:
        found.add(parent)
        parent = corpus.slots[parent].parent
    return found
