"""Which messages prove a fact, and what its value is for the extractor.

Gold evidence is minimal: the first message that tells the value and names its subject by itself. Later messages that do
the same are its alternatives; a fact that is repeated more often than `MOST_ALTERNATIVES` is too easy to come by and
gives no question, and neither does one whose last word is a mistake that nobody set right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

from groupmem.lab.measures.values import AnswerKind, GoldValue, ValueFinder
from groupmem.lab.questions.facts import Fact, Spoken, Truth
from groupmem.lab.questions.records import Need
from groupmem.types import Message

MOST_ALTERNATIVES = 2
FIRST_PERSON = ("i", "me", "my", "mine")
"""What stands for the author's own name or view, and gives no value by itself."""
VALUE_KINDS: Mapping[str, AnswerKind] = {
    "deadline": "date",
    "owner": "person",
    "approval": "person",
    "status": "status",
    "number": "number",
    "decision": "choice",
    "preference": "choice",
    "belief": "choice",
    "requirement": "text",
    "blocker": "text",
}


class Evidence:
    """Answers, for the facts of one corpus, what proves them."""

    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self.finder = ValueFinder(truth.conversation.people, truth.conversation.channels)
        self._needs: dict[str, Need | None] = {}

    def gold(self, fact: Fact) -> GoldValue:
        """The fact's value and what could be taken for it."""
        kind = VALUE_KINDS[fact.kind]
        if kind in ("date", "person"):
            return GoldValue(kind=kind, values=(fact.value,))
        surfaces = (spoken.surface for spoken in fact.telling if spoken.surface.casefold() not in FIRST_PERSON)
        said = tuple(dict.fromkeys((fact.value_text, *surfaces)))
        if kind == "number":
            return GoldValue(kind=kind, values=said)
        own = {value.casefold() for value in said}
        return GoldValue(
            kind=kind, values=said, stale=tuple(value for value in self._rivals(fact) if value.casefold() not in own)
        )

    def need(self, fact: Fact) -> Need | None:
        """The message that proves the fact, with its value; None where the corpus does not tell it plainly enough."""
        if fact.id not in self._needs:
            self._needs[fact.id] = self._find(fact)
        return self._needs[fact.id]

    def link(self, fact: Fact) -> Need | None:
        """The same message where it only leads on to another one."""
        need = self.need(fact)
        return None if need is None else Need(message=need.message, alternatives=need.alternatives)

    def spoken(self, fact: Fact) -> Spoken | None:
        """The mention in the message that proves the fact."""
        need = self.need(fact)
        if need is None:
            return None
        return next(spoken for spoken in fact.telling if spoken.message == need.message)

    def names_subject(self, spoken: Spoken) -> bool:
        """Whether the message names what it speaks of, and does not leave that to the one it answers."""
        return self.is_named(spoken.subject, spoken.message)

    def is_named(self, subject: str, message: str) -> bool:
        """Whether the message has the name of a subject and what it is for, together or apart."""
        text = self._truth.messages[message].text.casefold()
        head = subject.rpartition(" for ")[0] or subject
        tail = subject.removeprefix(head).strip()
        return head.casefold() in text and tail.removeprefix("for ").casefold() in text

    def values_like(self, kind: str, subject: str) -> tuple[str, ...]:
        """All values that the corpus gives to things of the sort, in all words."""
        head = subject.rpartition(" for ")[0] or subject
        return tuple(self._values.get((kind,) if kind == "status" else (kind, head), {}))

    def naming(self, phrase: str) -> list[Message]:
        """The messages whose text holds the phrase, which is in lower case."""
        return [message for message, text in self._texts if phrase in text]

    def _find(self, fact: Fact) -> Need | None:
        mistaken = [index for index, spoken in enumerate(fact.mentions) if spoken.how == "mistake"]
        if mistaken and not any(spoken.how not in ("ask", "mistake") for spoken in fact.mentions[mistaken[-1] + 1 :]):
            return None
        gold = self.gold(fact)
        plain = dict.fromkeys(
            spoken.message
            for spoken in fact.telling
            if spoken.message in fact.stated_in
            and self.names_subject(spoken)
            and self.finder.holds(self._truth.messages[spoken.message], gold)
        )
        first, *others = plain or [""]
        if not first or len(others) > MOST_ALTERNATIVES:
            return None
        return Need(message=first, alternatives=tuple(others), value=gold)

    def _rivals(self, fact: Fact) -> tuple[str, ...]:
        """Other values of the same kind that stand in the corpus for the same sort of thing."""
        key = (fact.kind, fact.subject if fact.holder else fact.head)
        values = self._values.get((fact.kind,) if fact.kind == "status" else key, {})
        return tuple(values)

    @cached_property
    def _texts(self) -> list[tuple[Message, str]]:
        return [(message, message.text.casefold()) for message in self._truth.conversation.messages]

    @cached_property
    def _values(self) -> Mapping[tuple[str, ...], Mapping[str, None]]:
        found: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
        for fact in self._truth.facts:
            keys: list[tuple[str, ...]] = [(fact.kind, fact.subject if fact.holder else fact.head)]
            if fact.kind == "status":
                keys.append(("status",))
            for key in keys:
                for value in (fact.value_text, *(spoken.surface for spoken in fact.telling)):
                    if value.casefold() not in FIRST_PERSON:
                        found[key][value] = None
        return found
