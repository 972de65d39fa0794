"""Measures what refinement makes of questions: first and accepted wordings, on the solver and on other systems.

    python benchmarks/questions.py DIR                       a corpus of `groupmem synth make`, any size
    python benchmarks/questions.py technology healthcare     corpora that are written first, 30,000 messages each

Prints a Markdown table a type: all-evidence@10 of every first wording ("raw"), of the first wordings of those that were
accepted in the end ("raw, accepted") and of the accepted wordings ("refined"); the oracle: the share of questions whose
value the extractor finds in the evidence; anchors by what became of them; seconds. Abstention has no evidence: its rows
give the share in which nothing of a system's first ten could be taken for an answer, or its support is low. No model is
called; vectors are kept in the user's cache, so that a second run is quick.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from groupmem.cli.console import Console
from groupmem.lab.measures import all_evidence_at_k
from groupmem.lab.measures.values import ValueFinder
from groupmem.lab.questions.examiner import RetrievalExaminer
from groupmem.lab.questions.making import make_questions
from groupmem.lab.questions.order import Order
from groupmem.lab.questions.output import TypeCounts
from groupmem.lab.questions.records import CATEGORIES, Draft, Outcome
from groupmem.lab.questions.solver import Solver
from groupmem.lab.records import read_lines
from groupmem.lab.synthesis.making import Order as CorpusOrder
from groupmem.lab.synthesis.making import make_corpus
from groupmem.lab.synthesis.pack_file import load_pack
from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.models.cache import default_cache_path
from groupmem.models.session import Models
from groupmem.readers.registry import read_any
from groupmem.types import Conversation, Question, passage_ids

MESSAGES = 30_000
STAGES = ("raw", "raw, accepted", "refined")
Asked = dict[str, list[Question]]
"""Questions by stage."""


class Measured(NamedTuple):
    """One corpus: seconds to make its questions, counts by type, and means by system, type and stage."""

    corpus: str
    seconds: float
    counts: tuple[TypeCounts, ...]
    means: dict[str, dict[str, dict[str, float]]]


def open_models(log_path: Path | None) -> Models:
    return Models(log_path=log_path, cache_path=default_cache_path())


def written(name: str, folder: Path) -> Path:
    """The corpus: a folder that is there, or that of a pack, written now."""
    if Path(name).is_dir():
        return Path(name)
    order = CorpusOrder(pack=load_pack(name), policy=load_policy(), messages=MESSAGES)
    return make_corpus(order, folder / name, Console(), open_models).folder


def measure(corpus: Path, order: Order, systems: Sequence[str], out: Path) -> Measured:
    started = time.perf_counter()
    made = make_questions(order, corpus, out, Console(), open_models)
    seconds = time.perf_counter() - started
    conversation = read_any(corpus).conversation
    asked: dict[str, Asked] = {name: by_stage(out, name) for name in CATEGORIES if name != "abstention"}
    absent = by_stage_absent(out)
    means = {system: measure_system(system, conversation, asked, absent) for system in systems}
    means["oracle"] = {category: oracle(conversation, stages) for category, stages in asked.items()}
    return Measured(corpus.name, seconds, made.counts, means)


def by_stage(out: Path, category: str) -> Asked:
    refined = rows(out / "questions" / f"{category}.jsonl")
    raw = rows(out / "questions-raw" / f"{category}.jsonl")
    kept = {row["anchor"] for row in refined}
    stages = (raw, [row for row in raw if row["anchor"] in kept], refined)
    return {stage: [question(row) for row in found] for stage, found in zip(STAGES, stages, strict=True)}


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def question(row: dict[str, Any]) -> Question:
    return Question(
        id=row["id"],
        text=row["question"],
        answer=row["answer"],
        asker=row["asking_user_id"],
        evidence=tuple(row["evidence"]),
        extra={name: row[name] for name in ("answer_kind", "answer_values", "stale_values")},
    )


def by_stage_absent(out: Path) -> dict[str, list[Draft]]:
    """The drafts of abstention by stage, with the kind of value that each asks for, from the trace."""
    outcomes = list(read_lines(out / "questions-made" / "trace.jsonl", Outcome))
    tried = [one for one in outcomes if one.category == "abstention" and one.rounds]
    kept = [one for one in tried if one.accepted]
    first = [[draft for one in some for draft in one.rounds[0].wording] for some in (tried, kept)]
    return dict(zip(STAGES, (*first, [draft for one in kept for draft in one.accepted]), strict=True))


def measure_system(
    system: str, conversation: Conversation, asked: dict[str, Asked], absent: dict[str, list[Draft]]
) -> dict[str, dict[str, float]]:
    means: dict[str, dict[str, float]] = defaultdict(dict)
    finder = ValueFinder(conversation.people, conversation.channels)
    messages = {message.id: message for message in conversation.messages}
    with open_models(None) as models, Solver(system, conversation, models) as solver:
        examiner = RetrievalExaminer(solver, finder, messages)
        for category, stages in asked.items():
            for stage, questions in stages.items():
                found = (
                    all_evidence_at_k(passage_ids(solver.recall(q, 10).passages), q.evidence, 10) for q in questions
                )
                means[category][stage] = fmean(found)
        for stage, drafts in absent.items():
            means["abstention"][stage] = fmean(examiner.examine(draft).solved for draft in drafts)
    return means


def oracle(conversation: Conversation, stages: Asked) -> dict[str, float]:
    """Lists are held by their messages one by one, so of them each member counts."""
    finder = ValueFinder(conversation.people, conversation.channels)
    messages = {message.id: message for message in conversation.messages}

    def answerable(one: Question) -> bool:
        gold = finder.gold_of(one)
        evidence = [messages[name] for name in one.evidence]
        if gold is None or gold.kind == "list":
            return gold is not None
        return any(finder.holds(message, gold) for message in evidence)

    return {stage: fmean(answerable(one) for one in questions) for stage, questions in stages.items()}


def table(measured: Measured) -> str:
    lines = [f"{measured.corpus}: {measured.seconds:.0f} s", ""]
    header = ["type", "system", *STAGES]
    lines += [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    for category in CATEGORIES:
        for system, means in measured.means.items():
            if category not in means:
                continue
            values = (f"{means[category][stage]:.3f}" for stage in STAGES)
            lines.append(f"| {category} | {system} | {' | '.join(values)} |")
    lines += ["", "| type | tried | accepted | twins | first wording solved | wordings | refused |", f"|{'---|' * 7}"]
    for counts in measured.counts:
        refused = ", ".join(f"{name.replace('_', ' ')} {number}" for name, number in counts.refused.items()) or "–"
        solved = f"{counts.raw_solved} of {counts.raw}"
        cells = (counts.category, counts.anchors, counts.accepted, counts.twins, solved, f"{counts.mean_rounds:.2f}")
        lines.append(f"| {' | '.join(map(str, cells))} | {refused} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpora", nargs="+", help="packs, or folders of corpora")
    parser.add_argument("--system", action="append", help="default: bm25 bm25-stemmed dense hybrid")
    parser.add_argument("--solver", default="bm25")
    parser.add_argument("--per-type", type=int, default=45)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    order = Order(per_type=arguments.per_type, solver=arguments.solver, rounds=arguments.rounds, seed=arguments.seed)
    systems = arguments.system or ["bm25", "bm25-stemmed", "dense", "hybrid"]
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(arguments.corpora):
            corpus = written(name, Path(folder))
            print(table(measure(corpus, order, systems, Path(folder) / f"questions-{number}")), end="\n\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
