"""Corpora that are planned once and looked at by many tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from groupmem.lab.synthesis.content import Story, plan_content
from groupmem.lab.synthesis.pack_file import load_pack
from groupmem.lab.synthesis.plans import Plans
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.lab.synthesis.scaffold import Scaffold
from groupmem.lab.synthesis.scaffolding import build_scaffold
from groupmem.lab.synthesis.slots import Slot
from groupmem.lab.synthesis.structure import draw_structure
from support.invented_pack import invented_pack

TEAHOUSE = Path(__file__).parent / "packs" / "teahouse.toml"


class Planned(NamedTuple):
    """A corpus that is planned and not written."""

    policy: Policy
    scaffold: Scaffold
    slots: list[Slot]
    story: Story
    plans: Plans


@cache
def planned(messages: int, seed: int = 0, settings: tuple[str, ...] = (), small: bool = False) -> Planned:
    """A corpus of the invented pack (`small`: of the tea houses), planned once for the whole session."""
    policy = load_policy(settings=settings)
    scaffold = build_scaffold(load_pack(TEAHOUSE) if small else invented_pack(1), policy, seed)
    slots = draw_structure(scaffold, policy, messages, seed)
    story = plan_content(scaffold, policy, slots, seed)
    return Planned(policy, scaffold, slots, story, Plans(scaffold, policy, slots, story, seed))
