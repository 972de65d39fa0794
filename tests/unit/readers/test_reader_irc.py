"""IRC logs: links, times, and no nickname left anywhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from groupmem.errors import InputError
from groupmem.readers.base import Loaded
from groupmem.readers.irc import REPLY_UNKNOWN, read, recognises
from groupmem.readers.registry import read_any

LOG = """\
[23:58] <Quillfen> hello all, brackwick here?
=== Brackwick [~brack@host.example] has joined #harbour
[23:59] <Brackwick> quillfen: yes, ask QUILLFEN's cat
[00:01] <osk|away> * waves
=== osk|away is now known as osk
[00:02]  * osk is back, see http://x.example/~brackwick/notes
[00:02] <Quillfen>
no line of a log by Brackwick
"""
LINKS = "0 0 -\n0 2 -\n1 3 -\n2 5 -\n0 5 -\n3 77 -\n6 6 -\n"


def write(folder: Path, log: str = LOG, links: str | None = LINKS, name: str = "2024-02-28_23") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.ascii.txt").write_text(log, "utf-8")
    if links is not None:
        (folder / f"{name}.annotation.txt").write_text(links, "utf-8")
    return folder


@pytest.fixture
def loaded(tmp_path: Path) -> Loaded:
    return read_any(write(tmp_path / "logs"))


def test_messages_actions_links_and_times(loaded: Loaded) -> None:
    messages = loaded.conversation.messages
    assert [item.id.split(":")[1] for item in messages] == ["0", "2", "3", "5", "6"]
    assert [item.author for item in messages] == ["nick_aa", "nick_ab", "nick_ac", "nick_ad", "nick_aa"]
    assert [item.reply_to and item.reply_to.split(":")[1] for item in messages] == [None, "0", None, "2", None]
    assert messages[3].extra == {"also_answers": ["2024-02-28_23:0"]}
    assert [f"{item.sent_at:%d %H:%M}" for item in messages] == [
        "28 23:58",
        "28 23:59",
        "29 00:01",
        "29 00:02",
        "29 00:02",
    ]
    assert messages[3].text == "is back, see http://x.example/~nick_ab/notes"
    assert messages[4].text == ""


def test_no_nickname_is_kept_or_told(loaded: Loaded) -> None:
    everything = msgspec.json.encode(loaded).decode() + " ".join(loaded.report.warnings())
    assert not re.search(r"quillfen|brackwick|\bosk\b|host\.example", everything, re.IGNORECASE)
    assert loaded.conversation.messages[1].text == "nick_aa: yes, ask nick_aa's cat"


def test_what_is_no_message_is_told(loaded: Loaded) -> None:
    warnings = loaded.report.warnings()
    assert any("2 lines of the system" in warning for warning in warnings)
    assert [(row.where, row.reason) for row in loaded.report.quarantined] == [
        ("line 8", "neither a message nor a line of the system"),
        ("line 6", "not a link between two lines of the log"),
    ]
    assert loaded.report.counts == {"naive_times": 5}


def test_a_line_that_nobody_annotated_says_so(tmp_path: Path) -> None:
    messages = read(write(tmp_path / "logs", links="0 2 -\n")).conversation.messages
    assert [bool(item.extra.get(REPLY_UNKNOWN)) for item in messages] == [True, False, True, True, True]


def test_a_person_has_one_name_in_all_logs_and_each_log_is_a_channel(tmp_path: Path) -> None:
    folder = write(tmp_path / "logs")
    write(folder, "[09:00] <QUILLFEN> morning\n", "0 0 -\n", "2025-01-01_09")
    conversation = read(folder).conversation
    assert [channel.id for channel in conversation.channels] == ["2024-02-28_23", "2025-01-01_09"]
    assert conversation.messages[-1].author == "nick_aa"
    assert len({person.id for person in conversation.people}) == len(conversation.people) == 4


def test_hours_that_are_counted_to_twelve_go_on_after_noon(tmp_path: Path) -> None:
    log = "[12:59] <a> x\n[01:00] <b> y\n[12:59] <a> z\n[12:58] <b> late\n[01:00] <a> w\n"
    messages = read(write(tmp_path / "logs", log, "")).conversation.messages
    hours = [f"{item.sent_at:%d %H:%M}" for item in messages]
    assert hours == ["28 12:59", "28 13:00", "29 00:59", "29 00:58", "29 01:00"]


def test_a_folder_of_something_else_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "corpus.json").write_text("{}")
    assert not recognises(tmp_path)
    assert not recognises(tmp_path / "corpus.json")


def test_a_log_without_links_or_date_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"annotation\.txt"):
        read(write(tmp_path / "one", links=None))
    with pytest.raises(InputError, match="name the log after its day"):
        read(write(tmp_path / "two", name="monday"))


@pytest.mark.data
def test_the_published_logs(public_data: Callable[[str], Path]) -> None:
    folder = public_data("irc-disentanglement/data/dev")
    loaded = read_any(folder)
    messages = loaded.conversation.messages
    assert len(loaded.conversation.channels) == 10
    assert len(messages) == 12_500 - 856
    assert loaded.report.quarantined == ()
    logs = "\n".join(path.read_text() for path in sorted(folder.glob("*.ascii.txt")))
    nicks = {nick.lower() for nick in re.findall(r"^\[..:..\] <([^ >]+)>", logs, re.MULTILINE)}
    told = " ".join(f"{item.author} {item.text}" for item in messages).lower()
    assert len(nicks) > 1000
    assert not nicks & set(re.findall(r"[\w\[\]\\`^{}|-]+", told))
