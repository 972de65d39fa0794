"""MemGPT's archival memory, as its successor Letta ships it: every message is inserted, a question is a search."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
from contextlib import ExitStack
from datetime import datetime

from groupmem_worker import Refused, first_ranks, progress, serve

MESSAGES_AT_ONCE = 10
MOST_DIMENSIONS = 4096  # the package pads every vector to this
CONTEXT_WINDOW = 8192  # an agent must name one; no chat model is called
RUNNER = asyncio.Runner()  # of all cells: the package keeps what belongs to an event loop
ABOUT = ("channel", "author", "role", "phase", "topic", "reply_to")


class Archive:
    packages = ("letta", "pgvector")
    reopens = True
    notes = ("the archival memory alone: no agent decides what to keep or what to search for",)

    def __init__(self):
        self.opened = ExitStack()

    def prepare(self, setting):
        """The migrations are not in the wheel. Its models say the same, but for the numbers of messages."""
        self._connect(setting)
        RUNNER.run(_create_tables())

    def open(self, setting):
        self.channels = {channel["id"]: channel for channel in setting["channels"]}
        self.held = dict.fromkeys(self.channels, 0)
        gateway = setting["gateway"]
        if gateway["dimensions"] > MOST_DIMENSIONS:
            raise Refused(f"choose an embedding model of at most {MOST_DIMENSIONS} dimensions for memgpt")
        self._connect(setting)
        RUNNER.run(self._open(gateway))

    def ingest(self, messages):
        for start in range(0, len(messages), MESSAGES_AT_ONCE):
            part = messages[start : start + MESSAGES_AT_ONCE]
            RUNNER.run(self._insert(part))
            progress(f"inserted {start + len(part)} of {len(messages)}")

    def recall(self, question, asker, limit, asked_at):
        return first_ranks(RUNNER.run(self._search(question, asker, limit)), limit)

    def close(self):
        self.opened.close()

    def _connect(self, setting):
        """The package reads its settings from the environment when it is imported, and makes its connections then.
        For a further cell it is told the database, and makes them anew."""
        url = setting["services"]["postgres"] + "?ssl=disable"
        os.environ["LETTA_PG_URI"] = url
        os.environ["LETTA_DISABLE_SQLALCHEMY_POOLING"] = "false"
        os.environ["OPENAI_API_KEY"] = setting["gateway"]["api_key"]
        logging.disable(logging.INFO)  # a dozen lines a message otherwise
        from letta.server import db
        from letta.settings import settings

        if settings.pg_uri != url:
            settings.pg_uri = url
            importlib.reload(db)
        self.opened.callback(lambda: RUNNER.run(db.close_db()))

    async def _open(self, gateway):
        from letta.schemas.agent import AgentType, CreateAgent
        from letta.schemas.embedding_config import EmbeddingConfig
        from letta.schemas.llm_config import LLMConfig
        from letta.services.agent_manager import AgentManager
        from letta.services.organization_manager import OrganizationManager
        from letta.services.passage_manager import PassageManager
        from letta.services.user_manager import UserManager

        await OrganizationManager().create_default_organization_async()
        self.actor = await UserManager().create_default_actor_async()
        self.agents, self.passages = AgentManager(), PassageManager()
        embedding = EmbeddingConfig(
            embedding_endpoint_type="openai",
            embedding_endpoint=gateway["base_url"],
            embedding_model=gateway["embedding_model"],
            embedding_dim=gateway["dimensions"],
        )
        unused = LLMConfig(model="none", model_endpoint_type="openai", context_window=CONTEXT_WINDOW)
        agent = CreateAgent(
            name="group",
            agent_type=AgentType.memgpt_agent,
            include_base_tools=False,
            embedding_config=embedding,
            llm_config=unused,
        )
        self.agent = await self.agents.create_agent_async(agent, self.actor, _init_with_no_messages=True)

    async def _insert(self, messages):
        await asyncio.gather(*map(self._insert_one, messages))

    async def _insert_one(self, message):
        channel = message["channel"]
        self.held[channel] = self.held.get(channel, 0) + 1
        await self.passages.insert_passage(
            self.agent,
            text=message["text"],
            tags=[f"message:{message['id']}", *(f"{key}:{message[key]}" for key in ABOUT if message.get(key))],
            created_at=_moment(message.get("sent_at")),
            actor=self.actor,
        )

    async def _search(self, question, asker, limit):
        readable = [channel for channel in self.held if self._readable(channel, asker)]
        if not readable:
            return []  # for the package, no tags are no filter
        hidden = sum(self.held.values()) - sum(self.held[channel] for channel in readable)
        found = await self.agents.search_agent_archival_memory_async(
            self.agent.id,
            self.actor,
            question,
            tags=[f"channel:{channel}" for channel in readable],
            top_k=limit + hidden,
        )
        return [{"source_ids": [_message_id(passage["tags"])]} for passage in found]

    def _readable(self, channel, asker):
        members = self.channels.get(channel, {}).get("members")
        return members is None or asker in members


async def _create_tables():
    from letta.orm import Base
    from letta.server.db import engine
    from sqlalchemy import text

    async with engine.begin() as connection:
        await connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
        await connection.run_sync(Base.metadata.create_all)
        await connection.execute(text("CREATE SEQUENCE message_seq_id OWNED BY messages.sequence_id"))
        await connection.execute(
            text("ALTER TABLE messages ALTER COLUMN sequence_id SET DEFAULT nextval('message_seq_id')")
        )


def _message_id(tags):
    return next(tag.removeprefix("message:") for tag in tags if tag.startswith("message:"))


def _moment(text):
    return datetime.fromisoformat(text) if text else None


if __name__ == "__main__":
    serve(Archive)
