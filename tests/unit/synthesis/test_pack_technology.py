"""The technology pack: sizes of the source's statistics table, amounts, grammar and vocabulary."""

from __future__ import annotations

import pytest

from groupmem.lab.synthesis.pack_file import load_pack
from groupmem.lab.synthesis.packs import Pack
from support.pack_rules import amounts_missed, repetitions, slips, vocabulary_faults


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("technology")


def test_sizes_are_those_of_the_statistics_table(pack: Pack) -> None:
    assert len(pack.projects) == 7
    assert sum(len(project.topics) for project in pack.projects) == 35
    assert len(list(pack.phases())) == 74
    assert len(pack.people) == 18
    assert len(pack.roles) == 6


def test_every_level_has_its_amounts(pack: Pack) -> None:
    assert list(amounts_missed(pack)) == []


def test_no_phrase_is_there_twice(pack: Pack) -> None:
    assert list(repetitions(pack)) == []


def test_phrases_keep_their_grammar(pack: Pack) -> None:
    assert list(slips(pack)) == []


def test_roles_have_their_words(pack: Pack) -> None:
    assert list(vocabulary_faults(pack)) == []
