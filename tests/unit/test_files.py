"""Files are replaced as a whole, and whatever stands in the way is told with the file's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupmem.errors import InputError
from groupmem.files import open_atomic, write_atomic


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
