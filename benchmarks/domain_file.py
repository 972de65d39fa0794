"""Writes a conversation of any size in the published layout, for timings: the words mean nothing, their statistics do.

    python benchmarks/domain_file.py FOLDER --messages 30000 --questions 200

Word frequencies follow Zipf's law (Mandelbrot's form), message lengths are log-normal around 28 words. A question has
three words of one message, its evidence, among six of another. The same seed gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

CHANNELS = ("planning", "support", "release-train", "design", "field-reports", "operations", "research", "lounge")
ROLES = ("Engineer", "Designer", "Analyst", "Support Lead", "Product Manager")
PEOPLE = 24
VOCABULARY = 25_000
MEDIAN_WORDS = 28
WORDS_OF_EVIDENCE, WORDS_OF_ANOTHER = 3, 6
FIRST_MESSAGE = datetime(2031, 1, 6, 8, tzinfo=UTC)
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"


def write_domain(folder: Path, *, messages: int, questions: int, seed: int) -> None:
    """Writes `Synthetic.json` and `questions/multi_hop.jsonl` into the folder."""
    random = np.random.default_rng(seed)
    texts = _texts(random, messages)
    authors = random.integers(1, PEOPLE + 1, size=messages).tolist()
    channels = random.choice(len(CHANNELS), size=messages, p=_falling(len(CHANNELS), 1)).tolist()
    corpus: dict[str, list[dict[str, object]]] = {channel: [] for channel in CHANNELS}
    for number, (text, author, channel) in enumerate(zip(texts, authors, channels, strict=True)):
        corpus[CHANNELS[channel]].append(_row(number, text, author))
    (folder / "Synthetic.json").write_text(json.dumps(corpus), encoding="utf-8")
    asked = [_question(random, number, texts) for number in range(questions)]
    (folder / "questions").mkdir(exist_ok=True)
    lines = "".join(json.dumps(question) + "\n" for question in asked)
    (folder / "questions" / "multi_hop.jsonl").write_text(lines, encoding="utf-8")


def _texts(random: np.random.Generator, count: int) -> list[str]:
    """Messages as sentences, their words drawn with probability 1 / (rank + 2.7)."""
    vocabulary = _words(random)
    lengths = np.maximum(1, random.lognormal(np.log(MEDIAN_WORDS), 0.6, size=count).astype(int))
    drawn = random.choice(VOCABULARY, size=int(lengths.sum()), p=_falling(VOCABULARY, 2.7))
    ends = np.cumsum(lengths).tolist()
    starts = [0, *ends[:-1]]
    spelled = [vocabulary[rank] for rank in drawn.tolist()]
    return [" ".join(spelled[start:end]).capitalize() + "." for start, end in zip(starts, ends, strict=True)]


def _words(random: np.random.Generator) -> list[str]:
    """Distinct made-up words, the frequent ones shorter."""
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        syllables = 1 + min(len(words) // 60, 2) + int(random.integers(0, 2))
        letters = [CONSONANTS[random.integers(14)] + VOWELS[random.integers(5)] for _ in range(syllables)]
        words["".join(letters)] = None
    return list(words)


def _falling(count: int, offset: float) -> np.ndarray:
    weights = 1 / (np.arange(count) + offset)
    return weights / weights.sum()


def _row(number: int, text: str, author: int) -> dict[str, object]:
    return {
        "msg_node": f"Msg_{number}",
        "author": f"User_{author}",
        "role": ROLES[author % len(ROLES)],
        "content": text,
        "timestamp": (FIRST_MESSAGE + timedelta(minutes=7 * number)).replace(tzinfo=None).isoformat(),
        "reply_to": None,
        "phase_name": f"Phase {number // 1000 + 1}",
        "topic": f"Topic {number // 200 + 1}",
        "is_noise": False,
        "is_decision_point": False,
    }


def _question(random: np.random.Generator, number: int, texts: list[str]) -> dict[str, object]:
    evidence, other = random.integers(len(texts), size=2).tolist()
    words = _some_words(random, texts[evidence], WORDS_OF_EVIDENCE) + _some_words(
        random, texts[other], WORDS_OF_ANOTHER
    )
    return {
        "id": f"multi_hop_{number + 1}",
        "question": " ".join(words).capitalize() + "?",
        "answer": texts[evidence],
        "asking_user_id": f"User_{int(random.integers(1, PEOPLE + 1))}",
        "evidence": [f"Msg_{evidence}"],
    }


def _some_words(random: np.random.Generator, text: str, count: int) -> list[str]:
    words: list[str] = random.permutation(text.rstrip(".").lower().split())[:count].tolist()
    return words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--messages", type=int, default=30_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    write_domain(options.folder, messages=options.messages, questions=options.questions, seed=options.seed)


if __name__ == "__main__":
    main()
