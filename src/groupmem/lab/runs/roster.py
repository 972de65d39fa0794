"""From a name after --system to a row: a memory system or one of the reference rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from groupmem.lab.runs.reference import REFERENCE_ROWS
from groupmem.lab.runs.rows import Row, SystemRow
from groupmem.lab.runs.unit import RunUnit
from groupmem.lab.systems.registry import create_system, parse_spec

MODELS = ("chat", "embedding")
"""The options that name a model."""


class Entry(NamedTuple):
    """A row that is not open yet, with the options and the names of the models and prompts that it is opened with.

    `ingest_options` are those that what it makes of the messages depends on, but for the models.
    """

    row: Row
    options: Mapping[str, str] = {}
    embedding: str | None = None
    chat: str | None = None
    prompts: tuple[str, ...] = ()
    ingest_options: Mapping[str, str] = {}


def make_entry(name: str, unit: RunUnit) -> Entry:
    """A fresh row of this name for one cell. Raises UnknownNameError or InputError for what is no system."""
    spec = parse_spec(name)
    if spec.path is None and spec.name in REFERENCE_ROWS:
        return Entry(REFERENCE_ROWS[spec.name](name, spec.options, unit))
    opened = create_system(name, also=tuple(REFERENCE_ROWS))
    row = SystemRow(name, opened.system, opened.sha256)
    deciding = [option.name for option in opened.system.options if option.ingest and option.name not in MODELS]
    return Entry(
        row=row,
        options=opened.options,
        embedding=opened.embedding,
        chat=opened.chat,
        prompts=opened.system.prompt_names if opened.chat is not None else (),  # else nobody is asked with them
        ingest_options={name: opened.options[name] for name in deciding},
    )
