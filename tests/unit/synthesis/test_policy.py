"""The policy: complete defaults, laying over, and clear refusals."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.synthesis.content import plan_content
from groupmem.lab.synthesis.packs import Pack
from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.lab.synthesis.scaffolding import build_scaffold
from groupmem.lab.synthesis.structure import draw_structure


def test_the_defaults_are_the_values_of_the_source() -> None:
    policy = load_policy()
    weights, realism = policy.weights, policy.realism

    assert (policy.paths.post, policy.paths.reply, policy.paths.cross) == (0.2, 0.6, 0.2)
    assert (policy.paths.empty_domain, policy.paths.question_streak, policy.paths.excluded_speakers) == (0.8, 3, 3)
    assert (weights.post_empty, weights.post_none, weights.post_base, weights.post_slope) == (10, 8, 5, 1.5)
    assert (weights.heat_volume, weights.heat_cap, weights.heat_unanswered) == (0.5, 10, 3)
    assert (weights.thread_volume, weights.thread_cap) == (0.5, 15)
    assert (weights.parent_exponent, weights.parent_saturation, weights.parent_saturated) == (1.3, 4, 0.35)
    assert (weights.parent_window, weights.parent_floor, weights.parent_post_bias) == (20, 0.15, 2)
    assert (policy.context.window, policy.context.older_snippets, policy.context.duplicate) == (50, 3, 0.5)
    assert (policy.memory.sub_issues, policy.memory.steering, policy.memory.ledger_every) == (6, 0.7, 8)
    assert (policy.memory.ledger_window, policy.memory.ledger_words) == (16, 180)
    assert (realism.noise, realism.disagreement, realism.imperfection, realism.ultra_short) == (0.05, 0.25, 0.2, 0.3)
    assert (realism.tone_jitter_low, realism.tone_jitter_high, realism.url, realism.url_in_posts) == (
        0.1,
        0.2,
        0.1,
        0.35,
    )
    assert policy.context.cross_reference == 0.25
    assert (policy.changes.eligible_from, policy.changes.eligible_to, policy.changes.eligible_messages) == (0.3, 0.8, 4)
    assert policy.changes.hazard == 0.05
    assert (policy.schedule.phase_days, policy.schedule.capped_from, policy.schedule.cap) == (10, 0.95, 10)
    assert policy.people.per_project == 4


def test_a_file_and_then_settings_are_laid_over_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[realism]\nnoise = 0.2\n[paths]\npost = 0.3\nreply = 0.5\n")

    policy = load_policy(file, ["realism.noise=.1", "schedule.start=2027-01-04", "paths.bridge_parent=first_post"])

    assert (policy.paths.post, policy.paths.cross) == (0.3, 0.2)
    assert policy.realism.noise == 0.1
    assert policy.schedule.start.isoformat() == "2027-01-04"
    assert policy.paths.bridge_parent == "first_post"


def test_the_policy_of_a_corpus_is_read_back_equal(tmp_path: Path) -> None:
    policy = load_policy(settings=["realism.noise=0.11"])
    path = tmp_path / "policy.json"
    path.write_bytes(msgspec.json.encode(policy))

    assert load_policy(path) == policy
    assert load_policy(path).sha256 == policy.sha256 != load_policy().sha256


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("paths.post=0.5", "post 0.5 .* reply 0.6 .* cross 0.2 is 1.3; the shares must sum to 1"),
        ("changes.owner=0.5", "changes: .* must sum to 1"),
        ("realism.noise=1.5", "realism.noise: 1.5 is not between 0 and 1"),
        ("changes.eligible_from=0.9", "changes.eligible_from 0.9 is above eligible_to 0.8"),
        ("people.per_phase=5", "people.per_phase 5 is above per_project 4"),
        ("people.per_phase=1", "people.per_phase: 1 is below 2"),
        ("schedule.phase_days=0.5", "schedule.phase_days: 0.5 is below 1"),
        ("schedule.day_to_hour=25", "schedule.day_to_hour: 25 is past the end of the day"),
        ("length.post_sentences_low=9", "length.post_sentences_low 9 is above _high 4"),
        ("weights.parent_floor=0", "weights.parent_floor: must be above 0"),
        ('statuses.Risks=["Detected"]', 'statuses."Risks": needs a beginning and an end, has 1'),
        ('statuses.Risks=["Open", "Open"]', 'statuses."Risks": .* holds one twice'),
        ("weights.heat_volume=-5", "weights.heat_volume: -5 is below 0"),
        ("weights.post_base=inf", "weights.post_base: inf is above"),
        ("weights.parent_exponent=nan", "weights.parent_exponent: nan is above 10"),
        ("schedule.phase_step_days=1e7", "schedule.phase_step_days: 1e[+]07 is above 3650"),
        ("schedule.start=9999-12-30", "schedule.start: 9999-12-30 is not between the years 1970 and 2999"),
        ("facts.belief=0.9", r"facts.belief \+ preference \+ on_behalf: 1.04 is above 1"),
        ("paths.post=many", "paths.post"),
        ("paths.post", "write it as group.key=value"),
        ("post=1", "write it as group.key=value"),
    ],
)
def test_an_impossible_policy_names_its_key(setting: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        load_policy(settings=[setting])


NUMBERS = [
    f"{group}.{name}"
    for group, values in msgspec.to_builtins(load_policy()).items()
    for name, value in values.items()
    if isinstance(value, int | float)
]


@settings(max_examples=60)
@given(
    key=st.sampled_from(NUMBERS),
    value=st.one_of(st.integers(-(10**12), 10**12), st.floats(), st.sampled_from([0, 1, 0.5, 3, 40])),
)
def test_any_number_is_refused_with_its_key_or_gives_a_corpus(teahouse: Pack, key: str, value: float) -> None:
    try:
        policy = load_policy(settings=[f"{key}={value}"])
        scaffold = build_scaffold(teahouse, policy, 0)
        slots = draw_structure(scaffold, policy, 60, 0)
    except InputError as error:
        assert key.partition(".")[2] in str(error) or key.partition(".")[0] in str(error)
    else:
        assert len(plan_content(scaffold, policy, slots, 0).contents) == 60


@pytest.mark.parametrize("setting", ["paths.pst=0.2", "path.post=0.2"])
def test_an_unknown_key_lists_the_nearest_first(setting: str) -> None:
    with pytest.raises(UnknownNameError, match=r"choose from (paths|post)"):
        load_policy(settings=[setting])


@pytest.mark.parametrize("content", ["[paths", "paths = 3", "[nothing]\nx = 1", ""])
def test_a_bad_file_is_named(tmp_path: Path, content: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(content)
    if not content:
        assert load_policy(file) == load_policy()
        return
    with pytest.raises(InputError, match=r"bad\.toml"):
        load_policy(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such policy file"):
        load_policy(tmp_path / "none.toml")
