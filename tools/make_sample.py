"""Writes the bundled sample: a synthesised conversation and hard questions about it, no model called.

    python tools/make_sample.py            into the package, as `make sample` does
    python tools/make_sample.py FOLDER     into a folder that is not there yet

The same code gives the same bytes, and a test holds the sample to them: whatever changes the writer or the questions
is followed by `make sample`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Template

from groupmem.cli.console import Console
from groupmem.lab.benchmarks.sample import SAMPLE
from groupmem.lab.questions.making import make_questions
from groupmem.lab.questions.order import Order as QuestionOrder
from groupmem.lab.questions.output import QUESTIONS, RAW, TypeCounts
from groupmem.lab.synthesis.making import Order as CorpusOrder
from groupmem.lab.synthesis.making import make_corpus
from groupmem.lab.synthesis.pack_file import load_pack
from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.models.session import Models
from groupmem.readers.base import Loaded
from groupmem.readers.registry import read_any

PACK = "technology"
MESSAGES = 1_600
SEED = 1
SETTINGS = ("pack.projects=3", "channels.private_topics=2")
PER_TYPE = 22
SHIPPED = ("corpus.json", "people.json", "channels.json", "provenance.json", QUESTIONS, RAW)
"""What of a made corpus is bundled. Its facts would double the size, and the README says how to have them."""
README = Path(__file__).with_name("sample_readme.md")


def make_sample(folder: Path) -> None:
    """Writes the folder, which must not be there yet."""
    console = Console(quiet=True)
    with tempfile.TemporaryDirectory() as work:
        made = Path(work) / "made"
        corpus = CorpusOrder(pack=load_pack(PACK), policy=load_policy(None, SETTINGS), messages=MESSAGES, seed=SEED)
        make_corpus(corpus, made, console, open_models)
        order = QuestionOrder(per_type=PER_TYPE, seed=SEED)
        counts = make_questions(order, made, made, console, open_models).counts
        folder.mkdir(parents=True)
        for name in SHIPPED:
            copy = shutil.copytree if (made / name).is_dir() else shutil.copyfile
            copy(made / name, folder / name)
    page = Template(README.read_text(encoding="utf-8"))
    (folder / "README.md").write_text(page.substitute(figures(folder, counts)), encoding="utf-8")


def open_models(log_path: Path | None) -> Models:
    return Models(log_path=log_path, cache_path=None)


def figures(folder: Path, counts: Sequence[TypeCounts]) -> dict[str, object]:
    """What the README says of the sample, counted in its files."""
    loaded = read_any(folder)
    conversation = loaded.conversation
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return {
        "pack": PACK,
        "messages": MESSAGES,
        "seed": SEED,
        "settings": " ".join(f"--set {setting}" for setting in SETTINGS),
        "per_type": PER_TYPE,
        "people": len({message.author for message in conversation.messages}),
        "from": min(message.sent_at.date() for message in conversation.messages if message.sent_at),
        "to": max(message.sent_at.date() for message in conversation.messages if message.sent_at),
        "questions": len(loaded.questions),
        "channels": "\n".join(channel_rows(loaded)),
        "types": "\n".join(type_rows(loaded, counts)),
        "megabytes": f"{size / 1e6:.2f}",
    }


def channel_rows(loaded: Loaded) -> Iterator[str]:
    names = {person.id: person.name for person in loaded.conversation.people}
    for channel in loaded.conversation.channels:
        messages = sum(message.channel == channel.id for message in loaded.conversation.messages)
        readers = "everybody" if channel.members is None else ", ".join(str(names[one]) for one in channel.members)
        yield f"| {channel.id} | {messages} | {readers} |"


def type_rows(loaded: Loaded, counts: Sequence[TypeCounts]) -> Iterator[str]:
    """One row a type, with its shortest question."""
    people = {person.id: person for person in loaded.conversation.people}
    for one in counts:
        asked = [question for question in loaded.questions if question.category == one.category]
        example = min(asked, key=lambda question: len(question.text))
        asker = people[str(example.asker)]
        yield (
            f"| {one.category} | {one.accepted} | {one.twins} | {one.raw_solved} of {one.raw} "
            f"| {asker.name} ({asker.role}): {example.text} |"
        )


def main(arguments: Sequence[str]) -> None:
    if arguments:
        make_sample(Path(arguments[0]))
        return
    with tempfile.TemporaryDirectory(dir=SAMPLE.parent) as beside:
        make_sample(Path(beside) / "sample")
        shutil.rmtree(SAMPLE, ignore_errors=True)
        (Path(beside) / "sample").rename(SAMPLE)
    print(f"written: {SAMPLE}")


if __name__ == "__main__":
    main(sys.argv[1:])
