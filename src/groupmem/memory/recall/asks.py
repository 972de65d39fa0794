"""What kind of answer a question wants, by its wording."""

from __future__ import annotations

import re
from typing import Literal

from groupmem.memory.notes.statements import StatementKind

Ask = Literal["when", "current", "former", "turn", "advice", "hop", "who"]

_TIMES = "date|day|time|year|month|week|hour|weekday|evening|morning"
_SIZES = "many|much|long|often|far|high|big|large|heavy|old|wide|tall"

# What is asked about a change is told by who proposed it and who decided it.
_TURNS = (
    r"chang(?:ed?|ing) (?:\w+ ){0,3}?(?:minds?|course|plans?)|change of (?:mind|plan|course)|chang(?:ed|ing)|"
    r"did \w+ (?:\w+ )?change|"
    r"g(?:i|a)ve up|given up|turned (?:round|around|over)|revers\w+|overrul\w+|overturn\w+|back on the table|"
    r"re-?open\w*|reconsider\w*|(?:think|thought) again|switch(?:ed|ing)?|replac\w+|moved|no longer|used to"
)
_HOLDS = r"as things stand|(?:holds?|applies|counts?|stands?|valid) (?:today|now|at present)"

_ASKS: dict[Ask, str] = {
    "when": rf"when|(?:what|which|whose)\s+(?:\w+\s+){{0,2}}?(?:{_TIMES})s?|how long (?:ago|do)|since when|Y{{4}}|"
    r"deadlines?|last (?:possible )?days?|runs? out of time|earliest|in (?:which|the) order",
    "who": r"who(?:se|m)?|which (?:person|colleague|one of (?:us|them)|of (?:us|them))",
    "current": r"now|current(?:ly)?|today's?|these days|at the moment|at present|as things stand|still|"
    r"(?<!at the )latest|final(?:ly)?|in the end|after all|eventually|nowadays",
    "former": r"original(?:ly)?|former(?:ly)?|previous(?:ly)?|used to|at first|initial(?:ly)?|earlier|no longer|"
    r"gave up|before (?:that|it|this|the change)",
    "turn": rf"{_TURNS}|{_HOLDS}",
    "advice": r"(?:can|could|would|will) you (?:\w+ ){0,2}?"
    r"(?:suggest|recommend|help|show|give|explain|tell|walk|write|make|plan|find)|"
    r"(?:how|what|which|where) (?:\w+ ){0,3}?(?:should|can|could|do|would) (?:i|we|you (?:suggest|recommend|advise))|"
    r"any (?:tips|advice|ideas|suggestions|recommendations)|what are (?:some|the different|the best|good)|"
    r"i(?:'m| am) looking (?:to|for)",
    # A thing or a person that is described instead of named has to be found before what is asked about it.
    "hop": r"who(?:m|so)?ever|the (?:same|very)|the (?:one|person|people|\w+) (?:that|who|whose|which|whom)|"
    r"(?:in|on|about|to) which|where (?:\w+ ){1,3}(?:says|wants|thinks)",
}

_KINDS: dict[StatementKind, str] = {
    "owner": r"who(?:m)? (?:\w+ ){0,2}?(?:owns?|looks? after|takes? care|handles?|leads?|runs|has|took|takes|"
    r"is (?:responsible|in charge|on))|responsible|in charge|whose (?:job|hands|desk|task|responsibility)|assigned",
    "approval": r"approv\w+|sign(?:ed|s)? off|sign-off|go-ahead|okay(?:ed)?|cleared|whose (?:yes|signature)|"
    r"gave (?:\w+ )?(?:yes|ok)|put their name",
    "deadline": r"deadline|due|by (?:which|what|when)|last (?:possible )?day|until (?:which|when|what)|how long do|"
    r"runs? out|order of their|earliest|have to be (?:done|ready|finished)|must .{0,60}? be (?:done|ready|finished)",
    "status": r"status|how far|where do (?:we|i|you|they) stand|(?:what|which) (?:shape|state)|progress|last reported|"
    r"how is .{0,60}? (?:going|doing)|come along",
    "blocker": r"block\w*|hold(?:s|ing)? (?:\w+ )?(?:up|back)|held up|keep(?:s|ing)? \w+ from|"
    r"wait(?:s|ing)? (?:for|on)|before .{0,80}? can|for want of|stuck|depends",
    "change": rf"{_TURNS}|{_HOLDS}|instead",
    "decision": rf"{_TURNS}|{_HOLDS}|instead",
    "proposal": rf"{_TURNS}|instead",
}

_ASK_PATTERNS = {ask: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) for ask, pattern in _ASKS.items()}
_KIND_PATTERNS = {kind: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) for kind, pattern in _KINDS.items()}

# The sort of answer that is asked for: its words are in no message that answers.
_SORT = re.compile(
    rf"\b(?:what|which|whose)\s+(?:\w+\s+){{0,2}}?(?:(?:{_TIMES}|number|amount|kind|type|sort|thing|name|person)s?|people)\b"
    rf"(?:\s+of\b)?|\bhow (?:{_SIZES})\b(?:\s+(?:times|days|weeks|hours|minutes))?",
    re.IGNORECASE,
)
# How the answer is to be written is no part of what is asked.
_INSTRUCTS = re.compile(
    r"(?<=[.?!])\s+(?:please )?(?:give|answer|write|state|express|use|name) "
    r"(?:the|your|me|it|in|with|only|both|all|them)\b[^.?!]*+[.?!]*+\s*+$",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\([^()]*+\)")
_FORMAT = re.compile(
    r"Y{2,4}|\b(?:format|e\.g\.|give the|list|name (?:all|them|both)|in words|answer)\b", re.IGNORECASE
)


def asks_in(question: str) -> frozenset[Ask]:
    """What sort of answer is asked for."""
    return frozenset(ask for ask, pattern in _ASK_PATTERNS.items() if pattern.search(question))


def kinds_in(question: str) -> frozenset[StatementKind]:
    """The kinds of statements that would answer."""
    return frozenset(kind for kind, pattern in _KIND_PATTERNS.items() if pattern.search(question))


def without_format(question: str) -> str:
    """The question without instructions about the form of the answer."""
    plain = _INSTRUCTS.sub(" ", question)
    return _BRACKETS.sub(lambda found: " " if _FORMAT.search(found[0]) else found[0], plain)


def without_sort(text: str) -> str:
    """The text without the words that name the sort of answer ("what date", "how many")."""
    return _SORT.sub(" ", text)
