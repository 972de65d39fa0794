"""What makes a policy impossible: numbers out of bounds, shares that are none, an order turned round."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import date

import msgspec

from groupmem.lab.synthesis.policy import Policy

PROBABILITIES = frozenset(
    {
        *("paths.empty_domain", "paths.empty_phase", "context.cross_reference", "context.duplicate", "memory.steering"),
        *(f"realism.{name}" for name in ("noise", "disagreement", "imperfection", "ultra_short", "correction")),
        *(f"realism.{name}" for name in ("tone_jitter_low", "tone_jitter_high", "url", "url_in_posts")),
        *("realism.mention_parent", "changes.phase_rate", "changes.hazard", "changes.second_rate"),
        *("changes.kept_rate", "changes.eligible_from", "changes.eligible_to", "facts.reply", "facts.second"),
        *("facts.belief", "facts.preference", "facts.on_behalf", "facts.relative_date", "facts.adapt_words"),
        *(f"schedule.{name}" for name in ("early_until", "late_from", "closure_from", "capped_from", "open_by")),
        "schedule.off_hours",
    }
)
POSITIVE = frozenset(
    f"weights.{name}"
    for name in ("post_empty", "post_none", "post_floor", "parent_floor", "parent_saturated", "parent_post_bias")
)
LEAST = {
    "people.per_phase": 2,
    "channels.private_members": 2,
    "schedule.phase_days": 1,
    "schedule.most_per_phase_day": 1,
    "paths.question_streak": 1,
    "weights.parent_window": 1,
    "context.window": 1,
    "memory.sub_issues": 1,
    "memory.ledger_every": 1,
    "memory.ledger_window": 1,
    "changes.eligible_messages": 1,
    "changes.argument_low": 1,
    "realism.ultra_short_words": 1,
    "length.reply_sentences_low": 1,
    "length.reply_sentence_words": 5,
    "length.post_sentences_low": 1,
}
"""No number of a policy may be negative; these have a higher bound."""
TEN_YEARS = 3650
MOST = {
    "schedule.stagger_days": TEN_YEARS,
    "schedule.phase_days": TEN_YEARS,
    "schedule.phase_step_days": TEN_YEARS,
    "length.reply_sentences_high": 20,
    "length.post_sentences_high": 20,
    "weights.parent_exponent": 10,
}
MOST_OF_ALL = 1_000_000
YEARS = (1970, 2999)


def problems_of(policy: Policy) -> Iterator[str]:
    """What contradicts itself in a policy, each with its key."""
    yield from _mixture("paths", {"post": policy.paths.post, "reply": policy.paths.reply, "cross": policy.paths.cross})
    yield from _mixture("changes", {str(kind): share for kind, share in policy.changes.kinds().items()})
    yield from _bounds(policy)
    yield from _orders(policy)
    yield from _statuses(policy)


def _mixture(group: str, shares: Mapping[str, float]) -> Iterator[str]:
    total = sum(shares.values())
    if any(share < 0 for share in shares.values()) or not math.isclose(total, 1.0, abs_tol=1e-6):
        listed = " + ".join(f"{name} {share:g}" for name, share in shares.items())
        yield f"{group}: {listed} is {total:g}; the shares must sum to 1 and none be negative"


def _bounds(policy: Policy) -> Iterator[str]:
    """Every number within its bounds; what is no number at all is in none."""
    for key, value in _values(policy):
        if isinstance(value, date) and not YEARS[0] <= value.year <= YEARS[1]:
            yield f"{key}: {value} is not between the years {YEARS[0]} and {YEARS[1]}"
        if not isinstance(value, int | float):
            continue
        least, most = LEAST.get(key, 0), MOST.get(key, MOST_OF_ALL)
        if key in PROBABILITIES:
            if not 0 <= value <= 1:
                yield f"{key}: {value:g} is not between 0 and 1"
        elif value < least:
            yield f"{key}: {value:g} is below {least}"
        elif not value <= most:
            yield f"{key}: {value:g} is above {most}"
        elif key in POSITIVE and value == 0:
            yield f"{key}: must be above 0"
    if policy.schedule.day_to_hour > 24:
        yield f"schedule.day_to_hour: {policy.schedule.day_to_hour} is past the end of the day"


def _values(policy: Policy) -> Iterator[tuple[str, object]]:
    """Every key of the policy ("group.key") with its value."""
    for group in policy.__struct_fields__:
        values = getattr(policy, group)
        if isinstance(values, msgspec.Struct):
            for name in values.__struct_fields__:
                yield f"{group}.{name}", getattr(values, name)


def _orders(policy: Policy) -> Iterator[str]:
    """Pairs of which the first must not exceed the second."""
    schedule, people, changes, facts = policy.schedule, policy.people, policy.changes, policy.facts
    pairs = (
        ("realism.tone_jitter_low", policy.realism.tone_jitter_low, "_high", policy.realism.tone_jitter_high),
        ("changes.eligible_from", changes.eligible_from, "eligible_to", changes.eligible_to),
        ("changes.argument_low", changes.argument_low, "argument_high", changes.argument_high),
        ("schedule.early_until", schedule.early_until, "late_from", schedule.late_from),
        ("schedule.open_by", schedule.open_by, "capped_from", schedule.capped_from),
        ("people.per_phase", people.per_phase, "per_project", people.per_project),
        ("channels.private_members", policy.channels.private_members, "people.per_project", people.per_project),
        ("length.reply_sentences_low", policy.length.reply_sentences_low, "_high", policy.length.reply_sentences_high),
        ("length.post_sentences_low", policy.length.post_sentences_low, "_high", policy.length.post_sentences_high),
        ("schedule.day_from_hour", schedule.day_from_hour + 1, "day_to_hour", schedule.day_to_hour),
    )
    for low_name, low, high_name, high in pairs:
        if low > high:
            yield f"{low_name} {low:g} is above {high_name} {high:g}"
    held = facts.belief + facts.preference + facts.on_behalf
    if held > 1:
        yield f"facts.belief + preference + on_behalf: {held:g} is above 1"


def _statuses(policy: Policy) -> Iterator[str]:
    for category, statuses in policy.statuses.items():
        if len(statuses) < 2:
            yield f'statuses."{category}": needs a beginning and an end, has {len(statuses)}'
        if len(set(statuses)) < len(statuses) or not all(status.strip() for status in statuses):
            yield f'statuses."{category}": {list(statuses)} holds one twice, or an empty one'
    for category in ("Risks", "Milestone", "Work Items"):
        if category not in policy.statuses:
            yield f'statuses."{category}" is missing'
