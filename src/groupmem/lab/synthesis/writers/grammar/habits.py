"""What somebody always does when they write, whatever they write about: drawn once from who they are."""

from __future__ import annotations

import random
from functools import lru_cache

from groupmem.lab.synthesis.base import Voice
from groupmem.types import Record

LOWER_CASE = {"concise": 0.2, "chatty": 0.2, "anecdotal": 0.15, "action-oriented": 0.15, "elaborative": 0.05}
OPEN_ENDED = {"concise": 0.5, "chatty": 0.35, "anecdotal": 0.3, "action-oriented": 0.4, "elaborative": 0.15}
KEEPING_TO_THE_RULES = frozenset({"professional", "boring"})
"""Tones and styles that write as one learns it at school."""
EMOJI = {
    "enthusiastic": ("🎉", "🙌", "😊", "💪", "✨", "🚀", "😄"),
    "empathetic": ("🙏", "💙", "🤗", "🌻", "🙂"),
    "humorous": ("😅", "😂", "🙃", "🤷", "🫠", "🤡"),
    "casual": ("👍", "🙂", "😅", "✌️", "👌"),
    "anxious": ("😬", "😰", "🙈", "🥲"),
    "skeptical": ("🤔", "🧐", "🙄"),
    "persuasive": ("👀", "☝️", "💡"),
}
PICTURES = 0.5
"""Share of people who put picture signs into their messages at all."""
PICTURE_RATE = 0.16
EXCLAIMED = 0.3
"""How often an enthusiastic statement ends with an exclamation mark."""


class Habits(Record, frozen=True, kw_only=True):
    """`lower_case`: no capitals; `open_ended`: no stop at the end; `pictures`: sometimes a picture sign;
    `comma_after_name`: "@Ana, ..."."""

    lower_case: bool
    open_ended: bool
    pictures: bool
    comma_after_name: bool


@lru_cache(maxsize=1024)
def habits_of(author: str, style: str, seed: int) -> Habits:
    """The habits of this author; style counts, since it stays with a person while tone may slip."""
    rng = random.Random(f"{seed}/habits/{author}")
    draws = [rng.random() for _ in range(4)]
    return Habits(
        lower_case=draws[0] < LOWER_CASE.get(style, 0.0),
        open_ended=draws[1] < OPEN_ENDED.get(style, 0.0),
        pictures=draws[2] < PICTURES and style not in KEEPING_TO_THE_RULES,
        comma_after_name=draws[3] < 0.4,
    )


def picture_for(voice: Voice, habits: Habits, rng: random.Random) -> str:
    """A picture sign for the end of the message, or nothing."""
    signs = EMOJI.get(voice.tone, ())
    return rng.choice(signs) if habits.pictures and signs and rng.random() < PICTURE_RATE else ""
