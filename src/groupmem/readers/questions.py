"""Questions beside a corpus, in JSON lines.

    {"id": "temporal_3", "question": "...", "answer": "...", "asking_user_id": "User_4",
     "type": "temporal", "evidence": ["Msg_12", "Msg_80"], "twin": null, "asked_at": null, ...}

The published files have the first four fields and lie in questions/<Domain>/<type>.jsonl: there the name of the file is
the type. Every other field is kept in `extra`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from groupmem.readers import rows
from groupmem.readers.base import BadRow, Ledger
from groupmem.types import Question

_FIELDS = frozenset(("id", "question", "answer", "asking_user_id", "type", "evidence", "twin", "asked_at", "known_bad"))


def read_questions(paths: Sequence[Path], ledger: Ledger) -> tuple[Question, ...]:
    """The questions of all files, in order. A row that cannot be used, or whose id was there before, is quarantined."""
    questions: dict[str, Question] = {}
    for path in paths:
        category = "all" if path.name == "questions.jsonl" else path.stem
        for where, row in rows.json_rows(path, ledger):
            try:
                name = rows.identifier(row, "id")
                if name in questions:
                    raise BadRow(f"duplicate id {name}")
                questions[name] = _question(name, row, category, ledger)
            except BadRow as reason:
                ledger.quarantine(path, where, reason, row)
    return tuple(questions.values())


def _question(name: str, row: rows.Row, category: str, ledger: Ledger) -> Question:
    return Question(
        id=name,
        text=rows.text(row, "question"),
        answer=_answer(row.get("answer")),
        category=rows.optional_text(row, "type") or category,
        asker=rows.optional_identifier(row, "asking_user_id"),
        evidence=rows.identifiers(row, "evidence"),
        twin=rows.optional_identifier(row, "twin"),
        known_bad=rows.optional_text(row, "known_bad"),
        extra=rows.rest(row, _FIELDS),
        asked_at=rows.time(row, "asked_at", ledger),
    )


def _answer(value: Any) -> str | None:
    """The gold answer as text; numbers are written as JSON writes them."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return msgspec.json.encode(value).decode()
    raise BadRow(f"answer is not text: {value!r}")
