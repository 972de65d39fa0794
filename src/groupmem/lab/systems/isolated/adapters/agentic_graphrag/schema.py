"""The schema of the graph, from the file beside it."""

from __future__ import annotations

from pathlib import Path

import tomllib
from agrag.common.data_models.graph_schema import EntityType, GraphSchema, RelationType


def load_memory_schema():
    """Types of entities, and of relations with the pairs that each may join ("Fact > Person", "*" is any thing)."""
    raw = tomllib.loads(Path(__file__).with_name("memory_schema.toml").read_text(encoding="utf-8"))
    things = raw["things"]
    return GraphSchema(
        name="group-memory",
        version=raw["version"],
        entities=[EntityType(label=label, **fields) for label, fields in raw["entities"].items()],
        relations=[
            RelationType(
                label=label,
                description=fields["description"],
                patterns=[pair for pattern in fields["patterns"] for pair in _pairs(pattern, things)],
            )
            for label, fields in raw["relations"].items()
        ],
    )


def _pairs(pattern, things):
    sides = [things if side == "*" else [side] for side in pattern.split(" > ")]
    return [(left, right) for left in sides[0] for right in sides[1]]
