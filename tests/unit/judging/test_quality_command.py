"""groupmem quality end to end: real files, a judge over loopback HTTP, a batch in waves, a budget, a figure."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from xml.etree import ElementTree

import pytest

from groupmem.cli import main
from groupmem.cli.quality_table import ROWS
from groupmem.lab.judging.quality import DIMENSIONS
from groupmem.readers import jsonl
from groupmem.types import Conversation, Message, Person
from support.openai_server import OpenAIServer, RecordedRequest, Reply

PAGE = Path(__file__).parents[3] / "docs" / "quality.md"
SCORES = dict(zip(DIMENSIONS, (5, 4, 3, 2, 1, 3), strict=True))


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def run(*arguments: object, command: str = "quality") -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the command, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["groupmem", command, *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
    return int(ended.value.code or 0), out.getvalue(), err.getvalue()


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A conversation of 90 messages by two people in one channel."""
    messages = tuple(
        Message(id=f"m{number}", channel="oven", author=f"p{number % 2}", text=f"loaf {number} is out")
        for number in range(90)
    )
    folder = tmp_path / "bakery"
    folder.mkdir()
    people = (Person(id="p0", name="Orla Finch"), Person(id="p1", name="Tam Reed"))
    jsonl.write(folder / "chat.jsonl", Conversation(id="bakery", messages=messages, people=people))
    return folder / "chat.jsonl"


def dimension_of(prompt: str) -> str:
    found = re.match(r"### Criterion\n([\w ]+):", prompt)
    assert found is not None
    return found[1].lower().replace(" ", "_")


def judge(request: RecordedRequest) -> Reply:
    """The score of each dimension, wrapped as models do."""
    score = SCORES[dimension_of(request.last_message)]  # type: ignore[index]
    return Reply(f'```json\n{{"reasoning": "as told", "score": {score}}}\n```')


def test_a_judge_rates_every_dimension_of_every_seed(chat: Path, tmp_path: Path) -> None:
    figure = tmp_path / "radar.svg"
    with OpenAIServer(judge) as server:
        model = f"openai:gpt-4o-mini@{server.url}"
        code, out, err = run(chat, "--judge", model, "--seeds", 3, "--figure", figure)
        assert code == 0, err
        asked = Counter(dimension_of(request.last_message) for request in server.requests)
        assert asked == dict.fromkeys(DIMENSIONS, 3)
        assert all(request.body["response_format"]["json_schema"]["strict"] for request in server.requests)
        rows = {line[:20].strip(): line[20:].split() for line in out.split("\n\n")[1].splitlines()}
        assert rows["naturalness"] == ["5.00", "±", "0.00"]
        assert rows["overall"] == ["3.00", "±", "0.00"]
        # the same command again is answered from the cache, and draws the same bytes
        before = figure.read_bytes()
        assert run(chat, "--judge", model, "--seeds", 3, "--figure", figure)[1] == out
        assert (len(server.requests), figure.read_bytes()) == (18, before)
    ratings = [json.loads(line) for line in (chat.parent / "quality" / "ratings.jsonl").read_text().splitlines()]
    assert [rating["score"] for rating in ratings] == [*SCORES.values()] * 3
    record = json.loads((chat.parent / "quality" / "quality.json").read_text())
    assert record["scores"]["chat"]["overall"]["mean"] == 3.0
    assert set(record["prompts"]) == {"quality/system", "quality/user", *(f"quality/{name}" for name in DIMENSIONS)}
    drawn = "".join(ElementTree.fromstring(before).itertext())  # noqa: S314 - our own file
    assert all(name.replace("_", " ") in drawn for name in DIMENSIONS)


def test_replies_that_are_no_rating_are_counted_and_in_no_mean(chat: Path) -> None:
    def flawed(request: RecordedRequest) -> Reply:
        broken = dimension_of(request.last_message) == "momentum"
        return Reply("It is quite good") if broken else judge(request)

    with OpenAIServer(flawed) as server:
        model = f"openai:gpt-4o-mini@{server.url}"
        code, out, _ = run(chat, "--judge", model, "--seeds", 2)
        assert code == 0
        assert "chat: not scored, and in no mean: 2 unparsable" in out
        code, out, _ = run(chat, "--judge", model, "--seeds", 2, "--json")
    scores = json.loads(out)["judged"]["scores"]["chat"]
    assert scores["dimensions"]["momentum"] == {"mean": None, "std": None, "scored": 0, "unscored": {"unparsable": 2}}
    assert (scores["overall"]["mean"], scores["overall"]["scored"]) == (None, 0)
    assert scores["dimensions"]["coherence"]["mean"] == 4.0


def test_a_judge_that_never_answers_is_an_error_and_not_a_score(chat: Path) -> None:
    with OpenAIServer([Reply(status=401, body={"error": {"message": "no such key"}})]) as server:
        code, _, err = run(chat, "--judge", f"openai:gpt-4o-mini@{server.url}", "--seeds", 1)
    assert code == 1
    assert "6 calls and all failed" in err
    assert not (chat.parent / "quality" / "quality.json").exists()


def test_a_budget_stops_and_the_same_command_goes_on(chat: Path) -> None:
    with OpenAIServer(judge) as server:
        command = (chat, "--judge", f"openai:gpt-4o-mini@{server.url}", "--seeds", 2)
        code, _, _ = run(*command, "--max-calls", 5)
        assert (code, len(server.requests)) == (4, 5)
        assert run(*command)[0] == 0
        assert len(server.requests) == 12


def test_a_killed_command_goes_on_where_it_was(chat: Path) -> None:
    def deadly(request: RecordedRequest) -> Reply:
        if len(server.requests) == 7:
            process.send_signal(signal.SIGKILL)
        return judge(request)

    with OpenAIServer(deadly) as server:
        options = ("--judge", f"openai:gpt-4o-mini@{server.url}", "--seeds", "2", "--concurrency", "1")
        process = subprocess.Popen([sys.executable, "-m", "groupmem", "quality", str(chat), *options])
        assert process.wait(timeout=60) == -signal.SIGKILL
        assert run(chat, *options)[0] == 0
        assert 12 <= len(server.requests) <= 14  # what was under way may be asked again, nothing else
    record = json.loads((chat.parent / "quality" / "quality.json").read_text())
    assert record["scores"]["chat"]["overall"]["scored"] == 2


def test_a_batch_is_one_wave(chat: Path, tmp_path: Path) -> None:
    folder = tmp_path / "batch"
    command = (chat, "--judge", f"batch:gpt-4o-mini@{folder}", "--seeds", 2, "--no-cache")
    code, _, err = run(*command)
    assert (code, "12 requests in" in err) == (3, True)
    asked = [json.loads(line) for line in (folder / "requests-0001.jsonl").read_text().splitlines()]
    with (folder / "output.jsonl").open("w") as answers:
        for request in asked:
            score = SCORES[dimension_of(request["body"]["messages"][-1]["content"])]  # type: ignore[index]
            content = json.dumps({"reasoning": "", "score": score})
            body = {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
            line = {"custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}}
            answers.write(json.dumps(line) + "\n")
    code, out, err = run(*command)
    assert code == 0, err
    assert "overall" in out
    assert len(list(folder.glob("requests-*"))) == 1


def test_a_conversation_beside_the_single_prompt_baseline(chat: Path, tmp_path: Path) -> None:
    def answer(request: RecordedRequest) -> Reply:
        if "### Criterion" in request.last_message:
            rated = 2 if "the same again" in request.last_message else 4
            return Reply(json.dumps({"reasoning": "", "score": rated}))
        count = int(request.last_message.split("Write the next ")[1].split()[0])
        author = re.search(r"- ([^,\n]+), ", request.last_message)
        assert author is not None
        draft = {"author": author[1], "channel": "", "text": "the same again", "minutes_later": 2, "reply_to": 0}
        return Reply(json.dumps({"messages": [draft] * count}))

    baseline = tmp_path / "baseline"
    with OpenAIServer(answer) as server:
        model = f"openai:gpt-4o-mini@{server.url}"
        single = ("make", "technology", "-n", 50, "--writer", f"single-prompt:{model}", "--out", baseline, "-q")
        assert run(*single, command="synth")[0] == 0
        code, out, err = run(baseline, "--against", chat, "--judge", model, "--seeds", 2, "--json")
    assert code == 0, err
    shown = json.loads(out)
    means = {name: score["overall"]["mean"] for name, score in shown["judged"]["scores"].items()}
    assert means == {"baseline": 2.0, "chat": 4.0}
    measures = {name: each["measures"] for name, each in shown["conversations"].items()}
    assert (measures["baseline"]["messages"], measures["chat"]["messages"]) == (50, 90)
    assert measures["baseline"]["distinct"]["2"] == 2 / 100
    assert (baseline / "quality" / "quality.json").is_file()
    assert run(baseline)[0] == 0  # the folder of ratings in it is no part of the corpus


def test_without_a_judge_nothing_is_asked_and_nothing_written(chat: Path) -> None:
    code, out, _ = run(chat, "--quiet")
    assert code == 0
    printed = out.splitlines()
    assert printed[0].split() == ["chat"]
    assert all(line.startswith(label) for line, label in zip(printed[1:], ROWS, strict=True))
    assert [path.name for path in chat.parent.iterdir()] == [chat.name]
    shown = json.loads(run(chat, "--json")[1])
    assert shown["judged"] is None
    assert shown["conversations"]["chat"]["measures"]["near_duplicates"] == {
        "considered": 90,
        "alike": 90,
        "repeated": 89,
    }


def test_two_conversations_of_one_name_are_told_apart(chat: Path, tmp_path: Path) -> None:
    other = tmp_path / "mill"
    other.mkdir()
    (other / chat.name).write_bytes(chat.read_bytes())
    code, out, _ = run(chat, "--against", other / chat.name, "-q")
    assert (code, out.split("\n")[0].split()) == (0, ["bakery/chat.jsonl", "mill/chat.jsonl"])
    code, _, err = run(chat, "--against", chat, "-q")
    assert (code, "two of these have one name" in err) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--figure", "radar.svg"), "name one with --judge"),
        (("--out", "ratings"), "name one with --judge"),
        (("--judge", "scripted:x", "--figure", "radar.png"), "ends in .svg"),
        (("--judge", "gpt-5"), "choose from"),
        (("--against", "nowhere"), "nowhere does not exist"),
    ],
)
def test_clear_refusals_before_anything_is_paid_for(chat: Path, arguments: tuple[str, ...], complaint: str) -> None:
    code, _, err = run(chat, *arguments)
    assert code == 1
    assert complaint in err
    assert not (chat.parent / "quality").exists()


# -- the page ----------------------------------------------------------------------------------------------------------


def test_every_row_and_dimension_is_explained() -> None:
    page = PAGE.read_text("utf-8")
    assert [label for label in ROWS if f"`{label.strip()}`" not in page] == []
    assert [name for name in DIMENSIONS if name.replace("_", " ") not in page.lower()] == []


@pytest.mark.data
def test_its_columns_of_real_conversations_are_what_is_measured(public_data: Callable[[str], Path]) -> None:
    hand, irc = public_data("handwritten/technology"), public_data("irc-disentanglement/data/dev")
    code, out, _ = run(hand, "--against", irc, "-q")
    assert code == 0
    page = PAGE.read_text("utf-8")
    for line in out.splitlines()[1:]:
        label, cells = line[:32].strip(), re.split(r" {2,}", line[32:].strip())
        (row,) = [shown for shown in page.splitlines() if shown.startswith(f"| {label} |")]
        assert [cell.strip() for cell in row.strip("|").split("|")][-2:] == cells
