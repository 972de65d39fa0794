"""The quality of a conversation as a judge sees it: G-Eval on six dimensions (GroupMemBench, App. "Evaluation Rubrics
for Synthetic Conversation").

For each seed one excerpt is drawn, and each dimension is rated on it from 1 to 5 by one call. A dimension's score is
the mean over the seeds, the overall score the mean of the six. The source's text says 0 to 5, its appendix 1 to 5; the
appendix has the rubric, so 1 to 5 it is here.
"""

from groupmem.lab.judging.quality.excerpts import EXCERPT_MESSAGES, Excerpt, draw_excerpt
from groupmem.lab.judging.quality.rating import DIMENSIONS, PROMPT_NAMES, Dimension, Rating, Task, rate, tasks
from groupmem.lab.judging.quality.scores import QualityScores, Score, score_ratings

__all__ = [
    "DIMENSIONS",
    "EXCERPT_MESSAGES",
    "PROMPT_NAMES",
    "Dimension",
    "Excerpt",
    "QualityScores",
    "Rating",
    "Score",
    "Task",
    "draw_excerpt",
    "rate",
    "score_ratings",
    "tasks",
]
