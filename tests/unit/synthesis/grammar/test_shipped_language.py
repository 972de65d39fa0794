"""The shipped language: no rule without use, no slot or feature that nothing fills, no statement without its value."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import get_args

import pytest

from groupmem.lab.synthesis.base import Disagreement, FactKind, How, Material, Noise, PostType, ReplyAct, Stage
from groupmem.lab.synthesis.scaffold import voices
from groupmem.lab.synthesis.writers.grammar.language import shipped_language
from groupmem.lab.synthesis.writers.grammar.rules import NOT, SLOT, Alternative, ByKind, Choice, Cue, Owned, Slot

LANGUAGE = shipped_language()
ACTS = (*get_args(PostType), *get_args(ReplyAct))
KINDS = get_args(FactKind)
HOWS = get_args(How)
WHOSE = ("", ".self", ".you")
HEARD = (*get_args(ReplyAct), *get_args(PostType), *KINDS, "asked")


def listed(text: str) -> list[str]:
    return re.findall(r"\w+", text)


SLOTS = {
    *listed("phase topic project role mind artefact customer vendor thing other to source issue on_behalf"),
    *listed("xphase xauthor xsub psub pS pit pthem pis url x word plain meaning"),
    *listed("S So Sx sub V W P he him his hes is isnt was has does s es it them its this"),
}
FEATURES = {
    *(value for axis in ("tone", "style", "expertise") for value in voices()[axis]),
    *ACTS,
    *get_args(Stage),
    *get_args(Noise),
    *(f"heard_{noise}" for noise in get_args(Noise)),
    *get_args(Disagreement),
    *listed("post answering peer mixed closing wh np allied opposed bare called known"),
}


def asked_for_by_name() -> set[str]:
    """Names of rules that the code asks for."""
    who_kinds = [f"{kind}{who}" for kind, who in product(KINDS, WHOSE)]
    names = {f"{stem}.{act}" for stem, act in product(("order", "open", "react", "end", "turn", "short.act"), ACTS)}
    names |= {f"{stem}.{act}.{heard}" for stem, act, heard in product(("react", "short.act"), ACTS, HEARD)}
    names |= {f"order.{noise}" for noise in get_args(Noise)} | {f"noise.{noise}" for noise in get_args(Noise)}
    names |= {f"say.{kind}.{how}{who}" for kind, how, who in product(KINDS, HOWS, WHOSE)}
    names |= {f"{stem}.{kind}" for stem, kind in product(("brief", "split", "bare", "short.say", "after"), who_kinds)}
    names |= {f"after.{kind}.{how}" for kind, how in product(KINDS, HOWS)}
    names |= {f"short.{how}{own}" for how, own in product(HOWS, ("", *(f".{kind}" for kind in who_kinds)))}
    names |= {f"frame.{how}" for how in HOWS} | {
        f"{stem}.{kind}" for stem, kind in product(("ask", "short.ask"), KINDS)
    }
    for material in get_args(Material):
        names |= {f"{stem}.{material}" for stem in ("point", "join", "brief")}
        names |= {f"point.{material}.{side}" for side in ("for", "against", *ACTS)}
    places = {"turn.post", "turn.reply", "turn.place.post", "turn.place.reply"}
    single = {
        "open",
        "end",
        "colour",
        "drift",
        "xref",
        "xref.brief",
        "xref.tail",
        "link",
        "link.brief",
        "gloss",
        "slip",
    }
    least = {f"least.{how}{who}" for how, who in product(("ask", "dispute", "state"), WHOSE)}
    return names | places | single | least | {"short.drift"}


def reachable() -> set[str]:
    """Names of all rules that can come to be expanded."""
    found: set[str] = set()
    waiting = [rule for name, rule in LANGUAGE.rules.items() if name in asked_for_by_name()]
    while waiting:
        rule = waiting.pop()
        if not rule.name or rule.name not in found:
            found.add(rule.name)
            waiting.extend(rule.children())
    return found


def lines() -> Iterator[tuple[str, Alternative]]:
    """Every alternative of every rule and group, with the place of its rule."""
    for rule in LANGUAGE.rules.values():
        waiting = [rule]
        while waiting:
            choice = waiting.pop()
            yield from ((rule.origin, alternative) for alternative in choice.alternatives)
            waiting.extend(child for child in choice.children() if not child.name)


def always(choice: Choice, gives: Callable[[Alternative], bool]) -> bool:
    """Whether every way of expanding the rule gives what is looked for."""
    return all(
        gives(alternative)
        or any(
            (isinstance(part, Choice) and always(part, gives))
            or (isinstance(part, ByKind) and all(always(rule, gives) for rule in part.rules.values()))
            for part in alternative.parts
        )
        for alternative in choice.alternatives
    )


def has_slot(*names: str) -> Callable[[Alternative], bool]:
    return lambda alternative: any(isinstance(part, Slot) and part.name in names for part in alternative.parts)


def states(alternative: Alternative) -> bool:
    called = any("called" in condition for condition in alternative.conditions)
    return called or any(isinstance(part, Owned) for part in alternative.parts) or has_slot("V")(alternative)


def rules_named(pattern: str) -> list[Choice]:
    found = [rule for name, rule in LANGUAGE.rules.items() if re.fullmatch(pattern, name)]
    assert found
    return found


def test_every_rule_can_come_to_be_used() -> None:
    assert sorted(set(LANGUAGE.rules) - reachable()) == []


def test_every_slot_and_feature_is_one_that_messages_have() -> None:
    for origin, alternative in lines():
        for part in alternative.parts:
            assert not isinstance(part, Slot) or part.name in SLOTS, f"{origin}: {{{part.name}}}"
        for condition in alternative.conditions:
            asked = {feature.removeprefix(NOT) for feature in condition if not feature.startswith(SLOT)}
            assert asked <= FEATURES, f"{origin}: {sorted(asked - FEATURES)}"


@pytest.mark.parametrize(
    ("pattern", "gives"),
    [
        (r"(say|that|fact|brief|split|bare)\.(" + "|".join(KINDS) + r")(\..*)?", states),
        (r"frame\..*", states),
        (r"short\.say\..*|short\.(?!ask|act|report|refer)(" + "|".join(HOWS) + r")(\..*)?", states),
        (r"short\.(report|refer)|least\.(dispute|state).*", states),
        (r"(ask|short\.ask)\..*|least\.ask", has_slot("Sx", "sub")),
        (r"(point|join)\..*|brief\.(" + "|".join(get_args(Material)) + ")", has_slot("x")),
        (r"xref.*", has_slot("xphase")),
        (r"link.*", has_slot("url")),
        (r"gloss", has_slot("word")),
        (r"turn\.(?!place).*", has_slot("issue")),
    ],
)
def test_what_a_rule_is_for_is_in_every_one_of_its_lines(pattern: str, gives: Callable[[Alternative], bool]) -> None:
    for rule in rules_named(pattern):
        assert always(rule, gives), f"{rule.origin}: {rule.name}"


VERBS = listed(
    "look sign notice try see know have need want hang depend hold help fit say ask think take make give go come run "
    "keep stay move change mean read find wait hear matter land follow sound feel leave bring play carry save settle"
)
THIRD = {
    verb: "has" if verb == "have" else f"{verb[:-1]}ies" if re.search("[^aeiou]y$", verb)
    else f"{verb}es" if re.search("(s|sh|ch|o)$", verb) else f"{verb}s"
    for verb in VERBS
}  # fmt: skip
SINGULAR, PLURAL = "|".join(sorted(THIRD.values())), "|".join(VERBS)
BASE = r"do|does|did|can|could|will|would|should|may|might|must|won't|can't|doesn't|don't|didn't|let's"
DISAGREEING = re.compile(
    rf"\b(?:{BASE}|to) (?:(?:any|some)(?:body|one) |you |it |that |this |we |they |I )?(?:{SINGULAR})\b"
    rf"|\b(?:I|you|they|we) (?:{SINGULAR})\b(?<!of us)|\b(?:a|an) (?:a|an|the|my|our)\b|\b(?:the|my|our) (?:the|a|my)\b"
    r"|\b(?:has|have|had) (?:any|some)(?:body|one) (?:look|sign|notice|try|see|know|say|ask|take|give|go|hear|find)\b",
    re.IGNORECASE,
)


def test_whatever_is_drawn_within_a_line_agrees() -> None:
    filled = dict.fromkeys(SLOTS, "thing") | {"is": "is", "has": "has", "s": "s", "es": "es", "does": "does"}
    filled |= {"S": "the thing", "So": "the thing", "Sx": "the thing", "it": "it", "them": "it", "pthem": "it"}
    for name, rule in LANGUAGE.rules.items():
        for seed in range(4 * len(rule.alternatives)):
            text = rule.expand(Cue(random.Random(f"{name}/{seed}"), frozenset(FEATURES), filled, set(), "status"))
            found = DISAGREEING.search(text)
            assert found is None, f"{rule.origin}: {found[0]!r} in {text!r}"
