"""Reading a policy, laying files and single settings over the defaults, and refusing an impossible one."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.synthesis.policy import Policy

DEFAULTS = Path(__file__).parents[2] / "data" / "synthesis" / "policy.toml"


def load_policy(file: Path | None = None, settings: Sequence[str] = ()) -> Policy:
    """The default policy, with `file` and then the `settings` ("group.key=value") laid over it.

    Raises InputError naming file or setting and key for what cannot be read, UnknownNameError for an unknown key, and
    InputError with every contradiction of an impossible policy.
    """
    content = tomllib.loads(DEFAULTS.read_text(encoding="utf-8"))
    if file is not None:
        _lay_over(content, _read(file), str(file))
    for setting in settings:
        _lay_over(content, _parse(setting), f"--set {setting}")
    try:
        policy = msgspec.convert(content, Policy)
    except msgspec.ValidationError as error:
        raise InputError(f"policy: {str(error).replace('$.', '')}") from error
    problems = list(problems_of(policy))
    if problems:
        raise InputError("the policy is impossible:" + "".join(f"\n  {problem}" for problem in problems))
    return policy


def _read(file: Path) -> dict[str, Any]:
    """The groups of a TOML file, or of the policy.json that lies in a corpus."""
    try:
        text = file.read_text(encoding="utf-8")
        content = msgspec.json.decode(text) if file.suffix == ".json" else tomllib.loads(text)
    except FileNotFoundError as error:
        raise InputError(f"{file}: no such policy file") from error
    except (tomllib.TOMLDecodeError, msgspec.DecodeError, UnicodeDecodeError, IsADirectoryError) as error:
        raise InputError(f"{file}: not readable as a policy: {error}") from error
    if not isinstance(content, dict):
        raise InputError(f"{file}: a policy is an object of groups")
    return content


def _parse(setting: str) -> dict[str, Any]:
    """{"paths": {"post": 0.25}} from "paths.post=.25"."""
    key, equals, value = setting.partition("=")
    group, dot, name = key.strip().partition(".")
    if not equals or not dot:
        raise InputError(f"--set {setting}: write it as group.key=value, for example paths.post=0.25")
    text = value.strip()
    if text.startswith("."):
        text = f"0{text}"
    try:
        return {group: {name.strip('"'): tomllib.loads(f"value = {text}")["value"]}}
    except tomllib.TOMLDecodeError:
        return {group: {name.strip('"'): text}}


def _lay_over(content: dict[str, Any], over: Mapping[str, Any], where: str) -> None:
    for group, values in over.items():
        if group not in content:
            raise UnknownNameError(f"policy group in {where}:", group, content)
        if not isinstance(values, dict):
            raise InputError(f"{where}: {group} is a group of keys; write [{group}] and its keys below")
        for name, value in values.items():
            if name not in content[group]:
                raise UnknownNameError(f"policy key in {where}:", name, content[group])
            content[group][name] = value


def problems_of(policy: Policy) -> Iterator[str]:
    """What contradicts itself in a policy, each with its key."""
    yield from _mixture("paths", {"post": policy.paths.post, "reply": policy.paths.reply, "cross": policy.paths.cross})
    yield from _mixture("changes", {str(kind): share for kind, share in policy.changes.kinds().items()})
    yield from _probabilities(policy)
    yield from _orders(policy)
    for category, statuses in policy.statuses.items():
        if len(statuses) < 2:
            yield f'statuses."{category}": needs a beginning and an end, has {len(statuses)}'
    for category in ("Risks", "Milestone", "Work Items"):
        if category not in policy.statuses:
            yield f'statuses."{category}" is missing'


def _mixture(group: str, shares: Mapping[str, float]) -> Iterator[str]:
    total = sum(shares.values())
    if any(share < 0 for share in shares.values()) or not math.isclose(total, 1.0, abs_tol=1e-6):
        listed = " + ".join(f"{name} {share:g}" for name, share in shares.items())
        yield f"{group}: {listed} is {total:g}; the shares must sum to 1 and none be negative"


_PROBABILITIES = {
    "paths": ("empty_domain", "empty_phase"),
    "context": ("cross_reference", "duplicate"),
    "memory": ("steering",),
    "realism": (
        "noise",
        "disagreement",
        "imperfection",
        "ultra_short",
        "tone_jitter_low",
        "tone_jitter_high",
        "url",
        "url_in_posts",
        "mention_parent",
        "correction",
    ),
    "changes": ("phase_rate", "hazard", "second_rate", "kept_rate", "eligible_from", "eligible_to"),
    "facts": ("reply", "second", "belief", "preference", "on_behalf", "relative_date", "adapt_words"),
    "schedule": ("early_until", "late_from", "closure_from", "capped_from", "open_by", "off_hours"),
}


def _probabilities(policy: Policy) -> Iterator[str]:
    for group, names in _PROBABILITIES.items():
        for name in names:
            value = getattr(getattr(policy, group), name)
            if not 0.0 <= value <= 1.0:
                yield f"{group}.{name}: {value:g} is not between 0 and 1"


def _orders(policy: Policy) -> Iterator[str]:
    """Pairs of which the first must not exceed the second, and least values."""
    schedule, people, changes = policy.schedule, policy.people, policy.changes
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
    leasts = (
        ("pack.projects", policy.pack.projects, 0),
        ("people.per_phase", people.per_phase, 2),
        ("channels.private_members", policy.channels.private_members, 2),
        ("channels.private_topics", policy.channels.private_topics, 0),
        ("schedule.stagger_days", schedule.stagger_days, 0),
        ("schedule.phase_days", schedule.phase_days, 1),
        ("schedule.phase_step_days", schedule.phase_step_days, 0),
        ("schedule.cap", schedule.cap, 0),
        ("schedule.day_from_hour", schedule.day_from_hour, 0),
        ("schedule.most_per_phase_day", schedule.most_per_phase_day, 1),
        ("paths.question_streak", policy.paths.question_streak, 1),
        ("paths.excluded_speakers", policy.paths.excluded_speakers, 0),
        ("weights.parent_window", policy.weights.parent_window, 1),
        ("context.window", policy.context.window, 1),
        ("context.older_snippets", policy.context.older_snippets, 0),
        ("memory.sub_issues", policy.memory.sub_issues, 1),
        ("memory.ledger_every", policy.memory.ledger_every, 1),
        ("memory.ledger_window", policy.memory.ledger_window, 1),
        ("changes.eligible_messages", changes.eligible_messages, 1),
        ("changes.argument_low", changes.argument_low, 1),
        ("realism.ultra_short_words", policy.realism.ultra_short_words, 1),
        ("length.reply_sentences_low", policy.length.reply_sentences_low, 1),
        ("length.reply_sentence_words", policy.length.reply_sentence_words, 5),
        ("length.post_sentences_low", policy.length.post_sentences_low, 1),
    )
    for name, value, least in leasts:
        if value < least:
            yield f"{name}: {value:g} is below {least}"
    if schedule.day_to_hour > 24:
        yield f"schedule.day_to_hour: {schedule.day_to_hour} is past the end of the day"
    for name in ("post_empty", "post_none", "post_floor", "parent_floor", "parent_saturated", "parent_post_bias"):
        if getattr(policy.weights, name) <= 0:
            yield f"weights.{name}: must be above 0"
