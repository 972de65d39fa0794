"""From sentences to the text as it is sent: habits, imperfections, capitals and stops, the name called."""

from __future__ import annotations

import re

from groupmem.lab.synthesis.writers.grammar import blemish
from groupmem.lab.synthesis.writers.grammar.habits import EXCLAIMED, KEEPING_TO_THE_RULES, Habits, picture_for
from groupmem.lab.synthesis.writers.grammar.marks import bare, map_frames, matter, value
from groupmem.lab.synthesis.writers.grammar.scene import Scene
from groupmem.lab.synthesis.writers.grammar.surface import capital, is_closed, tidy, words

NEW_LINE = 0.3
"""How often somebody action-oriented puts the last sentence on a line of its own."""
CALLED_AT_END = 0.15
"""How often the name called stands at the end of the first sentence instead of before it."""
CAPITAL_AFTER_NAME = 0.3
"""How often the word after a name called, without a comma, has a capital."""
_ASKS = re.compile(
    r"(?:@\w+,? )?(?:can|could|shall|would|will|is|are|am|does|did|has|have|do)"
    r" (?:I|we|you|it|that|this|there|they|one of you|(?:some|any)(?:body|one))\b",
    re.IGNORECASE,
)
"""Begins a sentence that is a question, whatever its rule forgot."""
_LAST_SENTENCE = re.compile(r"(?<=[.!?…])\s+")
_NEXT_SENTENCE = re.compile(r"(?<=[.!?]\s)[a-z]")


class Finisher:
    """Finishes the message of one scene; use once. `slip` is a false start, for those who correct themselves."""

    def __init__(self, scene: Scene, habits: Habits, slip: str) -> None:
        self._plan = plan = scene.plan
        self._habits = habits
        self._slip = slip
        self._rng = scene.rng
        lowers = habits.lower_case and plan.author.tone not in KEEPING_TO_THE_RULES
        self._lower_case = lowers or plan.imperfection == "lower_case"
        self._calls = ""
        if plan.mention_parent and plan.addressee is not None:
            name = plan.addressee.first_name
            self._calls = f"@{matter(name) if scene.called is None else value(name, scene.called)}"

    def finish(self, sentences: list[str]) -> str:
        """The text, with its marks."""
        if self._plan.imperfection == "fragment":
            sentences = blemish.fragment(sentences, self._rng)
        slipped = self._plan.imperfection == "self_correction" and self._has_room_to_slip(sentences)
        if slipped:
            sentences = [tidy(f"{self._slip} {sentences[0]}"), *sentences[1:]]
        text = self._joined([self._closed(self._raised(sentence)) for sentence in self._call(sentences)])
        return self._typed(self._with_picture(text), slipped)

    # -- sentences -------------------------------------------------------------------------------------------------

    def _raised(self, sentence: str) -> str:
        return sentence if self._lower_case else capital(sentence)

    def _has_room_to_slip(self, sentences: list[str]) -> bool:
        rule = self._plan.length
        room = rule.words or rule.sentence_words
        called = self._plan.mention_parent
        fits = room is None or words(sentences[0]) + words(self._slip) + called <= room
        return bool(self._slip) and fits and self._rng.random() < 0.5

    def _call(self, sentences: list[str]) -> list[str]:
        if not self._calls:
            return sentences
        room = self._plan.length.sentence_words
        place = next((at for at, each in enumerate(sentences) if room is None or words(each) < room), 0)
        return [*sentences[:place], self._called(sentences[place]), *sentences[place + 1 :]]

    def _called(self, sentence: str) -> str:
        if not is_closed(sentence) and self._rng.random() < CALLED_AT_END:
            return f"{sentence} {self._calls}"
        if self._habits.comma_after_name:
            return f"{self._calls}, {sentence}"
        return f"{self._calls} {self._raised(sentence) if self._rng.random() < CAPITAL_AFTER_NAME else sentence}"

    def _closed(self, sentence: str) -> str:
        if is_closed(sentence):
            return sentence
        if _ASKS.match(bare(sentence)):
            return f"{sentence}?"
        voice = self._plan.author
        glad = (
            voice.tone == "enthusiastic" and voice.style not in KEEPING_TO_THE_RULES and self._rng.random() < EXCLAIMED
        )
        return sentence + ("!" if glad and self._plan.noise is None else ".")

    def _joined(self, sentences: list[str]) -> str:
        lines = self._plan.author.style == "action-oriented" and len(sentences) > 1 and self._rng.random() < NEW_LINE
        text = " ".join(sentences[:-1])
        text = f"{text}{chr(10) if lines else ' '}{sentences[-1]}" if text else sentences[-1]
        return text if self._lower_case else map_frames(text, _raised_within)

    # -- typing ----------------------------------------------------------------------------------------------------

    def _with_picture(self, text: str) -> str:
        picture = picture_for(self._plan.author, self._habits, self._rng)
        return f"{text.removesuffix('.')} {picture}" if picture and self._may_add_to(text) else text

    def _typed(self, text: str, slipped: bool) -> str:
        flaw = self._plan.imperfection
        if self._habits.open_ended and text.endswith(".") and not text.endswith(".."):
            text = text[:-1]
        if self._lower_case:
            text = blemish.lower_case(text)
        if flaw == "missing_punctuation":
            text = blemish.unpunctuated(text)
        if flaw == "typo" or (flaw == "self_correction" and not slipped):
            text, meant = blemish.typo(text, self._rng)
            if flaw == "self_correction" and meant and self._may_add_to(text):
                text = f"{text.removesuffix('.')} *{meant}"
        return text

    def _may_add_to(self, text: str) -> bool:
        """Whether one more word fits behind the text: within its bounds, and not behind an address."""
        rule = self._plan.length
        last = _LAST_SENTENCE.split(bare(text))[-1]
        bounds = ((rule.words, text), (rule.sentence_words, last))
        return "://" not in last.split()[-1] and all(most is None or words(part) < most for most, part in bounds)


def _raised_within(stretch: str) -> str:
    return _NEXT_SENTENCE.sub(lambda found: found[0].upper(), stretch)
