"""Draws of what keeps a corpus from being clean (GroupMemBench, section 3.2 and App. D): one for each message."""

from __future__ import annotations

import random
from typing import get_args

from groupmem.lab.synthesis.base import Disagreement, Imperfection, Noise
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.scaffold import Member, voices
from groupmem.lab.synthesis.slots import Slot

NOISES: tuple[Noise, ...] = get_args(Noise)
DISAGREEMENTS: tuple[Disagreement, ...] = get_args(Disagreement)
IMPERFECTIONS: tuple[Imperfection, ...] = get_args(Imperfection)


def roughen(slot: Slot, author: Member, policy: Policy, rng: random.Random) -> None:
    """Draws noise, disagreement, imperfection, ultra-short, tone slip, URL, cross-reference, mention and sub-issue."""
    rates = policy.realism
    if rng.random() < rates.noise:
        slot.noise = rng.choice(NOISES)
    if slot.path == "reply":
        # A noisy message has a scenario of its own, so these two rates are made up for among the others.
        if slot.noise is None and rng.random() * (1 - rates.noise) < rates.disagreement:
            slot.disagreement = rng.choice(DISAGREEMENTS)
        if slot.noise is None and rng.random() * (1 - rates.noise) < rates.ultra_short:
            slot.ultra_short = True
    if rng.random() < rates.imperfection:
        slot.imperfection = rng.choice(IMPERFECTIONS)
    if rng.random() < author.jitter:
        slot.tone = rng.choice([tone for tone in voices()["tone"] if tone != author.tone])
    slot.url = rng.random() < (rates.url_in_posts if slot.is_post else rates.url)
    slot.cross_reference = rng.random() < policy.context.cross_reference
    slot.mention_parent = slot.parent is not None and rng.random() < rates.mention_parent
    if rng.random() < policy.memory.steering:
        slot.sub_issue = rng.randrange(policy.memory.sub_issues)
