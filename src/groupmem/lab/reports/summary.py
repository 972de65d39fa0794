"""Question rows -> the figures of a table: one row a unit, system and category, and over all of them.

All means are over questions (micro): every question that was measured weighs the same, whatever its unit or category.
"""

from __future__ import annotations

from itertools import product
from typing import get_args

import polars as pl

from groupmem.lab.measures import RETRIEVAL_MEASURES
from groupmem.lab.reports.frames import CEILING, TOTAL, VALUE, RunFrames
from groupmem.lab.reports.statistics import wilson_interval
from groupmem.types import UnscoredReason

KEYS = ("unit", "system", "category")
REASONS: tuple[str, ...] = get_args(UnscoredReason)
WITHOUT_BAD = "_without_bad"
"""Ends the name of a mean that leaves out questions whose gold is known to be wrong."""
PUBLISHED_ORDER = ("multi_hop", "knowledge_update", "temporal", "user_implicit", "term_ambiguity", "abstention")
"""The order of the question types in the tables of GroupMemBench; other categories follow by name."""


def summarise(frames: RunFrames) -> pl.DataFrame:
    """The summary frame, in the order of units, systems and categories of the run, totals ("all") last.

    Columns: unit, system, category, status and those of docs/reports.md ("Rows"). Null is not measured.
    """
    rows = with_totals(frames.questions)
    summary = rows.group_by(KEYS, maintain_order=True).agg(*_counts(), *_retrieval(), *_answers())
    summary = summary.with_columns(*_rates(), *_intervals(summary))
    summary = summary.join(_statuses(frames), on=["unit", "system"], how="left")
    return _in_order(summary, frames)


def categories_of(frames: RunFrames) -> tuple[str, ...]:
    """The categories of the run, those of the published tables first and in their order; none where all are "all"."""
    names = set(frames.questions["category"]) - {TOTAL}
    published = [name for name in PUBLISHED_ORDER if name in names]
    return (*published, *sorted(names.difference(published)))


def units_of(frames: RunFrames) -> tuple[str, ...]:
    """The units of the run in its order, without one that is called as the total is."""
    return tuple(name for name in dict.fromkeys(frames.cells["unit"]) if name != TOTAL)


def summarise_scores(frames: RunFrames) -> pl.DataFrame:
    """Further measures of answers (a rubric, F1): one row a unit, system, category and score, and over all of them.

    Columns: unit, system, category, score, mean, and questions: those that have this score.
    """
    mean = (pl.col("value").mean().alias("mean"), pl.len().alias("questions"))
    return with_totals(frames.scores).group_by(*KEYS, "score", maintain_order=True).agg(mean)


def with_totals(questions: pl.DataFrame) -> pl.DataFrame:
    """Every question row four times: as it is, over its units, over its categories, over both."""
    copies = []
    for over_units, over_categories in product((False, True), repeat=2):
        totals = [
            pl.lit(TOTAL).alias(name) for name, over in (("unit", over_units), ("category", over_categories)) if over
        ]
        rows = questions
        if not over_units:
            rows = rows.filter(pl.col("unit") != TOTAL)
        if not over_categories:
            rows = rows.filter(pl.col("category") != TOTAL)
        copies.append(rows.with_columns(totals))
    return pl.concat(copies)


def _counts() -> list[pl.Expr]:
    return [
        pl.len().alias("questions"),
        (pl.col("evidence") > 0).sum().alias("with_evidence"),
        pl.col("recall@10").count().alias("measured"),
        pl.col("known_bad").sum().alias("known_bad"),
    ]


def _retrieval() -> list[pl.Expr]:
    """Means over the questions that were measured: a ranked recall on record and, but for the leak, evidence."""
    return [
        *(pl.col(name).mean() for name in (*RETRIEVAL_MEASURES, VALUE, CEILING)),
        pl.col(VALUE).count().alias("with_value"),
        pl.col("recall@10").filter(~pl.col("known_bad")).mean().alias(f"recall@10{WITHOUT_BAD}"),
        pl.col("context_tokens", "hidden").mean(),
        pl.col("latency_ms").quantile(0.5, "linear").alias("recall_p50_ms"),
        pl.col("latency_ms").quantile(0.95, "linear").alias("recall_p95_ms"),
        (pl.col("truncated") > 0).sum().alias("truncated"),
        pl.col("returned").sum().alias("returned"),
    ]


def _answers() -> list[pl.Expr]:
    outcome, expected = pl.col("outcome"), pl.col("expects_abstention")
    answerable = ~expected & pl.col("abstained").is_not_null()
    return [
        pl.col("right").count().alias("scored"),
        pl.col("right").sum().alias("right"),
        pl.col("right").filter(~pl.col("known_bad")).mean().alias(f"accuracy{WITHOUT_BAD}"),
        (outcome == "unscored").sum().alias("unscored"),
        *((pl.col("reason") == reason).sum().alias(f"unscored_{reason}") for reason in REASONS),
        pl.col("published").sum().alias("published_right"),
        pl.col("published").count().alias("published_total"),
        answerable.sum().alias("answerable"),
        (answerable & pl.col("abstained")).sum().alias("false_abstentions"),
        (expected & pl.col("right").is_not_null()).sum().alias("abstention_scored"),
        (expected & pl.col("right")).sum().alias("abstention_right"),
        *_failures(expected),
    ]


def _failures(expected: pl.Expr) -> list[pl.Expr]:
    """Questions with an answer, scored: was a gold message handed to the reader, and was the answer right?

    GroupMemBench, section "Failure Analysis": without gold it is retrieval that failed, with gold it is reasoning.
    """
    right, read = pl.col("right"), pl.col("gold_read")
    analysed = ~expected & right.is_not_null() & read.is_not_null()
    return [
        analysed.sum().alias("analysed"),
        (analysed & read).sum().alias("gold_read"),
        (analysed & read & right).sum().alias("right_with_gold"),
        (analysed & ~read & right).sum().alias("right_without_gold"),
        (analysed & read & ~right).sum().alias("reasoning_failures"),
        (analysed & ~read & ~right).sum().alias("retrieval_failures"),
    ]


def _rates() -> list[pl.Expr]:
    pairs = {
        "accuracy": ("right", "scored"),
        "published_accuracy": ("published_right", "published_total"),
        "false_abstention_rate": ("false_abstentions", "answerable"),
        "abstention_accuracy": ("abstention_right", "abstention_scored"),
        "accuracy_with_gold": ("right_with_gold", "gold_read"),
    }
    shares = [
        pl.when(pl.col(whole) > 0).then(pl.col(part) / pl.col(whole)).alias(name)
        for name, (part, whole) in pairs.items()
    ]
    missing = pl.col("questions") - pl.col("scored") - pl.col("unscored")
    return [*shares, missing.alias("unanswered")]


def _intervals(summary: pl.DataFrame) -> list[pl.Series]:
    found = [wilson_interval(right, scored) for right, scored in summary.select("right", "scored").iter_rows()]
    return [
        pl.Series("accuracy_low", [None if one is None else one[0] for one in found], dtype=pl.Float64),
        pl.Series("accuracy_high", [None if one is None else one[1] for one in found], dtype=pl.Float64),
    ]


def _statuses(frames: RunFrames) -> pl.DataFrame:
    """complete, incomplete, failed or missing, of each cell and of each system over its cells."""
    finished = ["done"] if frames.answering else ["done", "recalled"]
    status = (
        pl.when(pl.col("status").is_in(["failed", "missing"]))
        .then("status")
        .when(pl.col("status").is_in(finished))
        .then(pl.lit("complete"))
        .otherwise(pl.lit("incomplete"))
        .alias("status")
    )
    cells = frames.cells.select("unit", "system", status)
    over_units = cells.group_by("system", maintain_order=True).agg(
        pl.lit(TOTAL).alias("unit"),
        pl.when(pl.col("status").n_unique() == 1).then(pl.col("status").first()).otherwise(pl.lit("incomplete")),
    )
    return pl.concat([cells.filter(pl.col("unit") != TOTAL), over_units.select(cells.columns)])


def _in_order(summary: pl.DataFrame, frames: RunFrames) -> pl.DataFrame:
    orders = {
        "unit": (*units_of(frames), TOTAL),
        "system": frames.systems,
        "category": (*categories_of(frames), TOTAL),
    }
    places = [
        pl.col(name).replace_strict({value: place for place, value in enumerate(values)}, return_dtype=pl.Int64)
        for name, values in orders.items()
    ]
    return summary.sort(places)
