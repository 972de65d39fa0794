"""Every pack in the package is whole, of the published size, speaks well, and gives corpora of the published shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from groupmem.lab.synthesis.content import plan_content
from groupmem.lab.synthesis.pack_file import load_pack, shipped_packs
from groupmem.lab.synthesis.packs import Pack
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.scaffolding import build_scaffold
from groupmem.lab.synthesis.stats import paper_counts
from groupmem.lab.synthesis.structure import draw_structure
from support.pack_rules import amounts_missed, repetitions, slips, vocabulary_faults

N = 5000
every_pack = pytest.mark.parametrize("name", shipped_packs())
shipped = cache(load_pack)


def test_there_is_a_pack_for_every_published_domain() -> None:
    assert sorted(shipped_packs()) == sorted(name.casefold() for name in paper_counts())


@every_pack
def test_sizes_are_those_of_the_statistics_table(name: str) -> None:
    pack, counts = shipped(name), paper_counts()[name.title()]
    assert len(pack.projects) == counts.projects
    assert sum(len(project.topics) for project in pack.projects) == counts.topics
    assert len(list(pack.phases())) == counts.phases
    assert len(pack.people) == counts.participants
    assert len(pack.roles) == counts.roles


@every_pack
@pytest.mark.parametrize("faults", [amounts_missed, repetitions, slips, vocabulary_faults])
def test_it_keeps_the_rules_of_shipped_packs(name: str, faults: Callable[[Pack], Iterator[str]]) -> None:
    assert list(faults(shipped(name))) == []


@every_pack
def test_it_gives_a_corpus_near_the_published_ones(name: str, policy: Policy) -> None:
    scaffold = build_scaffold(shipped(name), policy, 1)
    slots = draw_structure(scaffold, policy, N, 1)
    story = plan_content(scaffold, policy, slots, 1)
    drawn, realised = Counter(slot.drawn for slot in slots), Counter(slot.path for slot in slots)
    for path, share in (("post", 0.2), ("reply", 0.6), ("cross_project_reply", 0.2)):
        assert abs(drawn[path] / N - share) < 0.1 * share
    assert 0.20 < realised["post"] / N < 0.26
    assert 0.62 < realised["reply"] / N < 0.70
    assert 0.08 < realised["cross_project_reply"] / N < 0.14
    changes = sum(change.outcome == "changed" for change in story.changes)
    assert len(scaffold.phases) <= changes <= 1.5 * len(scaffold.phases)
    assert {slot.author for slot in slots} == set(range(len(scaffold.members)))
    assert any(fact.concepts() for fact in story.facts)
