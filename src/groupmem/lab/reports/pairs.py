"""Two sides on the same questions: what every comparison in a report starts from."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from groupmem.errors import UnknownNameError
from groupmem.lab.measures import RETRIEVAL_MEASURES
from groupmem.lab.reports.frames import VALUE
from groupmem.lab.reports.statistics import Difference, compare_outcomes, compare_values

METRICS: Mapping[str, str] = {**{name: name for name in (*RETRIEVAL_MEASURES, VALUE)}, "accuracy": "right"}
"""What can be compared, and the column of the question frame that holds it."""

LOWER_IS_BETTER = frozenset({"leak@10"})
QUESTION_KEYS = ("unit", "question")


def check_metric(metric: str) -> str:
    """The name itself. Raises UnknownNameError."""
    if metric not in METRICS:
        raise UnknownNameError("metric", metric, METRICS)
    return metric


def compare_sides(left: pl.DataFrame, right: pl.DataFrame, metric: str, *, seed: int = 0) -> Difference | None:
    """Left against right on the questions where both were measured; None where there is no such question.

    Both are question frames of one system each. An unscored answer is no measurement: its question is left out.
    """
    column = METRICS[metric]
    both = left.select(*QUESTION_KEYS, pl.col(column).alias("left")).join(
        right.select(*QUESTION_KEYS, pl.col(column).alias("right")), on=QUESTION_KEYS, maintain_order="left"
    )
    both = both.drop_nulls()
    if both.is_empty():
        return None
    ours, theirs = both["left"].to_list(), both["right"].to_list()
    if metric == "accuracy":
        return compare_outcomes(ours, theirs, seed=seed)
    return compare_values(ours, theirs, lower_is_better=metric in LOWER_IS_BETTER, seed=seed)
