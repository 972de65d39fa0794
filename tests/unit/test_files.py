"""Files are replaced as a whole, and whatever stands in the way is told with the file's name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from groupmem.errors import InputError
from groupmem.files import only_process, open_atomic, write_atomic


@pytest.mark.parametrize("durable", [True, False])
def test_a_file_is_replaced_and_nothing_lies_beside_it(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "deep" / "file"
    for content in (b"one", b"two"):
        write_atomic(path, content, durable=durable)
        assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_a_block_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(KeyError), open_atomic(path) as file:
        file.write(b"new")
        raise KeyError
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"old", [path])


def test_a_place_where_nothing_can_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"file/below cannot be written: (Not a directory|File exists)"):
        write_atomic(tmp_path / "file" / "below", b"")


def test_one_process_at_a_time_and_none_after_it_was_killed(tmp_path: Path) -> None:
    lock = tmp_path / "deep" / "lock"
    held = (
        "import sys, time; from pathlib import Path; from groupmem.files import only_process\n"
        "with only_process(Path(sys.argv[1]), Path('place')): print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", held, str(lock)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        with (
            pytest.raises(InputError, match=rf"place is in use by the process {other.pid};"),
            only_process(lock, Path("place")),
        ):
            pytest.fail("two processes hold the lock")
        other.kill()
    with only_process(lock, Path("place")):
        assert lock.read_text() == f"{os.getpid()}\n"
