"""Questions by models, over loopback HTTP and through batch files: the whole loop, and models that misbehave."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from replay_support import COLOURS, CommandLine, batch_requests

from groupmem.readers import jsonl
from groupmem.types import Channel, Conversation, Message, Person
from support.openai_server import OpenAIServer, RecordedRequest, Reply

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
Answer = Callable[[RecordedRequest], Reply]
FILLER = 14
"""Messages about something else, so that the solver's ten ranks do not hold the whole conversation."""


@pytest.fixture
def rooms(tmp_path: Path) -> Path:
    """Eight messages that each say what one room is painted, and talk about lunch."""
    said = [f"I moved room {n} to Friday instead, Mira paints it {colour}." for n, colour in enumerate(COLOURS)]
    said += [f"Lunch was soup again today, number {n} in a row, and nobody minded." for n in range(FILLER)]
    messages = tuple(
        Message(
            id=f"m{n}",
            channel="rooms",
            author=("u1", "u2")[n % 2],
            role=("Painter", "Owner")[n % 2],
            text=text,
            sent_at=START + timedelta(minutes=n),
        )
        for n, text in enumerate(said)
    )
    people = (
        Person(id="u1", name="Mira Castellane", role="Painter"),
        Person(id="u2", name="Tomas Okonjo", role="Owner"),
        Person(id="u3", name="Ada Brisbois", role="Guest"),
    )
    path = tmp_path / "rooms.jsonl"
    jsonl.write(path, Conversation(id="rooms", messages=messages, people=people, channels=(Channel(id="rooms"),)))
    return path


def kind_of(request: RecordedRequest) -> str:
    """Which of the prompts a request was made with."""
    text = request.last_message
    marks = {
        "classify": "Does it state something concrete",
        "propose": "Write a question of the type",
        "verify": "Answer the question from these messages alone",
        "absent": "whether any of them answers the question",
        "refine": "so it is too easy",
        "twin": "exactly the same words",
        "judge": "### Reference answer",
        "read": "Passages found",
    }
    return next((name for name, mark in marks.items() if mark in text), "alone")


def colleague(request: RecordedRequest) -> Reply:
    """A model that does each job well: it knows a colour when it sees the room's message, and asks by room number; the
    reader overlooks the room among ten passages once the question says "chamber"."""
    text, kind = request.last_message, kind_of(request)
    anchor = re.search(r"message to start from: (m\d+)", text)
    if kind == "classify":
        assert anchor
        painted = re.search(rf"^{anchor[1]} .*\n.*paints it (\w+)", text, re.MULTILINE)
        return said(answerable=painted is not None, answer=painted[1] if painted else "", kind="choice")
    if kind == "propose":
        assert anchor
        asker = re.search(r"People who may ask: (u\d)", text)
        absent = "The question must have no answer" in text
        question = f"What did room {anchor[1][1:]} cost?" if absent else f"Which shade gets room {anchor[1][1:]}?"
        evidence = [] if absent else [anchor[1]]
        return said(question=question, asker=asker[1] if asker else "", answer="", evidence=evidence)
    if kind == "verify":
        return said(answer="yes", same=True, all_needed=True)
    if kind == "absent":
        return said(answered=False)
    if kind == "twin":
        return said(found=False, asker="", answer="", kind="text", evidence=[])
    if kind == "refine":
        asked = re.search(r"(u\d) asks: (.+)", text)
        assert asked
        names = [f"m{number}" for number in re.findall(r"(?:room|chamber) (\d+)", asked[2])]
        return said(question=asked[2].replace("room", "chamber"), asker=asked[1], answer="", evidence=names)
    if kind == "judge":
        gold, answer = re.findall(r"(?:### Reference answer|<answer id=.*>)\n(.+)", text)
        return Reply(f"Compared.\nFinal: {'Correct' if gold == answer else 'Incorrect'}")
    return Reply(f"Looked.\nFinal: {read(text)}")


def read(text: str) -> str:
    """What the reader answers: the colour of the room asked for; among many passages not of a "chamber"."""
    asked = re.search(r"(room|chamber) (\d+)\?", text)
    passages = re.search(r"Passages found \((\d+)\)", text)
    if asked is None or passages is None or (asked[1] == "chamber" and int(passages[1]) > 1):
        return "no idea"
    found = re.search(rf"room {asked[2]} .* paints it (\w+)", text)
    return found[1] if found else "no idea"


def said(**fields: Any) -> Reply:
    return Reply(json.dumps(fields))


@contextmanager
def serving(answer: Answer) -> Iterator[tuple[OpenAIServer, tuple[str, ...]]]:
    with OpenAIServer(answer) as server:
        model = f"openai:colleague@{server.url}"
        yield server, ("--author", model, "--reader", model, "--judge", model, "--no-cache", "-q")


def make(groupmem: CommandLine, rooms: Path, out: Path, *options: object, types: str = "temporal") -> Any:
    ended = groupmem("questions", "make", rooms, "--out", out, "--per-type", 3, "--types", types, "--json", *options)
    assert ended.code == 0, ended.err
    return ended.object


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def test_the_whole_loop(groupmem: CommandLine, rooms: Path, tmp_path: Path) -> None:
    with serving(colleague) as (server, models):
        shown = make(groupmem, rooms, tmp_path / "out", *models)
    (counts,) = shown["counts"]
    assert counts["accepted"] == 3 and counts["mean_rounds"] == 2.0
    for row in rows(tmp_path / "out/questions/temporal.jsonl"):
        (name,) = row["evidence"]
        assert row["question"] == f"Which shade gets chamber {name[1:]}?"
        assert row["answer"] == COLOURS[int(name[1:])]
        assert row["moves"] == ["reworded"]
    asked = Counter(kind_of(request) for request in server.requests)
    assert asked["alone"] == 3, "only what is hard and answerable is tried on a reader without a memory"
    assert asked["refine"] == asked["judge"] - asked["alone"] - 3 - 3
    schemas = [request.body["response_format"] for request in server.requests if kind_of(request) == "propose"]
    assert schemas and all(schema["json_schema"]["strict"] for schema in schemas)


def of_a_type(request: RecordedRequest) -> Reply:
    """The colleague, with the type in the question: what one type has asked somebody, no other type asks."""
    reply = colleague(request)
    category = re.search(r'question of the type "(\w+)"', request.last_message)
    return replace(reply, text=str(reply.text).replace("shade", f"{category[1]} shade")) if category else reply


def test_every_type_can_be_made_and_only_abstention_has_no_evidence(
    groupmem: CommandLine, rooms: Path, tmp_path: Path
) -> None:
    types = "multi_hop,knowledge_update,term_ambiguity,user_implicit,temporal,abstention"
    with serving(of_a_type) as (_, models):
        shown = make(groupmem, rooms, tmp_path / "out", *models, types=types)
    assert [counts["accepted"] for counts in shown["counts"]] == [3] * 6
    for counts in shown["counts"]:
        for row in rows(tmp_path / "out/questions" / f"{counts['category']}.jsonl"):
            assert bool(row["evidence"]) == (counts["category"] != "abstention")


def twinning(**fields: Any) -> Answer:
    """The colleague, for whom "room 1" is another room to somebody else; the reader takes it for that one where it has
    only that one."""

    def answer(request: RecordedRequest) -> Reply:
        if kind_of(request) != "twin":
            return colleague(request)
        asked = re.search(r"^(u\d) asks: Which shade gets (?:room|chamber) (\d+)", request.last_message)
        assert asked
        other = (int(asked[2]) + 1) % len(COLOURS)
        usual = {"asker": "u2" if asked[1] != "u2" else "u3", "answer": COLOURS[other], "evidence": [f"m{other}"]}
        return said(**{"found": True, "kind": "choice", **usual, **fields})

    return answer


def test_a_question_whose_answer_differs_by_asker_gets_a_twin(
    groupmem: CommandLine, rooms: Path, tmp_path: Path
) -> None:
    with serving(twinning()) as (_, (author, name, *_rest)):
        made = make(groupmem, rooms, tmp_path / "out", author, name, "--no-cache", "-q", types="term_ambiguity")
    (counts,) = made["counts"]
    assert counts["raw"] == 2 * counts["anchors"] - counts["refused"].get("no_evidence", 0) * 2
    trace = rows(tmp_path / "out/questions-made/trace.jsonl")
    tried = [round_["wording"] for line in trace for round_ in line["rounds"]]
    assert tried
    for left, right in tried:
        assert left["text"] == right["text"] and left["asker"] != right["asker"]
        assert left["answer"] != right["answer"]
        assert right["answer"] == COLOURS[int(right["needs"][0]["message"][1:])]


@pytest.mark.parametrize(
    "fields",
    [
        {"asker": "u777"},
        {"answer": " "},
        {"evidence": []},
        {"evidence": ["m777"]},
        {"kind": "colour"},
        {"found": False},
    ],
)
def test_a_twin_that_is_none_leaves_the_question_alone(
    groupmem: CommandLine, rooms: Path, tmp_path: Path, fields: dict[str, Any]
) -> None:
    with serving(twinning(**fields)) as (_, models):
        (counts,) = make(groupmem, rooms, tmp_path / "out", *models, types="user_implicit")["counts"]
    assert (counts["accepted"], counts["twins"]) == (3, 0)


def misbehaving(kind: str, reply: Callable[[str], Reply]) -> Answer:
    """The colleague, but for one job."""

    def answer(request: RecordedRequest) -> Reply:
        return reply(request.last_message) if kind_of(request) == kind else colleague(request)

    return answer


def leaking(text: str) -> Reply:
    anchor, answer = re.search(r"start from: (m\d+)", text), re.search(r"must have: (\w+)", text)
    assert anchor and answer
    question = f"Is room {anchor[1][1:]} the one that gets {answer[1]}?"
    return said(question=question, asker="u3", answer=answer[1], evidence=[anchor[1]])


def proposing(**fields: Any) -> Callable[[str], Reply]:
    def reply(text: str) -> Reply:
        anchor = re.search(r"start from: (m\d+)", text)
        usual = {"question": "Which shade?", "asker": "u3", "answer": "", "evidence": [anchor[1] if anchor else ""]}
        return said(**{**usual, **fields})

    return reply


@pytest.mark.parametrize(
    ("kind", "reply", "refusal"),
    [
        ("classify", lambda text: Reply("I would rather not."), "malformed"),
        ("classify", lambda text: said(answerable=True, answer="ochre"), "malformed"),
        ("classify", lambda text: said(answerable=True, answer="ochre", kind="colour"), "malformed"),
        ("classify", lambda text: said(answerable=False, answer="", kind="text"), "no_evidence"),
        ("propose", lambda text: Reply("{", finish_reason="length"), "malformed"),
        ("propose", proposing(evidence=[]), "no_evidence"),
        ("propose", proposing(evidence=["m777"]), "no_evidence"),
        ("propose", proposing(asker="u777"), "malformed"),
        ("propose", proposing(question="  "), "malformed"),
        ("propose", leaking, "answer_in_question"),
        ("verify", lambda text: said(answer="teal", same=False, all_needed=True), "not_verified"),
        ("verify", lambda text: said(answer="", same=True, all_needed=False), "not_verified"),
        ("judge", lambda text: Reply("Hard to say."), "unscored"),
        ("judge", lambda text: Reply("Final: Incorrect"), "unanswerable"),
        ("judge", lambda text: Reply("Final: Correct"), "solved"),
        ("read", lambda text: Reply("", finish_reason="length"), "unscored"),
        ("alone", lambda text: Reply(f"Final: {' '.join(COLOURS)}"), None),
    ],
)
def test_nothing_is_accepted_from_models_that_misbehave(
    groupmem: CommandLine,
    rooms: Path,
    tmp_path: Path,
    kind: str,
    reply: Callable[[str], Reply],
    refusal: str | None,
) -> None:
    with serving(misbehaving(kind, reply)) as (_, models):
        (counts,) = make(groupmem, rooms, tmp_path / "out", *models, "--rounds", 3)["counts"]
    if refusal is None:
        assert counts["accepted"] == 3
        return
    assert counts["accepted"] == 0
    assert set(counts["refused"]) <= {refusal, "no_evidence"} and counts["refused"][refusal] >= len(COLOURS)
    assert rows(tmp_path / "out/questions/temporal.jsonl") == []
    trace = rows(tmp_path / "out/questions-made/trace.jsonl")
    assert all(line["refusal"] and line["detail"] for line in trace if line["refusal"] == refusal)


def test_what_can_be_guessed_is_not_kept(groupmem: CommandLine, rooms: Path, tmp_path: Path) -> None:
    def guess(request: RecordedRequest) -> Reply:
        if kind_of(request) != "alone":
            return colleague(request)
        asked = re.search(r"chamber (\d+)\?", request.last_message)
        return Reply(f"Final: {COLOURS[int(asked[1])] if asked else 'no idea'}")

    with serving(guess) as (_, models):
        (counts,) = make(groupmem, rooms, tmp_path / "out", *models)["counts"]
    assert counts["accepted"] == 0 and counts["refused"]["guessable"] == len(COLOURS)


def test_what_the_oracle_cannot_answer_is_kept_apart(groupmem: CommandLine, rooms: Path, tmp_path: Path) -> None:
    with serving(misbehaving("read", lambda text: Reply("Final: no idea"))) as (_, models):
        (counts,) = make(groupmem, rooms, tmp_path / "out", *models)["counts"]
    assert counts["refused"]["unanswerable"] == len(COLOURS)
    unfiltered = rows(tmp_path / "out/questions-unfiltered/temporal.jsonl")
    assert len(unfiltered) == len(COLOURS)
    assert all(row["flags"] == ["unsolvable"] for row in unfiltered)


def test_an_absent_answer_that_is_there_is_no_abstention(groupmem: CommandLine, rooms: Path, tmp_path: Path) -> None:
    with serving(misbehaving("absent", lambda text: said(answered=True))) as (_, models):
        (counts,) = make(groupmem, rooms, tmp_path / "out", *models, types="abstention")["counts"]
    assert counts["accepted"] == 0 and set(counts["refused"]) == {"not_verified"}


def test_malformed_replies_are_asked_for_again(groupmem: CommandLine, rooms: Path, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()

    def stutter(request: RecordedRequest) -> Reply:
        if kind_of(request) != "propose":
            return colleague(request)
        seen[request.last_message] += 1
        return Reply("well...") if seen[request.last_message] < 3 else colleague(request)

    with serving(stutter) as (_, models):
        (counts,) = make(groupmem, rooms, tmp_path / "out", *models)["counts"]
    assert counts["accepted"] == 3
    assert set(seen.values()) == {3}


def answer_wave(folder: Path) -> None:
    """Writes what a batch service would: the colleague's answer to every request so far."""
    answers = []
    for request in batch_requests(folder):
        reply = colleague(RecordedRequest("", {}, request["body"]))
        message = {"role": "assistant", "content": reply.text}
        body = {"choices": [{"finish_reason": "stop", "message": message}], "usage": reply.usage}
        answers.append(json.dumps({"custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}}))
    (folder / "output.jsonl").write_text("\n".join(answers) + "\n")


def test_through_batch_files_in_rounds(
    groupmem: CommandLine, rooms: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each start goes one call further with every anchor of every type, and in the end the questions are the same."""
    monkeypatch.chdir(tmp_path)
    types = "temporal,abstention"
    with serving(colleague) as (_, models):
        make(groupmem, rooms, tmp_path / "http", *models, types=types)
    name = "batch:colleague@waves"
    options = ("--author", name, "--reader", name, "--judge", name, "--no-cache", "-q")
    command = ("questions", "make", rooms, "--out", "out", "--per-type", 3, "--types", types, *options)
    waves = 0
    while (ended := groupmem(*command)).code == 3:
        waves += 1
        assert "requests in" in ended.err and waves < 40
        answer_wave(tmp_path / "waves")
    assert ended.code == 0, ended.err
    assert waves >= 10  # classify, propose, verify, read, judge, refine, verify, read, judge, oracle, ...
    for category in types.split(","):
        file = f"questions/{category}.jsonl"
        assert (tmp_path / "out" / file).read_bytes() == (tmp_path / "http" / file).read_bytes()


def test_known_facts_may_be_tried_on_a_reader_and_a_judge_only_together(
    groupmem: CommandLine, rooms: Path, tmp_path: Path
) -> None:
    with OpenAIServer(colleague) as server:
        model = f"openai:colleague@{server.url}"
        command = ("questions", "make", rooms, "--out", tmp_path / "out", "--author", model, "--reader", model)
        ended = groupmem(*command, "--no-cache")
    assert ended.code == 1 and "--reader and --judge go together" in ended.err
