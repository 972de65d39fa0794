"""The audit of a question file: what is wrong with its gold, its evidence, its askers and its twins.

Every finding can be checked by hand, and each check is built to stay silent where it is not sure: a paraphrase is no
error, so gold counts as unsupported only where nothing of it is in any of the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from groupmem.lab.measures.values import GoldValue, ValueFinder, numbers_in
from groupmem.lab.questions.checks import as_message
from groupmem.memory.languages import STOPWORDS_ENGLISH
from groupmem.text import stemmer, words
from groupmem.types import Conversation, Message, Question, Record

Problem = Literal[
    "unknown_asker",
    "missing_evidence",
    "hidden_evidence",
    "unsupported_gold",
    "unknown_gold",
    "answer_in_question",
    "twin_missing",
    "twin_same_gold",
    "duplicate",
]
"""The asker is nobody of the corpus; an evidence id is no message; the asker may not read the evidence; nothing of the
gold is in the evidence; the question names no evidence and a word of its gold is in no message; the question gives the
answer away; its twin does not exist; both twins have one gold answer; the same asker is asked the same twice."""

_SAYS_NOTHING = re.compile(
    r"\bno information\b|\bnot (?:enough|available|mentioned|known)\b|\bcannot be answered\b", re.IGNORECASE
)
_CHOICE = re.compile(r"\bor\b|:", re.I)
_DIGIT = re.compile(r"\d")

_ANYBODY = GoldValue(kind="person", values=())


class Finding(Record, frozen=True, kw_only=True):
    """One thing that is wrong with one question. A file of them, one a line, is an errata file for `groupmem run`."""

    question: str
    problem: Problem
    detail: str
    unit: str | None = None


class Audit:
    """Checks questions against the conversation that they are about."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._messages = {message.id: message for message in conversation.messages}
        self._finder = ValueFinder(conversation.people, conversation.channels)
        self._stem = stemmer()
        self._known = {person.id for person in conversation.people} | {
            message.author for message in conversation.messages
        }
        self._roles = {person.id: person.role for person in conversation.people}
        self._terms: frozenset[str] | None = None

    def findings(self, questions: Sequence[Question]) -> Iterator[Finding]:
        """What is wrong, question by question in their order."""
        by_id = {question.id: question for question in questions}
        asked: dict[tuple[str, str | None], str] = {}
        checks: tuple[Callable[[Question], Iterator[tuple[Problem, str]]], ...] = (
            self._asker,
            self._evidence,
            self._gold,
            self._leak,
        )
        for question in questions:
            found = [finding for check in checks for finding in check(question)]
            found += _twin(question, by_id)
            first = asked.setdefault((" ".join(words(question.text)), question.asker), question.id)
            if first != question.id:
                found.append(("duplicate", f"the same as {first}"))
            for problem, detail in found:
                yield Finding(question=question.id, problem=problem, detail=detail)

    def _asker(self, question: Question) -> Iterator[tuple[Problem, str]]:
        if question.asker is not None and question.asker not in self._known:
            yield "unknown_asker", f"{question.asker} is nobody of the corpus"

    def _evidence(self, question: Question) -> Iterator[tuple[Problem, str]]:
        for name in question.evidence:
            if name not in self._messages:
                yield "missing_evidence", f"there is no message {name}"
        hidden = self._conversation.hidden_channels(question.asker)
        for name in question.evidence:
            if name in self._messages and self._messages[name].channel in hidden:
                yield "hidden_evidence", f"{question.asker or 'the asker'} may not read {name}"

    def _gold(self, question: Question) -> Iterator[tuple[Problem, str]]:
        if question.answer is None or _SAYS_NOTHING.search(question.answer):
            return
        evidence = [self._messages[name] for name in question.evidence if name in self._messages]
        if evidence and not self._supports(question, evidence):
            yield "unsupported_gold", f"nothing of {question.answer!r} is in {', '.join(question.evidence)}"
        if not question.evidence:
            terms = self._terms_of_corpus()
            unknown = [word for word in self._content(question.answer) if word not in terms]
            if unknown:
                yield "unknown_gold", f"no message has the word {unknown[0]!r} of {question.answer!r}"

    def _supports(self, question: Question, evidence: Sequence[Message]) -> bool:
        """Whether a value of the gold's kind, or any word of the gold, is in the evidence.

        A date may be derived in ways that no extractor follows: any date in the evidence will do for it, and a message
        without a time may name one that cannot be resolved.
        """
        answer = as_message(question.answer or "")
        gold = self._finder.gold_of(question)
        if gold is not None and gold.kind == "date":
            return any(
                message.sent_at is None or self._finder.offered(message, gold) or _DIGIT.search(message.text)
                for message in evidence
            )
        wanted = {*self._content(answer.text), *_bare_numbers(answer.text)}
        said = {term for message in evidence for term in self._content(message.text)}
        said.update(number for message in evidence for number in _bare_numbers(message.text))
        people = self._finder.offered(answer, _ANYBODY)
        return not wanted or not wanted.isdisjoint(said) or any(self._speaks_of(people, one) for one in evidence)

    def _speaks_of(self, people: frozenset[str], message: Message) -> bool:
        """Whether the message is by, names, or names the role of one of the people."""
        if message.author in people or not people.isdisjoint(self._finder.offered(message, _ANYBODY)):
            return True
        roles = {role for role in map(self._roles.get, people) if role}
        return bool(roles) and self._finder.holds(message, GoldValue(kind="role", values=tuple(roles)))

    def _leak(self, question: Question) -> Iterator[tuple[Problem, str]]:
        """A question that offers a choice must name its options, and one about a date may name others."""
        if question.answer is None or _CHOICE.search(question.text):
            return
        gold = self._finder.gold_of(question)
        asked = as_message(question.text)
        stated = gold is not None and gold.kind != "person" and self._finder.holds(asked, gold)
        answer = words(question.answer)
        content = self._content(question.answer)
        quoted = len(content) > 1 and f" {' '.join(answer)} " in f" {' '.join(words(question.text))} "
        if stated or quoted:
            yield "answer_in_question", question.answer

    def _content(self, text: str) -> list[str]:
        return [self._stem(word) for word in words(text) if word not in STOPWORDS_ENGLISH and not word.isdecimal()]

    def _terms_of_corpus(self) -> frozenset[str]:
        if self._terms is None:
            self._terms = frozenset(
                term
                for message in self._conversation.messages
                for text in (message.text, message.author, message.role, message.channel, message.phase, message.topic)
                if text
                for term in self._content(text)
            )
        return self._terms


def _bare_numbers(text: str) -> set[str]:
    """The numbers of a text without their units, which evidence may leave out."""
    return {number.partition(" ")[0] for number in numbers_in(text)}


def _twin(question: Question, by_id: dict[str, Question]) -> list[tuple[Problem, str]]:
    if question.twin is None:
        return []
    twin = by_id.get(question.twin)
    if twin is None:
        return [("twin_missing", f"there is no question {question.twin}")]
    if question.answer is not None and words(question.answer) == words(twin.answer or ""):
        return [("twin_same_gold", f"{question.twin} has the same answer {question.answer!r}")]
    return []
