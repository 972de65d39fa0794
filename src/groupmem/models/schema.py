"""The JSON Schema of a reply type."""

from __future__ import annotations

from typing import Any

import msgspec


def schema_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON Schema of a reply, whole and without references, as strict modes of providers want it."""
    (_, definitions) = msgspec.json.schema_components([kind])
    found: dict[str, Any] = definitions[kind.__name__]
    properties = {name: _plain(value) for name, value in found["properties"].items()}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Without titles and defaults; an enumeration is a string."""
    kept = {name: value for name, value in schema.items() if name in ("type", "items", "enum")}
    return {"type": "string", **kept} if "enum" in kept else kept
