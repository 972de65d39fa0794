"""What a model writer is told to say: each fact and each piece of matter of a plan as one instruction."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from groupmem.lab.synthesis.base import FactMention, Point, Voice

SCENARIOS = Path(__file__).parents[3] / "data" / "synthesis" / "scenarios.toml"
YOU = "you"


@cache
def scenarios() -> Mapping[str, Mapping[str, str]]:
    """The sentences about acts, stages, disagreements, mistakes and manners."""
    return tomllib.loads(SCENARIOS.read_text(encoding="utf-8"))


def say_fact(mention: FactMention, author: Voice) -> str:
    """What this author is to say about one fact, in what manner."""
    texts = scenarios()
    slots = {
        "s": mention.subject,
        "is": "are" if mention.plural else "is",
        "v": f'"{mention.value}"',
        "p": mention.person_name or "",
        "pronoun": mention.pronoun or "",
    }
    claim = texts[_claims(mention, author)][mention.kind].format_map(slots)
    said = texts["manner"][mention.how].format_map({**slots, "c": claim})
    if mention.was is not None and mention.how in texts["other"]:
        other = YOU if mention.was == author.first_name else mention.was
        said = f"{said} {_capital(texts['other'][mention.how].format(w=other))}"
    return texts["manner"]["optional"].format_map({"m": said}) if mention.optional else said


def say_point(point: Point) -> str:
    """What to do with a piece of matter."""
    text = f'"{point.text}"' if point.required else point.text
    return scenarios()["material"][point.material].format_map({"t": text})


def _claims(mention: FactMention, author: Voice) -> str:
    """The table that words the claim: a question has none, and what is about the author is in the first person."""
    if mention.how == "ask":
        return "asked"
    holds_it = mention.person == author.id and mention.kind in ("preference", "belief")
    return "self_claim" if mention.self_value or holds_it else "claim"


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
