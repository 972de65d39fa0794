"""The hand-written conversation itself: every claim that its README and its gold make, checked against the messages."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import pytest

from groupmem.lab.measures.recall import recall_at_k
from groupmem.lab.systems.base import Setting
from groupmem.lab.systems.registry import create_system
from groupmem.readers import groupmembench
from groupmem.text import words
from groupmem.types import Message, Question, passage_ids

FOLDER = Path(str(files("groupmem") / "data" / "handwritten"))
LOADED = groupmembench.read(FOLDER)
PEOPLE = {person.id: person for person in LOADED.conversation.people}
CHANNELS = {channel.id: channel for channel in LOADED.conversation.channels}
MESSAGES = {message.id: message for message in LOADED.conversation.messages}
QUESTIONS = {question.id: question for question in LOADED.questions}
ANSWERABLE = [question for question in LOADED.questions if question.evidence]
TYPES = ("multi_hop", "knowledge_update", "term_ambiguity", "user_implicit", "temporal", "abstention")
NO_INFORMATION = "There is no information available in the conversation to answer this question."
BANK_HOLIDAY = date(2027, 5, 3)

FIELDS = ["msg_node", "author", "role", "content", "timestamp", "reply_to", "phase_name", "topic"]
FLAGS = ["is_noise", "is_decision_point", "is_bot"]
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
NAMED_DAY = re.compile(
    r"\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? (?:the )?(\d{1,2})(?:st|nd|rd|th)?\b(?!:)"
    rf"(?: (?:of )?({'|'.join(MONTHS)})[a-z]*)?",
    re.IGNORECASE,
)


def sent(message: Message) -> datetime:
    assert message.sent_at is not None, message.id
    return message.sent_at


def evidence(question: Question) -> list[Message]:
    return [MESSAGES[source] for source in question.evidence]


def by_id(question: Question) -> str:
    return question.id


def wrong_days(text: str, said: date) -> list[str]:
    """Dates named with a weekday that the calendar denies. A date without a month is of that month or the next."""
    wrong = []
    for weekday, day, month in NAMED_DAY.findall(text):
        months = (MONTHS.index(month.lower()) + 1,) if month else (said.month, said.month + 1)
        named = {date(said.year, number, int(day)).strftime("%a").lower() for number in months}
        if weekday.lower() not in named:
            wrong.append(f"{weekday} {day} {month}".strip())
    return wrong


def test_it_is_read_as_it_stands() -> None:
    assert LOADED.report.warnings() == ()
    assert len(QUESTIONS) == len(LOADED.questions), "question ids are unique"


def test_messages_have_the_fields_of_the_published_layout() -> None:
    corpus = json.loads((FOLDER / "corpus.json").read_text(encoding="utf-8"))
    for row in (row for rows in corpus.values() for row in rows):
        assert list(row) == FIELDS + FLAGS + ["edited_at"] * ("edited_at" in row), row["msg_node"]
        assert all(isinstance(row[flag], bool) for flag in FLAGS), row["msg_node"]
        assert all(row[field] for field in FIELDS if field != "reply_to"), row["msg_node"]


def test_ids_number_the_messages_in_the_order_they_were_sent() -> None:
    in_order = sorted(MESSAGES.values(), key=sent)
    assert [message.id for message in in_order] == [f"Msg_{number}" for number in range(1, len(in_order) + 1)]
    assert len({sent(message) for message in in_order}) == len(in_order)
    for channel in CHANNELS:
        times = [sent(message) for message in MESSAGES.values() if message.channel == channel]
        assert times == sorted(times), channel


def test_replies_follow_their_parents_in_the_same_channel() -> None:
    depth = {}
    for message in sorted(MESSAGES.values(), key=sent):
        depth[message.id] = 0
        if message.reply_to is not None:
            parent = MESSAGES[message.reply_to]
            assert (parent.channel, sent(parent) < sent(message)) == (message.channel, True), message.id
            depth[message.id] = depth[parent.id] + 1
    assert max(depth.values()) >= 3, "threads of several levels"


def test_authors_are_the_people_or_bots_and_keep_role_and_zone() -> None:
    zones: dict[str, set[timedelta | None]] = {person: set() for person in PEOPLE}
    for message in MESSAGES.values():
        assert message.is_bot == (message.author not in PEOPLE), message.id
        if not message.is_bot:
            assert message.role == PEOPLE[message.author].role, message.id
            zones[message.author].add(sent(message).utcoffset())
    assert all(len(offsets) == 1 for offsets in zones.values()), "everybody writes, from one place"
    assert len(set.union(*zones.values())) == 3


def test_the_private_channel_is_written_by_its_members_alone() -> None:
    private = [channel for channel in CHANNELS.values() if channel.members is not None]
    assert [channel.id for channel in private] == ["closed-door"]
    for message in MESSAGES.values():
        assert message.is_bot or CHANNELS[message.channel].readable_by(message.author), message.id
    for person in PEOPLE.values():
        readable = {channel.id for channel in CHANNELS.values() if channel.readable_by(person.id)}
        assert set(person.extra["channels"]) == readable, person.id


def test_the_edited_decision_was_read_before_it_was_mended() -> None:
    (edited,) = [message for message in MESSAGES.values() if message.edited_at is not None]
    assert edited.extra["is_decision_point"]
    assert edited.edited_at is not None
    replies = [message for message in MESSAGES.values() if message.reply_to == edited.id]
    assert replies
    assert all("saturday" in words(reply.text) and sent(reply) < edited.edited_at for reply in replies)


def test_weekdays_named_with_a_date_agree_with_the_calendar() -> None:
    said = [(message.text, sent(message).date()) for message in MESSAGES.values()]
    said += [(f"{question.answer}\n{question.extra['note']}", date(2027, 4, 30)) for question in LOADED.questions]
    assert [wrong for text, day in said for wrong in wrong_days(text, day)] == []
    assert sum(len(NAMED_DAY.findall(text)) for text, _ in said) > 10


@pytest.mark.parametrize("text", ["Thu 14 May", "friday the 15th", "Sunday 31 of May", "Sat the 1st of april, 20:15"])
def test_a_weekday_that_the_calendar_denies_is_found(text: str) -> None:
    assert len(wrong_days(text, date(2027, 4, 12))) == 1


def test_six_questions_of_each_type() -> None:
    assert Counter(question.category for question in LOADED.questions) == dict.fromkeys(TYPES, 6)
    for question in LOADED.questions:
        assert re.fullmatch(rf"{question.category}_[1-6]", question.id)
        assert question.asker in PEOPLE and question.extra["note"], question.id


@pytest.mark.parametrize("question", LOADED.questions, ids=by_id)
def test_gold_is_proved_by_messages_that_the_asker_may_read(question: Question) -> None:
    assert (question.category == "abstention") == (question.answer == NO_INFORMATION) == (not question.evidence)
    assert all(CHANNELS[message.channel].readable_by(question.asker) for message in evidence(question))
    assert list(question.evidence) == sorted(set(question.evidence), key=lambda source: sent(MESSAGES[source]))


@pytest.mark.parametrize("question", [q for q in LOADED.questions if q.twin], ids=by_id)
def test_twins_share_the_words_and_differ_in_asker_and_gold(question: Question) -> None:
    twin = QUESTIONS[question.twin or ""]
    assert (twin.twin, twin.text) == (question.id, question.text)
    assert twin.asker != question.asker
    assert twin.answer != question.answer


def test_three_twins_are_told_apart_by_the_private_channel() -> None:
    hidden = [question for question in LOADED.questions if question.twin and question.category == "abstention"]
    assert len(hidden) == 3
    for question in hidden:
        told = evidence(QUESTIONS[question.twin or ""])
        assert any(not CHANNELS[message.channel].readable_by(question.asker) for message in told), question.id


@pytest.mark.parametrize(
    ("question", "entity"),
    [
        ("abstention_1", "first preview"),
        ("abstention_2", "grieve marine"),
        ("abstention_3", "marget"),
        ("abstention_4", "electrician"),
        ("abstention_5", "eddle sound ferries"),
        ("abstention_6", "grieve marine"),
    ],
)
def test_the_asker_of_an_abstention_question_could_have_read_of_what_it_is_about(question: str, entity: str) -> None:
    asked = QUESTIONS[question]
    assert entity in asked.text.lower()
    readable = [message for message in MESSAGES.values() if CHANNELS[message.channel].readable_by(asked.asker)]
    assert any(entity in message.text.lower() for message in readable)


@pytest.mark.parametrize("question", LOADED.questions, ids=by_id)
def test_a_question_is_of_its_type(question: Question) -> None:
    proof = evidence(question)
    match question.category:
        case "multi_hop":
            assert len({message.author for message in proof}) > 1
        case "knowledge_update":
            assert any(message.extra["is_decision_point"] for message in proof)
        case "user_implicit":
            assert {message.author for message in proof} == {question.asker}
            assert not {"i", "my", "me"}.isdisjoint(words(question.text))


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("term_ambiguity_1", "bar"),
        ("term_ambiguity_2", "bar"),
        ("term_ambiguity_3", "strike"),
        ("term_ambiguity_4", "strike"),
        ("term_ambiguity_5", "half-light"),
        ("term_ambiguity_6", "comps"),
        ("temporal_1", "plot"),
        ("temporal_2", "plot"),
    ],
)
def test_a_term_is_the_askers_own_and_the_evidence_says_it_otherwise(question: str, term: str) -> None:
    asked = QUESTIONS[question]
    pattern = re.compile(rf"\b{term}\b", re.IGNORECASE)
    assert pattern.search(asked.text)
    assert any(pattern.search(message.text) for message in MESSAGES.values() if message.author == asked.asker)
    assert not any(pattern.search(message.text) for message in evidence(asked))


def next_friday(said: date) -> date:
    return said + timedelta(days=(4 - said.weekday()) % 7)


def second_working_day_after_the_bank_holiday(said: date) -> date:
    assert said < BANK_HOLIDAY
    after = (BANK_HOLIDAY + timedelta(days=number) for number in range(1, 8))
    return [day for day in after if day.weekday() < 5][1]


@pytest.mark.parametrize(
    ("question", "phrase", "resolve"),
    [
        ("temporal_1", "by eod friday", next_friday),
        ("temporal_2", "two weeks from tomorrow", lambda said: said + timedelta(days=15)),
        ("temporal_3", "tomorrow before lunch", lambda said: said + timedelta(days=1)),
        ("temporal_4", "by tonight", lambda said: said),
        ("temporal_5", "second working day after the long weekend", second_working_day_after_the_bank_holiday),
        ("term_ambiguity_4", "last friday in may", lambda _: next_friday(date(2027, 5, 25))),
    ],
)
def test_a_relative_date_is_resolved_in_its_authors_zone(
    question: str, phrase: str, resolve: Callable[[date], date]
) -> None:
    (said,) = [message for message in evidence(QUESTIONS[question]) if phrase in message.text]
    assert QUESTIONS[question].answer == resolve(sent(said).date()).isoformat()


def test_two_relative_dates_come_out_wrong_in_utc() -> None:
    for question in ("temporal_3", "temporal_4"):
        (said,) = evidence(QUESTIONS[question])
        assert sent(said).date() != sent(said).astimezone(UTC).date(), question


def bm25_rankings() -> dict[str, list[str]]:
    opened = create_system("bm25")
    opened.system.open(Setting(options=opened.options))
    opened.system.ingest(sorted(MESSAGES.values(), key=sent))
    opened.system.settle()
    return {
        question.id: passage_ids(
            opened.system.recall(question.text, asker=question.asker, limit=10, asked_at=None).passages
        )
        for question in ANSWERABLE
    }


def test_bm25_puts_no_evidence_first_and_finds_what_the_readme_says() -> None:
    rankings = bm25_rankings()
    assert [question.id for question in ANSWERABLE if rankings[question.id][0] in question.evidence] == []
    recall = sum(recall_at_k(rankings[question.id], question.evidence, 10) for question in ANSWERABLE) / len(ANSWERABLE)
    stated = re.search(r"BM25 .*? recall@10 of ([0-9.]+)\b", (FOLDER / "README.md").read_text(encoding="utf-8"))
    assert stated and stated[1] == f"{recall:.3f}"


def test_the_readme_counts_rightly_and_names_messages_that_there_are() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"{len(MESSAGES)} messages and {len(QUESTIONS)} questions" in readme
    assert f"the {len(ANSWERABLE)} questions that have evidence" in readme
    named = set(re.findall(r"Msg_\d+", readme))
    assert named and named <= set(MESSAGES)
