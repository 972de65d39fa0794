"""The expansion grammar: what a file of rules means, and how a bad one is refused."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from groupmem.errors import InputError
from groupmem.lab.synthesis.writers.grammar.language import Language, read_language
from groupmem.lab.synthesis.writers.grammar.marks import surfaces
from groupmem.lab.synthesis.writers.grammar.rules import BOOST, Cue


def language(folder: Path, text: str) -> Language:
    (folder / "rules.grammar").write_text(text, encoding="utf-8")
    return read_language(folder)


def cue(*features: str, kind: str = "", **slots: str) -> Cue:
    return Cue(random.Random(5), frozenset(features), slots, set(), kind)


def said(rules: Language, name: str, *features: str, kind: str = "", **slots: str) -> set[str]:
    """Everything that many expansions of a rule give."""
    return {
        rules.rules[name].expand(Cue(random.Random(seed), frozenset(features), slots, set(), kind))
        for seed in range(300)
    }


def test_groups_rules_slots_and_comments(tmp_path: Path) -> None:
    rules = language(tmp_path, "# greetings\nhello:\n    (hi|good <time>), {x}(|!)\n\ntime:\n    morning\n    day\n")

    assert said(rules, "hello", x="Ana") == {
        f"{greeting}, Ana{end}" for greeting in ("hi", "good morning", "good day") for end in ("", "!")
    }


def test_an_alternative_whose_slot_is_empty_is_no_choice(tmp_path: Path) -> None:
    rules = language(tmp_path, "a:\n    plain\n    with {x}\n    (deep <b>|deep too <b>)\n\nb:\n    {x}\n")

    assert said(rules, "a") == {"plain"}
    assert said(rules, "a", x="X") == {"plain", "with X", "deep X", "deep too X"}


def test_a_group_of_which_every_line_needs_some_slot_is_no_choice_without_any(tmp_path: Path) -> None:
    rules = language(tmp_path, "a:\n    plain\n    (on {x}|about {y}): well\n")

    assert said(rules, "a") == {"plain"}
    assert said(rules, "a", y="Y") == {"plain", "about Y: well"}


def test_conditions_ask_for_one_of_each_set_and_for_the_lack_of_others(tmp_path: Path) -> None:
    rules = language(tmp_path, "a:\n    any\n    [casual,direct] short\n    [casual][late] both\n    [!late] early\n")

    assert said(rules, "a") == {"any", "early"}
    assert said(rules, "a", "direct") == {"any", "early", "short"}
    assert said(rules, "a", "casual", "late") == {"any", "short", "both"}


def test_conditions_hold_within_a_group_too(tmp_path: Path) -> None:
    rules = language(tmp_path, "a:\n    so ([late] near the end|[!late] at the start)\n")

    assert said(rules, "a", "late") == {"so near the end"}
    assert said(rules, "a") == {"so at the start"}


def test_weights_and_met_conditions_make_likelier(tmp_path: Path) -> None:
    rules = language(tmp_path, "a:\n    one\n    three  *3\n    [casual] fitting\n    [!late] lacking\n")
    chosen = Counter(
        rules.rules["a"].expand(Cue(random.Random(seed), frozenset({"casual"}), {}, set())) for seed in range(6000)
    )

    whole = 1 + 3 + BOOST + 1
    for name, weight in {"one": 1, "three": 3, "fitting": BOOST, "lacking": 1}.items():
        assert chosen[name] / 6000 == pytest.approx(weight / whole, abs=0.03)


def test_a_rule_for_the_kind_of_fact_falls_back_on_the_kind_alone(tmp_path: Path) -> None:
    rules = language(tmp_path, "a:\n    <that.*>\n\nthat.owner:\n    theirs\n\nthat.owner.self:\n    mine\n")

    assert said(rules, "a", kind="owner.self") == {"mine"}
    assert said(rules, "a", kind="owner.you") == {"theirs"}
    assert said(rules, "a", kind="number") == {""}


def test_first_person_words_are_marked_as_the_value_of_their_fact(tmp_path: Path) -> None:
    rules = language(tmp_path, "a:\n    {me:I}'ll take it\n")

    assert surfaces(rules.rules["a"].expand(cue())) == {0: "I"}


def test_a_backslash_takes_the_meaning_from_a_sign(tmp_path: Path) -> None:
    rules = language(tmp_path, "a:\n    see \\(page one\\)\n")

    assert said(rules, "a") == {"see (page one)"}


def test_one_message_does_not_use_a_line_twice_where_it_can_help_it(tmp_path: Path) -> None:
    rules = language(tmp_path, "a:\n    one\n    two\n    three\n")
    twice = 0
    for seed in range(500):
        message = Cue(random.Random(seed), frozenset(), {}, set())
        twice += rules.rules["a"].expand(message) == rules.rules["a"].expand(message)

    assert twice < 500 / 3**2


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("    homeless\n", 1, "an alternative before any rule"),
        ("a:\n    fine\nno header\n", 3, "neither 'name:' at the margin nor an indented alternative"),
        ("a:\n    one\n\na:\n    two\n", 4, "rule 'a' is already at"),
        ("a:\n    go to <b>\n", 1, "there is no rule 'b'"),
        ("a:\n    <that.*>\n", 1, "there is no rule whose name begins with 'that.'"),
        ("a:\n\nb:\n    fine\n", 1, "rule 'a' has no alternatives"),
        ("a:\n    (one|two\n", 2, "a '(' that nothing closes"),
        ("a:\n    one)\n", 2, "a ')' that nothing opened"),
        ("a:\n    say {x\n", 2, "a '{' that nothing closes"),
        ("a:\n    x} said\n", 2, "a '}' that nothing opened"),
        ("a:\n    <B 2>\n", 2, "<B 2> is no name of a rule"),
        ("a:\n    <b>\n\nb:\n    (c|<a>)\n", 1, "rule 'a' leads back to itself: a > b > a"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(tmp_path: Path, text: str, line: int, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        language(tmp_path, text)

    assert f"rules.grammar:{line}:" in str(refused.value)
    assert problem in str(refused.value)


def test_rules_of_all_files_of_a_folder_are_one_language(tmp_path: Path) -> None:
    (tmp_path / "other.grammar").write_text("b:\n    there\n", encoding="utf-8")

    assert said(language(tmp_path, "a:\n    <b>\n"), "a") == {"there"}
