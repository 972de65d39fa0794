"""The scaffold: personas, teams, windows, private channels, and the relations of the graph."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planned_corpora import planned

from groupmem.errors import InputError
from groupmem.lab.synthesis.graph import DYNAMIC_RELATIONS, STATIC_RELATIONS, build_graph, static_edges
from groupmem.lab.synthesis.packs import Pack
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.lab.synthesis.scaffold import Scaffold, voices
from groupmem.lab.synthesis.scaffolding import build_scaffold
from support.invented_pack import Size, invented_pack

sizes = st.builds(
    Size,
    projects=st.integers(1, 5),
    topics=st.integers(1, 3),
    phases=st.integers(1, 3),
    people=st.integers(4, 20),
    roles=st.integers(1, 4),
    concepts=st.just(2),
)


@settings(max_examples=30)
@given(size=sizes, seed=st.integers(0, 9))
def test_any_pack_gives_a_scaffold_in_which_everybody_has_a_voice_and_a_place(size: Size, seed: int) -> None:
    pack = invented_pack(seed, size)
    policy = load_policy(settings=["channels.private_topics=0"])
    scaffold = build_scaffold(pack, policy, seed)

    pairs = [(member.tone, member.style) for member in scaffold.members]
    assert len(set(pairs)) == len(pairs), "tone and style are drawn without replacement"
    assert {index for project in scaffold.projects for index in project.members} == set(range(size.people))
    for project in scaffold.projects:
        assert len(project.members) == max(4, -(-size.people // size.projects))
    for phase in scaffold.phases:
        assert len(phase.members) == 4
        assert phase.owner in phase.members
        assert set(phase.members) <= set(scaffold.projects[phase.project].members)
        assert phase.end - phase.start == 10 * 86_400
        assert phase.status_goal in policy.statuses[phase.category][1:]
        assert len(set(phase.sub_issues)) == policy.memory.sub_issues


def test_the_same_seed_gives_the_same_scaffold_and_another_seed_another(teahouse: Pack, policy: Policy) -> None:
    assert build_scaffold(teahouse, policy, 5) == build_scaffold(teahouse, policy, 5)
    assert build_scaffold(teahouse, policy, 5) != build_scaffold(teahouse, policy, 6)


def test_status_walks_from_the_first_to_the_goal(teahouse: Pack, policy: Policy) -> None:
    for phase in build_scaffold(teahouse, policy, 1).phases:
        seen = list(dict.fromkeys(phase.status(step / 100) for step in range(101)))
        assert seen == list(phase.statuses[: phase.statuses.index(phase.status_goal) + 1])


def test_phases_begin_on_working_days_and_follow_each_other(teahouse: Pack, policy: Policy) -> None:
    scaffold = build_scaffold(teahouse, policy, 4)
    for topic in scaffold.topics:
        starts = [scaffold.phases[index].start for index in topic.phases]
        assert starts == sorted(starts)
        begin = datetime.fromtimestamp(starts[0], tz=UTC)
        assert (begin.weekday(), begin.hour) == (0, 13)
    assert all((int(phase.start) // 86_400 + 3) % 7 < 5 for phase in scaffold.phases)  # day 0 was a Thursday


def test_roles_can_be_drawn_uniformly(teahouse: Pack) -> None:
    drawn = [
        member.role
        for seed in range(60)
        for member in build_scaffold(teahouse, load_policy(settings=["people.roles=uniform"]), seed).members
    ]
    counts = Counter(drawn)
    assert set(counts) == {role.name for role in teahouse.roles}
    assert max(counts.values()) < 1.3 * min(counts.values())
    assert [m.role for m in build_scaffold(teahouse, load_policy(), 0).members] == [p.role for p in teahouse.people]


def test_a_private_topic_has_a_channel_that_only_its_people_read() -> None:
    scaffold = planned(1500).scaffold
    private = [phase for phase in scaffold.phases if phase.private]
    channels = scaffold.channels()

    assert len({phase.channel for phase in private}) == 1
    assert channels[private[0].channel] == tuple(scaffold.members[index].id for index in private[0].members)
    assert len(private[0].members) == 3
    assert {phase.members for phase in private} == {private[0].members}
    assert all(channels[phase.channel] is None for phase in scaffold.phases if not phase.private)


def test_the_graph_has_every_relation_of_the_table_and_its_inverses_agree() -> None:
    plan = planned(1500)
    graph = build_graph(plan.scaffold, plan.slots)
    types = graph.nodes(data="type")
    ends = {(relation, types[source], types[target]) for source, target, relation in graph.edges(keys=True)}

    assert ends == {
        ("has_topic", "domain", "topic"),
        ("has_phase", "topic", "phase"),
        ("belongs_to_project", "phase", "topic"),
        ("involved_in", "user", "domain"),
        ("has_member", "domain", "user"),
        ("active_in_phase", "user", "phase"),
        ("has_phase_member", "phase", "user"),
        ("related_to_project", "domain", "domain"),
        ("authored_by", "message", "user"),
        ("posted_in", "message", "phase"),
        ("reply_to", "message", "message"),
    }
    assert {relation for relation, _, _ in ends} == {*STATIC_RELATIONS, *DYNAMIC_RELATIONS}
    for one, other in (
        ("has_phase", "belongs_to_project"),
        ("involved_in", "has_member"),
        ("active_in_phase", "has_phase_member"),
    ):
        assert _pairs(plan.scaffold, one) == {(target, source) for source, target in _pairs(plan.scaffold, other)}


def test_a_part_of_the_pack_can_be_taken(teahouse: Pack) -> None:
    policy = load_policy(settings=["pack.projects=2"])
    scaffolds = [build_scaffold(teahouse, policy, seed) for seed in range(12)]
    assert all(len(scaffold.projects) == len(scaffold.pack.projects) == 2 for scaffold in scaffolds)
    names = {project.name for scaffold in scaffolds for project in scaffold.projects}
    assert names == {project.name for project in teahouse.projects}
    with pytest.raises(InputError, match=r"pack\.projects is 4, but pack teahouse has 3"):
        build_scaffold(teahouse, load_policy(settings=["pack.projects=4"]), 0)


def test_projects_are_related_where_they_share_a_category(teahouse: Pack, policy: Policy) -> None:
    scaffold = build_scaffold(teahouse, policy, 0)
    assert _pairs(scaffold, "related_to_project") == {
        (one.name, other.name)
        for one in teahouse.projects
        for other in teahouse.projects
        if one is not other and set(one.categories) & set(other.categories)
    }
    assert ("Till Change", "Leaf Sourcing") not in _pairs(scaffold, "related_to_project")


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        (["people.per_project=7", "people.per_phase=4"], "people.per_project is 7, but pack teahouse has 6 people"),
        (["channels.private_topics=3"], "channels.private_topics is 3, but pack teahouse has 3"),
        (["memory.sub_issues=7"], "memory.sub_issues is 7, but phase 'Counter and Kitchen' of 'Harbour Shop'"),
    ],
)
def test_a_policy_that_does_not_fit_the_pack_is_refused(teahouse: Pack, setting: list[str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        build_scaffold(teahouse, load_policy(settings=setting), 0)


def test_more_people_than_voices_are_refused(policy: Policy) -> None:
    with pytest.raises(InputError, match="55 people, but only 54 voices"):
        build_scaffold(invented_pack(1, Size(people=55)), policy, 0)


def test_every_voice_is_described() -> None:
    vocabulary = voices()
    assert set(vocabulary["tone"]) == {
        *("direct", "casual", "professional", "empathetic", "persuasive", "humorous", "skeptical", "enthusiastic"),
        "anxious",
    }
    assert set(vocabulary["style"]) == set(vocabulary["format"])
    assert len(vocabulary["style"]) == 6
    assert set(vocabulary["expertise"]) == {"novice", "intermediate", "expert", "specialist"}


def _pairs(scaffold: Scaffold, relation: str) -> set[tuple[str, str]]:
    return {(source, target) for source, each, target in static_edges(scaffold) if each == relation}
