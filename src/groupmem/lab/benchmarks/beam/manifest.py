"""What a run was made from, as the agentic-graphrag harness writes it down: a manifest whose sum names the whole
set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from groupmem.lab.benchmarks.base import Unit
from groupmem.lab.benchmarks.beam.agentic import chunk_count
from groupmem.lab.benchmarks.beam.grading import rubric_of
from groupmem.lab.benchmarks.beam.pins import FILLER, HUB_NAME, HUB_REVISION, PARQUET
from groupmem.lab.benchmarks.beam.reading import PROBE_SHA256, canonical_sha256
from groupmem.lab.chunking import CHUNK_TOKENS, MIN_BYTES
from groupmem.lab.sessions import SessionDocument, session_documents
from groupmem.text import count_tokens
from groupmem.types import Conversation, Question

UPSTREAM: Mapping[str, Any] = {
    "repo": HUB_NAME,
    "revision": HUB_REVISION,
    "file": PARQUET.path,
    "file_sha256": PARQUET.sha256,
    "collapsed_messages": [
        {
            "conversation": FILLER.conversation,
            "message": FILLER.message,
            "keep_chars": FILLER.keep_chars,
            "original_chars": FILLER.original_chars,
            "original_sha256": FILLER.original_sha256,
        }
    ],
}
CHUNKING: Mapping[str, Any] = {
    "chunker": "recursive",
    "tokenizer": "o200k_base",
    "chunk_tokens": CHUNK_TOKENS,
    "min_bytes": MIN_BYTES,
}


def manifest(mode: str, units: Iterable[Unit]) -> dict[str, Any]:
    """The manifest of a set. `mode` is "lite", whose documents name the messages they were cut to, or "full"."""
    corpora, questions = [], []
    for unit in units:
        conversation = unit.conversation()
        corpora.append(_corpus(conversation, sliced=mode == "lite"))
        questions += [_question(unit.id, question) for question in unit.questions()]
    return {
        "name": "beam",
        "domain": "memory",
        "mode": mode,
        "upstream": UPSTREAM,
        "corpora": corpora,
        "questions": questions,
    }


def question_ids_sha256(ids: Sequence[str]) -> str:
    """The sum of the ids of the questions in their order."""
    return canonical_sha256(list(ids))


def facts(mode: str, units: Iterable[Unit]) -> dict[str, Any]:
    """What the record of a run says of its set, beside the metadata."""
    held = list(units)
    described = manifest(mode, held)
    return {
        "mode": mode,
        "upstream": UPSTREAM,
        "manifest_sha256": canonical_sha256(described),
        "question_ids_sha256": question_ids_sha256([question["id"] for question in described["questions"]]),
        "chunking": {**CHUNKING, "sha256": canonical_sha256(CHUNKING)},
        "corpora": [
            {
                "corpus_id": corpus["id"],
                "n_documents": len(corpus["documents"]),
                "corpus_tokens": corpus["n_tokens"],
                "chunks": chunk_count(unit.conversation()),
            }
            for corpus, unit in zip(described["corpora"], held, strict=True)
        ],
    }


def _corpus(conversation: Conversation, *, sliced: bool) -> dict[str, Any]:
    documents = session_documents(conversation.id, conversation.messages)
    return {
        "id": conversation.id,
        "service": f"memory-{conversation.id}",
        "schema_name": "beam-memory",
        "documents": [_document(conversation.id.removeprefix("conv"), each, sliced=sliced) for each in documents],
        "n_tokens": sum(count_tokens(document.text, "cl100k_base") for document in documents),
    }


def _document(number: str, document: SessionDocument, *, sliced: bool) -> dict[str, Any]:
    messages = [int(name) for name in document.message_ids] if sliced else None
    part = f";messages={','.join(map(str, messages))}" if messages else ""
    source = f"hf://datasets/{HUB_NAME}@{HUB_REVISION}/{PARQUET.path}#conversation={number};session={document.session}"
    return {
        "id": document.id,
        "uri": f"beam/{number}/session-{document.session}",
        "sha256": document.sha256,
        "source": source + part,
        "pages": None,
        "messages": messages,
    }


def _question(unit: str, question: Question) -> dict[str, Any]:
    bad = {"known_bad_rubric": question.known_bad} if question.known_bad else {}
    return {
        "id": question.id,
        "corpus_id": unit,
        "messages": [{"role": "user", "content": question.text}],
        "group": question.category,
        "reference": {"rubric": list(rubric_of(question)), "probe_sha256": question.extra[PROBE_SHA256]} | bad,
    }
