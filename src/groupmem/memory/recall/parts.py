"""The parts of a question: what it describes in order to name it, and what it asks.

A question that cannot name a thing describes it: in a clause before the question ("Where Mira wants two rounds, what do
I want?"), in a clause behind a noun ("the customer that lost its screen", "the bug filed by support"), or in place of a
person ("whoever signed it off"). Each description is something to look up by itself. What is looked for are English
function words and their order, and never words of a matter.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from groupmem.memory.languages import word_set

_WH = r"what|which|who|whom|whose|when|where|why|how"
_AUXILIARIES = r"does|do|did|is|are|was|were|has|have|had|can|could|will|would|should|must"
_LEADING = re.compile(
    rf"^(?:where|while|whereas|although|though|since|given that|now that|if)\s+(?!(?:{_AUXILIARIES})\b)"
    r"(?P<said>[^,]+),\s+(?P<rest>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_ASKS = re.compile(rf"\b(?:{_WH}|{_AUXILIARIES})\b", re.IGNORECASE)
_BEGINS = re.compile(rf"(?:(?:in|on|by|at|for|to|of|from|until)\s+)?(?:{_WH}|{_AUXILIARIES})\b", re.IGNORECASE)
# A second question behind the first one: ", and when did it move?".
_FURTHER = re.compile(rf",?\s+and\s+(?=(?:(?:in|on|by|at|for|to|of|from|until)\s+)?(?:{_WH})\s)", re.IGNORECASE)
_SOMEBODY = re.compile(
    r"\b(?:who(?:m|so)?ever\s+|the (?:very |same )?(?:person|people|ones?|colleague|man|woman|team ?mate)\s+"
    r"(?=(?:who|that|whom|whose|in charge|responsible|behind)\b))(?P<said>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_BEHIND = re.compile(
    r"(?<=[\w'’\"”)])\s+(?P<said>(?:(?:in|on|at|for|to|from|with|by) which|that|which|whom?|whose|due|"
    r"(?:last |first )?\w+ed (?:as|by|for|from|on|until|in|at|to|with))\s+\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_PRONOUN = re.compile(r"(?:\w+ which|that|which|whom?|whose)\b", re.IGNORECASE)
# After these "that" is no pronoun, and a participle belongs to no noun.
_NO_NOUN = word_set("""
does do did is are was were has have had can could will would should must in on by at for to of from until behind with
about than and or so say says said think thinks thought know knows knew mean means meant believe believes sure all the
this into over after before
""")
_LATEST = re.compile(r"(?:last|first)\s", re.IGNORECASE)
_HELPS = re.compile(r"\b(?:is|are|was|were|be|been|being|has|have|had|did|does|do)\b", re.IGNORECASE)
_PREPOSITION = re.compile(r"\b(?:of|for|in|on|at|to|with|from|by|about|behind)\b", re.IGNORECASE)
_ONLY_NAMES = re.compile(r"^(?:what|which|who)\s+(?:is|was|are|were)(?:\s+\S+){1,3}$", re.IGNORECASE)
_DETERMINER = re.compile(r"\b(?:the|a|an|my|our|your|their|his|her|its|this|one of)\s+", re.IGNORECASE)
# The verb of the question itself stands behind a description: "what does whoever owns it PREFER".
_WITH_AUXILIARY = re.compile(r"^(?:\S+\s+){0,4}?(?:does|do|did|would|will|can|could|should)\b", re.IGNORECASE)
_MAIN_VERB = re.compile(
    r"\s+(?=(?:like|prefer|believe|think|see|want|say|expect|need|suggest|propose|recommend|favou?r|consider|find|hold|"
    r"call|choose|argue|ask|plan|take|use|pick|make|do|have|bring|give|keep|get|go|come|work|live|pay|know|mean|mind|"
    r"object|insist|agree)\b)",
    re.IGNORECASE,
)
_FEWEST = 2  # words of a description before the verb of the question
_LONGEST = 1000  # characters of a sentence; what is longer is no question with descriptions, but a text that was pasted


class Split(NamedTuple):
    """A sentence as what it asks, and the descriptions in it."""

    asked: str
    described: tuple[str, ...] = ()


def split(sentence: str) -> Split:
    """A sentence without its descriptions, and these; one without any, or a very long one, is asked as it stands."""
    if len(sentence) > _LONGEST:
        return Split(sentence)
    leading = _LEADING.match(sentence)
    if leading and _BEGINS.match(leading["rest"]):
        return Split(leading["rest"], (leading["said"],))
    somebody = _SOMEBODY.search(sentence)
    if somebody:
        return _around(sentence, somebody)
    behind = _behind(sentence)
    if behind is None:
        return Split(sentence)
    asked, said, further = sentence[: behind.start()], behind["said"], ""
    if second := _FURTHER.search(said):
        said, further = said[: second.start()], said[second.start() :]
    if _ONLY_NAMES.match(asked):  # "what is the novel that ...": without the description nothing is asked
        return Split(sentence)
    return Split(asked + further, (f"{_head(asked)} {said}".strip(),))


def _around(sentence: str, somebody: re.Match[str]) -> Split:
    """A description in place of a person reaches to the verb of the question, or else to the end."""
    said, rest = somebody["said"], ""
    if _WITH_AUXILIARY.match(sentence[: somebody.start()]):
        verbs = [verb for verb in _MAIN_VERB.finditer(said) if len(said[: verb.start()].split()) >= _FEWEST]
        if verbs:
            said, rest = said[: verbs[-1].start()], said[verbs[-1].end() :]
    return Split(f"{sentence[: somebody.start()]} {rest}".strip(), (said,))


def _behind(sentence: str) -> re.Match[str] | None:
    """The first clause that belongs to a noun of the question."""
    asks = _ASKS.search(sentence)
    found = _BEHIND.search(sentence, asks.end()) if asks else None
    while found and not _belongs(sentence[: found.start()], found["said"]):
        found = _BEHIND.search(sentence, found.start() + 1)
    return found


def _belongs(before: str, said: str) -> bool:
    """Whether a clause belongs to the noun before it.

    A participle may as well be the verb of the question ("were exports supposed to"): then there is no more than a
    subject between it and its auxiliary. And it may have a subject of its own ("the game Mira tried in May").
    """
    last = before.rsplit(None, 1)[-1] if before.strip() else ""
    if not last or last.lower() in _NO_NOUN:
        return False
    is_named = bool(_DETERMINER.search(before) or _PREPOSITION.search(before))
    if _PRONOUN.match(said):  # "who drives that crane" has no noun that "that" could belong to
        return is_named or said[:4].lower() != "that"
    if not is_named:  # "how many people asked for it": the subject is what is asked for
        return False
    if last[:1].isupper() and not _LATEST.match(said):
        return False
    helps = list(_HELPS.finditer(before))
    return not helps or _PREPOSITION.search(before, helps[-1].end()) is not None


def _head(asked: str) -> str:
    """The noun at the end of a text, with what stands before it up to its determiner."""
    ends = [match.end() for match in _DETERMINER.finditer(asked)]
    return asked[ends[-1] :] if ends else ""
