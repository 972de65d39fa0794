"""groupmem quality: how a conversation reads and what shape it has, beside others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groupmem.cli.console import Console, JsonOption, QuietOption, print_object
from groupmem.cli.options import Concurrency, MaxCalls, MaxTokens, MaxUsd, NoCache, PriceFile, PromptFolder
from groupmem.errors import InputError

if TYPE_CHECKING:
    from groupmem.lab.measures.conversation import ConversationMeasures
    from groupmem.lab.runs.quality import QualityRecord
    from groupmem.models.session import Models
    from groupmem.types import Conversation


def quality(
    conversation: Annotated[Path, typer.Argument(help="A folder or file, in any format that can be read.")],
    against: Annotated[
        list[Path] | None, typer.Option(help="Another conversation to compare with. May be repeated.")
    ] = None,
    judge: Annotated[str | None, typer.Option(help="The model that rates excerpts on six dimensions.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Excerpts of each conversation that the judge rates.")] = 10,
    figure: Annotated[Path | None, typer.Option(help="Draw the scores into this SVG file.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="The folder of ratings and call log. Default: quality, in the conversation's.")
    ] = None,
    prompts: PromptFolder = None,
    max_usd: MaxUsd = None,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    prices: PriceFile = None,
    concurrency: Concurrency = 8,
    no_cache: NoCache = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Measure how varied a conversation is and what shape its threads have; with a judge, rate it.

    Replies come from the cache of this user, so a command that was killed, at its budget or
    waiting for a batch goes on where it stopped.

    --json: {"conversations": {name: {"path", "measures"}}, "judged": quality.json, or null}
    """
    if judge is None and (figure is not None or out is not None):
        raise InputError("--figure and --out are about the scores of a judge; name one with --judge")
    if figure is not None and figure.suffix.lower() != ".svg":  # said now, not when the calls are paid for
        raise InputError(f"{figure}: a figure is written as SVG; name a file that ends in .svg")

    def open_models(log_path: Path) -> Models:
        from groupmem.models.budget import Budget
        from groupmem.models.cache import default_cache_path
        from groupmem.models.prices import Prices
        from groupmem.models.session import Models

        return Models(
            log_path=log_path,
            cache_path=None if no_cache else default_cache_path(),
            budget=Budget(usd=max_usd, calls=max_calls, tokens=max_tokens),
            prices=Prices(prices),
            concurrency=concurrency,
        )

    console = Console(quiet=quiet)
    given = [conversation, *(against or [])]
    paths = dict(zip(_names(given), given, strict=True))
    conversations = {name: _read(name, path, console) for name, path in paths.items()}
    judged = None
    if judge is not None:
        from groupmem.lab.runs.quality import QualityOrder, assess

        folder = out or (conversation if conversation.is_dir() else conversation.parent) / "quality"
        order = QualityOrder(judge=judge, seeds=seeds, prompts=prompts, workers=concurrency)
        judged = assess(conversations, order, folder, console, open_models)
    if judged is not None and figure is not None:
        from groupmem.lab.judging.quality.radar import write_radar  # matplotlib takes a second to load

        write_radar(judged.scores, figure)
    _show(paths, _measured(conversations, console), judged, json=json)


def _measured(conversations: Mapping[str, Conversation], console: Console) -> dict[str, ConversationMeasures]:
    from groupmem.lab.measures.conversation import measure_conversation

    measures = {}
    with console.task("measures", len(conversations)) as task:
        for name, conversation in conversations.items():
            measures[name] = measure_conversation(conversation)
            task.advance()
    return measures


def _show(
    paths: Mapping[str, Path],
    measures: Mapping[str, ConversationMeasures],
    judged: QualityRecord | None,
    *,
    json: bool,
) -> None:
    from groupmem.cli.quality_table import measure_lines, score_lines

    if json:
        shown = {name: {"path": str(path), "measures": measures[name]} for name, path in paths.items()}
        print_object({"conversations": shown, "judged": judged})
        return
    for line in [*measure_lines(measures), *(["", *score_lines(judged)] if judged else [])]:
        print(line)


def _names(paths: Sequence[Path]) -> list[str]:
    """What each conversation is called: its last part, and the one before where two would be called alike."""
    resolved = [path.resolve() for path in paths]
    short = [path.name if path.is_dir() else path.stem for path in resolved]
    often = Counter(short)
    names = [
        name if often[name] == 1 else f"{path.parent.name}/{path.name}"
        for name, path in zip(short, resolved, strict=True)
    ]
    if len(set(names)) < len(names):
        raise InputError(f"{', '.join(map(str, paths))}: two of these have one name; copy or rename one of them")
    return names


def _read(name: str, path: Path, console: Console) -> Conversation:
    from groupmem.readers.registry import read_any

    loaded = read_any(path)
    for warning in loaded.report.warnings():
        console.note(f"{name}: {warning}")
    return loaded.conversation
