"""Takes the final answer out of a reply that reasons first (GroupMemBench, App. "LLM Judge Configuration")."""

from __future__ import annotations

import re

# Emphasis around the label ("**Final:** Paris") belongs to the writing, not to the answer.
_LABEL = re.compile(r"[\s#>]*(?P<mark>[*_`]*)final(?:\s+answer)?(?P=mark)?\s*[:：]\s*(?P<rest>.*)", re.IGNORECASE)


def split_final(text: str) -> tuple[str, str]:
    """(reasoning, final answer). The final answer is what follows "Final:" or "Final answer:" on the last line that
    begins so, else the last non-empty line; the reasoning is all above that line. Where the label stands alone on its
    line, the answer is what comes below."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for index in range(len(lines) - 1, -1, -1):
        label = _LABEL.match(lines[index])
        if label:
            final = _without_mark(label["rest"], label["mark"]) or " ".join(lines[index + 1 :])
            return "\n".join(lines[:index]), final
    return "\n".join(lines[:-1]), lines[-1] if lines else ""


def final_answer(text: str) -> str:
    """The final answer alone, as `split_final` finds it."""
    return split_final(text)[1]


def _without_mark(rest: str, mark: str) -> str:
    """The emphasis that was opened before the label closes behind it, or behind the answer."""
    if mark and rest.startswith(mark):
        return rest.removeprefix(mark).strip()
    return rest.removesuffix(mark).strip()
