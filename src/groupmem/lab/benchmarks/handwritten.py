"""A small group conversation that was written by hand: its README says how it was made hard."""

from __future__ import annotations

from groupmem.lab.benchmarks.base import BenchmarkMetadata
from groupmem.lab.benchmarks.bundled import Bundled, bundled_folder

HANDWRITTEN = bundled_folder("handwritten")


class Handwritten(Bundled):
    """One unit, "handwritten"."""

    unit_names = ("handwritten",)
    metadata = BenchmarkMetadata(
        name="handwritten",
        title="A theatre on tour: a small hand-written group conversation",
        licence="Apache-2.0",
        source="bundled with groupmem",
        revision="1",
        citation="groupmem",
    )
