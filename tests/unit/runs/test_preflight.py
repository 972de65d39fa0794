"""Before the questions of a cell a planted message must come back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest

from groupmem.errors import ModelError, SystemFailure
from groupmem.lab.runs.stages.preflight import preflight
from groupmem.lab.systems.base import BaseSystem, Setting, passage_of
from groupmem.lab.systems.bm25 import Bm25
from groupmem.types import Message, Passage, Recall


class Peer(BaseSystem):
    """Finds by words; what comes back of it is changed by `back`."""

    def __init__(self, back: str) -> None:
        self.back = back
        self.closed = False

    def open(self, setting: Setting) -> None:
        self.setting = setting
        self.messages: list[Message] = []

    def ingest(self, messages: Sequence[Message]) -> None:
        self.messages += messages

    def recall(self, question: str, *, asker: str | None, limit: int, asked_at: datetime | None) -> Recall:
        if self.back == "error":
            raise ModelError("the model is out of reach")
        planted = max(self.messages, key=lambda message: len(set(message.text.split()) & set(question.split())))
        found = {
            "the message": [passage_of(planted)],
            "its words without an id": [Passage(text="A spare key hangs behind the CLOCK.")],
            "another message": [passage_of(self.messages[0])],
            "nothing": [],
        }
        return Recall(passages=tuple(found[self.back]))

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("back", ["the message", "its words without an id"])
def test_what_comes_back_passes(back: str, tmp_path: Path) -> None:
    peer = Peer(back)
    preflight(peer, Setting(store_dir=tmp_path, seed=7))
    assert peer.closed
    assert peer.setting.store_dir not in (None, tmp_path)
    assert not peer.setting.store_dir.exists()
    assert peer.setting.seed == 7
    assert {message.author for message in peer.messages} <= {person.id for person in peer.setting.people}


@pytest.mark.parametrize("back", ["another message", "nothing"])
def test_what_does_not_fails_with_the_reason(back: str, tmp_path: Path) -> None:
    peer = Peer(back)
    with pytest.raises(SystemFailure, match="a planted message did not come back"):
        preflight(peer, Setting(store_dir=tmp_path))
    assert peer.closed


def test_an_error_of_the_system_is_told_as_it_is(tmp_path: Path) -> None:
    peer = Peer("error")
    with pytest.raises(ModelError, match="out of reach"):
        preflight(peer, Setting(store_dir=tmp_path))
    assert peer.closed


def test_a_search_by_words_passes(tmp_path: Path) -> None:
    preflight(Bm25(), Setting(store_dir=tmp_path))
