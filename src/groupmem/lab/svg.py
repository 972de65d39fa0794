"""Figures as SVG files: text stays text, and the same figure gives the same bytes."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from groupmem.errors import InputError
from groupmem.files import write_atomic


def write_svg(path: Path, draw: Callable[[], Figure]) -> None:
    """Writes what `draw` gives. Raises InputError for another kind of file, and what `draw` raises."""
    if path.suffix.lower() != ".svg":
        raise InputError(f"{path}: a figure is written as SVG; name a file that ends in .svg")
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "groupmem", "text.parse_math": False}):
        buffer = io.BytesIO()
        draw().savefig(buffer, format="svg", metadata={"Date": None})
    write_atomic(path, buffer.getvalue())
