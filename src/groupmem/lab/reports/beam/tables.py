"""The tables of the harness' page on BEAM: scores over all, by ability and by question, model calls by part, graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from groupmem.lab.records import RunFolder
from groupmem.lab.reports.beam.questions import FAILURE, QuestionRecord
from groupmem.lab.reports.beam.record import BeamRecord, Corpus, Mean, read_records
from groupmem.lab.reports.beam.work import AGENT, INGEST, JUDGE, total
from groupmem.lab.reports.grouping import SYSTEM
from groupmem.lab.reports.leaderboard import Leaderboard
from groupmem.lab.reports.table import Column, Row, Section, Table, Value

METRICS = {
    "score": "score",
    "score_excluding_known_bad": "w/o bad",
    "score_read": "w/o parse errors",
    "event_f1": "event F1",
    "event_tau_norm": "event tau",
    "official_score": "official",
}
"""Metric to heading."""

ALL = "all"
"""The row of the sums."""


def beam_tables(board: Leaderboard) -> list[Table]:
    """Raises InputError for a run of another benchmark."""
    records = read_records(RunFolder(Path(board.run)))
    tables = [scores_table(records), abilities_table(records), questions_table(records), calls_table(records)]
    return [*tables, graphs_table(records)]


def scores_table(records: Sequence[BeamRecord]) -> Table:
    """The metrics of each system over all questions that have them, and what went wrong."""
    columns = (
        SYSTEM,
        *(Column(header=header, decimals=3, best="high") for header in METRICS.values()),
        *(Column(header=header) for header in ("parse errors", "failures", "timeouts", "no score", "n")),
    )
    rows = [(record.system, *_means(record), *_troubles(record.questions)) for record in records]
    notes = (
        "official: as the repository of BEAM counts, .5 cut to 0 and event ordering by tau alone",
        "a parse error is 0 for its item, of events no match, and left out of the score without",
        "a failure (no answer) is 0 everywhere",
        *(f"{record.system}: {mark}" for record in records for mark in record.marks),
    )
    return _table("BEAM: scores", columns, rows, notes)


def abilities_table(records: Sequence[BeamRecord]) -> Table:
    """The mean score by ability."""
    abilities = sorted({found.group for record in records for found in record.questions})
    groups = [record.scores["by_group"] for record in records]
    rows = [(ability, *(_mean(group.get(ability, {}).get("score")) for group in groups)) for ability in abilities]
    return _table("Score by ability", (Column(header="ability", text=True), *_systems(records)), rows)


def questions_table(records: Sequence[BeamRecord]) -> Table:
    """The score of every question; a dash where there is none."""
    by_system = [{found.id: found for found in record.questions} for record in records]
    rows = [
        (found.id, found.group, *(known[found.id].scores.get("score") for known in by_system))
        for found in records[0].questions
    ]
    columns = (Column(header="question", text=True), Column(header="ability", text=True), *_systems(records))
    return _table("Score by question", columns, rows, keys=2)


def calls_table(records: Sequence[BeamRecord]) -> Table:
    """Chat calls by part of the work."""
    rows: list[Row] = []
    for record in records:
        parts = [(_part(path), usage) for path, usage in record.by_path.items() if usage.calls]
        sums = (ALL, total(record.by_path.values()))
        rows += [(record.system, part, usage.calls, usage.tokens, usage.cost_usd) for part, usage in (*parts, sums)]
    columns = (
        SYSTEM,
        Column(header="part", text=True),
        Column(header="calls"),
        Column(header="tokens"),
        Column(header="cost $", decimals=4),
    )
    notes = ("chat calls that were answered, from the cache too; agent: recall and answer", *_reused(records))
    return _table("Model calls", columns, rows, notes, keys=2)


def _reused(records: Sequence[BeamRecord]) -> Iterator[str]:
    for record in records:
        reused = [corpus.corpus_id for corpus in record.corpora if corpus.ingest_cache_hit]
        if reused:
            yield f"{record.system}: the ingest of {', '.join(reused)} was paid for by an earlier run"


def _part(path: str) -> str:
    """What a path is called in a table."""
    return path if path in (INGEST, AGENT, JUDGE) else f"{INGEST}: {path.removeprefix(f'{INGEST}/')}"


def graphs_table(records: Sequence[BeamRecord]) -> Table:
    """What each system counted of its graphs, over all corpora; a dash where it counts nothing."""
    columns = (
        SYSTEM,
        *(Column(header=header) for header in ("corpora", "documents", "chunks", "entities", "relations")),
        Column(header="empty extractions"),
        Column(header="ingest s", decimals=1),
    )
    return _table("Graphs", columns, [(record.system, *_graph(record.corpora)) for record in records])


def _graph(corpora: Sequence[Corpus]) -> tuple[Value, ...]:
    return (
        len(corpora),
        _sum([corpus.n_documents for corpus in corpora]),
        _sum([corpus.chunks for corpus in corpora]),
        *(_sum([_size(corpus, part) for corpus in corpora]) for part in ("entities_by_label", "relations_by_type")),
        _sum([corpus.empty_extractions for corpus in corpora]),
        sum(corpus.ingest_seconds for corpus in corpora),
    )


def _size(corpus: Corpus, part: str) -> int | None:
    counts = None if corpus.graph is None else corpus.graph[part]
    return None if counts is None else sum(counts.values())


def _sum(counts: Sequence[int | None]) -> int | None:
    """The sum; None where one is not known."""
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _means(record: BeamRecord) -> list[float | None]:
    return [_mean(record.scores["aggregate"].get(name)) for name in METRICS]


def _mean(found: Mean | None) -> float | None:
    return None if found is None else found.mean


def _troubles(questions: Sequence[QuestionRecord]) -> tuple[int, ...]:
    flagged = [sum(flag in found.flags for found in questions) for flag in ("parse_error", "timeout")]
    failed = sum(found.status == FAILURE for found in questions)
    unscored = sum(not found.scores for found in questions)
    return flagged[0], failed, flagged[1], unscored, len(questions)


def _systems(records: Sequence[BeamRecord]) -> tuple[Column, ...]:
    return tuple(Column(header=record.system, decimals=2, best="high") for record in records)


def _table(
    title: str, columns: tuple[Column, ...], rows: Sequence[Row], notes: tuple[str, ...] = (), keys: int = 1
) -> Table:
    section = Section(title="", rows=tuple(rows), comparable=len(rows) > 1)
    return Table(title=title, columns=columns, sections=(section,), notes=notes, keys=keys)
