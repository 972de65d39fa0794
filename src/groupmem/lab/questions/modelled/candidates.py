"""The light filter: messages that a question of a type could start from, found without a model.

It only saves calls. What it lets through is classified by a model, so it may be generous; what it keeps out is lost.
Source: GroupMemBench, "Anchor Selection".
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping

from groupmem.lab.measures.values import GoldValue, ValueFinder, numbers_in
from groupmem.lab.questions.records import Category
from groupmem.text import words
from groupmem.types import Conversation, Message

FEWEST_WORDS = 6
_DATE = GoldValue(kind="date", values=())
_PERSON = GoldValue(kind="person", values=())
_CHANGE = re.compile(
    r"\b(?:instead|no longer|not .{1,40} any ?more|moved?|changed?|switch(?:ed|ing)?|from now on|after all|"
    r"new (?:date|plan)|replac\w+|postpone\w*|reschedul\w+|drop(?:ped)?|updat\w+|revers\w+|rather than)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I'll|I'd|I've|my|mine|me)\b")
_NAME = re.compile(r"(?<=\w )[A-Z][\w'’-]+")


class Candidates:
    """Messages of one conversation by what they could be asked about."""

    def __init__(self, conversation: Conversation, seed: int) -> None:
        self._messages = [message for message in conversation.messages if _is_statement(message)]
        self._finder = ValueFinder(conversation.people, conversation.channels)
        self._seed = seed
        self._fits: Mapping[Category, Callable[[Message], bool]] = {
            "multi_hop": self._names_something,
            "knowledge_update": lambda message: _CHANGE.search(message.text) is not None,
            "term_ambiguity": lambda message: message.role is not None and self._has_value(message),
            "user_implicit": lambda message: _FIRST_PERSON.search(message.text) is not None,
            "temporal": lambda message: bool(self._finder.offered(message, _DATE)),
            "abstention": self._names_something,
        }

    def of(self, category: Category) -> Iterator[Message]:
        """Candidates for the type, in an order drawn with the seed."""
        rng = random.Random(f"{self._seed}/{category}")
        return filter(self._fits[category], rng.sample(self._messages, len(self._messages)))

    def _names_something(self, message: Message) -> bool:
        return _NAME.search(message.text) is not None or self._has_value(message)

    def _has_value(self, message: Message) -> bool:
        return bool(
            self._finder.offered(message, _DATE) or self._finder.offered(message, _PERSON) or numbers_in(message.text)
        )


def _is_statement(message: Message) -> bool:
    return not message.is_bot and not message.text.rstrip().endswith("?") and len(words(message.text)) >= FEWEST_WORDS
