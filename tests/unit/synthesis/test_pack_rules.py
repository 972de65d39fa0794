"""The rules for shipped packs find what they are there to find."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from planned_corpora import TEAHOUSE

from groupmem.lab.synthesis.pack_file import load_pack
from groupmem.lab.synthesis.packs import Pack
from support.pack_rules import amounts_missed, repetitions, slips, vocabulary_faults


@pytest.mark.parametrize(
    ("old", "new", "rule", "fault"),
    [
        ('"oiled oak"', '"on oak"', slips, "does not read after 'we go with': option 'on oak'"),
        ('"oiled oak"', '"slate slab"', repetitions, "counter material: 'slate' is inside 'slate slab'"),
        ('"neighbour letter"', '"permit file"', repetitions, "there 2 times: permit file"),
        ('"counter drawing"', '"Counter drawing"', slips, "starts with a capital: subject 'Counter drawing'"),
        ('"counter drawing"', '"counter drawings"', slips, "plural is set wrongly: subject 'counter drawings'"),
        ('"counter drawing"', '"drawing for oak"', slips, "leaves no room for a scope: subject 'drawing for oak'"),
        (
            'must = "show the tax',
            'must = "shows the tax',
            slips,
            "does not start with a verb: must 'shows the tax per line'",
        ),
        ('"{customer} turned away', '"{customer} turns away', slips, "is not in the past tense: trigger"),
        (
            '"noise from the extractor"',
            '"if it is loud"',
            slips,
            "does not read after 'about': sub-issue 'if it is loud'",
        ),
        ('"we open with half the menu"', '"we wait an hour!"', slips, "ends with a stop: risk 'we wait an hour!'"),
        ('"we open with half the menu"', '"we wait a hour"', slips, "says a hour: risk"),
        ('"we open with half the menu"', '"we lose a {leaf_lot}"', slips, "fixes the article of a slot: risk"),
        ('"we open with half the menu"', '"Olek is ill"', slips, "names a participant: 'Olek is ill'"),
        ("https://pages.example/harbour", "https://harbour.test/", slips, "https://harbour.test/ is under no reserved"),
        ('"lot", "batch"', '"lot", "replenishment feed"', vocabulary_faults, "Buyer says 'replenishment feed' for two"),
    ],
)
def test_a_fault_is_found(
    tmp_path: Path, old: str, new: str, rule: Callable[[Pack], Iterator[str]], fault: str
) -> None:
    text = TEAHOUSE.read_text(encoding="utf-8")
    path = tmp_path / "altered.toml"
    path.write_text(text.replace(old, new), encoding="utf-8")

    before = list(rule(load_pack(TEAHOUSE)))
    after = list(rule(load_pack(path)))

    assert any(found.startswith(fault) for found in after)
    assert not any(found.startswith(fault) for found in before)


def test_a_thin_level_is_found() -> None:
    missed = list(amounts_missed(load_pack(TEAHOUSE)))

    assert "teahouse: 3 preferences, 12 wanted" in missed
    assert "Leaf Sourcing: 2 artefacts, 8 wanted" in missed
    assert "Leaf Sourcing / Garden Choice: 6 sub_issues, 8 wanted" in missed
    assert "Harbour Shop / Counter and Kitchen / counter material: 3 options, 4 wanted" in missed
