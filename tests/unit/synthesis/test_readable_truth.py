"""The ground truth of a whole corpus, read again from its texts alone: what a fact says can be told from each message
that states it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from planned_corpora import TEAHOUSE

from groupmem.cli import main
from groupmem.lab.synthesis.pack_file import load_pack
from groupmem.lab.synthesis.verify import FIRST_PERSON

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
TOLD = ("state", "confirm", "reverse", "keep", "report", "refer", "propose", "argue")


def resolve(phrase: str, said: date) -> date:
    """The day that a phrase means in a message of the day `said`, read as a person would: no code of the package."""
    text = phrase.casefold().replace(",", " ").replace("eod ", "")
    ahead = {"today": 0, "the end of today": 0, "tonight": 0, "tomorrow": 1, "noon tomorrow": 1, "a week from today": 7}
    ahead |= {"two weeks from today": 14}
    monday = said - timedelta(days=said.weekday())
    if text in ahead:
        return said + timedelta(days=ahead[text])
    if text in ("the end of the week", "eow"):
        return monday + timedelta(days=4)
    if text == "the end of next week":
        return monday + timedelta(days=11)
    if text in ("the end of the month", "month end"):
        return (said.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return date.fromisoformat(text)
    parts = text.split()
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    month = next((MONTHS.index(part[:3]) + 1 for part in parts if part[:3] in MONTHS and part[:4] != "mon"), None)
    if month is not None:
        day = next(number for number in numbers if number < 32)
        year = next((number for number in numbers if number > 31), said.year)
        return date(year, month, day)
    if numbers:
        return next(day for day in _days_after(said) if day.day == numbers[0])
    weekday = next(DAYS.index(part[:3]) for part in parts if part[:3] in DAYS)
    if "week after next" in text:
        return monday + timedelta(days=14 + weekday)
    if text.endswith("next week"):
        return monday + timedelta(days=7 + weekday)
    if text.endswith("this week"):
        return monday + timedelta(days=weekday)
    nearest = next(day for day in _days_after(said) if day.weekday() == weekday)
    return nearest + timedelta(days=7 * text.startswith("a week from"))


def _days_after(said: date) -> list[date]:
    return [said + timedelta(days=ahead) for ahead in range(1, 62)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("truth") / "corpus"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["groupmem", "synth", "make", str(TEAHOUSE), "-n", "1600", "--out", str(out), "-q"])
        with pytest.raises(SystemExit) as ended:
            main()
    assert not ended.value.code
    return out


@pytest.fixture(scope="module")
def rows(folder: Path) -> dict[str, dict[str, Any]]:
    channels = json.loads((folder / "corpus.json").read_text())
    return {row["msg_node"]: row for channel in channels.values() for row in channel}


@pytest.fixture(scope="module")
def people(folder: Path) -> dict[str, str]:
    """Id -> first name."""
    return {person["id"]: person["name"].split()[0] for person in json.loads((folder / "people.json").read_text())}


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def test_nothing_planned_is_left_unsaid(folder: Path) -> None:
    assert json.loads((folder / "provenance.json").read_text()).get("unstated", 0) == 0


def test_every_value_can_be_told_from_every_message_that_states_it(
    folder: Path, rows: Mapping[str, dict[str, Any]], people: Mapping[str, str]
) -> None:
    words = {
        concept.id: {word for own in concept.words.values() for word in own} for concept in load_pack(TEAHOUSE).concepts
    }
    plain = {concept.id: concept.plain for concept in load_pack(TEAHOUSE).concepts}
    told: Counter[str] = Counter()
    for fact in lines(folder, "facts.jsonl"):
        stating = [mention for mention in fact["mentions"] if mention["how"] in TOLD]
        assert {mention["message"] for mention in stating} >= set(fact["stated_in"])
        for mention in stating:
            row = rows[mention["message"]]
            surface = mention["surface"]
            assert surface in row["content"]
            told[fact["kind"]] += 1
            if fact["value_kind"] == "date":
                said = datetime.fromisoformat(row["timestamp"]).date()
                assert resolve(surface, said) == date.fromisoformat(fact["value"]), (surface, said, fact["value"])
            elif fact["value_kind"] == "person" and row["author"] == fact["value"]:
                assert FIRST_PERSON.fullmatch(surface) or surface == people[fact["value"]]
            elif fact["value_kind"] == "person":
                assert surface == people[fact["value"]]
            else:
                _assert_same_words(surface, fact["value_text"], mention.get("words", {}), plain, words)
    assert all(told[kind] > 10 for kind in ("deadline", "owner", "status", "decision", "blocker", "number", "belief"))


def _assert_same_words(
    surface: str, value: str, used: Mapping[str, str], plain: Mapping[str, str], words: Mapping[str, set[str]]
) -> None:
    """The surface is the value with each concept in somebody's word for it."""
    for concept, word in used.items():
        assert word == plain[concept] or word in words[concept]
        surface = re.sub(re.escape(word), plain[concept], surface, flags=re.IGNORECASE)
    assert surface.casefold() == value.casefold()


def test_reason_and_trigger_of_a_decision_stand_in_the_messages_that_give_them(
    folder: Path, rows: Mapping[str, dict[str, Any]]
) -> None:
    decisions = lines(folder, "decisions.jsonl")
    assert len(decisions) >= 6
    for decision in decisions:
        assert decision["reason_in"]
        assert decision["trigger_in"] or decision["outcome"] == "kept"
        for material in ("reason", "trigger"):
            content = re.findall(r"\w{5,}", decision[material].casefold())
            for message in decision[f"{material}_in"]:
                said = rows[message]["content"].casefold()
                assert sum(word in said for word in content) >= 0.5 * len(content)


@pytest.mark.parametrize(
    ("phrase", "day"),
    [("EOD Fri", None), ("Thursday next week", "2026-03-12"), ("month end", "2026-03-31"), ("the 2nd", "2026-04-02")],
)
def test_the_reader_of_dates_reads(phrase: str, day: str | None) -> None:
    said = date(2026, 3, 3)
    assert resolve(phrase, said) == (date.fromisoformat(day) if day else date(2026, 3, 6))
