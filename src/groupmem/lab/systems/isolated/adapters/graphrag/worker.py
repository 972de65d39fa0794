"""GraphRAG as a worker: one document a message, its own index, found by the context of its local search."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

# Before anything that may print: standard output is the protocol's from here on.
from groupmem_worker import first_ranks, progress, serve

# isort: split
import pandas
from graphrag.api import build_index
from graphrag.callbacks.noop_workflow_callbacks import NoopWorkflowCallbacks
from search import LocalContext
from settings import make_config


class Memory:
    """The package indexes a whole corpus, so messages wait for `settle`; what comes later is merged as an update."""

    packages = ("graphrag", "litellm", "lancedb")
    notes = (
        "passages are the sources in the context of local search, in its order; "
        "its reports and tables of entities are not handed to the reader",
    )

    def open(self, setting):
        self.scratch = tempfile.TemporaryDirectory()
        self.store = Path(setting["store_dir"])
        self.config = make_config(setting, scratch=Path(self.scratch.name))
        self.level = int(setting["options"]["community_level"])
        self.waiting = []
        self.indexed = 0
        self.context = None

    def ingest(self, messages):
        self.waiting += messages

    def settle(self):
        if not self.waiting:
            return
        first = self.indexed
        documents = pandas.DataFrame([_document(first + n, message) for n, message in enumerate(self.waiting)])
        outputs = asyncio.run(
            build_index(self.config, is_update_run=first > 0, callbacks=[_Told()], input_documents=documents)
        )
        for output in outputs:
            if output.error is not None:
                raise RuntimeError(f"the workflow {output.workflow} failed: {output.error}") from output.error
        self.indexed += len(self.waiting)
        self.waiting = []
        self.context = LocalContext(self.config, self.store / "output", self.level)

    def recall(self, question, asker, limit, asked_at):
        found = self.context.sources(question)
        return first_ranks(({"source_ids": [source]} for source in found), limit)

    def usage(self):
        return {"figures": self.context.counts if self.context else {}}

    def close(self):
        self.scratch.cleanup()


class _Told(NoopWorkflowCallbacks):
    """A sign of life at each step of a workflow."""

    def workflow_start(self, name, instance):
        progress(name)

    def progress(self, progress_):
        progress(progress_.description or "indexing")


def _document(number, message):
    """Author, role, channel, phase and time stand before the words: the package reads nothing but text."""
    role = f" ({message['role']})" if message.get("role") else ""
    phase = f", phase {message['phase']}" if message.get("phase") else ""
    when = f", {message['sent_at']}" if message.get("sent_at") else ""
    return {
        "id": message["id"],
        "human_readable_id": number,
        "title": message["id"],
        "text": f"{message['author']}{role} in {message['channel']}{phase}{when}:\n{message['text']}",
        "creation_date": message.get("sent_at", ""),
        "raw_data": None,
    }


serve(Memory)
