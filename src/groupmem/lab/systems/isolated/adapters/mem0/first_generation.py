"""Mem0 1.x: facts are extracted, then each is added, or an older memory is updated or deleted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mem0 import Memory
from mem0.memory import main

MESSAGES = main.get_fact_retrieval_messages
_TODAY = re.compile(r"(?<=Today's date is )\d{4}-\d{2}-\d{2}")


class Package:
    """The package, with the date of the message in the place of that of today."""

    def __init__(self, configuration: Mapping[str, Any], home: Path) -> None:
        self._date: str | None = None
        main.get_fact_retrieval_messages = self._dated
        self._memory = Memory.from_config(dict(configuration))

    def add(
        self, text: str, *, date: str | None, scope: Mapping[str, str], metadata: Mapping[str, Any], infer: bool
    ) -> None:
        self._date = date
        self._memory.add([{"role": "user", "content": text}], metadata=dict(metadata), infer=infer, **scope)

    def search(self, question: str, *, user_id: str, limit: int, filters: Mapping[str, Any]) -> list[dict[str, Any]]:
        found = self._memory.search(question, user_id=user_id, limit=limit, filters=dict(filters) or None)
        results: list[dict[str, Any]] = found["results"]
        return results

    def close(self) -> None:
        """Lets go of the files of the store: a store is open once at a time."""
        self._memory.vector_store.client.close()
        self._memory.db.close()

    def _dated(self, *arguments: Any) -> tuple[str, str]:
        """The package writes the day on which it was imported into its prompt."""
        system, user = MESSAGES(*arguments)
        return (_TODAY.sub(self._date[:10], system) if self._date else system), user
