"""Agentic GraphRAG as a worker: a graph of entities over passages, hybrid search, and its own agent for answers."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections import Counter
from typing import ClassVar

# Before anything that may print: standard output is the protocol's from here on.
from groupmem_worker import ModelFailed, first_ranks, progress, serve

# isort: split
import documents
import models
import openai
from agrag.agents.build import build_agent
from agrag.agents.settings import AgentSettings
from agrag.evidence import search_evidence
from agrag.graphdb import falkordb
from agrag.graphdb.settings import FalkorDBSettings
from agrag.ingestion.graph import Graph
from agrag.ingestion.settings import ExtractionSettings
from agrag.loaders.types import ErrorPolicy
from agrag.retrieval import RetrievalSettings
from figures import graph_figures
from schema import load_memory_schema

CANDIDATES = 5
"""Passages that are searched for each rank that is wanted: a long message is several, and takes one rank."""

LOWEST_SERVER = 41603
"""The version of FalkorDB that can be installed without a container; the package itself asks for a later one."""


class Memory:
    """One graph a cell. Messages wait for `settle`, where they are added in one call, as the package takes a corpus.

    All of the package's work is done by one loop, in a thread of its own: questions may be under way side by side.
    """

    capabilities: ClassVar = {"concurrent": True}
    packages = ("agentic-graphrag", "chonkie", "baml-py", "falkordb", "langgraph", "deepagents")
    notes = (
        "hybrid search without its cross-encoder, whose weights are a download: the order is that of the fused legs",
        "the chat model alone extracts entities and relations: the weights of its local extractor are a download",
        f"its check of the graph server's version is lowered from {falkordb.MIN_MODULE_VERSION} to {LOWEST_SERVER}",
    )

    def open(self, setting):
        self.options = setting["options"]
        self.gateway = setting["gateway"]
        self.channels = {channel["id"]: channel.get("members") for channel in setting["channels"]}
        self.sources = documents.Sources()
        self.waiting = []
        self.restored = setting["restored"]
        self.unread = 0
        self.asked = Counter()
        self.naming = threading.Lock()
        self.schema = load_memory_schema()
        self.embedder = models.GatewayEmbedder(self.gateway)
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.graph_store = self._store(setting["services"]["falkordb"])
        self.graph = self._run(self._open_graph())

    def ingest(self, messages):
        self.waiting += messages

    def settle(self):
        if not self.waiting:
            return
        made = documents.make(self.waiting, by=self.options["documents"])
        self.sources.add(made)
        self.waiting = []
        if self.restored:  # the graph holds them
            return
        adding = self.graph.add(
            documents=[each.document for each in made], error_policy=ErrorPolicy.QUARANTINE, on_progress=_say
        )
        result = self._run(adding)
        self._count(result)

    def recall(self, question, asker, limit, asked_at):
        scope = self._scope(asker)
        if not scope:
            return []
        found = self._run(
            search_evidence(
                self.graph_store,
                self.embedder,
                question,
                limit=limit * CANDIDATES,
                scope=scope,
                settings=self.retrieval,
            )
        )
        if found.failures or found.status.value in ("failed", "partial", "index_not_ready"):
            raise ModelFailed(f"the search came back {found.status.value}: {found.failures}")
        return first_ranks((self.sources.passage(hit) for hit in found.hits), limit)

    def answer(self, question, asker, asked_at, timeout_s, gateway):
        who = f"{question}\n\n(Asked by {asker or 'somebody'}{f' at {asked_at}' if asked_at else ''}.)"
        agent = build_agent(
            graph_store=self.graph_store,
            embedder=models.GatewayEmbedder(gateway),
            scope=self._scope(asker),
            project_id="cell",
            agent_id="agent",
            llm_settings=models.agent_llm(gateway),
            agent_settings=AgentSettings(recursion_limit=int(self.options["recursion_limit"])),
        )
        asking = agent.ainvoke({"task_name": self._task_name(who), "question": who})
        try:
            result = self._run(asyncio.wait_for(asking, timeout_s))
        except asyncio.TimeoutError:
            return {"text": "", "finish_reason": "timeout"}
        except openai.APIError as error:
            raise ModelFailed(f"the agent's model failed: {error}") from error
        exhausted = result["status"] == "budget_exhausted" and not result["answer"].strip()
        return {
            "text": result["answer"],
            "reasoning": f"status: {result['status']}",
            "finish_reason": "recursion_limit" if exhausted else "stop",
        }

    def usage(self):
        return {
            "figures": self._run(graph_figures(self.graph_store, self.schema)),
            "notes": [f"passages for which the chat model's reply could not be read: {self.unread}"]
            if self.unread
            else [],
        }

    def close(self):
        self._run(self.graph_store.close())
        self.loop.call_soon_threadsafe(self.loop.stop)

    async def _open_graph(self):
        self.retrieval = RetrievalSettings(rerank_enabled=False)
        return await Graph.open(
            schema=self.schema,
            graph_store=self.graph_store,
            embedder=self.embedder,
            llm_extractor=models.extractor(self.gateway),
            extraction_settings=ExtractionSettings(mode="llm"),
            chunker=models.OfflineChunker(size=int(self.options["chunk_tokens"])),
            max_llm_pairs=int(self.options["max_llm_pairs"]),
        )

    def _count(self, result):
        """The package stores passages that its model could not read, and goes on: some are noted, all are a failure."""
        read, stored = result.extraction, result.storage
        self.unread += read.failures_total
        if stored.failures_total:
            raise RuntimeError(f"{stored.failures_total} records could not be stored: {stored.failures[0]}")
        if read.failures_total and not read.entities_extracted:
            raise RuntimeError(f"none of {read.failures_total} passages could be read: {read.failures[0]}")

    def _store(self, url):
        falkordb.MIN_MODULE_VERSION = LOWEST_SERVER
        return falkordb.FalkorDBGraphStore(settings=FalkorDBSettings(url=url, graph="memory"))

    def _task_name(self, who):
        """The same for a question whenever it is asked, and another one where the same words are asked again: the agent
        would go on with the task that it has."""
        with self.naming:
            self.asked[who] += 1
            return f"question-{hashlib.sha256(who.encode()).hexdigest()[:12]}-{self.asked[who]}"

    def _scope(self, asker):
        """Keys of the documents that the asker may read."""
        readable = {name for name, members in self.channels.items() if members is None or asker in members}
        return self.sources.keys_in(readable, known=self.channels)

    def _run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()


def _say(result):
    progress(f"{result.chunking.chunks} passages, {result.extraction.chunks_processed} read")


serve(Memory)
