"""Where data sets lie: one folder each, below the folder that GROUPMEM_DATA names or the user's own data folder."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "GROUPMEM_DATA"


def data_root(given: Path | None = None) -> Path:
    """`given`, else the folder that GROUPMEM_DATA names, else `groupmem` in the user's data folder (XDG)."""
    if given is not None:
        return given
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    xdg = os.environ.get("XDG_DATA_HOME")
    return (Path(xdg) if xdg else Path.home() / ".local" / "share") / "groupmem"
