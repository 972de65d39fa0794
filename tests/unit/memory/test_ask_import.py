"""groupmem import and groupmem ask: from files to a memory, and to a page that a person reads."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from groupmem.cli import app
from groupmem.errors import InputError, UnknownNameError
from groupmem.memory import GroupMemory

HANDWRITTEN = Path(str(files("groupmem"))) / "data" / "handwritten"
PARADE = "when does the lantern parade start?"
PRIVATE = "who would step in for the injured actor?"


def call(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("memory") / "team.db")
    call("import", str(HANDWRITTEN), "--into", path, "--embedding", "none", "--quiet")
    return path


def test_importing_again_adds_nothing(memory: str) -> None:
    report = msgspec.json.decode(call("import", str(HANDWRITTEN), "--into", memory, "--json"))
    counted = {name: report[name] for name in ("added", "unchanged", "edited", "private_channels", "set_aside")}
    assert counted == {"added": 0, "unchanged": 176, "edited": 0, "private_channels": 1, "set_aside": 0}


def test_a_page_says_who_where_when_and_in_reply_to_what(memory: str) -> None:
    page = call("ask", PARADE, "--as", "Morwenna", "--memory", memory, "--limit", "3")
    assert "Morwenna Tagg (Producer) in #spindrift-festival / Programme, Fri 2027-04-16 15:30 +0100  [Msg_74]" in page
    assert "   in reply to: Msg_68, Bastian Okello (bastian), 2027-04-16: looked at the tide table" in page
    assert "   | Dry feet win. The parade goes to Sunday the 30th" in page


def test_a_private_channel_is_quoted_to_its_members_alone(memory: str) -> None:
    def channels(*asker: str) -> set[str]:
        found = msgspec.json.decode(call("ask", PRIVATE, *asker, "-m", memory, "--limit", "20", "--json"))
        return {passage["channel"] for passage in found["passages"]}

    assert "closed-door" in channels("--as", "morwenna")
    assert channels("--as", "lowri") and "closed-door" not in channels("--as", "lowri")
    assert "closed-door" not in channels()


def test_nothing_said_after_the_moment_of_asking_is_shown(memory: str) -> None:
    before = msgspec.json.decode(call("ask", PARADE, "-m", memory, "--at", "2027-04-16T12:00:00", "--json"))
    moments = [datetime.fromisoformat(passage["sent_at"]) for passage in before["passages"]]
    assert moments and max(moments) <= datetime(2027, 4, 16, 12, tzinfo=UTC)


def test_names_are_met_with_who_is_known(memory: str, tmp_path: Path) -> None:
    runner = CliRunner()
    with pytest.raises(UnknownNameError, match=r"unknown person 'Morwena': choose from Morwenna"):
        runner.invoke(app, ["ask", PARADE, "--as", "Morwena", "-m", memory], catch_exceptions=False)
    with pytest.raises(InputError, match=r"there is no memory .*nope\.db: make one with groupmem import"):
        runner.invoke(app, ["ask", PARADE, "-m", str(tmp_path / "nope.db")], catch_exceptions=False)


def test_a_workspace_is_met_with_those_of_the_memory(memory: str) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown workspace 'others': choose from default"):
        CliRunner().invoke(app, ["ask", PARADE, "-m", memory, "--workspace", "others"], catch_exceptions=False)


def test_a_file_without_a_byte_is_no_memory_and_stays_as_it_is(tmp_path: Path) -> None:
    place = tmp_path / "place.db"
    place.touch()
    for command in (["ask", PARADE, "-m", str(place)], ["rebuild", str(place)], ["reembed", str(place), "minilm"]):
        with pytest.raises(InputError, match=r"there is no memory .*place\.db: make one with groupmem import"):
            CliRunner().invoke(app, command, catch_exceptions=False)
    assert list(tmp_path.iterdir()) == [place] and place.stat().st_size == 0
    call("import", str(HANDWRITTEN), "--into", str(place), "--quiet")
    with GroupMemory(place, embedding=None) as made:
        assert (made.status().embedding or "").startswith("minilm")


def test_a_memory_without_a_message_is_not_asked(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    GroupMemory(path, embedding=None).close()
    with pytest.raises(InputError, match=r"none\.db holds no message: take some in with groupmem import"):
        CliRunner().invoke(app, ["ask", PARADE, "-m", str(path)], catch_exceptions=False)


def test_what_was_understood_is_explained_where_nothing_is_found(memory: str) -> None:
    page = call("ask", PARADE, "-m", memory, "--at", "1990-01-01", "--explain")
    assert page.startswith("understood:") and page.endswith("Nothing in public channels speaks of this.\n")


def test_a_name_that_two_people_answer_to_is_not_guessed(tmp_path: Path) -> None:
    source = tmp_path / "two.jsonl"
    source.write_text(
        '{"format":"groupmem.conversation","version":1,"id":"two","people":[{"id":"u1","name":"Ines Abt"},'
        '{"id":"u2","name":"Ines Rohr"}],"channels":[]}\n'
        '{"id":"1","channel":"all","author":"u1","text":"\\u001b[2J keys are with me"}\n',
        encoding="utf-8",
    )
    memory = str(tmp_path / "two.db")
    call("import", str(source), "--into", memory, "--embedding", "none")
    with pytest.raises(InputError, match="'Ines' can be u1 or u2: give the id"):
        CliRunner().invoke(app, ["ask", "keys", "--as", "Ines", "-m", memory], catch_exceptions=False)
    page = call("ask", "who has the keys?", "--as", "u2", "-m", memory)
    assert "keys are with me" in page and "\x1b" not in page


def test_an_unknown_embedding_model_is_answered_with_all_choices(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError) as caught:
        call("import", str(HANDWRITTEN), "--into", str(tmp_path / "team.db"), "--embedding", "nonsense")
    assert {"none", "minilm", "openai:MODEL"} <= set(caught.value.choices)
    assert "none" in str(caught.value)
