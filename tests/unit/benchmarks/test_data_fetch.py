"""Fetching over real HTTP: resumed, checked with both sums shown, put in place whole, held to the first fetch."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from file_server import FileServer, Response, file_server

from groupmem.errors import DataError
from groupmem.lab.benchmarks.base import UNPINNED, DataFile
from groupmem.lab.benchmarks.fetch import ATTEMPTS, FetchedFile, Fetcher, official_url
from groupmem.lab.benchmarks.lock import LOCK_NAME, read_lock

BODY = bytes(range(256)) * 4000
SUM = hashlib.sha256(BODY).hexdigest()
OTHER_SUM = hashlib.sha256(b"other").hexdigest()


@pytest.fixture
def server() -> Iterator[FileServer]:
    with file_server() as running:
        running.files["sub/data.json"] = BODY
        yield running


class Pauses(list[float]):
    """Waits for nothing, and remembers how long it should have been."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def fetch(
    server: FileServer, folder: Path, sha256: str = SUM, pauses: Pauses | None = None, path: str = "sub/data.json"
) -> FetchedFile:
    file = DataFile(path=path, url=f"{server.url}/{path}", sha256=sha256)
    with httpx.Client(follow_redirects=True, trust_env=False) as client:
        return Fetcher(folder, client, pause=Pauses() if pauses is None else pauses).fetch(file)


def lies_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_file_is_fetched_and_a_second_time_kept(server: FileServer, tmp_path: Path) -> None:
    assert fetch(server, tmp_path) == FetchedFile(
        path="sub/data.json", action="fetched", sha256=SUM, size_bytes=len(BODY)
    )
    assert (tmp_path / "sub" / "data.json").read_bytes() == BODY
    assert fetch(server, tmp_path).action == "kept"
    assert server.ranges == [None]
    assert lies_in(tmp_path) == ["sub/data.json"]


def test_a_download_that_was_cut_off_goes_on_where_it_stopped(server: FileServer, tmp_path: Path) -> None:
    server.script["sub/data.json"] = ["cut", "drop", "cut"]
    pauses = Pauses()
    assert fetch(server, tmp_path, pauses=pauses).sha256 == SUM
    half, three_quarters = len(BODY) // 2, len(BODY) * 3 // 4
    assert server.ranges == [None, f"bytes={half}-", f"bytes={half}-", f"bytes={three_quarters}-"]
    assert pauses == [1.0, 2.0, 1.0], "a byte more starts the count of failures anew"


def test_another_process_goes_on_where_the_last_one_gave_up(server: FileServer, tmp_path: Path) -> None:
    server.script["sub/data.json"] = ["cut", *["drop"] * (ATTEMPTS - 1)]
    with pytest.raises(DataError, match=f"{len(BODY) // 2} bytes are kept, the same command goes on from there"):
        fetch(server, tmp_path)
    assert lies_in(tmp_path) == ["sub/data.json.part"]
    server.ranges.clear()
    assert fetch(server, tmp_path).sha256 == SUM
    assert server.ranges == [f"bytes={len(BODY) // 2}-"]
    assert lies_in(tmp_path) == ["sub/data.json"]


def test_a_server_that_knows_no_ranges_sends_all_again(server: FileServer, tmp_path: Path) -> None:
    server.script["sub/data.json"] = ["cut", "ignore range"]
    assert fetch(server, tmp_path).sha256 == SUM


def test_a_part_that_is_whole_already_is_only_checked(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "data.json.part").write_bytes(BODY)
    assert fetch(server, tmp_path).sha256 == SUM


def test_a_part_that_is_longer_than_the_file_starts_over(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "data.json.part").write_bytes(BODY + b"more")
    assert fetch(server, tmp_path).sha256 == SUM
    assert server.ranges == [f"bytes={len(BODY) + 4}-", None]


def test_a_part_of_something_else_is_refused_and_thrown_away(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "data.json.part").write_bytes(b"other")
    with pytest.raises(DataError, match="Nothing was kept"):
        fetch(server, tmp_path)
    assert fetch(server, tmp_path).sha256 == SUM


def test_a_wrong_sum_is_refused_with_both(server: FileServer, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"has sha256 {SUM}; the pinned one is {OTHER_SUM}"):
        fetch(server, tmp_path, OTHER_SUM)
    assert lies_in(tmp_path) == []


def test_a_file_that_lies_there_with_another_sum_is_left_and_refused(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "data.json").write_bytes(b"other")
    with pytest.raises(DataError, match=f"{OTHER_SUM} where it should have {SUM}; delete it to fetch it again"):
        fetch(server, tmp_path)
    assert (tmp_path / "sub" / "data.json").read_bytes() == b"other"
    assert server.ranges == []


def test_a_sum_that_nobody_pinned_is_recorded_once_and_then_held_to(server: FileServer, tmp_path: Path) -> None:
    fetch(server, tmp_path, UNPINNED)
    entry = read_lock(tmp_path).files["sub/data.json"]
    assert (entry.sha256, entry.url) == (SUM, f"{server.url}/sub/data.json")
    (tmp_path / "sub" / "data.json").unlink()
    server.files["sub/data.json"] = b"other"
    with pytest.raises(DataError, match=f"has sha256 {OTHER_SUM}; at the first fetch it had {SUM}"):
        fetch(server, tmp_path, UNPINNED)
    assert read_lock(tmp_path).files["sub/data.json"].sha256 == SUM
    server.files["sub/more.json"] = b"{}"
    fetch(server, tmp_path, UNPINNED, path="sub/more.json")
    assert set(read_lock(tmp_path).files) == {"sub/data.json", "sub/more.json"}
    assert lies_in(tmp_path) == [LOCK_NAME, "sub/more.json"]


def test_a_file_of_unknown_sum_that_somebody_put_there_is_kept_and_not_recorded(
    server: FileServer, tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "data.json").write_bytes(b"other")
    assert fetch(server, tmp_path, UNPINNED).action == "kept"
    assert lies_in(tmp_path) == ["sub/data.json"]


@pytest.mark.parametrize("trouble", [(500, {}, b""), (503, {}, b"no"), (429, {}, b""), "drop"])
def test_a_passing_trouble_is_tried_again_with_growing_pauses(
    server: FileServer, tmp_path: Path, trouble: str | Response
) -> None:
    server.script["sub/data.json"] = [trouble] * (ATTEMPTS - 1)
    pauses = Pauses()
    assert fetch(server, tmp_path, pauses=pauses).sha256 == SUM
    assert pauses == [1.0, 2.0, 4.0, 8.0]
    server.script["sub/data.json"] = [trouble] * ATTEMPTS
    (tmp_path / "sub" / "data.json").unlink()
    with pytest.raises(DataError, match="0 bytes are kept"):
        fetch(server, tmp_path)


def test_a_server_that_names_its_pause_is_heard_within_reason(server: FileServer, tmp_path: Path) -> None:
    server.script["sub/data.json"] = [(429, {"Retry-After": "7"}, b""), (503, {"Retry-After": "86400"}, b"")]
    pauses = Pauses()
    fetch(server, tmp_path, pauses=pauses)
    assert pauses == [7.0, 60.0]


@pytest.mark.parametrize(
    ("response", "says"),
    [
        ((404, {}, b"gone"), "HTTP 404; the source may have moved, or need a login"),
        ((401, {}, b""), "HTTP 401"),
        ((200, {"Content-Type": "text/html; charset=utf-8"}, b"<html>please log in"), "is a web page and no data file"),
        ((200, {"Content-Encoding": "gzip"}, b"\x1f\x8b"), "is sent compressed"),
        ((302, {"Location": "/sub/data.json"}, b""), "redirects"),
    ],
)
def test_what_will_not_pass_is_an_error_at_once(
    server: FileServer, tmp_path: Path, response: Response, says: str
) -> None:
    server.script["sub/data.json"] = [response] * 30
    pauses = Pauses()
    with pytest.raises(DataError, match=says):
        fetch(server, tmp_path, UNPINNED, pauses=pauses)
    assert pauses == []
    assert not (tmp_path / "sub" / "data.json").exists()
    assert not (tmp_path / LOCK_NAME).exists(), "no sum of it is recorded"


def test_a_range_that_was_not_asked_for_is_an_error(server: FileServer, tmp_path: Path) -> None:
    server.script["sub/data.json"] = ["cut", "other range"]
    with pytest.raises(DataError, match="another range"):
        fetch(server, tmp_path)


def test_redirects_are_followed_and_the_range_with_them(server: FileServer, tmp_path: Path) -> None:
    there = (302, {"Location": "/sub/data.json"}, b"")
    server.script["moved.json"] = [there, there]
    server.script["sub/data.json"] = ["cut"]
    assert fetch(server, tmp_path, path="moved.json").sha256 == SUM
    assert server.ranges[-1] == f"bytes={len(BODY) // 2}-"


def test_two_fetches_of_one_file_do_not_mix(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    with (tmp_path / "sub" / "data.json.part").open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(DataError, match="is being fetched by another process"):
            fetch(server, tmp_path)
    assert fetch(server, tmp_path).sha256 == SUM


def test_a_place_that_cannot_be_written_is_named(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "sub").write_text("a file where a folder should be", "utf-8")
    with pytest.raises(DataError, match="cannot write"):
        fetch(server, tmp_path)


def test_progress_counts_every_byte_once(server: FileServer, tmp_path: Path) -> None:
    shown: list[tuple[str, int]] = []
    counted: list[int] = []

    class Steps:
        def advance(self, count: int) -> None:
            counted.append(count)

    @contextmanager
    def task(label: str, total: int) -> Iterator[Steps]:
        shown.append((label, total))
        yield Steps()

    (tmp_path / "data.json.part").write_bytes(BODY[:1000])
    server.files["data.json"] = BODY
    with httpx.Client(trust_env=False) as client:
        Fetcher(tmp_path, client, task=task).fetch(
            DataFile(path="data.json", url=f"{server.url}/data.json", sha256=SUM)
        )
    assert shown == [("data.json (1.0 MB)", len(BODY))]
    assert counted[0] == 1000
    assert sum(counted) == len(BODY)


def test_the_hub_is_the_one_that_the_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://huggingface.co/datasets/a/b/resolve/c/d.json"
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    assert official_url(url) == url
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example/")
    assert official_url(url) == "https://mirror.example/datasets/a/b/resolve/c/d.json"
    assert official_url("https://huggingface.community/x") == "https://huggingface.community/x"
    assert official_url("https://raw.example/x") == "https://raw.example/x"


def test_an_endpoint_that_is_no_address_is_an_error_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "mirror.example")
    file = DataFile(path="d.json", url="https://huggingface.co/d.json")
    with httpx.Client(trust_env=False) as client, pytest.raises(DataError, match="cannot be fetched"):
        Fetcher(tmp_path, client, pause=Pauses()).fetch(file)
