"""What is pinned of BEAM: revisions, sums of files, sessions, slices and probes, the filler, and rubrics known to be
bad."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from groupmem.lab.benchmarks.base import DataFile
from groupmem.types import Record

REPOSITORY = "https://github.com/mohammadtavakoli78/BEAM"
REPOSITORY_REVISION = "b2a3ee8ba12d68f83143dda191097dc3e028ddd3"
HUB_NAME = "Mohammadta/BEAM"
HUB_REVISION = "3205395e897e7318c7b094ef4e6047b9b82dbb03"
PARQUET_PATH = "data/100K-00000-of-00001.parquet"
PARQUET = DataFile(
    path=PARQUET_PATH,
    url=f"https://huggingface.co/datasets/{HUB_NAME}/resolve/{HUB_REVISION}/{PARQUET_PATH}",
    sha256="c0519be25907005ba873c927c50877471d550873039d96c041554d0075a78ace",
)

CONVERSATIONS = ("1", "4", "6", "13", "17")
"""The five of the memory set, all of the 100K tier."""

LITE_CONVERSATION = "17"
LITE_MESSAGES = frozenset({"18", "156", "157"})
LITE_QUESTIONS = ("conv17:information_extraction:0", "conv17:multi_session_reasoning:0")

KNOWN_BAD: Mapping[str, str] = {
    "conv1:temporal_reasoning:0": "The reference answer says 4 weeks and the rubric says 8 weeks.",
    "conv4:preference_following:1": "A rubric item has a dropped letter.",
    "conv4:summarization:1": "A rubric item has a dropped letter.",
    "conv17:temporal_reasoning:1": "The rubric says 46 days from April 20 to July 5, which is 76 days.",
}
"""The reasons by question, in the words of the published set, for they are part of its sum."""


class Filler(NamedTuple):
    """A message that turned into filler: what is kept of it, and the sum of the whole before it is cut."""

    conversation: str
    message: int
    keep_chars: int
    original_chars: int
    original_sha256: str

    @property
    def marker(self) -> str:
        """What stands behind the text that is kept."""
        return f"\n[{self.original_chars - self.keep_chars} characters of repeated output removed]"


FILLER = Filler("4", 97, 1470, 348_853, "f395a89214d8b2b6f226e6ae3f0e4f3727222d55223fef10ea76405af865ed73")


class Sums(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """sha256 in hex: of the session documents by conversation, of the lite slices by document, of probes by
    question."""

    sessions: Mapping[str, tuple[str, ...]]
    slices: Mapping[str, str]
    probes: Mapping[str, str]


@cache
def sums() -> Sums:
    """The sums that come with the package."""
    return msgspec.json.decode(Path(__file__).with_name("sums.json").read_bytes(), type=Sums)


class _Pair(NamedTuple):
    """Sums and sizes in bytes of the two files of a conversation."""

    chat: str
    chat_bytes: int
    probes: str
    probes_bytes: int


_PAIRS: Mapping[str, _Pair] = {
    "1": _Pair(
        "ea71efd5dcc13f7366d3737b45d532eadb3d1497f3d6f23d1fa1c4004d5ffdf2",
        564_977,
        "047398ff1497674b11585e7b4829c3d64d2d5e63f7f3572c826b73ca1faaf898",
        31_547,
    ),
    "4": _Pair(
        "e0ef0f74b1f7ac911e8e0518722335c422cbc1112048e9909911b208c51fc027",
        720_144,
        "f69eda522cd7325830c8f78b6f02a571c992b6cf43311fa96f28043fd3c18dae",
        34_657,
    ),
    "6": _Pair(
        "5365cdc41da212fb7143cf9f191ff7862eed8e9ca175b3728fe593adedc87871",
        635_112,
        "7a6f88dfdeb3f1b582209a745e7c980158dbb2829a9ceae6cdb08bb868a00035",
        34_228,
    ),
    "13": _Pair(
        "aea586c143dab53cb5a021b3fab23380d5d9628fea1c4b718f91411019166dc6",
        568_613,
        "02dee0ba1d5576aed8ac535328a23fe4f882f6dcff3b96e039162e10d547236b",
        32_094,
    ),
    "17": _Pair(
        "6eb309c34fd98025327bbe46dec8cdfbf76304c249d3f579f02f46cea06eeefe",
        586_847,
        "7948981c2e40751bfe9ace82e53497d32229245e6012a2e5d4da2e801c929451",
        30_779,
    ),
}


def chat_path(tier: str, number: str) -> str:
    return f"{tier}/{number}/chat.json"


def probes_path(tier: str, number: str) -> str:
    return f"{tier}/{number}/probing_questions/probing_questions.json"


def json_files(tier: str, number: str) -> tuple[DataFile, DataFile]:
    """The two files of a conversation in the repository; those of the memory set have pinned sums."""
    pinned = _PAIRS.get(number) if tier == "100K" else None
    chat, probes = chat_path(tier, number), probes_path(tier, number)
    if pinned is None:
        return DataFile(path=chat, url=_raw(chat)), DataFile(path=probes, url=_raw(probes))
    return (
        DataFile(path=chat, url=_raw(chat), sha256=pinned.chat, size_bytes=pinned.chat_bytes),
        DataFile(path=probes, url=_raw(probes), sha256=pinned.probes, size_bytes=pinned.probes_bytes),
    )


def _raw(path: str) -> str:
    return f"https://raw.githubusercontent.com/mohammadtavakoli78/BEAM/{REPOSITORY_REVISION}/chats/{path}"
