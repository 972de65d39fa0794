"""A chat model that copies what it is shown: a memory that a model writes then holds what was said, word for word."""

from __future__ import annotations

import re
import threading

from groupmem.models.base import ChatReply, ChatRequest
from groupmem.types import Usage

_QUOTED = re.compile(
    r"<(exchange|notes|notepad|memory|question|lookup|messages|pairs) id=\"(\w+)\">\n(.*)\n</\1 id=\"\2\">", re.DOTALL
)


class CopyingChat:
    """Replies with the quoted text of a prompt, and yes where it is asked whether notes help; `prompts` is what it was
    sent."""

    name = "copying"

    def __init__(self) -> None:
        self.prompts: list[str] = []
        self._lock = threading.Lock()

    def complete(self, request: ChatRequest) -> ChatReply:
        prompt = request.messages[-1].content
        with self._lock:
            self.prompts.append(prompt)
        quoted = _QUOTED.search(prompt)
        assert quoted is not None, prompt
        text = "Yes." if quoted[1] == "notes" else quoted[3]
        return ChatReply(text=text, usage=Usage(calls=1, input_tokens=len(prompt), output_tokens=len(text)))
