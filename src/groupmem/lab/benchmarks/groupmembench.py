"""GroupMemBench: four domains of group conversation, questions bound to an asker (arXiv 2605.14498).

The published question files of Finance and Technology are filtered for solvability; those of Healthcare and
Manufacturing are as generated. The paper evaluates 715 of the 745: it leaves out 15 abstention questions in each of
the latter two, and does not say which. The sets name no evidence, so retrieval is not measured on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from groupmem.errors import DataError
from groupmem.lab.benchmarks.base import BenchmarkMetadata, DataFile
from groupmem.lab.benchmarks.shared import BaseBenchmark, UnitContent, UnitSource, from_loaded
from groupmem.readers.groupmembench import Layout, read_layout

DOMAINS = ("Technology", "Finance", "Healthcare", "Manufacturing")
TYPES = ("multi_hop", "knowledge_update", "temporal", "user_implicit", "term_ambiguity", "abstention")
CORPORA_REVISION = "7d0b079b894c5915ce2191fccdfce26137525d68"
QUESTIONS_REVISION = "e2682e01ff490acfe4fac2940159dce60307dfc9"
_CORPORA = f"https://huggingface.co/datasets/kimperyang/GroupMemBench/resolve/{CORPORA_REVISION}"
_QUESTIONS = f"https://raw.githubusercontent.com/UCSB-NLP-Chang/GroupMemBench/{QUESTIONS_REVISION}"


def _corpus(domain: str) -> str:
    return f"data/final/{domain}/synthetic_domain_channels_rolevariants_{domain}.json"


def _questions(domain: str) -> tuple[str, ...]:
    return tuple(f"questions/{domain}/{kind}.jsonl" for kind in TYPES)


def _files(domain: str) -> tuple[DataFile, ...]:
    corpus = _corpus(domain)
    return (
        DataFile(path=corpus, url=f"{_CORPORA}/{corpus}"),
        *(DataFile(path=path, url=f"{_QUESTIONS}/{path}") for path in _questions(domain)),
    )


class GroupMemBench(BaseBenchmark):
    """One unit is one domain ("Finance")."""

    unit_names = DOMAINS
    metadata = BenchmarkMetadata(
        name="groupmembench",
        title="GroupMemBench: agent memory in multi-party conversations, four domains",
        licence="none stated by its authors: use it, and do not pass it on",
        source="https://huggingface.co/datasets/kimperyang/GroupMemBench, "
        "https://github.com/UCSB-NLP-Chang/GroupMemBench",
        revision=f"corpora {CORPORA_REVISION}, questions {QUESTIONS_REVISION}",
        citation="GroupMemBench: Benchmarking LLM Agent Memory in Multi-Party Conversations, arXiv 2605.14498",
        files=tuple(file for domain in DOMAINS for file in _files(domain)),
        expected={"units": 4, "messages": 120_000, "questions": 745},
        notes="The paper evaluates 715 questions: it leaves out 30 abstention questions of two domains, unnamed.",
    )

    @classmethod
    def declared(cls, unit: str | None) -> tuple[DataFile, ...]:
        return cls.metadata.files if unit is None else _files(unit)

    def sources(self) -> Iterator[UnitSource]:
        domains = [domain for domain in DOMAINS if self.files.has(_corpus(domain))]
        if not domains:
            raise DataError(f"{self.files.folder}: questions, but no corpus: run `groupmem data fetch groupmembench`")
        for domain in domains:
            yield UnitSource(domain, partial(self._content, domain))

    def _content(self, domain: str) -> UnitContent:
        folder = self.files.folder
        layout = Layout(
            name=domain,
            corpus=folder / _corpus(domain),
            questions=tuple(folder / path for path in _questions(domain) if self.files.has(path)),
        )
        loaded = read_layout(layout)
        missing = [path for path in _questions(domain) if not self.files.has(path)]
        notes = (f"missing: {', '.join(missing)}",) if missing else ()
        content = from_loaded(loaded)
        return content._replace(notes=(*content.notes, *notes))
