"""The context of the package's local search, without the model call that would answer from it."""

from __future__ import annotations

import pandas
from graphrag.config.embeddings import entity_description_embedding
from graphrag.query.factory import get_local_search_engine
from graphrag.query.indexer_adapters import (
    read_indexer_entities,
    read_indexer_relationships,
    read_indexer_reports,
    read_indexer_text_units,
)
from graphrag.utils.api import get_embedding_store


class LocalContext:
    """The index as it is now, read once. `counts` says what is in it: text units that no entity was found in are in
    no context."""

    def __init__(self, config, output, level):
        tables = {name: pandas.read_parquet(output / f"{name}.parquet") for name in _TABLES}
        units = tables["text_units"]
        numbers = units["human_readable_id"].astype(str)
        self._documents = dict(zip(numbers, units["document_id"], strict=True))
        self.counts = {
            "chunks": len(units),
            "empty_extractions": int((units["entity_ids"].str.len() == 0).sum()),
            "entities": tables["entities"]["type"].value_counts().to_dict(),
            "relations": {"RELATED": len(tables["relationships"])},
            "reports": len(tables["community_reports"]),
        }
        self._engine = get_local_search_engine(
            config=config,
            reports=read_indexer_reports(tables["community_reports"], tables["communities"], level),
            text_units=read_indexer_text_units(units),
            entities=read_indexer_entities(tables["entities"], tables["communities"], level),
            relationships=read_indexer_relationships(tables["relationships"]),
            covariates={"claims": []},
            response_type="",
            description_embedding_store=get_embedding_store(config.vector_store, entity_description_embedding),
        )

    def sources(self, question):
        """Ids of the documents in the context, in its order; a document of several text units stands there for each."""
        engine = self._engine
        built = engine.context_builder.build_context(query=question, **engine.context_builder_params)
        records = built.context_records.get("sources")
        return [] if records is None else [self._documents[number] for number in records["id"]]


_TABLES = ("communities", "community_reports", "entities", "relationships", "text_units")
