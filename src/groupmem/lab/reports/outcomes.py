"""What a question expects and what an answer counts as, by rules over text that can be checked by hand."""

from __future__ import annotations

import re

from groupmem.types import Question

ABSTENTION_WORDS = frozenset({"abstention", "adversarial"})
"""Words in a category's name that say: the conversation does not hold the answer."""

LONGEST_REFUSAL_WORDS = 40

_SOURCE = r"(?:i|we|conversations?|messages?|passages?|context|chats?|history|log|memory|documents?)"
_REFUSALS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\bno (?:\w+ ){0,2}(?:information|evidence|mention)\b",
        r"\b(?:insufficient|not (?:have |contain )?(?:any|enough|sufficient)) (?:information|evidence|context|detail)",
        r"\b(?:not|never) (?:\w+ )?(?:mentioned|specified|stated)\b",
        r"\b(?:can not|could not|unable to) (?:be )?(?:answer|answered|determine|determined|tell|say)\b",
        rf"\b{_SOURCE}(?: \w+){{0,3}} (?:do|does|did) not (?:know|say|mention|specify|state|tell)\b",
        r"^\W*(?:unknown|unanswerable|no answer|n/?a)\W*$",
    )
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")


def says_no_information(answer: str) -> bool:
    """Whether an answer refuses for want of information: its first sentence says so, and it is at most 40 words long.

    English phrases only. A longer text, or one that answers first and hedges later, is taken as an answer.
    """
    words = answer.lower().replace("’", "'").replace("cannot", "can not").replace("can't", "can not").split()
    if not words or len(words) > LONGEST_REFUSAL_WORDS:
        return False
    first = _SENTENCE_END.split(" ".join(words).replace("n't", " not"), maxsplit=1)[0]
    return any(refusal.search(first) for refusal in _REFUSALS)


def expects_abstention(question: Question) -> bool | None:
    """Whether the right answer is that the conversation does not say; None where the gold does not tell.

    True where the category is one of abstention or the gold answer itself says so (the twin of a question about a
    private channel), False where there is another gold answer.
    """
    if ABSTENTION_WORDS & set(re.findall(r"[a-z]+", question.category.lower())):
        return True
    return None if question.answer is None else says_no_information(question.answer)
