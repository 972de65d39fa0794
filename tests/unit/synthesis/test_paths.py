"""Single steps of the walk, in states that are set up by hand."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from groupmem.lab.synthesis.paths import PathSampler
from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.lab.synthesis.scaffolding import build_scaffold
from groupmem.lab.synthesis.slots import Slot
from support.invented_pack import Size, invented_pack

DRAWS = 4000


def sampler(*settings: str, projects: int = 4) -> tuple[PathSampler, float]:
    """A sampler at a moment at which every project has one open phase, and the moment."""
    policy = load_policy(
        settings=["schedule.stagger_days=0", "schedule.phase_step_days=30", "channels.private_topics=0", *settings]
    )
    pack = invented_pack(2, Size(projects=projects, topics=1, phases=1, people=8, roles=2, concepts=2))
    found = PathSampler(build_scaffold(pack, policy, 0), policy, random.Random(1))
    now = found.scaffold.phases[0].moment(0.4)
    found.open.advance(now)
    return found, now


def post(walker: PathSampler, now: float, phase: int, kind: str) -> Slot:
    """A post of this type, booked."""
    slot = walker.open_phase(now, phase)
    slot.post_type = kind  # type: ignore[assignment]
    walker.take(slot)
    return slot


def walks(walker: PathSampler, now: float) -> list[Slot]:
    return [walker.walk(now) for _ in range(DRAWS)]


def test_projects_without_messages_come_first() -> None:
    walker, now = sampler("paths.post=1", "paths.reply=0", "paths.cross=0")
    for phase in range(3):
        post(walker, now, phase, "update")
    untouched = sum(slot.phase == 3 for slot in walks(walker, now)) / DRAWS
    assert untouched == pytest.approx(0.8 + 0.2 / 4, abs=0.03)


def test_without_untouched_projects_the_choice_is_uniform() -> None:
    walker, now = sampler("paths.post=1", "paths.reply=0", "paths.cross=0")
    for phase in (0, 0, 0, 1, 2, 3):
        post(walker, now, phase, "update")
    counts = Counter(slot.phase for slot in walks(walker, now))
    assert all(counts[phase] / DRAWS == pytest.approx(0.25, abs=0.04) for phase in range(4))


def test_replies_go_to_projects_in_inverse_proportion_to_their_volume() -> None:
    walker, now = sampler("paths.post=0", "paths.reply=1", "paths.cross=0", projects=3)
    for phase, times in ((0, 1), (1, 2), (2, 5)):
        for _ in range(times):
            post(walker, now, phase, "update")
    counts = Counter(slot.phase for slot in walks(walker, now))
    total = 1 + 1 / 2 + 1 / 5
    for phase, volume in ((0, 1), (1, 2), (2, 5)):
        assert counts[phase] / DRAWS == pytest.approx(1 / volume / total, abs=0.03)


def test_a_streak_of_questions_is_answered() -> None:
    walker, now = sampler("paths.post=1", "paths.reply=0", "paths.cross=0", projects=1)
    post(walker, now, 0, "update")
    questions = [post(walker, now, 0, "question").index for _ in range(2)]
    assert all(slot.path == "post" for slot in walks(walker, now)[:50])
    questions.append(post(walker, now, 0, "question").index)
    forced = walks(walker, now)
    assert {(slot.path, slot.override) for slot in forced} == {("reply", "question_streak")}
    assert {slot.parent for slot in forced} == set(questions)
    walker.take(forced[0])
    assert all(slot.path == "post" for slot in walks(walker, now)[:50])


def test_another_post_ends_a_streak() -> None:
    walker, now = sampler("paths.post=1", "paths.reply=0", "paths.cross=0", projects=1)
    for kind in ("question", "question", "question", "update"):
        post(walker, now, 0, kind)
    assert all(slot.path == "post" for slot in walks(walker, now)[:50])


def test_a_reply_in_an_empty_phase_is_a_post() -> None:
    walker, now = sampler("paths.post=0", "paths.reply=1", "paths.cross=0", projects=1)
    assert {(slot.path, slot.override) for slot in walks(walker, now)[:50]} == {("post", "empty_phase")}


def test_a_phase_that_has_had_its_last_messages_takes_no_more() -> None:
    walker, _ = sampler(projects=1)
    late = walker.scaffold.phases[0].moment(0.96)
    for _ in range(walker.policy.schedule.cap):
        assert walker.open.by_project
        post(walker, late, 0, "update")
    assert not walker.open.by_project


def test_authors_of_posts_are_drawn_uniformly() -> None:
    walker, now = sampler("paths.post=1", "paths.reply=0", "paths.cross=0", projects=1)
    counts = Counter(slot.author for slot in walks(walker, now))
    assert set(counts) == set(walker.scaffold.phases[0].members)
    assert all(count / DRAWS == pytest.approx(0.25, abs=0.03) for count in counts.values())


def test_a_bridge_is_rejected_where_it_would_go_back_in_time() -> None:
    walker, _ = sampler("schedule.stagger_days=14", "paths.post=0", "paths.reply=0.2", "paths.cross=0.8")
    now = max(phase.start for phase in walker.scaffold.phases) + 3600
    walker.open.advance(now)
    for index in range(len(walker.scaffold.phases)):
        post(walker, now, index, "update")
    found = walks(walker, now)
    phases = walker.scaffold.phases
    assert len({phase.start for phase in phases}) == 2
    assert any(slot.override == "bridge:earlier_phase" for slot in found)
    bridges = [slot for slot in found if slot.path == "cross_project_reply"]
    assert bridges
    assert all(phases[slot.phase].start >= phases[slot.source_phase or 0].start for slot in bridges)
