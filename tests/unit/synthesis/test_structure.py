"""The structure pass: what must hold of every corpus, and the rates of a large one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planned_corpora import Planned, planned

from groupmem.errors import InputError
from groupmem.lab.synthesis.paths import ALL_POSTS, LOW_VOLUME, OPENING
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.lab.synthesis.scaffold import Scaffold
from groupmem.lab.synthesis.scaffolding import build_scaffold
from groupmem.lab.synthesis.slots import Slot
from groupmem.lab.synthesis.structure import draw_structure
from support.invented_pack import Size, invented_pack


@pytest.fixture(scope="module")
def large() -> Planned:
    return planned(30_000)


def by_phase(slots: Sequence[Slot]) -> dict[int, list[Slot]]:
    found: dict[int, list[Slot]] = defaultdict(list)
    for slot in slots:
        found[slot.phase].append(slot)
    return found


def check(scaffold: Scaffold, policy: Policy, slots: Sequence[Slot]) -> None:
    """Everything that holds of every corpus, whatever its size."""
    assert [slot.index for slot in slots] == list(range(len(slots)))
    assert [slot.at for slot in slots] == sorted(slot.at for slot in slots)
    phases = by_phase(slots)
    assert set(phases) == set(range(len(scaffold.phases)))
    for index, told in phases.items():
        phase = scaffold.phases[index]
        assert all(int(phase.start) <= slot.at <= phase.end for slot in told)
        assert [slot.in_phase for slot in told] == list(range(len(told)))
        assert sum(slot.progress >= policy.schedule.capped_from for slot in told) <= policy.schedule.cap
        assert told[0].is_post
        _check_posts(policy, told)
        _check_replies(scaffold, policy, told, slots)


def _check_posts(policy: Policy, told: Sequence[Slot]) -> None:
    for slot in told:
        if slot.is_post:
            low = slot.in_phase < policy.paths.low_volume
            allowed = OPENING if slot.in_phase == 0 else LOW_VOLUME if low else ALL_POSTS
            assert slot.post_type in allowed
            assert slot.root == slot.index
            assert slot.parent is None


def _check_replies(scaffold: Scaffold, policy: Policy, told: Sequence[Slot], slots: Sequence[Slot]) -> None:
    speakers: list[int] = []
    for slot in told:
        if slot.path != "post":
            assert slot.parent is not None
            parent = slots[slot.parent]
            assert parent.index < slot.index
            assert parent.phase == slot.phase
            assert parent.root == slot.root
            assert parent.author != slot.author
        if slot.path == "cross_project_reply":
            _check_bridge(scaffold, slot)
        else:
            members = scaffold.phases[slot.phase].members
            assert slot.author in members
        if slot.path == "reply":
            excluded = {slots[slot.parent].author, *speakers[-policy.paths.excluded_speakers :]}
            if set(members) - excluded:
                assert slot.author not in excluded
        speakers.append(slot.author)


def _check_bridge(scaffold: Scaffold, slot: Slot) -> None:
    source, target = scaffold.phases[slot.source_phase or 0], scaffold.phases[slot.phase]
    assert slot.author in source.members
    assert target.project in scaffold.projects[source.project].related
    assert target.start >= source.start
    assert not source.private
    assert not target.private or slot.author in target.members
    assert slot.target in target.members
    assert slot.target != slot.author
    role = scaffold.members[slot.author].role
    peers = [m for m in target.members if m != slot.author and scaffold.members[m].role == role]
    assert not peers or slot.target in peers


@settings(max_examples=30)
@given(
    size=st.builds(
        Size,
        projects=st.integers(1, 4),
        topics=st.integers(1, 3),
        phases=st.integers(1, 3),
        people=st.integers(4, 12),
        roles=st.integers(1, 4),
        concepts=st.just(2),
    ),
    per_phase=st.sampled_from([2, 3, 4]),
    factor=st.sampled_from([1, 3, 20]),
    step_days=st.sampled_from([0, 8, 25]),
    off_hours=st.sampled_from([0.0, 0.03, 1.0]),
    seed=st.integers(0, 99),
)
def test_what_must_hold_of_every_corpus(
    size: Size, per_phase: int, factor: int, step_days: int, off_hours: float, seed: int
) -> None:
    policy = load_policy(
        settings=[
            f"people.per_phase={per_phase}",
            f"schedule.phase_step_days={step_days}",
            f"schedule.off_hours={off_hours}",
            f"channels.private_topics={int(size.projects > 1)}",
        ]
    )
    scaffold = build_scaffold(invented_pack(seed % 5, size), policy, seed)
    messages = len(scaffold.phases) * factor + seed
    slots = draw_structure(scaffold, policy, messages, seed)
    assert len(slots) == messages
    check(scaffold, policy, slots)


def test_a_large_corpus_keeps_the_same_rules(large: Planned) -> None:
    check(large.scaffold, large.policy, large.slots)


def test_drawn_shares_are_the_mixture_and_realised_ones_near_the_published(large: Planned) -> None:
    total = len(large.slots)
    drawn, realised = Counter(slot.drawn for slot in large.slots), Counter(slot.path for slot in large.slots)
    for path, share in (("post", 0.2), ("reply", 0.6), ("cross_project_reply", 0.2)):
        assert abs(drawn[path] / total - share) < 0.1 * share
    assert 0.20 < realised["post"] / total < 0.25
    assert 0.64 < realised["reply"] / total < 0.70
    assert 0.085 < realised["cross_project_reply"] / total < 0.125
    assert 2.5 < realised["reply"] / realised["post"] < 3.4


def test_why_a_path_was_not_taken_is_recorded(large: Planned) -> None:
    for slot in large.slots:
        if slot.path != slot.drawn:
            assert slot.override is not None
        if slot.override == "question_streak":
            assert slot.path == "reply" and large.slots[slot.parent or 0].post_type == "question"
    assert {slot.override for slot in large.slots if slot.drawn == "cross_project_reply"} <= {
        *(None, "bridge:earlier_phase", "bridge:no_thread", "bridge:private", "bridge:no_target", "unopened"),
        *("empty_phase", "question_streak"),
    }


def test_rates_of_realism_are_those_of_the_policy(large: Planned) -> None:
    slots, rates = large.slots, large.policy.realism
    replies = [slot for slot in slots if slot.path == "reply"]
    posts = [slot for slot in slots if slot.is_post]
    others = [slot for slot in slots if not slot.is_post]
    share = lambda found, whole: sum(found) / len(whole)  # noqa: E731

    assert share((s.noise is not None for s in slots), slots) == pytest.approx(rates.noise, rel=0.1)
    assert share((s.disagreement is not None for s in replies), replies) == pytest.approx(rates.disagreement, rel=0.05)
    assert share((s.ultra_short for s in replies), replies) == pytest.approx(rates.ultra_short, rel=0.05)
    assert share((s.imperfection is not None for s in slots), slots) == pytest.approx(rates.imperfection, rel=0.05)
    assert share((s.url for s in posts), posts) == pytest.approx(rates.url_in_posts, rel=0.05)
    assert share((s.url for s in others), others) == pytest.approx(rates.url, rel=0.1)
    assert share((s.cross_reference for s in slots), slots) == pytest.approx(0.25, rel=0.05)
    assert share((s.sub_issue is not None for s in slots), slots) == pytest.approx(0.7, rel=0.05)
    assert rates.tone_jitter_low < share((s.tone is not None for s in slots), slots) < rates.tone_jitter_high
    assert not any(slot.disagreement or slot.ultra_short for slot in slots if slot.path != "reply")
    for kinds in ({s.noise for s in slots}, {s.disagreement for s in slots}):
        assert len(kinds - {None}) == 6


def test_each_kind_of_noise_and_disagreement_is_as_frequent_as_the_others(large: Planned) -> None:
    for kinds in (
        Counter(s.noise for s in large.slots if s.noise),
        Counter(s.disagreement for s in large.slots if s.disagreement),
        Counter(s.imperfection for s in large.slots if s.imperfection),
        Counter(s.sub_issue for s in large.slots if s.sub_issue is not None),
    ):
        assert max(kinds.values()) < 1.35 * min(kinds.values())


def test_projects_that_say_much_do_not_take_all_replies(large: Planned) -> None:
    volume = Counter(large.scaffold.phases[slot.phase].project for slot in large.slots)
    assert max(volume.values()) < 2 * min(volume.values())


def test_the_same_seed_gives_the_same_slots_and_another_seed_others() -> None:
    policy = load_policy()
    scaffold = build_scaffold(invented_pack(2), policy, 1)
    assert draw_structure(scaffold, policy, 400, 1) == draw_structure(scaffold, policy, 400, 1)
    assert draw_structure(scaffold, policy, 400, 1) != draw_structure(scaffold, policy, 400, 2)


@pytest.mark.parametrize(("setting", "path"), [("post", "post"), ("reply", "reply")])
def test_a_mixture_of_one_path_gives_that_path_where_it_can(setting: str, path: str) -> None:
    mixture = [f"paths.{name}={float(name == setting)}" for name in ("post", "reply", "cross")]
    slots = planned(600, 0, tuple(mixture)).slots
    assert {slot.drawn for slot in slots} == {path}
    assert all(slot.path == path or slot.override for slot in slots)


def test_bridges_can_answer_the_first_post() -> None:
    plan = planned(1500, 0, ("paths.bridge_parent=first_post",))
    bridges = [slot for slot in plan.slots if slot.path == "cross_project_reply"]
    assert bridges
    assert all(plan.slots[slot.parent or 0].in_phase == 0 for slot in bridges)
    recent = [slot for slot in planned(1500).slots if slot.path == "cross_project_reply"]
    assert any(planned(1500).slots[slot.parent or 0].in_phase > 0 for slot in recent)


def test_an_empty_phase_is_not_always_opened_where_the_policy_says_so() -> None:
    always, never = (planned(600, 0, (f"paths.empty_phase={rate}",)).slots for rate in (1.0, 0.0))
    forced = [sum(slot.override == "empty_phase" for slot in slots) for slots in (always, never)]
    assert forced[0] > forced[1]


def test_fewer_messages_than_phases_are_refused() -> None:
    policy = load_policy()
    scaffold = build_scaffold(invented_pack(1), policy, 0)
    with pytest.raises(InputError, match=r"69 messages are fewer than the 70 phases of pack .* at least 70"):
        draw_structure(scaffold, policy, 69, 0)


def test_phases_that_are_shorter_than_the_schedule_are_refused() -> None:
    policy = load_policy(settings=["schedule.most_per_phase_day=2"])
    scaffold = build_scaffold(invented_pack(1), policy, 0)
    with pytest.raises(InputError, match=r"phases are shorter than the schedule; raise schedule\.phase_days"):
        draw_structure(scaffold, policy, 3000, 0)
