"""One question for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from groupmem.lab.reports.question import QuestionView, RecallView, ShownPassage, SystemView
from groupmem.text import printable

_OUTCOME_STYLES = {"right": "bold green", "wrong": "bold red", "unscored": "bold yellow"}


def print_question(view: QuestionView, console: Console) -> None:
    """Prints the question, its gold, and one block a system."""
    _line(console, _one_line(f"{view.id}  ({view.category}, unit {view.unit})"), style="bold")
    asked = f" at {view.asked_at.isoformat()}" if view.asked_at else ""
    _line(console, f"{_one_line(view.asker or 'somebody')} asks{asked}: {view.text}")
    _line(console, f"gold: {'none' if view.gold is None else view.gold}", style="green")
    for label, value in (("twin", view.twin), ("gold known to be wrong", view.known_bad)):
        if value is not None:
            _line(console, f"{label}: {value}", style="yellow")
    if not view.evidence:
        _line(console, "evidence: none", style="dim")
    for evidence in view.evidence:
        text = "its text is in no passage of this run" if evidence.text is None else evidence.text
        _line(console, f"evidence {evidence.id}: {text}", style="dim")
    for system in view.systems:
        _print_system(system, console, view.limit)


def _print_system(view: SystemView, console: Console, limit: int) -> None:
    console.print()
    _line(console, f"{view.system}: {_state(view)}", style="bold")
    if view.recalled is not None:
        _print_recall(view.recalled, console, limit)
    if view.answer is not None:
        problem = f" [{view.answer.problem}] {view.answer.detail}" if view.answer.problem else ""
        _line(console, f"answered{problem}: {view.answer.text or '(nothing)'}", indent=2)
    if view.verdict is not None:
        reason = f" ({view.verdict.reason})" if view.verdict.reason else ""
        style = _OUTCOME_STYLES[view.verdict.outcome]
        _line(console, f"verdict: {view.verdict.outcome}{reason}", style=style, indent=2)
        if view.verdict.scores:
            _line(console, ", ".join(f"{name} {value:.3f}" for name, value in view.verdict.scores.items()), indent=4)
        if view.verdict.reply:
            _line(console, view.verdict.reply, style="dim", indent=4)


def _state(view: SystemView) -> str:
    if view.failure is not None:
        return f"failed: {view.failure}"
    if view.recalled is None:
        return f"{view.status}; this question was not asked so far"
    support = "" if view.recalled.support is None else f", support {view.recalled.support:.2f}"
    return f"{view.recalled.latency_ms:.1f} ms, {view.recalled.context_tokens:,} context tokens{support}"


def _print_recall(view: RecallView, console: Console, limit: int) -> None:
    """The first passages, as many as a reader is handed, and of the others those that prove the answer."""
    if not view.ranked:
        _line(console, "returns nothing in rank order; no passages are on record", style="dim", indent=2)
        return
    if not view.passages:
        _line(console, "returned nothing", style="yellow", indent=2)
    shown = [passage for place, passage in enumerate(view.passages) if place < limit or passage.gold]
    for passage in shown:
        style = "red" if passage.hidden else "green" if passage.gold else ""
        _line(console, f"{_head(passage)}: {' '.join(passage.text.split())}", style=style, indent=2)
    if len(shown) < len(view.passages):
        _line(console, f"and {len(view.passages) - len(shown)} more without gold (--json)", style="dim", indent=2)
    if view.missed:
        _line(console, f"missed: {', '.join(view.missed)}", style="yellow", indent=2)


def _head(passage: ShownPassage) -> str:
    """A name with a line break in it cannot look like another passage."""
    return "  ".join(map(_one_line, _head_parts(passage)))


def _head_parts(passage: ShownPassage) -> Iterator[str]:
    yield f"{'–' if passage.rank is None else passage.rank:>3}"
    if passage.gold:
        yield "GOLD"
    if passage.hidden:
        yield "HIDDEN"
    yield ", ".join(passage.ids) or "no source"
    yield passage.author or "?"
    if passage.channel is not None:
        yield passage.channel
    if passage.sent_at is not None:
        yield passage.sent_at.isoformat(sep=" ", timespec="minutes")


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())


def _line(console: Console, text: str, *, style: str = "", indent: int = 0) -> None:
    console.print(Padding(Text(printable(text), style=style), (0, 0, 0, indent), expand=False))
