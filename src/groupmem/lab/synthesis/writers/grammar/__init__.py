"""The grammar writer: fluent, varied messages from an expansion grammar, without any model.

`language` reads the rules from `data/grammar`, `rules` expands them; `scene` says what holds for one message
(`features`) and what it can name (`slots`), `compose` (and `short`, for ultra-short ones) makes its sentences, `finish`
the text, `echo` hears what was said before.
"""

from groupmem.lab.synthesis.writers.grammar.writer import GrammarWriter

__all__ = ["GrammarWriter"]
