"""What a system counted in its store, as far as the record of BEAM has a place for it.

Figures are whatever a system says: those of another form than the record's are left out by name, and break no table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from groupmem.types import Record

Count = Annotated[int, msgspec.Meta(ge=0)]


class Figures(Record, frozen=True, kw_only=True):
    """`entities` are by label, `relations` by type. None: not counted, or not in this form, which `misread` names."""

    chunks: Count | None = None
    empty_extractions: Count | None = None
    entities: Mapping[str, Count] | None = None
    relations: Mapping[str, Count] | None = None
    misread: tuple[str, ...] = ()

    @property
    def graph(self) -> dict[str, Mapping[str, int] | None] | None:
        """Both parts of a graph; None where neither is counted."""
        if self.entities is None and self.relations is None:
            return None
        return {"entities_by_label": self.entities, "relations_by_type": self.relations}


COUNTED = tuple(name for name in Figures.__struct_fields__ if name != "misread")


def read_figures(said: Mapping[str, Any]) -> Figures:
    """The figures of a cell that the record has a place for."""
    read: dict[str, Any] = {}
    misread = []
    for name in (name for name in COUNTED if name in said):
        try:
            read[name] = getattr(msgspec.convert({name: said[name]}, Figures), name)
        except msgspec.ValidationError:
            misread.append(name)
    return Figures(**read, misread=tuple(misread))
