"""Lines over pipes: nothing is lost, and nothing is waited for that cannot come."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.lab.systems.isolated import lines as module
from groupmem.lab.systems.isolated.lines import Lines


class Pipes(NamedTuple):
    """Both ends of what goes to the other side, and of what comes back."""

    lines: Lines
    received_there: int
    sent_there: int


def pipes(has_ended: Callable[[], bool] = lambda: False) -> Pipes:
    received_there, to = os.pipe()
    back, sent_there = os.pipe()
    return Pipes(Lines(os.fdopen(to, "wb", 0), os.fdopen(back, "rb", 0), has_ended), received_there, sent_there)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(module, "_LOOK_SECONDS", 0.01)
    yield


@given(st.lists(st.binary(max_size=40).filter(lambda line: b"\n" not in line), max_size=8), st.data())
def test_lines_arrive_whole_however_they_are_cut(sent: list[bytes], data: st.DataObject) -> None:
    there = pipes()
    stream = b"".join(line + b"\n" for line in sent)
    received: list[bytes] = []
    written = b""
    while len(received) < len(sent):
        part = stream[: data.draw(st.integers(1, len(stream)))]
        stream, written = stream[len(part) :], written + part
        os.write(there.sent_there, part)
        received += [there.lines.receive(5) for _ in range(written.count(b"\n") - len(received))]
    assert received == sent
    there.lines.close()
    os.close(there.received_there)
    os.close(there.sent_there)


@pytest.mark.usefixtures("quick")
def test_last_words_that_come_with_the_end_are_read() -> None:
    def ends_speaking() -> bool:
        os.write(there.sent_there, b"done\n")
        return True

    there = pipes(ends_speaking)
    assert there.lines.receive(5) == b"done"


@pytest.mark.usefixtures("quick")
def test_an_end_is_noticed_though_the_pipe_is_held_open() -> None:
    with pytest.raises(EOFError):
        pipes(lambda: True).lines.receive(5)


def test_a_closed_pipe_is_the_end() -> None:
    there = pipes()
    os.write(there.sent_there, b"half")
    os.close(there.sent_there)
    with pytest.raises(EOFError):
        there.lines.receive(5)


@pytest.mark.usefixtures("quick")
def test_half_a_line_is_silence() -> None:
    there = pipes()
    os.write(there.sent_there, b"half")
    with pytest.raises(TimeoutError):
        there.lines.receive(0.05)


def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_LINE_BYTES", 100)
    there = pipes()
    os.write(there.sent_there, b"x" * 200)
    with pytest.raises(ValueError, match="more than 100 bytes"):
        there.lines.receive(5)


def test_a_reply_is_read_though_the_other_side_reads_no_more() -> None:
    there = pipes()
    os.write(there.sent_there, b"no more\n")
    os.close(there.received_there)
    there.lines.send(b"x" * 1_000_000)
    assert there.lines.receive(5) == b"no more"
