"""groupmem synth in real processes: the same bytes for the same seed, killed and resumed, clear refusals."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
import scripted_author
from planned_corpora import TEAHOUSE

from groupmem.cli import main
from groupmem.files import only_process
from groupmem.lab.synthesis.making import WORK
from support.openai_server import OpenAIServer, RecordedRequest, Reply

PATIENCE_SECONDS = 60.0


def synth(*arguments: object, **variables: str) -> subprocess.Popen[str]:
    """The command, begun in a process of its own."""
    command = [sys.executable, "-m", "groupmem", "synth", *map(str, arguments)]
    environment = {**os.environ, **variables}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def run(*arguments: object) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the command, in this process."""
    out, err = io.StringIO(), io.StringIO()
    command = ["groupmem", "synth", *map(str, arguments)]
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", command)
        with pytest.raises(SystemExit) as ended:
            main()
    return int(ended.value.code or 0), out.getvalue(), err.getvalue()


@pytest.fixture(autouse=True, scope="module")
def no_keys() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "unused")
        yield


def digest(folder: Path) -> dict[str, str]:
    """sha256 of every file of the corpus."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("synth") / "corpus"
    code, _, err = run("make", TEAHOUSE, "-n", 800, "--seed", 7, "--out", folder)
    assert code == 0, err
    return folder


def test_the_same_seed_and_policy_give_the_same_bytes_in_another_process(corpus: Path, tmp_path: Path) -> None:
    again, other = tmp_path / "again", tmp_path / "other"
    process = synth("make", TEAHOUSE, "-n", 800, "--seed", 7, "--out", again, PYTHONHASHSEED="1")
    process.communicate(timeout=PATIENCE_SECONDS)
    assert digest(again) == digest(corpus)
    assert run("make", TEAHOUSE, "-n", 800, "--seed", 8, "--out", other)[0] == 0
    assert digest(other)["corpus.json"] != digest(corpus)["corpus.json"]


def test_every_planned_fact_is_said_and_can_be_read_where_it_stands(corpus: Path) -> None:
    assert json.loads((corpus / "provenance.json").read_text()).get("unstated", 0) == 0
    rows = [row for channel in json.loads((corpus / "corpus.json").read_text()).values() for row in channel]
    texts = {row["msg_node"]: row["content"] for row in rows}
    facts = [json.loads(line) for line in (corpus / "facts.jsonl").read_text().splitlines()]
    assert len(facts) > 200
    for fact in facts:
        assert fact["stated_in"]
        for mention in fact["mentions"]:
            assert mention["surface"] in texts[mention["message"]]


def test_the_policy_of_a_corpus_makes_it_again(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    arguments = ("make", TEAHOUSE, "-n", 800, "--seed", 7, "--policy", corpus / "policy.json", "--out", folder)
    assert run(*arguments)[0] == 0
    assert digest(folder) == digest(corpus)


def test_a_killed_command_goes_on_and_gives_the_same_bytes(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    arguments = ("make", TEAHOUSE, "-n", 800, "--seed", 7, "--out", folder)
    for lines in (200, 400):
        process = synth(*arguments)
        _wait_for_lines(folder / ".making" / "written.jsonl", lines, process)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=PATIENCE_SECONDS)
        process.communicate()
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    assert json.loads(out)["resumed"] >= 0
    assert digest(folder) == digest(corpus)


def test_a_finished_corpus_is_not_made_again_and_not_overwritten(corpus: Path) -> None:
    before = digest(corpus)
    code, out, _ = run("make", TEAHOUSE, "-n", 800, "--seed", 7, "--out", corpus, "--json")
    assert (code, json.loads(out)["resumed"]) == (0, 800)
    code, _, err = run("make", TEAHOUSE, "-n", 800, "--seed", 9, "--out", corpus)
    assert code == 1
    assert "holds a corpus with another seed (7, not 9): give another --out" in err
    assert digest(corpus) == before


def test_a_killed_model_writer_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"

    def deadly(request: RecordedRequest) -> Reply:
        if len(server.requests) == 25:
            process.send_signal(signal.SIGKILL)
        return scripted_author.write(request)

    with OpenAIServer(deadly) as server:
        model = f"model:openai:gpt-4o-mini@{server.url}"
        arguments = ("make", TEAHOUSE, "-n", 40, "--writer", model, "--no-cache", "--concurrency", 2, "--out", folder)
        process = synth(*arguments)
        process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == -signal.SIGKILL
        kept = len((folder / ".making" / "written.jsonl").read_bytes().splitlines())
        before = len(server.requests)
        code, out, err = run(*arguments, "--json")
        assert code == 0, err
        assert json.loads(out)["resumed"] == kept > 5
        assert len(server.requests) - before <= 40 + 6 + 5 - kept + 2
        code, _, err = run(*arguments[:-1], tmp_path / "undisturbed")
        assert code == 0, err
    for name in ("corpus.json", "facts.jsonl", "decisions.jsonl"):
        assert digest(folder)[name] == digest(tmp_path / "undisturbed")[name]


def test_a_batch_that_waits_ends_with_its_own_exit_code(tmp_path: Path) -> None:
    model = f"model:batch:gpt-4o-mini@{tmp_path / 'batch'}"
    code, _, err = run("make", TEAHOUSE, "-n", 40, "--writer", model, "--no-cache", "--out", tmp_path / "corpus")
    assert code == 3
    assert "run again when answered" in err


def test_statistics_are_printed_beside_the_published_ones(corpus: Path) -> None:
    code, out, _ = run("stats", corpus)
    assert code == 0
    lines = {line[:24].strip(): line[24:].split() for line in out.splitlines() if line.strip()}
    assert lines[""] == ["teahouse", "Technology", "Finance", "Healthcare", "Manufacturing"]
    assert lines["messages"] == ["800", "30,000", "30,000", "30,000", "30,000"]
    assert lines["decision changes"][1:] == ["74", "66", "113", "99"]
    assert "drawn post" in out
    code, out, _ = run("stats", corpus, "--json")
    assert json.loads(out)["counts"]["messages"] == 800


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("make", "tecnology"), "unknown pack 'tecnology': choose from technology"),
        (("make", TEAHOUSE, "-n", 3), "3 messages are fewer than the 6 phases"),
        (("make", TEAHOUSE, "--set", "paths.post=0.5"), "the shares must sum to 1"),
        (("make", TEAHOUSE, "--set", "paths.pots=0.5"), "unknown policy key in --set paths.pots=0.5: 'pots'"),
        (("make", TEAHOUSE, "--policy", "none.toml"), "none.toml: no such policy file"),
        (("make", TEAHOUSE, "--writer", "gramar"), "unknown writer 'gramar': choose from grammar"),
        (("make", TEAHOUSE, "--writer", "model:"), "unknown writer 'model:'"),
        (("make", TEAHOUSE, "--prompts", "."), "--prompts is for model writers"),
        (("make", TEAHOUSE, "--writer", "model:nobody:x"), "nobody"),
        (("make", TEAHOUSE, "-n", 900, "--set", "schedule.most_per_phase_day=2"), "shorter than the schedule"),
        (("stats", "nowhere"), "nowhere is no synthesised corpus"),
    ],
)
def test_what_cannot_be_done_is_said_and_leaves_no_folder(
    tmp_path: Path, arguments: tuple[object, ...], complaint: str
) -> None:
    out = tmp_path / "corpus"
    code, printed, err = run(*arguments, *(("--out", out) if arguments[0] == "make" else ()))
    assert code == 1
    assert not printed
    assert err.startswith("error: ")
    assert complaint in err
    assert "Traceback" not in err
    assert not out.exists()


def test_a_model_that_cannot_be_called_leaves_the_folder_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    out = tmp_path / "corpus"
    code, _, err = run("make", TEAHOUSE, "-n", 30, "--writer", "model:openai:gpt-5", "--out", out)
    assert code == 1
    assert "OPENAI_API_KEY" in err
    assert run("make", TEAHOUSE, "-n", 30, "--out", out)[0] == 0


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear aunt")
    code, _, err = run("make", TEAHOUSE, "-n", 30, "--out", tmp_path)
    assert code == 1
    assert "is not empty and no corpus of this command" in err


@pytest.mark.parametrize("name", ["provenance.json", ".making/order.json"])
def test_a_damaged_folder_is_named(tmp_path: Path, name: str) -> None:
    damaged = tmp_path / "corpus" / name
    damaged.parent.mkdir(parents=True)
    damaged.write_text('{"pack": 3}')
    code, out, err = run("make", TEAHOUSE, "-n", 30, "--out", tmp_path / "corpus")
    assert (code, out) == (1, "")
    assert str(damaged) in err
    assert "Traceback" not in err


def _wait_for_lines(path: Path, lines: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if path.is_file() and path.read_bytes().count(b"\n") >= lines:
            return
        time.sleep(0.005)


def test_two_processes_do_not_write_one_corpus(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    order = ("make", TEAHOUSE, "-n", 100, "--out", folder)
    with only_process(folder / WORK / "lock", folder):
        code, _, err = run(*order)
    assert code == 1 and "is in use by the process" in err
    assert run(*order)[0] == 0 and not (folder / WORK).exists()
