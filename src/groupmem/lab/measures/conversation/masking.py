"""Masking: what makes a text look new without being worded anew is replaced before words are counted.

    links     anything with a scheme, www. or an e-mail address      -> _link
    ids       a token that begins with a letter and holds a digit     -> _id      (User_14, PROJ-12, v2, Q3)
    numbers   a token that begins with a digit, a number in words,
              a weekday, and a month beside a number                  -> _number  (12,000, 14:30, three, Friday, Mar 12)
    typos     a rare word one slip away from a common one             -> the common word

What a slip is stands in `typos`; known words are those of the embedded model's vocabulary. Apostrophes are dropped
("dont" is "don't"), and case and punctuation do not count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from groupmem.lab.measures.conversation.typos import common_spellings
from groupmem.models.minilm import whole_words
from groupmem.text import words

# Each pattern begins where a token begins and takes it whole, so a long token costs no more than its length.
_LINK = re.compile(r"(?:https?://|www\.)\S+|(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+", re.IGNORECASE)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DATE = re.compile(rf"\b{_MONTH}\.? (?=\d)|(?<=\d)(?:st|nd|rd|th)? (?:of )?{_MONTH}\b", re.IGNORECASE)
_WORDLIKE = re.compile(r"(?<![\w./:#-])[^\W\d][\w./:#-]*")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\b\d[\w.,:/%+-]*")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_SPELLED = words(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen
    monday tuesday wednesday thursday friday saturday sunday
    """
)


def masked_words(texts: Iterable[str]) -> list[list[str]]:
    """The masked words of each text. The texts are taken together: which spelling is common is seen over all."""
    cut = [words(_mask(text)) for text in texts]
    counts = Counter(word for row in cut for word in row)
    become = dict.fromkeys(_SPELLED, "_number") | common_spellings(counts, whole_words())
    return [[become.get(word, word) for word in row] for row in cut]


def _mask(text: str) -> str:
    linkless = _LINK.sub(" _link ", text)
    dateless = _DATE.sub(" ", linkless)  # the number beside the month stands for both
    idless = _WORDLIKE.sub(lambda token: " _id " if _DIGIT.search(token[0]) else token[0], dateless)
    return _APOSTROPHE.sub("", _NUMBER.sub(" _number ", idless))
