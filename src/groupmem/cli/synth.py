"""groupmem synth: conversations with known ground truth, and their statistics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groupmem.cli.console import Console, JsonOption, QuietOption, print_object
from groupmem.cli.options import Concurrency, MaxCalls, MaxTokens, MaxUsd, NoCache, PriceFile, PromptFolder

if TYPE_CHECKING:
    from groupmem.lab.synthesis.making import Made
    from groupmem.lab.synthesis.stats import Counts, Statistics
    from groupmem.models.session import Models

app = typer.Typer(help="Write group conversations with known ground truth.", no_args_is_help=True)


@app.command()
def make(
    pack: Annotated[
        str, typer.Argument(help="technology, finance, healthcare, manufacturing, or a .toml of your own.")
    ],
    messages: Annotated[int, typer.Option("--messages", "-n", min=1, help="Messages of the corpus.")] = 30_000,
    writer: Annotated[str, typer.Option(help="grammar (no model), model:NAME, or single-prompt:NAME.")] = "grammar",
    seed: Annotated[int, typer.Option(help="Seed of everything that is drawn.")] = 0,
    policy: Annotated[Path | None, typer.Option(help="A policy file (TOML, or the policy.json of a corpus).")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="One policy key: paths.post=0.25. May be repeated.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The folder of the corpus. Default: PACK-MESSAGES.")] = None,
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
    """Write a corpus: messages, people, channels, facts and decisions.

    With grammar the same seed and policy give the same bytes. Killed, interrupted, at its
    budget or waiting for a batch: the same command goes on where it stopped.

    --json: {"folder", "resumed", "provenance"}
    """
    from groupmem.lab.synthesis.making import Order, make_corpus
    from groupmem.lab.synthesis.pack_file import load_pack
    from groupmem.lab.synthesis.policy_file import load_policy
    from groupmem.models.budget import Budget
    from groupmem.models.cache import default_cache_path
    from groupmem.models.prices import Prices
    from groupmem.models.session import Models

    loaded = load_pack(pack)
    order = Order(
        pack=loaded,
        policy=load_policy(policy, settings or ()),
        messages=messages,
        writer=writer,
        seed=seed,
        prompts=prompts,
        workers=concurrency,
    )

    def open_models(log_path: Path) -> Models:
        return Models(
            log_path=log_path,
            cache_path=None if no_cache else default_cache_path(),
            budget=Budget(usd=max_usd, calls=max_calls, tokens=max_tokens),
            prices=Prices(prices),
            concurrency=concurrency,
        )

    made = make_corpus(order, out or Path(f"{loaded.name}-{messages}"), Console(quiet=quiet), open_models)
    _show(made, json=json)


@app.command()
def stats(
    folder: Annotated[Path, typer.Argument(help="The folder of a corpus.")],
    json: JsonOption = False,
) -> None:
    """The statistics of a corpus beside those of the four published ones.

    --json: {"name", "counts", "drawn", "realised", "overrides", "rates", "facts", "paper"}
    """
    from groupmem.lab.synthesis.stats import corpus_statistics

    statistics = corpus_statistics(folder)
    if json:
        print_object(statistics)
        return
    for line in _table(statistics):
        print(line)


def _show(made: Made, *, json: bool) -> None:
    if json:
        print_object({"folder": str(made.folder), "resumed": made.resumed, "provenance": made.provenance})
        return
    provenance = made.provenance
    print(f"corpus: {made.folder}  {provenance.messages} messages of {provenance.people} people by {provenance.writer}")
    if provenance.unstated:
        print(f"{provenance.unstated} planned statements are in no text and not in the ground truth")


def _table(statistics: Statistics) -> list[str]:
    columns: list[tuple[str, Counts]] = [(statistics.name, statistics.counts), *statistics.paper.items()]
    width = max(12, *(len(name) + 2 for name, _ in columns))
    lines = [f"{'':<24}" + "".join(f"{name:>{width}}" for name, _ in columns)]
    for field in statistics.counts.__struct_fields__:
        values = "".join(f"{getattr(counts, field):>{width},}" for _, counts in columns)
        lines.append(f"{field.replace('_', ' '):<24}{values}")
    for path in statistics.counts.shares():
        shares = "".join(f"{counts.shares()[path]:>{width}.3f}" for _, counts in columns)
        lines.append(f"{'share ' + path.replace('_', ' '):<24}{shares}")
    lines.append("")
    lines += [f"{'drawn ' + name.replace('_', ' '):<30}{share:.3f}" for name, share in statistics.drawn.items()]
    lines += [f"{'override ' + reason:<30}{count:,}" for reason, count in statistics.overrides.items()]
    lines += [f"{name:<30}{value:.3f}" for name, value in statistics.rates.items()]
    lines.append("facts: " + ", ".join(f"{kind} {count:,}" for kind, count in statistics.facts.items()))
    return lines
