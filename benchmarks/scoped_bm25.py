"""BM25 for somebody who may see a part of the channels: the engine's lexical index beside tantivy.

    python benchmarks/scoped_bm25.py --messages 30000 1000000

Two fields, 20 channels of which 17 are visible, questions of eight words that are not among the most frequent thirty,
200 hits from each field. tantivy is asked in three ways: over everything; with the hidden channels filtered out, but
frequencies of the whole index; and with the frequencies counted in scope, as a score needs that must not depend on what
is hidden (the average length stays that of the whole index: tantivy takes no other).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tantivy
from domain_file import VOCABULARY, _falling
from rich.console import Console
from rich.table import Table

from groupmem.memory.index.arrays import map_arrays, write_arrays
from groupmem.memory.index.lexical import LexicalIndex
from groupmem.memory.index.postings import Segment, build, merge
from groupmem.memory.index.top import at_least_best

FIELDS = ("content", "context")
CHANNELS, VISIBLE = 20, 17
FREQUENT = 30
QUESTIONS, WORDS, HITS = 200, 8, 200
MEDIAN_WORDS = 14
AT_ONCE = 50_000

Ask = Callable[[Sequence[str]], object]


def documents(count: int) -> Iterator[tuple[list[str], list[str]]]:
    """Words of a message, and the same behind those of an earlier one that it answers."""
    random = np.random.default_rng(0)
    earlier: list[list[str]] = [[]] * 3
    for start in range(0, count, AT_ONCE):
        lengths = np.clip(random.lognormal(np.log(MEDIAN_WORDS), 0.7, min(AT_ONCE, count - start)), 1, 200).astype(int)
        ranks = random.choice(VOCABULARY, size=int(lengths.sum()), p=_falling(VOCABULARY, 2.7)).tolist()
        ends = np.cumsum(lengths).tolist()
        for first, last in zip([0, *ends[:-1]], ends, strict=True):
            content = [f"w{rank}" for rank in ranks[first:last]]
            yield content, [*earlier[0], *content]
            earlier = [*earlier[1:], content]


def questions() -> list[list[str]]:
    random = np.random.default_rng(1)
    drawn = random.choice(VOCABULARY, size=(QUESTIONS, 3 * WORDS), p=_falling(VOCABULARY, 2.7)).tolist()
    return [[f"w{rank}" for rank in ranks if rank >= FREQUENT][:WORDS] for ranks in drawn]


def ours(folder: Path, count: int) -> tuple[Ask, float]:
    """The engine's index from its file, everything counted in scope."""
    segments, batch = [], []
    for number, document in enumerate(documents(count)):
        batch.append(document)
        if len(batch) == AT_ONCE or number + 1 == count:
            segments.append(build(list(range(number + 1 - len(batch), number + 1)), batch))
            batch = []
    path = folder / "ours.postings"
    write_arrays(path, merge(segments, np.ones(count, dtype=np.bool_)).arrays())
    index = LexicalIndex([Segment.of_arrays(map_arrays(path))])
    mask = np.arange(count) % CHANNELS < VISIBLE
    extents = {field: index.extent(field, mask) for field in FIELDS}

    def ask(words: Sequence[str]) -> None:
        lookup = index.under(mask, extents.__getitem__)
        for field in FIELDS:
            scores = lookup.scores(field, dict.fromkeys(words, 1.0))
            found = at_least_best(scores, HITS)
            found[np.argsort(-scores[found], kind="stable")][:HITS]

    return ask, path.stat().st_size / count


class Tantivy:
    """An index whose tokens are cut by spaces, which stores no text."""

    def __init__(self, folder: Path, count: int) -> None:
        builder = tantivy.SchemaBuilder()
        for field in FIELDS:
            builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
        builder.add_text_field("channel", tokenizer_name="raw", index_option="basic")
        builder.add_unsigned_field("row", fast=True)
        self._schema = builder.build()
        index = tantivy.Index(self._schema, str(folder))
        writer = index.writer(heap_size=128_000_000, num_threads=1)
        for row, (content, context) in enumerate(documents(count)):
            document = tantivy.Document()
            document.add_text("channel", f"c{row % CHANNELS}")
            document.add_unsigned("row", row)
            document.add_text("content", " ".join(content))
            document.add_text("context", " ".join(context))
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._searcher = index.searcher()
        self._visible = self._any("channel", [f"c{number}" for number in range(VISIBLE)], "basic")

    def everything(self, words: Sequence[str]) -> None:
        for field in FIELDS:
            self._hits(self._any(field, words))

    def filtered(self, words: Sequence[str]) -> None:
        for field in FIELDS:
            self._hits(self._seen(self._any(field, words)))

    def counted(self, words: Sequence[str]) -> None:
        for field in FIELDS:
            for word in words:
                self._searcher.search(self._seen(self._term(field, word)), limit=1, count=True)
            self._hits(self._seen(self._any(field, words)))

    def _term(self, field: str, word: str, option: str = "freq") -> Any:
        return tantivy.Query.term_query(self._schema, field, word, option)

    def _any(self, field: str, words: Sequence[str], option: str = "freq") -> Any:
        parts = [tantivy.Query.boost_query(self._term(field, word, option), 1.0) for word in words]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, part) for part in parts])

    def _seen(self, query: Any) -> Any:
        visible = tantivy.Query.const_score_query(self._visible, 0.0)
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, visible)])

    def _hits(self, query: Any) -> None:
        hits = self._searcher.search(query, limit=HITS, count=False).hits
        self._searcher.fast_field_values("row", [address for _, address in hits])


def timed(ask: Ask) -> tuple[float, float]:
    """Median and 95th percentile of a question, in milliseconds, after a round to warm up."""
    asked = questions()
    for words in asked:
        ask(words)
    spent = []
    for words in asked:
        started = time.perf_counter()
        ask(words)
        spent.append((time.perf_counter() - started) * 1_000)
    return float(np.percentile(spent, 50)), float(np.percentile(spent, 95))


def measure(count: int, table: Table) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "tantivy").mkdir()
        ask, size = ours(folder, count)
        other = Tantivy(folder / "tantivy", count)
        other_size = sum(path.stat().st_size for path in (folder / "tantivy").iterdir()) / count
        for name, asked, bytes_each in (
            ("tantivy, everything", other.everything, other_size),
            ("tantivy, filtered", other.filtered, other_size),
            ("tantivy, filtered and counted", other.counted, other_size),
            ("this index, all in scope", ask, size),
        ):
            middle, slow = timed(asked)
            table.add_row(f"{count:,}", name, f"{middle:.2f}", f"{slow:.2f}", f"{bytes_each:.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--messages", type=int, nargs="+", default=[30_000])
    table = Table("messages", "index", "ms p50", "ms p95", "bytes a message")
    for count in parser.parse_args().messages:
        measure(count, table)
    Console().print(table)


if __name__ == "__main__":
    main()
