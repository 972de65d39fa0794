"""What decides the result of an ingest. Where all of it is equal, an ingest that was kept stands for another one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from groupmem.lab.runs.roster import Entry
from groupmem.lab.systems.registry import parse_spec
from groupmem.models.base import canonical_json
from groupmem.models.session import Models
from groupmem.prompts import Prompts
from groupmem.types import Conversation, Message, Record


class MadeFrom(Record, frozen=True, kw_only=True, omit_defaults=False):
    """`corpus` (sha256) is of people, channels and messages in their order, `files` (sha256) of all that the system is
    made of: adapter, schema, requirements. `code` is the package's own; `models` are described with their addresses."""

    corpus: str
    system: str
    files: str
    options: Mapping[str, str]
    models: Mapping[str, str]
    prompts: Mapping[str, str]
    seed: int
    code: str

    @property
    def key(self) -> str:
        """sha256 in hex."""
        return hashlib.sha256(canonical_json(self)).hexdigest()


def made_from(
    entry: Entry, conversation: Conversation, messages: Sequence[Message], *, code: str, seed: int, prompts: Prompts
) -> MadeFrom | None:
    """What an ingest of these messages is made from; None where it cannot be known: a command that names no file."""
    if entry.row.sha256 is None:
        return None
    whole = (conversation.people, conversation.channels, messages)
    return MadeFrom(
        corpus=hashlib.sha256(canonical_json(whole)).hexdigest(),
        system=parse_spec(entry.row.name).name,
        files=entry.row.sha256,
        options=entry.ingest_options,
        models=_models(entry),
        prompts={name: prompts.load(name).sha256 for name in entry.prompts},
        seed=seed,
        code=code,
    )


def _models(entry: Entry) -> dict[str, str]:
    chat = {"chat": Models.describe(entry.chat)} if entry.chat else {}
    embedding = {"embedding": Models.describe(entry.embedding, "embedding")} if entry.embedding else {}
    return chat | embedding
