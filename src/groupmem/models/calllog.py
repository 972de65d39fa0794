"""The call log: every model call of one output folder, in one SQLite file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from groupmem.models.base import UNKNOWN_USAGE, Account
from groupmem.models.budget import Charge
from groupmem.models.database import Database
from groupmem.types import Record, Usage

Kind = Literal["chat", "embedding"]

_VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
    id INTEGER PRIMARY KEY,
    created_at TEXT NOT NULL,
    run TEXT NOT NULL,
    cell TEXT NOT NULL,
    phase TEXT NOT NULL,
    kind TEXT NOT NULL,
    model TEXT NOT NULL,
    base_url TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    try INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    ok INTEGER NOT NULL,
    error TEXT,
    finish_reason TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cached_tokens INTEGER,
    reasoning_tokens INTEGER,
    cost_usd REAL,
    paid_usd REAL,
    charged_calls INTEGER NOT NULL,
    charged_tokens INTEGER NOT NULL,
    charged_usd REAL,
    latency_ms REAL,
    truncated_inputs INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS calls_by_account ON calls (run, cell, phase);
CREATE INDEX IF NOT EXISTS calls_by_request ON calls (request_hash)
"""

# A sum over a column with an unknown in it is unknown.
_SUMS = """
    COALESCE(SUM(ok), 0),
    CASE WHEN SUM(ok AND input_tokens IS NULL) THEN NULL ELSE COALESCE(SUM(input_tokens), 0) END,
    CASE WHEN SUM(ok AND output_tokens IS NULL) THEN NULL ELSE COALESCE(SUM(output_tokens), 0) END,
    CASE WHEN SUM(ok AND cached_tokens IS NULL) THEN NULL ELSE COALESCE(SUM(cached_tokens), 0) END,
    CASE WHEN SUM(ok AND reasoning_tokens IS NULL) THEN NULL ELSE COALESCE(SUM(reasoning_tokens), 0) END,
    CASE WHEN SUM(ok AND cost_usd IS NULL) THEN NULL ELSE COALESCE(SUM(cost_usd), 0.0) END,
    CASE WHEN SUM(ok AND paid_usd IS NULL) THEN NULL ELSE COALESCE(SUM(paid_usd), 0.0) END,
    COALESCE(SUM(cached), 0),
    COALESCE(SUM(NOT ok), 0),
    COALESCE(SUM(ok * truncated_inputs), 0)
"""
_TOTALS = f"""
SELECT {_SUMS} FROM calls
WHERE (?1 IS NULL OR run = ?1) AND (?2 IS NULL OR cell = ?2)
    AND (?3 IS NULL OR phase = ?3 OR substr(phase, 1, length(?3) + 1) = ?3 || '/')
    AND (?4 IS NULL OR kind = ?4)
"""  # noqa: S608 - sums of ours
_BY_PHASE = f"""
SELECT phase, {_SUMS} FROM calls WHERE cell = ?1 AND kind = ?2 GROUP BY phase ORDER BY MIN(id)
"""  # noqa: S608 - sums of ours

_KEPT_COLUMNS = (
    *("created_at", "phase", "kind", "model", "base_url", "request_hash", "attempt", "try", "finish_reason"),
    *("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens", "cost_usd"),
    *("latency_ms", "truncated_inputs", "cached"),
)
"""What is true of a call wherever it is on record."""


class CallRow(Record, frozen=True, kw_only=True):
    """One call as it went: a reply from a provider, from the cache (`cached`), or a failed try (`error` is set).

    `attempt` is the caller's (a reply could not be used), `try_number` counts sends of one request. `cost_usd` is what
    the method costs, `paid_usd` the new money; `charged` is what counted against the budget, an estimate where the
    provider did not say. `latency_ms` is the provider's, also of a cached reply. `truncated_inputs` counts texts that
    were cut before they were embedded.
    """

    account: Account
    kind: Kind
    model: str
    base_url: str
    request_hash: str
    attempt: int = 0
    try_number: int = 1
    cached: bool = False
    error: str | None = None
    finish_reason: str | None = None
    usage: Usage = Usage()
    paid_usd: float | None = 0.0
    charged: Charge = Charge()
    latency_ms: float | None = None
    truncated_inputs: int = 0


class Totals(Record, frozen=True, kw_only=True):
    """Sums over part of a log. `usage` and `paid_usd` count replies; failed tries are counted and have no tokens."""

    usage: Usage
    paid_usd: float | None
    cached_calls: int
    failed_calls: int
    truncated_inputs: int


class CallLog:
    """Appends calls and sums them. A killed process loses the calls in flight and nothing else."""

    def __init__(self, path: Path | None, *, read_only: bool = False) -> None:
        """Opened `read_only`, a log can be summed where nothing may be written. Raises InputError for another file."""
        self._database = Database(path, schema=_SCHEMA, version=_VERSION, what="call log", read_only=read_only)

    def add(self, row: CallRow) -> None:
        values = _values(row)
        names = ", ".join(values)
        slots = ", ".join(f":{name}" for name in values)
        self._database.write(f"INSERT INTO calls ({names}) VALUES ({slots})", [values])  # noqa: S608 - names of ours

    def has_reply(self, request_hash: str) -> bool:
        """Whether a reply to this request was logged."""
        return bool(self._database.query("SELECT 1 FROM calls WHERE request_hash = ? AND ok LIMIT 1", (request_hash,)))

    def totals(
        self, run: str | None = None, cell: str | None = None, phase: str | None = None, kind: Kind | None = None
    ) -> Totals:
        """Sums over all calls of this run, cell, phase and kind; None: of all.

        A phase holds its steps ("ingest"); a step is given behind its phase ("ingest/extraction").
        """
        return _totals(self._database.query(_TOTALS, (run, cell, phase, kind))[0])

    def by_phase(self, cell: str, kind: Kind) -> dict[str, Usage]:
        """What the calls of a cell took, by phase, the steps of one apart ("ingest", "ingest/extraction")."""
        rows = self._database.query(_BY_PHASE, (cell, kind))
        return {phase: _totals(sums).usage for phase, *sums in rows}

    def last_id(self) -> int:
        """The number of the latest call; 0 where there is none."""
        return int(self._database.query("SELECT COALESCE(MAX(id), 0) FROM calls")[0][0])

    def replies_since(self, last_id: int, cell: str, phase: str) -> list[dict[str, Any]]:
        """The calls of a phase and its steps that were answered after the call of this number, column by column, in
        order: what `add_again` takes. What they were charged is left out."""
        names = ", ".join(_KEPT_COLUMNS)
        rows = self._database.query(
            f"SELECT {names} FROM calls WHERE id > ?1 AND cell = ?2 AND ok "  # noqa: S608 - names of ours
            "AND (phase = ?3 OR substr(phase, 1, length(?3) + 1) = ?3 || '/') ORDER BY id",
            (last_id, cell, phase),
        )
        return [dict(zip(_KEPT_COLUMNS, row, strict=True)) for row in rows]

    def add_again(self, replies: Sequence[Mapping[str, Any]], *, run: str, cell: str) -> None:
        """Adds replies of another log to a cell, those whose request is not on this log for it: they cost what they
        cost, and no new money."""
        here = {row[0] for row in self._database.query("SELECT request_hash FROM calls WHERE cell = ? AND ok", (cell,))}
        free = {
            "charged_calls": 0,
            "charged_tokens": 0,
            "charged_usd": 0.0,
            "paid_usd": 0.0,
            "cached": True,
            "ok": True,
        }
        missing = [{**row, **free, "run": run, "cell": cell} for row in replies if row["request_hash"] not in here]
        if missing:
            names = ", ".join(missing[0])
            slots = ", ".join(f":{name}" for name in missing[0])
            self._database.write(f"INSERT INTO calls ({names}) VALUES ({slots})", missing)  # noqa: S608 - names of ours

    def charged(self) -> Charge:
        """What counted against the budget so far."""
        return Charge(
            *self._database.query(
                "SELECT COALESCE(SUM(charged_calls), 0), COALESCE(SUM(charged_tokens), 0), "
                "COALESCE(SUM(charged_usd), 0.0) FROM calls"
            )[0]
        )

    def close(self) -> None:
        self._database.close()


def _totals(sums: Sequence[Any]) -> Totals:
    """The columns of `_SUMS`, in their order."""
    calls, *tokens, cost_usd, paid_usd, cached, failed, truncated = sums
    names = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")
    usage = msgspec.convert({"calls": calls, "cost_usd": cost_usd, **dict(zip(names, tokens, strict=True))}, Usage)
    return Totals(usage=usage, paid_usd=paid_usd, cached_calls=cached, failed_calls=failed, truncated_inputs=truncated)


def _values(row: CallRow) -> dict[str, Any]:
    """Column by column. A failed try has no tokens: nobody said how many it took."""
    usage = row.usage if row.error is None else UNKNOWN_USAGE
    return {
        "created_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "run": row.account.run,
        "cell": row.account.cell,
        "phase": row.account.phase_path,
        "kind": row.kind,
        "model": row.model,
        "base_url": row.base_url,
        "request_hash": row.request_hash,
        "attempt": row.attempt,
        "try": row.try_number,
        "cached": row.cached,
        "ok": row.error is None,
        "error": row.error,
        "finish_reason": row.finish_reason,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "cost_usd": usage.cost_usd,
        "paid_usd": row.paid_usd if row.error is None else None,
        "charged_calls": row.charged.calls,
        "charged_tokens": row.charged.tokens,
        "charged_usd": row.charged.usd,
        "latency_ms": row.latency_ms,
        "truncated_inputs": row.truncated_inputs,
    }
