"""Every prompt of the project: one text file each, named by its path ("judge/system"), its slots filled by jinja2.

The built-in texts are our own words with the source's meaning. A folder laid over them replaces single prompts by files
of the same name; which text was used is told by its sha256, and an official text is recognised by it.
"""

from groupmem.prompts.library import Prompt, Prompts, load, text_marker

__all__ = ["Prompt", "Prompts", "load", "text_marker"]
