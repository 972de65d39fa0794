"""Phrases of the matter: near ones first, none twice in a row, none worn out; a customer is named once."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planned_corpora import planned

from groupmem.lab.synthesis.items import ItemPool
from groupmem.lab.synthesis.pack_file import load_pack
from groupmem.lab.synthesis.phrases import PHRASED, Phrased, Phrases
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.scaffold import Scaffold
from groupmem.lab.synthesis.scaffolding import build_scaffold
from support.invented_pack import invented_pack


@pytest.fixture(scope="module")
def finance(policy: Policy) -> Scaffold:
    return build_scaffold(load_pack("finance"), policy, 0)


@settings(max_examples=12)
@given(seed=st.integers(0, 99), kind=st.sampled_from(PHRASED), data=st.data())
def test_a_phrase_comes_again_once_half_of_the_others_have_passed(
    policy: Policy, seed: int, kind: Phrased, data: st.DataObject
) -> None:
    scaffold = build_scaffold(invented_pack(seed % 3), policy, seed)
    phase = data.draw(st.integers(0, len(scaffold.phases) - 1))
    seen = set(getattr(scaffold.phases[phase].matter, kind))
    phrases, rng = Phrases(scaffold.phases), random.Random(seed)
    drawn = [phrases.draw(phase, kind, rng) for _ in range(4 * len(seen))]
    apart = len(seen) // 2 + 1
    assert set(drawn) <= seen
    assert all(len(set(drawn[at : at + apart])) == apart for at in range(len(drawn) - apart))


def test_what_a_phase_has_of_its_own_is_said_there_oftener_than_what_many_share(finance: Scaffold) -> None:
    phrases, rng = Phrases(finance.phases), random.Random(0)
    seen_by = Counter(risk for phase in finance.phases for risk in set(phase.matter.risks))
    said: dict[bool, list[int]] = {True: [], False: []}
    for index, phase in enumerate(finance.phases):
        drawn = Counter(phrases.draw(index, "risks", rng) for _ in range(30))
        for risk in set(phase.matter.risks):
            said[seen_by[risk] == 1].append(drawn[risk])
    own, shared = (sum(said[is_own]) / len(said[is_own]) for is_own in (True, False))
    assert own > 1.3 * shared


def test_no_phrase_of_a_large_corpus_is_worn_out() -> None:
    story = planned(30_000).story
    for material in ("risk", "reason", "evidence", "experience"):
        said = Counter(
            point.text for content in story.contents for point in content.points if point.material == material
        )
        assert max(said.values()) < 6 * sum(said.values()) / len(said)


def test_what_names_a_customer_is_for_nobody_else(finance: Scaffold) -> None:
    phrases, named = Phrases(finance.phases), 0
    for index, phase in enumerate(finance.phases):
        project = finance.pack.projects[phase.project]
        pool = ItemPool(finance, index, phrases, set(), random.Random(index))
        for item in (pool.draw("thing") for _ in range(40)):
            if item.source is not None and "{customer}" in item.source.subject:
                named += 1
                assert item.scope in project.customers
    assert named > 50
