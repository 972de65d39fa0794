"""Every pack in the package is whole and gives corpora of the shape that the source reports."""

from __future__ import annotations

from collections import Counter

import pytest

from groupmem.lab.synthesis.content import plan_content
from groupmem.lab.synthesis.pack_file import load_pack, shipped_packs
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.scaffolding import build_scaffold
from groupmem.lab.synthesis.structure import draw_structure

N = 8000


@pytest.mark.parametrize("name", shipped_packs())
def test_a_shipped_pack_gives_a_corpus_near_the_published_ones(name: str, policy: Policy) -> None:
    scaffold = build_scaffold(load_pack(name), policy, 1)
    slots = draw_structure(scaffold, policy, N, 1)
    story = plan_content(scaffold, policy, slots, 1)
    shares = {path: count / N for path, count in Counter(slot.path for slot in slots).items()}
    assert 0.20 < shares["post"] < 0.26
    assert 0.62 < shares["reply"] < 0.70
    assert 0.08 < shares["cross_project_reply"] < 0.14
    changes = sum(change.outcome == "changed" for change in story.changes)
    assert len(scaffold.phases) <= changes <= 1.5 * len(scaffold.phases)
    assert {slot.author for slot in slots} == set(range(len(scaffold.members)))
    assert any(fact.concepts() for fact in story.facts)
