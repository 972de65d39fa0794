"""Reports of a run: leaderboard, comparison, one question. They read the run folder and nothing else.

Records become two frames (`frames`), frames become figures (`summary`, `standings`, `compare`), figures become tables
(`tables`), and tables become text, Markdown, TSV or LaTeX (`formats`). `figure` draws, and is not loaded before that.
"""

from groupmem.lab.reports.compare import Comparison, compare_runs, compare_systems, comparison_table
from groupmem.lab.reports.formats.latex import to_latex
from groupmem.lab.reports.formats.markdown import to_markdown
from groupmem.lab.reports.formats.question import print_question
from groupmem.lab.reports.formats.text import page_console, print_table, render_text, text_of
from groupmem.lab.reports.formats.tsv import to_tsv
from groupmem.lab.reports.leaderboard import Leaderboard, leaderboard
from groupmem.lab.reports.objects import report_object, run_object
from groupmem.lab.reports.question import QuestionView, view_question

__all__ = [
    "Comparison",
    "Leaderboard",
    "QuestionView",
    "compare_runs",
    "compare_systems",
    "comparison_table",
    "leaderboard",
    "page_console",
    "print_question",
    "print_table",
    "render_text",
    "report_object",
    "run_object",
    "text_of",
    "to_latex",
    "to_markdown",
    "to_tsv",
    "view_question",
]
