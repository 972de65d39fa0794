"""Every published sum of BEAM, rebuilt from the chats and probes alone; `reference` only to compare with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groupmem.lab.benchmarks.beam import SETS, Beam, BeamSet
from groupmem.lab.benchmarks.beam.agentic import chunk_count
from groupmem.lab.benchmarks.beam.manifest import manifest
from groupmem.lab.benchmarks.beam.pins import FILLER, sums
from groupmem.lab.benchmarks.beam.reading import canonical_sha256
from groupmem.lab.chunking import chunk
from groupmem.lab.sessions import session_documents

pytestmark = pytest.mark.data

MANIFESTS = {
    "lite": (
        "31b703934cbe9a0f0ea5a4c00309efa60548fa07951956c39b3cd7fae5fda2ae",
        "8b9af61c501dc6a3422cd68d3c148c4c5294e634355315c2f670505fcedabc95",
    ),
    "full": (
        "604420d251c97be270f674a51f5a6ae1ddd2257afeb489f57293090eede144d4",
        "55886b38c4467a0504d3df0a7fa5b1608196c585097a324262d1f7fb62666d2a",
    ),
}
SESSIONS = {
    "conv1": "30cc05891e98639c 4eb753a1067c715c abe9718d2ea93481",
    "conv4": "4d4bf96bacd0ee5b aabb618551f5736b cbbb2eae46d357dc",
    "conv6": "8d5bf41b629f1da9 d27397c58f50e29f bdb3c326d8b3faf7 b7132bf90371960f 91a9d93613656a7e",
    "conv13": "a65d7d721dd164d1 20f445a22dbea228 4e6820a1e6520b52 4467b6d7e9afb39e 60ac340a3cbf1c89",
    "conv17": "717f1f6e18d0189e 5c230b1ff871a60c eccd86ec30b22a23 8b12466e401a02a6 6bdd7ffc4434d964",
}
CHUNKS = {
    "conv1": [37, 42, 42],
    "conv4": [26, 34, 39],
    "conv6": [24, 23, 23, 22, 30],
    "conv13": [25, 25, 29, 20, 20],
    "conv17": [33, 26, 22, 23, 24],
}
EVENT_SIZES = {"conv1": [3, 5], "conv4": [9, 9], "conv6": [6, 5], "conv13": [5, 6], "conv17": [5, 6]}


@pytest.fixture
def beam(public_data: Callable[[str], Path]) -> Callable[[str], BeamSet]:
    def opened(name: str) -> BeamSet:
        return SETS[name].open(public_data("beam"))

    return opened


@pytest.mark.parametrize("name", MANIFESTS)
def test_the_manifest_has_the_published_sums(
    name: str, beam: Callable[[str], BeamSet], public_data: Callable[[str], Path]
) -> None:
    built = manifest(name, beam(name).units())
    ids = [question["id"] for question in built["questions"]]
    assert (canonical_sha256(built), canonical_sha256(ids)) == MANIFESTS[name]
    assert built == json.loads((public_data("beam") / "reference" / f"{name}_rebuilt.json").read_text())


def test_sessions_probes_and_slices_have_the_pinned_sums(beam: Callable[[str], BeamSet]) -> None:
    full, lite = manifest("full", beam("full").units()), manifest("lite", beam("lite").units())
    found = {corpus["id"]: [document["sha256"] for document in corpus["documents"]] for corpus in full["corpora"]}
    assert {name: " ".join(each[:16] for each in each_sum) for name, each_sum in found.items()} == SESSIONS
    assert {name: list(pinned) for name, pinned in sums().sessions.items()} == found
    assert sums().probes == {each["id"]: each["reference"]["probe_sha256"] for each in full["questions"]}
    assert sums().slices == {each["id"]: each["sha256"] for each in lite["corpora"][0]["documents"]}
    assert sums().slices["conv17-s3"] == "b8cbec74f15ed3c257798e759e467831e02c96111254a60cd1bf9caeb33a897f"


def test_the_lite_set_is_two_questions_on_three_messages(beam: Callable[[str], BeamSet]) -> None:
    (unit,) = beam("lite").units()
    assert [message.id for message in unit.conversation().messages] == ["18", "156", "157"]
    assert {question.id: question.evidence for question in unit.questions()} == {
        "conv17:information_extraction:0": ("18",),
        "conv17:multi_session_reasoning:0": ("156", "157"),
    }
    assert not any(question.known_bad for question in unit.questions())


def test_the_full_set_asks_ten_of_each_ability_and_knows_four_bad_rubrics(beam: Callable[[str], BeamSet]) -> None:
    questions = [question for unit in beam("full").units() for question in unit.questions()]
    abilities = sorted({question.category for question in questions})
    numbers = ("1", "4", "6", "13", "17")
    assert [question.id for question in questions] == [
        f"conv{number}:{ability}:{index}" for number in numbers for ability in abilities for index in (0, 1)
    ]
    assert len(abilities) == 10
    assert {question.id for question in questions if question.known_bad} == set(Beam.known_bad)
    rubrics = {question.id: len(question.extra["rubric"]) for question in questions}
    ordering = {name: size for name, size in rubrics.items() if "event_ordering" in name}
    assert (sum(rubrics.values()), sum(rubrics.values()) - sum(ordering.values())) == (279, 220)
    assert ordering == {
        f"{name}:event_ordering:{i}": size for name, sizes in EVENT_SIZES.items() for i, size in enumerate(sizes)
    }


def test_the_filler_is_cut_behind_its_last_sound_text(beam: Callable[[str], BeamSet]) -> None:
    unit = next(unit for unit in beam("full").units() if unit.id == "conv4")
    (cut,) = [message for message in unit.conversation().messages if message.id == str(FILLER.message)]
    assert cut.text.endswith("\n[347383 characters of repeated output removed]")
    assert len(cut.text) == 1470 + len(FILLER.marker)


def test_chunks_are_as_many_as_published(beam: Callable[[str], BeamSet]) -> None:
    found: dict[str, Any] = {}
    for unit in beam("full").units():
        conversation = unit.conversation()
        documents = session_documents(unit.id, conversation.messages)
        found[unit.id] = [len(chunk(document.text)) for document in documents]
        assert all("".join(chunk(document.text)) == document.text for document in documents)
        assert chunk_count(conversation) == sum(found[unit.id])
    assert found == CHUNKS
    (lite,) = beam("lite").units()
    assert chunk_count(lite.conversation()) == 3
