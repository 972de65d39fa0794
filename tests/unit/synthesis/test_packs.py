"""Packs: a good one loads whole, a bad one is refused with its file and every faulty key named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.synthesis.pack_file import load_pack

TEAHOUSE = Path(__file__).parent / "packs" / "teahouse.toml"


@pytest.fixture
def altered(tmp_path: Path) -> Callable[[str, str], Path]:
    """A function that writes the pack with one piece of its text replaced everywhere."""

    def write(old: str, new: str) -> Path:
        text = TEAHOUSE.read_text(encoding="utf-8")
        assert old in text
        path = tmp_path / "altered.toml"
        path.write_text(text.replace(old, new), encoding="utf-8")
        return path

    return write


def test_a_good_pack_loads_whole() -> None:
    pack = load_pack(TEAHOUSE)

    assert [project.name for project in pack.projects] == ["Harbour Shop", "Till Change", "Leaf Sourcing"]
    assert len(list(pack.phases())) == 6
    assert {person.role for person in pack.people} == {role.name for role in pack.roles}


def test_matter_of_a_phase_is_its_own_before_that_of_the_levels_above() -> None:
    pack = load_pack(TEAHOUSE)
    project, topic, phase = next(pack.phases())

    matter = pack.matter_of(project, topic, phase)

    assert [thing.subject for thing in matter.things()] == ["counter drawing", "water connection", "oven papers"]
    assert matter.things()[2].plural
    assert matter.scopes == ("the upper floor", "the terrace")
    assert matter.blockers == pack.matter.blockers


def test_words_with_two_meanings_are_found() -> None:
    assert load_pack(TEAHOUSE).homonyms() == {"batch": {"Systems Engineer": "stock_sync", "Buyer": "leaf_lot"}}


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('role = "Buyer"', 'role = "Seller"', "person[2].role: 'Seller' is none of the roles"),
        ('name = "Olek Farrow"', 'name = "Priti Farrow"', "first names): 'Priti' is there 2 times"),
        ('"Buyer" = ["lot", "batch"]', '"Baker" = ["lot"]', "concept[1].words.Baker: no such role"),
        ('id = "leaf_lot"', 'id = "vendor"', "concept[1].id: 'vendor' is the name of a slot"),
        (
            "{stock_sync} schedule",
            "{stok_sync} schedule",
            "project[1].topic[0].phase[0].decisions[1].subject: {stok_sync}",
        ),
        (
            '  "what the drawer does in a power cut",\n',
            "",
            "project[1].topic[0].phase[0].sub_issues: needs at least 6, has 5",
        ),
        (
            'options = ["hourly", "once at night", "after every delivery"]',
            'options = ["hourly", "hourly"]',
            "needs at least 3",
        ),
        ('form = "{} seats"', 'form = "seats"', "project[0].topic[0].phase[0].metrics[0].form"),
        ("low = 24, high = 60", "low = 24, high = 25", "24.0 to 25.0 by 2.0 is no range of 3 values"),
        ("low = 24, high = 60", "low = 24, high = inf", "24.0 to inf by 2.0 is no range"),
        ("low = 24, high = 60", "low = nan, high = 60", "nan to 60.0 by 2.0 is no range"),
        ('"spare till"', '"spare till."', "deliverables[1]: 'spare till.' must not end with a full stop"),
        ('"spare till"', '"spare {till"', "deliverables[1]: 'spare {till' has a brace"),
        ('"spare till"', '"spare\\ntill"', "deliverables[1]: 'spare\\ntill' is empty, has blanks"),
        ('"Quay Nine"', '"{customer} Nine"', "customers[1]: {customer} cannot stand in what is itself filled in"),
        ('ticket = "TIL"', 'ticket = "{vendor}"', "ticket: '{vendor}' is said as it stands"),
        ('ticket = "TIL"', 'ticket = "HAR"', "project ticket: 'HAR' is there 2 times"),
        ('subject = "kitchen layout"', 'subject = "the kitchen layout"', "'the kitchen layout' must read after"),
        ('subject = "kitchen layout"', 'subject = "each kitchen layout"', "'each kitchen layout' must read after"),
        ('deliverables = ["shop calendar", "spare till", "return box"]', "", "phase[1].deliverables: needs 3"),
        ('"a short call"', '"a call to {vendor}"', "preference[1].options[1]: {vendor} belongs to a project"),
        ('category = "Milestone"', 'category = "Milestones"', "project[1].topic[0].phase[0].category"),
        ("summary =", "sumary =", "sumary"),
        ("[matter]", "[matter", "not readable as TOML"),
    ],
)
def test_a_bad_pack_is_refused_with_file_and_key(
    altered: Callable[[str, str], Path], old: str, new: str, key: str
) -> None:
    path = altered(old, new)

    with pytest.raises(InputError) as refused:
        load_pack(path)

    assert str(path) in str(refused.value)
    assert key in str(refused.value)


def test_an_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown pack 'tecnology': choose from .*a \.toml file"):
        load_pack("tecnology")


def test_a_missing_file_is_said() -> None:
    with pytest.raises(InputError, match="no such pack file"):
        load_pack("nowhere/none.toml")
