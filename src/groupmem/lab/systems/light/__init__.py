"""LIGHT, the method of the BEAM paper (arXiv 2510.27246): episodic memory, working memory, and a scratchpad.

`pairs` cuts a conversation into exchanges, `asking` is the chat model under one set of prompts, `episodic` and
`scratchpad` are the two memories that a model writes, `system` puts them together and answers.
"""

from groupmem.lab.systems.light.system import Light

__all__ = ["Light"]
