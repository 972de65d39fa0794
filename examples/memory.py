"""A memory in a process of its own: the messages that share most words with the question."""

import re

from groupmem_worker import serve


class Memory:
    def __init__(self):
        self.messages = {}

    def ingest(self, messages):
        self.messages.update((message["id"], message) for message in messages)

    def recall(self, question, asker, limit, asked_at):
        asked = set(re.findall(r"\w+", question.lower()))
        scores = {i: len(asked & set(re.findall(r"\w+", m["text"].lower()))) for i, m in self.messages.items()}
        best = sorted((i for i in scores if scores[i]), key=scores.get, reverse=True)[:limit]
        return [{"source_ids": [i], "score": scores[i]} for i in best]


serve(Memory)
