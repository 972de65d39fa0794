"""What is in the graph, counted by the database."""

from __future__ import annotations

_CHUNKS = "MATCH (c:Chunk) RETURN count(c) AS n"
_EMPTY = "MATCH (c:Chunk) WHERE NOT (c)-[:MENTIONED_IN]-() RETURN count(c) AS n"
_ENTITIES = "MATCH (e:`{}`) WHERE e.merge_key IS NOT NULL RETURN count(e) AS n"
"""The agent's own records have labels, too, one of them the same (Event), but no such key."""

_RELATIONS = "MATCH ()-[r:`{}`]->() RETURN count(r) AS n"


async def graph_figures(store, schema):
    """Passages, those that no entity was found in, entities by label, relations by type; what there is none of is left
    out."""
    labels = {entity.label: _ENTITIES.format(entity.label) for entity in schema.entities}
    types = {relation.label: _RELATIONS.format(relation.label) for relation in schema.relations}
    return {
        "chunks": await _count(store, _CHUNKS),
        "empty_extractions": await _count(store, _EMPTY),
        "entities": {label: n for label, query in labels.items() if (n := await _count(store, query))},
        "relations": {label: n for label, query in types.items() if (n := await _count(store, query))},
    }


async def _count(store, query):
    return (await store.execute_read(query))[0]["n"]
