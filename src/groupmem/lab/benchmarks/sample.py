"""The sample: a conversation with hard questions that comes with the package; `make sample` writes it."""

from __future__ import annotations

from groupmem import __version__
from groupmem.lab.benchmarks.base import BenchmarkMetadata
from groupmem.lab.benchmarks.bundled import Bundled, bundled_folder

SAMPLE = bundled_folder("sample")


class Sample(Bundled):
    """One unit, "sample"."""

    unit_names = ("sample",)
    metadata = BenchmarkMetadata(
        name="sample",
        title="The bundled sample: a synthesised conversation of a factory, with hard questions",
        licence="Apache-2.0",
        source="bundled with groupmem",
        revision=__version__,
        citation="groupmem",
    )
