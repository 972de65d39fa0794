"""What happens when a worker keeps the protocol, breaks it, ends or hangs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from worker_programs import eventually, program, served, started

from groupmem.errors import InputError, ModelError, SystemFailure
from groupmem.lab.systems.isolated.lifetime import end_orphan, mark_of
from groupmem.lab.systems.isolated.process import Program, Worker, greet
from groupmem.lab.systems.isolated.surroundings import worker_environment


def asked(folder: Path, what: Program, method: str = "settle", timeout_s: float = 20) -> object:
    worker = started(folder, what)
    try:
        return worker.call(method, {}, dict, timeout_s=timeout_s)
    finally:
        worker.kill()


def test_hello_tells_versions_and_what_the_class_says(tmp_path: Path) -> None:
    hello = greet(
        served(tmp_path, 'name = "mine"\npackages = ("pip", "no-such")\nnotes = ("weaker",)\nneeds = ("chat",)')
    )
    assert hello.name == "mine"
    assert set(hello.packages) == {"pip", "no-such"}
    assert hello.packages["no-such"] == "no release"
    assert hello.notes == ("weaker",)
    assert hello.needs == ("chat",)


def test_what_a_package_prints_does_not_reach_the_protocol(tmp_path: Path) -> None:
    what = served(
        tmp_path,
        """
        def settle(self):
            import os, subprocess, sys
            print("from print")
            os.write(1, b"from a descriptor\\n")
            subprocess.run([sys.executable, "-c", "print('from a child')"])
            return {"read": sys.stdin.read()}
        """,
    )
    assert asked(tmp_path, what) == {"read": ""}
    log = (tmp_path / "worker.log").read_text()
    assert all(f"from {source}" in log for source in ("print", "a descriptor", "a child"))


@pytest.mark.parametrize(
    ("raised", "error", "told"),
    [
        ("Refused('no such option')", InputError, "no such option"),
        ("ModelFailed('out of reach')", ModelError, "out of reach"),
        ("KeyError('lost')", SystemFailure, "KeyError: 'lost'"),
        ("SystemExit(3)", SystemFailure, "SystemExit: 3"),
    ],
)
def test_errors_of_the_worker_are_those_of_the_lab(tmp_path: Path, raised: str, error: type, told: str) -> None:
    with pytest.raises(error) as caught:
        asked(tmp_path, served(tmp_path, f"def settle(self):\n    raise {raised}"))
    assert "under-test: " in str(caught.value)
    assert told in str(caught.value)


def test_a_failure_is_one_line_and_its_traceback_is_in_the_log(tmp_path: Path) -> None:
    with pytest.raises(SystemFailure) as caught:
        asked(tmp_path, served(tmp_path, "def settle(self):\n    raise KeyError('in the depths')"))
    log = tmp_path / "worker.log"
    assert str(caught.value) == f"under-test: settle failed: KeyError: 'in the depths' (log: {log})"
    assert "Traceback" in log.read_text()


@pytest.mark.parametrize("code", ["raise KeyError('in the depths')", "input(); raise KeyError('in the depths')"])
def test_a_greeting_that_fails_names_no_log_that_is_gone(tmp_path: Path, code: str) -> None:
    with pytest.raises(SystemFailure, match="in the depths") as caught:
        greet(program(tmp_path, code))
    assert "log:" not in str(caught.value)


@pytest.mark.parametrize("users", [None, "7"])
def test_the_number_of_threads_is_the_same_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, users: str | None
) -> None:
    if users:
        monkeypatch.setenv("OMP_NUM_THREADS", users)
    assert worker_environment(tmp_path, {})["OMP_NUM_THREADS"] == "1"
    assert worker_environment(tmp_path, {"OMP_NUM_THREADS": "2"})["OMP_NUM_THREADS"] == "2"


def test_a_worker_that_ends_tells_how_and_its_last_lines(tmp_path: Path) -> None:
    what = program(tmp_path, "import sys\nsys.stdin.readline()\nprint('disk is full', file=sys.stderr)\nsys.exit(7)")
    with pytest.raises(SystemFailure, match=r"ended in settle \(exit status 7\)[\s\S]*disk is full"):
        asked(tmp_path, what)


def test_a_worker_that_is_killed_fails_the_call(tmp_path: Path) -> None:
    what = served(tmp_path, "def settle(self):\n    import os; os.kill(os.getpid(), 9)")
    with pytest.raises(SystemFailure, match=r"killed by signal 9"):
        asked(tmp_path, what)


def test_only_the_last_lines_of_this_worker_are_told(tmp_path: Path) -> None:
    (tmp_path / "worker.log").write_text("of an earlier start\n")
    with pytest.raises(SystemFailure) as caught:
        asked(tmp_path, program(tmp_path, "import sys\nfor n in range(40): print('line', n, file=sys.stderr)"))
    assert "earlier" not in str(caught.value)
    assert "line 39" in str(caught.value)
    assert "line 3\n" not in str(caught.value)


def test_silence_is_waited_out_and_the_worker_killed(tmp_path: Path) -> None:
    what = served(tmp_path, "def settle(self):\n    import time; print('before'); time.sleep(600)")
    with pytest.raises(SystemFailure, match=r"no sign of life for 0\.5 seconds in settle"):
        asked(tmp_path, what, timeout_s=0.5)
    assert not (tmp_path / "worker.pid").exists()


def test_signs_of_life_start_the_clock_again(tmp_path: Path) -> None:
    what = served(
        tmp_path,
        """
        def settle(self):
            import time
            for number in range(6):
                time.sleep(0.4)
                progress(number)
        """,
    )
    assert asked(tmp_path, what, timeout_s=1.5) == {}


TWO_AT_A_TIME = """
    capabilities = {"concurrent": True}
    def open(self, setting):
        import threading
        self.both, self.never = threading.Barrier(2), threading.Event()
    def answer(self, question):
        progress(question)
        self.both.wait(20)
        if question == "never":
            self.never.wait()
        return {"text": question}
    def settle(self):
        return {"settled": "yes"}
"""


def answered_by(worker: Worker, question: str, timeout_s: float = 20) -> object:
    params = {"question": question, "timeout_s": None, "gateway": None}
    return worker.call("answer", params, dict, timeout_s=timeout_s)


def test_two_questions_are_answered_at_a_time_each_with_its_own(tmp_path: Path) -> None:
    """Neither is answered before both are asked."""
    with closing(started(tmp_path, served(tmp_path, TWO_AT_A_TIME))) as worker, ThreadPoolExecutor(2) as pool:
        worker.call("open", {}, dict, timeout_s=20)
        for _ in range(20):
            replies = pool.map(lambda question: answered_by(worker, question), ("first", "second"))
            assert [reply["text"] for reply in replies] == ["first", "second"]  # type: ignore[index]
        assert worker.call("settle", {}, dict, timeout_s=20) == {"settled": "yes"}


def test_one_that_is_silent_ends_all_that_are_under_way(tmp_path: Path) -> None:
    with closing(started(tmp_path, served(tmp_path, TWO_AT_A_TIME))) as worker, ThreadPoolExecutor(2) as pool:
        worker.call("open", {}, dict, timeout_s=20)
        asked = [pool.submit(answered_by, worker, "never", seconds) for seconds in (0.2, 60)]
        told = [str(each.exception(20)) for each in asked]
    assert "no sign of life for 0.2 seconds in answer" in told[0] + told[1]
    assert all(isinstance(each.exception(), SystemFailure) for each in asked)


def test_a_worker_that_never_reads_a_long_request_is_a_silent_one(tmp_path: Path) -> None:
    worker = started(tmp_path, program(tmp_path, "import time\ntime.sleep(600)"))
    with pytest.raises(SystemFailure, match="no sign of life"):
        worker.call("ingest", {"messages": ["x" * 5_000_000]}, dict, timeout_s=0.5)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"loading model...", "no reply"),
        (b'{"id": 9, "result": {}}', "request 9"),
        (b'{"result": {}}', "no reply"),
        (b'{"id": 1}', "neither a result nor an error"),
        (b'{"id": 1, "result": [1]}', "not as the protocol has it"),
        (b'{"id": 1, "result": {}', "no reply"),
        (b"\xff\xfe", "no reply"),
        (b"", "no reply"),
    ],
)
def test_a_line_that_is_no_reply_fails_the_call(tmp_path: Path, line: bytes, told: str) -> None:
    code = f"""
    import sys
    sys.stdin.readline()
    sys.stdout.buffer.write({line!r} + bytes([10]))
    sys.stdout.flush()
    sys.stdin.readline()
    """
    with pytest.raises(SystemFailure, match=told):
        asked(tmp_path, program(tmp_path, code))


def test_a_command_that_is_not_there_is_the_users_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be started"):
        started(tmp_path, Program(name="under-test", argv=("/no/such/program",)))


def test_closing_ends_the_worker_and_what_it_started(tmp_path: Path) -> None:
    what = served(
        tmp_path,
        """
        def settle(self):
            import subprocess
            return {"child": subprocess.Popen(["sleep", "600"]).pid}
        """,
    )
    worker = started(tmp_path, what)
    child = worker.call("settle", {}, dict, timeout_s=20)["child"]
    worker.close()
    assert eventually(lambda: mark_of(child) is None)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="one in a session of its own is found in /proc alone")
@pytest.mark.parametrize("end", ["kill", "close"])
def test_what_made_a_session_of_its_own_ends_with_the_worker(tmp_path: Path, end: str) -> None:
    what = served(
        tmp_path,
        """
        def settle(self):
            import subprocess, sys
            code = "import subprocess; print(subprocess.Popen(['sleep', '600'], stdout=-3, start_new_session=True).pid)"
            return {"daemon": int(subprocess.run([sys.executable, "-c", code], stdout=-1, cwd="/").stdout)}
        """,
    )
    worker = started(tmp_path, what)
    daemon = worker.call("settle", {}, dict, timeout_s=20)["daemon"]
    assert mark_of(daemon) is not None
    getattr(worker, end)()
    assert mark_of(daemon) is None


def test_a_closed_worker_can_not_be_asked(tmp_path: Path) -> None:
    worker = started(tmp_path, served(tmp_path, "pass"))
    worker.close()
    worker.close()
    with pytest.raises(SystemFailure, match="after it had ended"):
        worker.call("settle", {}, dict, timeout_s=20)


def test_keys_proxies_and_the_home_of_the_user_stay_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://example.invalid")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    what = served(
        tmp_path, "def settle(self):\n    import os; return {'at': os.getcwd(), 'variables': dict(os.environ)}"
    )
    found = json.loads(json.dumps(asked(tmp_path, what)))
    variables = found["variables"]
    assert "secret" not in variables.values()
    assert not [name for name in variables if name.endswith(("_KEY", "_PROXY", "_TOKEN")) and name != "NO_PROXY"]
    assert variables["LC_ALL"] == "C.UTF-8"
    assert variables["HF_HUB_OFFLINE"] == "1"
    assert Path(found["at"]).resolve() == Path(variables["HOME"]).resolve()
    assert not Path(found["at"]).exists()


HARNESS = """
import sys, time
from pathlib import Path
from groupmem.lab.systems.isolated.process import Program, Worker
worker = Worker(Program(name="w", argv=(sys.executable, sys.argv[1])), Path(sys.argv[2]))
print(worker._process.pid, flush=True)
try:
    worker.call("settle", {}, dict, timeout_s=600)
finally:
    print("over", flush=True)
"""


def abandoned(worker_file: Path, log_path: Path) -> int:
    """Starts a worker from a process that is then killed; the number of the worker."""
    harness = subprocess.Popen(
        [sys.executable, "-c", HARNESS, str(worker_file), str(log_path)], stdout=subprocess.PIPE, text=True
    )
    assert harness.stdout is not None
    with harness:
        pid = int(harness.stdout.readline())
        assert eventually((log_path.with_suffix(".pid")).exists)
        assert eventually(lambda: "busy" in log_path.read_text())
        os.kill(harness.pid, signal.SIGKILL)
    return pid


def test_a_worker_ends_with_the_harness_even_in_a_long_call(tmp_path: Path) -> None:
    what = served(tmp_path, "def settle(self):\n    import time; print('busy', flush=True); time.sleep(600)")
    pid = abandoned(Path(what.argv[1]), tmp_path / "worker.log")
    assert eventually(lambda: mark_of(pid) is None)
    end_orphan(tmp_path / "worker.pid")


def test_one_that_does_not_is_ended_by_the_next_start(tmp_path: Path) -> None:
    deaf = "import sys, time\nprint('busy', file=sys.stderr, flush=True)\ntime.sleep(600)"
    pid = abandoned(Path(program(tmp_path, deaf).argv[1]), tmp_path / "worker.log")
    assert mark_of(pid) is not None
    scratch = Path(json.loads((tmp_path / "worker.pid").read_bytes())["scratch"])
    assert scratch.is_dir()
    Worker(served(tmp_path, "pass"), tmp_path / "worker.log").close()
    assert mark_of(pid) is None
    assert not scratch.exists()
