"""Tables and the figure of `engine_speed.py`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

Figures = Mapping[str, float]

_CLOCKS = ("ms p50", "ms p95", "cpu ms p50", "cpu ms p95")
_CURVES = (
    ("recall", "recall cpu ms p95", "groupmem, half remembered (p95)", "C0o-"),
    ("recall", "made cpu ms p95", "groupmem, made questions (p95)", "C0s--"),
    ("rank-bm25", "recall cpu ms p95", "rank-bm25 (p95)", "C1^-"),
    ("bm25s", "recall cpu ms p95", "bm25s (p95)", "C2v-"),
)


def show(found: Mapping[str, Any], console: Console) -> None:
    """Prints what was measured: taking in, recall by size, and the other packages."""
    ingest = found["ingest"]
    taking = Table("taking in", "messages/s", "messages/cpu s")
    for job, line in ingest.items():
        taking.add_row(job, *(_number(line[name]) for name in ("messages/s", "messages/cpu s")))
    console.print(taking)
    for name, clock in (("messages/s", "wall clock"), ("messages/cpu s", "processor time")):
        share = ingest["ingest minilm"][name] / ingest["minilm alone"][name]
        console.print(f"with vectors: {share:.0%} of the rate of the model alone ({clock})")
    _show_latencies("embedding one question alone", {"": ingest["minilm alone"]}, "embedding", console)
    sizes = found["sizes"]
    recalls = {size: lines["recall"] for size, lines in sizes.items()}
    _show_latencies("recall, half remembered", recalls, "recall", console)
    _show_latencies("recall, made questions", recalls, "made", console)
    for name in ("rank-bm25", "bm25s"):
        rivals = {size: lines[name] for size, lines in sizes.items() if name in lines}
        _show_latencies(f"{name}, half remembered", rivals, "recall", console)
    others = ("first recall s", "peak MB", "database bytes/message", "index bytes/message")
    table = Table("messages", *others)
    for size, line in recalls.items():
        table.add_row(f"{int(size):,}", *(_number(line[name]) for name in others))
    console.print(table)


def _show_latencies(title: str, lines: Mapping[str, Figures], name: str, console: Console) -> None:
    table = Table(title, *_CLOCKS)
    for size, line in lines.items():
        label = f"{int(size):,} messages" if size else ""
        table.add_row(label, *(_number(line[f"{name} {clock}"]) for clock in _CLOCKS))
    console.print(table)


def _number(value: float) -> str:
    return f"{value:,.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


def draw(sizes: Mapping[str, Mapping[str, Figures]], alone: Figures, path: Path) -> None:
    """Draws the processor time of a recall over the number of messages."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "engine-speed"})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 4))
    for line, name, label, style in _CURVES:
        points = [(int(size), lines[line][name]) for size, lines in sizes.items() if line in lines]
        axes.plot(*zip(*points, strict=True), style, label=label, markersize=4)
    axes.axhline(alone["embedding cpu ms p50"], color="0.6", linestyle=":", label="embedding of one question (median)")
    axes.set(xscale="log", yscale="log", xlabel="messages", ylabel="processor time of a recall, ms")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
