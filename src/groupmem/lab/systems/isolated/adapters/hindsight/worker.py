"""Hindsight as a memory system: each message is retained as a document of its own, in one bank.

One worker for two adapters: with a model that extracts facts and writes observations, and without any chat model.
"""

from __future__ import annotations

import asyncio
import os
from datetime import datetime

from groupmem_worker import first_ranks, progress, serve

BANK = "group"
PUBLIC = "public"
MESSAGES_AT_ONCE = 20
TOKENS_PER_RANK = 4096  # more than a chunk of 3,000 characters has in any script
STEPS = ("extraction", "consolidation")


class Hindsight:
    packages = ("hindsight-api-slim", "dateparser", "pgvector")
    notes = (
        "candidates are fused by rank; the cross-encoder, a model from a hub, is off",
        "messages of punctuation alone are not kept by the package",
    )

    def open(self, setting):
        self.extracts = os.environ["GROUPMEM_ADAPTER"] == "hindsight"
        self.names = {person["id"]: person["name"] for person in setting["people"]}
        self.channels = {channel["id"]: channel for channel in setting["channels"]}
        self.tokens = dict.fromkeys(("input_tokens", "output_tokens"), 0)
        self.latest = None
        os.environ.update(_configuration(setting["gateway"], setting["services"]["postgres"], self.extracts))
        # read from the environment when it is imported
        from hindsight_api import MemoryEngine, RequestContext
        from hindsight_api.engine.task_backend import SyncTaskBackend

        self.context = RequestContext()
        self.runner = asyncio.Runner()
        self.engine = MemoryEngine(task_backend=SyncTaskBackend())
        self.runner.run(self.engine.initialize())

    def ingest(self, messages):
        for start in range(0, len(messages), MESSAGES_AT_ONCE):
            part = messages[start : start + MESSAGES_AT_ONCE]
            contents = [self._content(message) for message in part]
            retained = self.engine.retain_batch_async(BANK, contents, request_context=self.context, return_usage=True)
            _, usage = self.runner.run(retained)
            self.tokens["input_tokens"] += usage.input_tokens
            self.tokens["output_tokens"] += usage.output_tokens
            progress(f"retained {start + len(part)} of {len(messages)}")

    def settle(self):
        if self.extracts:
            self.runner.run(self._consolidate())

    def recall(self, question, asker, limit, asked_at):
        return first_ranks(
            self.runner.run(self._found(question, asker, limit, _moment(asked_at) or self.latest)), limit
        )

    def usage(self):
        return {"phases": {"extraction": self.tokens} if self.extracts else {}}

    def close(self):
        self.runner.run(self.engine.close())

    async def _consolidate(self):
        """Rounds until nothing waits. What failed in the package's own attempts is tried once more."""
        await self._rounds()
        retried = await self.engine.retry_failed_consolidation(BANK, request_context=self.context)
        if retried.get("retried_count"):
            await self._rounds()

    async def _rounds(self):
        processed = 0
        while True:
            done = await self.engine.run_consolidation(BANK, request_context=self.context)
            if not done["processed"]:
                return
            processed += done["processed"]
            progress(f"consolidated {processed} facts")

    async def _found(self, question, asker, limit, asked_at):
        result = await self.engine.recall_async(
            BANK,
            question,
            question_date=asked_at,
            max_tokens=limit * TOKENS_PER_RANK,
            include_source_facts=self.extracts,
            max_source_facts_tokens=-1,
            tags=self._readable(asker),
            tags_match="any_strict",
            request_context=self.context,
        )
        sources = result.source_facts or {}
        return [passage for passage in (self._passage(fact, sources) for fact in result.results) if passage]

    def _content(self, message):
        """Who, where and when stand where the package looks for them; the text is the message's own."""
        author = self.names.get(message["author"], message["author"])
        sent_at = _moment(message.get("sent_at"))
        self.latest = max(filter(None, (self.latest, sent_at)), default=None)
        known = {key: message[key] for key in ("role", "phase", "topic", "reply_to") if message.get(key)}
        return {
            "content": message["text"],
            "document_id": message["id"],
            "event_date": sent_at,
            "context": f"{author} wrote this in the channel {self._channel_name(message['channel'])}",
            "metadata": {"author": author, "channel": message["channel"], **known},
            "entities": [{"text": author, "type": "PERSON"}],
            "tags": [self._tag(message["channel"])],
        }

    def _channel_name(self, channel):
        return self.channels.get(channel, {}).get("name", channel)

    def _tag(self, channel):
        """What is public shares a tag, so that observations are drawn from all of it and from nothing else."""
        private = self.channels.get(channel, {}).get("members") is not None
        return f"channel:{channel}" if private else PUBLIC

    def _readable(self, asker):
        private = (channel for channel in self.channels.values() if channel.get("members") is not None)
        return [PUBLIC, *(f"channel:{channel['id']}" for channel in private if asker in channel["members"])]

    def _passage(self, fact, sources):
        if fact.document_id is None:
            ids = dict.fromkeys(sources[i].document_id for i in fact.source_fact_ids or () if i in sources)
            return {"source_ids": list(filter(None, ids)), "text": fact.text}
        known = fact.metadata or {}
        about = {key: known[key] for key in ("author", "channel", "role", "phase", "topic", "reply_to") if key in known}
        return {"source_ids": [fact.document_id], "text": fact.text, "sent_at": fact.mentioned_at, **about}


def _configuration(gateway, database_url, extracts):
    """The package's settings; all others are its defaults."""
    base_url, api_key = gateway["base_url"], gateway["api_key"]
    own = {
        "DATABASE_URL": database_url,
        "DB_POOL_MIN_SIZE": "1",
        "DB_POOL_MAX_SIZE": "20",
        "EMBEDDINGS_PROVIDER": "openai",
        "EMBEDDINGS_OPENAI_BASE_URL": base_url,
        "EMBEDDINGS_OPENAI_API_KEY": api_key,
        "EMBEDDINGS_OPENAI_MODEL": gateway["embedding_model"],
        "RERANKER_PROVIDER": "rrf",
        "ENABLE_AUTO_CONSOLIDATION": "false",
        "SKIP_LLM_VERIFICATION": "true",
        "LLM_TRACE_ENABLED": "false",
    }
    if extracts:
        own |= {"LLM_PROVIDER": "openai", "LLM_API_KEY": api_key, "LLM_BASE_URL": base_url}
        own |= {"LLM_MODEL": gateway["chat_model"]}
    else:
        own |= {"LLM_PROVIDER": "none", "RETAIN_EXTRACTION_MODE": "chunks", "ENABLE_OBSERVATIONS": "false"}
    return {f"HINDSIGHT_API_{name}": value for name, value in own.items()}


def _moment(text):
    return datetime.fromisoformat(text) if text else None


if __name__ == "__main__":
    serve(Hindsight)
