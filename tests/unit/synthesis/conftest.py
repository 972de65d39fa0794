"""Packs and the default policy."""

from __future__ import annotations

import pytest
from planned_corpora import TEAHOUSE

from groupmem.lab.synthesis.pack_file import load_pack
from groupmem.lab.synthesis.packs import Pack
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.policy_file import load_policy
from support.invented_pack import Size, invented_pack


@pytest.fixture(scope="session")
def teahouse() -> Pack:
    return load_pack(TEAHOUSE)


@pytest.fixture(scope="session")
def policy() -> Policy:
    return load_policy()


@pytest.fixture(scope="session")
def tiny_pack() -> Pack:
    """An invented pack with one topic in each of two projects."""
    return invented_pack(3, Size(projects=2, topics=1, phases=2, people=6, roles=3, concepts=4))
