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
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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

PACK = "manufacturing"
MESSAGES = 2_500
SEED = 0
SETTINGS = ("pack.projects=3",)
PER_TYPE = 22
SHIPPED = ("corpus.json", "people.json", "channels.json", "provenance.json", QUESTIONS, RAW)
"""What of a made corpus is bundled. Its facts would double the size, and the README says how to have them."""
README = Path(__file__).with_name("sample_readme.md")
Names = Mapping[str, str]
"""Name and role by person id."""


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
    people = {person.id: f"{person.name} ({person.role})" for person in loaded.conversation.people}
    days = sorted(message.sent_at.date() for message in loaded.conversation.messages if message.sent_at)
    size_bytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return {
        "pack": PACK,
        "messages": MESSAGES,
        "seed": SEED,
        "settings": " ".join(f"--set {setting}" for setting in SETTINGS),
        "per_type": PER_TYPE,
        "number": len(people),
        "people": ", ".join(people.values()),
        "first": days[0],
        "last": days[-1],
        "questions": len(loaded.questions),
        "channels": "\n".join(channel_rows(loaded, people)),
        "types": "\n".join(map(type_row, counts)),
        "examples": "\n\n".join(example(loaded, one.category, people) for one in counts),
        "megabytes": f"{size_bytes / 1e6:.2f}",
    }


def channel_rows(loaded: Loaded, people: Names) -> Iterator[str]:
    about = {project.name: project.summary for project in load_pack(PACK).projects}
    messages = Counter(message.channel for message in loaded.conversation.messages)
    for channel in loaded.conversation.channels:
        readers = "everybody" if channel.members is None else ", ".join(people[one] for one in channel.members)
        summary = about.get(channel.id) or f"a topic of {channel.id.partition(' - ')[0]}, in private"
        yield f"| {channel.id} | {summary} | {messages[channel.id]} | {readers} |"


def type_row(one: TypeCounts) -> str:
    return f"| {one.category} | {one.accepted} | {one.twins} | {one.raw_solved} of {one.raw} | {one.mean_rounds:.1f} |"


def example(loaded: Loaded, category: str, people: Names) -> str:
    """The shortest question of a type, with its gold and the messages that prove it."""
    asked = [question for question in loaded.questions if question.category == category]
    shortest = min(asked, key=lambda question: len(question.text))
    messages = {message.id: message for message in loaded.conversation.messages}
    proof = [messages[name] for name in shortest.evidence]
    lines = [
        f"**{category}**. {people[str(shortest.asker)]} asks: {shortest.text}",
        f"*{shortest.answer}*",
        *(f"> {people[one.author]}, {one.sent_at:%Y-%m-%d}: {one.text}" for one in proof),
    ]
    return "\n\n".join(line.replace("\n", " ") for line in lines)


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
