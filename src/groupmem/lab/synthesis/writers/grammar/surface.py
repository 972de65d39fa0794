"""From sentences to a finished text: joints, articles, capitals, stops."""

from __future__ import annotations

import re

from groupmem.lab.synthesis.writers.grammar.marks import MARK, bare, frames

ARTICLE = "a/an"
"""What a rule writes where "a" or "an" depends on the next word."""
_AN = re.compile(r"(?i:[aeiou]|hour|honest|heir)|[FHLMNRSX](?=[A-Z]|\b)")
_A = re.compile(r"(?i:eu|uni(?!n|m)|use|usu|one\b|once\b|uti)|U(?=[A-Z])")
_ARTICLE = re.compile(rf"\ba/an(\s+{MARK}?)(\S+)")
_NEXT_SENTENCE = re.compile(r"[.!?…]\s+(?=[\w\"'@($€£])")
_BETWEEN = re.compile(r"(?<=[.!?…])\s+(?=[\w\"'@($€£])")
_SPACES = re.compile(r"[ \t]{2,}")
_BEFORE_SIGN = re.compile(r"\s+([,.;:?!])(?=\s|$)")
_SIGNS = re.compile(r"([,;:])(?:\s*[,;:])+")
_SIGN_STOP = re.compile(r"[,;:]+\s*([.!?])")
_OPENING = re.compile(rf"^(?:{MARK}|[\"'(“‘@\s-])*")
_OWN_LEAD = re.compile(r"^(?:\S+\s+){0,5}\S*:(?:\s|$)|^(?:\S+\s+){0,3}\S*,|^(?:yes|no|yep|still|and|but|so|also)\b")
_CLOSED = frozenset(".!?…:")
_URL_END = re.compile(r"https?://\S*[^\s)]$")


def words(text: str) -> int:
    """Words between blanks; the marks count for nothing."""
    return len(text.split())


def sentence_count(text: str) -> int:
    """Sentences of a text, as a reader cuts them: after a stop and a blank."""
    return 1 + len(_NEXT_SENTENCE.findall(bare(text).strip()))


def longest(text: str) -> int:
    """Words of the longest sentence of a text."""
    return max(len(part.split()) for part in _BETWEEN.split(bare(text).strip()))


def last_words(text: str) -> int:
    """Words of the last sentence of a text, which is what grows when something is hung onto it."""
    return len(_BETWEEN.split(bare(text).strip())[-1].split())


def tidy(sentence: str) -> str:
    """`sentence` with single blanks, no blank before a sign, one sign at a joint, "a" or "an" as the next word asks."""
    text = _ARTICLE.sub(lambda match: f"{_article(match[2])}{match[1]}{match[2]}", sentence)
    text = _SPACES.sub(" ", text).strip()
    text = _BEFORE_SIGN.sub(r"\1", text)
    text = _SIGNS.sub(r"\1", text)
    return _SIGN_STOP.sub(r"\1", text).strip(" ,;").lstrip(": ")


def _article(word: str) -> str:
    return "an" if _AN.match(word) and not _A.match(word) else "a"


def capital(sentence: str) -> str:
    """`sentence` with its first letter raised, whatever marks or quotes stand before it.

    A letter whose capital is written with two ("ß") stays: what is given must stay recognisable.
    """
    start = _OPENING.match(sentence)
    at = start.end() if start else 0
    raised = sentence[at : at + 1].upper()
    return sentence[:at] + raised + sentence[at + 1 :] if len(raised) == 1 else sentence


def leads(lead: str, sentence: str) -> bool:
    """Whether a lead-in can stand before this sentence: not before another lead-in, nor a colon before a question."""
    plain = bare(sentence)
    own = _OWN_LEAD.search(plain)
    return own is None and not (lead.endswith(":") and plain.endswith("?"))


def is_clumsy(sentence: str) -> bool:
    """Whether a sentence has more than one colon of the writer's own."""
    return sum(stretch.count(": ") + stretch.endswith(":") for stretch in frames(sentence)) > 1


def appended(sentence: str, more: str) -> str:
    """`sentence` with `more` behind it, before its question or exclamation mark if it has one."""
    return f"{sentence[:-1]}{more}{sentence[-1]}" if sentence.endswith(("?", "!")) else f"{sentence}{more}"


def is_closed(sentence: str) -> bool:
    """Whether no stop may follow: it has one, or it ends in an address or a picture sign."""
    plain = bare(sentence)
    if not plain or plain[-1] in _CLOSED or _URL_END.search(plain):
        return True
    last = plain[-1]
    return not (last.isalnum() or last in "\"')”’%€$£*+°")
