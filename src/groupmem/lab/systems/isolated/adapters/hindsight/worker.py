"""Hindsight as a memory system: each message is retained as a document of its own, in one bank.

One worker for two adapters: with a model that extracts facts and writes observations, and without any chat model.
"""

from __future__ import annotations

import asyncio
import itertools
import os
from contextlib import ExitStack
from datetime import datetime

from groupmem_worker import Refused, first_ranks, progress, serve

RUNNER = asyncio.Runner()  # of all cells: the package keeps what belongs to an event loop
CELLS = itertools.count(1)
PUBLIC = "public"
MESSAGES_AT_ONCE = 20
MOST_DIMENSIONS = 2000  # of a vector that pgvector makes an index of; the package wants one
TOKENS_PER_RANK = 4096  # more than a chunk of 3,000 characters has in any script
ABOUT = ("author", "channel", "role", "phase", "topic", "reply_to")
WITHOUT_MODEL = {"LLM_PROVIDER": "none", "RETAIN_EXTRACTION_MODE": "chunks", "ENABLE_OBSERVATIONS": "false"}


class Hindsight:
    packages = ("hindsight-api-slim", "dateparser", "pgvector")
    reopens = True
    notes = (
        "candidates are fused by rank: the cross-encoder, a model from a hub, is off",
        "the package keeps no text of punctuation alone, nor one of one or two emoji",
    )

    def __init__(self):
        self.opened = ExitStack()

    def prepare(self, setting):
        """The package's migrations, which run when it is opened: more than a hundred."""
        self.open(setting)

    def open(self, setting):
        if setting["gateway"]["dimensions"] > MOST_DIMENSIONS:
            raise Refused(f"choose an embedding model of at most {MOST_DIMENSIONS} dimensions for hindsight")
        extracts = os.environ["GROUPMEM_ADAPTER"] == "hindsight"
        self.observes = extracts and setting["options"]["observations"] == "on"
        self.names = {person["id"]: person.get("name") for person in setting["people"]}
        self.channels = {channel["id"]: channel for channel in setting["channels"]}
        self.latest = None
        self.figures = dict.fromkeys(("messages", "empty_extractions", "facts", "facts_without_observation"), 0)
        chat = _with_model(setting["gateway"], self.observes) if extracts else WITHOUT_MODEL
        own = {**_configuration(setting["gateway"], setting["services"]["postgres"]), **chat}
        os.environ.update({f"HINDSIGHT_API_{name}": value for name, value in own.items()})
        # the package reads its settings from the environment when it is imported, and keeps them
        from hindsight_api import MemoryEngine, RequestContext
        from hindsight_api.config import clear_config_cache
        from hindsight_api.engine.task_backend import SyncTaskBackend

        clear_config_cache()
        self.bank = f"group-{next(CELLS)}"  # what the package remembers of a bank is by its name, whatever the database
        self.context = RequestContext()
        self.engine = MemoryEngine(task_backend=SyncTaskBackend())
        RUNNER.run(self.engine.initialize())
        self.opened.callback(lambda: RUNNER.run(self.engine.close()))

    def ingest(self, messages):
        for start in range(0, len(messages), MESSAGES_AT_ONCE):
            part = messages[start : start + MESSAGES_AT_ONCE]
            contents = [self._content(message) for message in part]
            facts = RUNNER.run(self.engine.retain_batch_async(self.bank, contents, request_context=self.context))
            self.figures["messages"] += len(part)
            self.figures["empty_extractions"] += sum(not of_message for of_message in facts)
            self.figures["facts"] += sum(map(len, facts))
            progress(f"retained {start + len(part)} of {len(messages)}")

    def settle(self):
        if self.observes:
            RUNNER.run(self._consolidate())

    def recall(self, question, asker, limit, asked_at):
        when = _moment(asked_at) or self.latest
        return first_ranks(RUNNER.run(self._found(question, asker, limit, when)), limit)

    def usage(self):
        return {"figures": self.figures}

    def close(self):
        self.opened.close()

    async def _consolidate(self):
        """Observations from all facts that have none yet. The package goes on where all its attempts at some failed."""
        state = await self.engine.get_bank_freshness(self.bank, request_context=self.context)
        while waiting := state["pending_consolidation"]:
            await self.engine.run_consolidation(self.bank, request_context=self.context)
            state = await self.engine.get_bank_freshness(self.bank, request_context=self.context)
            if state["last_consolidated_at"] is None or state["pending_consolidation"] >= waiting:
                raise RuntimeError(f"no observation came of {waiting} facts: the model's replies are in its call log")
            progress(f"{state['pending_consolidation']} facts wait for an observation")
        self.figures["facts_without_observation"] = state["failed_consolidation"]

    async def _found(self, question, asker, limit, asked_at):
        result = await self.engine.recall_async(
            self.bank,
            question,
            question_date=asked_at,
            max_tokens=limit * TOKENS_PER_RANK,
            include_source_facts=self.observes,
            max_source_facts_tokens=-1,
            tags=self._readable(asker),
            tags_match="any_strict",
            request_context=self.context,
        )
        sources = result.source_facts or {}
        return [_passage(fact, sources) for fact in result.results]

    def _content(self, message):
        """Who, where and when stand where the package looks for them; the text is the message's own."""
        author = self.names.get(message["author"]) or message["author"]
        channel = self.channels.get(message["channel"], {}).get("name") or message["channel"]
        sent_at = _moment(message.get("sent_at"))
        self.latest = max(filter(None, (self.latest, sent_at)), default=None)
        return {
            "content": message["text"],
            "document_id": message["id"],
            "event_date": sent_at,
            "context": f"{author} wrote this in the channel {channel}",
            "metadata": {key: message[key] for key in ABOUT if message.get(key)},
            "tags": [PUBLIC if self._members(message["channel"]) is None else _tag(message["channel"])],
        }

    def _readable(self, asker):
        """What is public shares one tag, so that observations are drawn from all of it, and from nothing else."""
        return [PUBLIC, *(_tag(channel) for channel in self.channels if asker in (self._members(channel) or ()))]

    def _members(self, channel):
        return self.channels.get(channel, {}).get("members")


def _tag(channel):
    return f"channel:{channel}"


def _passage(fact, sources):
    """A fact is of one document, an observation of those of its facts."""
    if fact.document_id is None:
        ids = [sources[i].document_id for i in fact.source_fact_ids or () if i in sources]
        return {"source_ids": [i for i in ids if i], "text": fact.text}
    known = {key: value for key, value in (fact.metadata or {}).items() if key in ABOUT}
    return {"source_ids": [fact.document_id], "text": fact.text, "sent_at": fact.mentioned_at, **known}


def _configuration(gateway, database_url):
    """The settings that are not the package's defaults."""
    return {
        "DATABASE_URL": database_url,
        "DB_POOL_MIN_SIZE": "1",
        "DB_POOL_MAX_SIZE": "20",
        "DB_POOL_SLOW_ACQUIRE_THRESHOLD_SECONDS": "0",  # else the log says little but that the machine is busy
        "EMBEDDINGS_PROVIDER": "openai",
        "EMBEDDINGS_OPENAI_BASE_URL": gateway["base_url"],
        "EMBEDDINGS_OPENAI_API_KEY": gateway["api_key"],
        "EMBEDDINGS_OPENAI_MODEL": gateway["embedding_model"],
        "RERANKER_PROVIDER": "rrf",
        "ENABLE_AUTO_CONSOLIDATION": "false",
        "SKIP_LLM_VERIFICATION": "true",
        "LLM_TRACE_ENABLED": "false",
    }


def _with_model(gateway, observes):
    return {
        "LLM_PROVIDER": "openai",
        "LLM_MODEL": gateway["chat_model"],
        "LLM_API_KEY": gateway["api_key"],
        "LLM_BASE_URL": gateway["base_url"],
        "RETAIN_LLM_BASE_URL": _step_url(gateway["base_url"], "extraction"),
        "CONSOLIDATION_LLM_BASE_URL": _step_url(gateway["base_url"], "consolidation"),
        "ENABLE_OBSERVATIONS": "true" if observes else "false",
    }


def _step_url(base_url, step):
    """The address whose calls are booked on this step."""
    return f"{base_url.removesuffix('/v1')}/{step}/v1"


def _moment(text):
    return datetime.fromisoformat(text) if text else None


if __name__ == "__main__":
    serve(Hindsight)
