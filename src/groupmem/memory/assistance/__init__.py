"""A model's help at recall, where one is given: off by default, counted, and never needed."""

from groupmem.memory.assistance.asking import Calls
from groupmem.memory.assistance.recaller import ASSISTANCE, Assistance, AssistedRecaller
from groupmem.memory.assistance.replies import PROMPT_NAMES

__all__ = ["ASSISTANCE", "PROMPT_NAMES", "Assistance", "AssistedRecaller", "Calls"]
