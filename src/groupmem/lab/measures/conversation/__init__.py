"""Measures of a conversation that need no model: how varied its language is, and what shape its threads and times have.

Numbers, links, ids and typos are masked before words are compared (`masking`), so that a text that only differs in its
figures from another is no other text.
"""

from groupmem.lab.measures.conversation.distinct import distinct_in_blocks, distinct_n
from groupmem.lab.measures.conversation.masking import masked_words
from groupmem.lab.measures.conversation.measure import ConversationMeasures, measure_conversation
from groupmem.lab.measures.conversation.near_duplicates import NearDuplicates, near_duplicates
from groupmem.lab.measures.conversation.replies import ReplyShape, reply_shape
from groupmem.lab.measures.conversation.spread import Spread, spread

__all__ = [
    "ConversationMeasures",
    "NearDuplicates",
    "ReplyShape",
    "Spread",
    "distinct_in_blocks",
    "distinct_n",
    "masked_words",
    "measure_conversation",
    "near_duplicates",
    "reply_shape",
    "spread",
]
