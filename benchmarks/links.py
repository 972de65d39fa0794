"""Measures the links between statements of synthesised corpora: how many are right, before and after a model's check.

    python benchmarks/links.py FOLDER [FOLDER ...]
    python benchmarks/links.py FOLDER --model batch:gpt-5@WAITING

Counted strictly: a link is right where its ends state the value before and the value after one of the changes in
decisions.jsonl. What is counted are the links that somebody who sees public channels can be shown. A script or a small
model shows that this runs, and nothing about quality.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from groupmem.errors import GroupMemError, PendingError
from groupmem.memory.assistance import Calls
from groupmem.memory.assistance.asking import UnusableReplyError
from groupmem.memory.assistance.verify import MOST_PAIRS, refuted
from groupmem.memory.decisions import link
from groupmem.memory.recall.weights import WEIGHTS
from groupmem.memory.store.base import Link, View
from groupmem.memory.store.sqlite import SqliteStore
from groupmem.models.base import Account, ChatModel
from groupmem.models.session import Models
from groupmem.prompts import Prompts
from groupmem.readers.registry import read_any

Check = Callable[[View, Sequence[Link]], Sequence[Link]]


class Counts(NamedTuple):
    """Links that are shown, those of them that are right, and the changes that there are."""

    shown: int
    right: int
    changes: int


def measure(folder: Path, check: Check | None) -> tuple[Counts, Counts | None]:
    """The counts without a check and with it; the second is None without one. Raises PendingError where it waits."""
    conversation = read_any(folder).conversation
    changes = list(known_changes(folder))
    with tempfile.TemporaryDirectory() as temporary:
        store = SqliteStore(Path(temporary) / "memory.db", link=link, workspace="default", embedding=None)
        store.set_people(conversation.people)
        store.set_channels(conversation.channels)
        store.add(conversation.messages)
        view = store.view(None)
        links = shown_links(view)
        random.Random(0).shuffle(links)  # else those of one matter would stand together
        ids = {each.row: each.message.id for each in view.messages(np.unique([[x.new, x.old] for x in links]))}

        def count(those: Sequence[Link]) -> Counts:
            right = [x for x in those if any(ids[x.old] in before and ids[x.new] in after for before, after in changes)]
            return Counts(len(those), len(right), len(changes))

        try:
            wrong = check(view, links) if check is not None else None
            return count(links), None if wrong is None else count([each for each in links if each not in wrong])
        finally:
            store.close()


def shown_links(view: View) -> list[Link]:
    """Every link that is sure enough to be shown."""
    rows = np.sort(np.concatenate([view.members("channel", place) for place in range(len(view.channels))]))
    return [each for each in dict.fromkeys(view.links(rows)) if each.score >= WEIGHTS.replaced_by]


def known_changes(folder: Path) -> list[tuple[frozenset[str], frozenset[str]]]:
    """The messages that state the value before, and those that state or settle the value after, of every change."""
    facts = {fact["id"]: fact for fact in lines(folder / "facts.jsonl")}
    found = []
    for change in lines(folder / "decisions.jsonl"):
        if change["outcome"] == "changed":
            settled = {step["message"] for step in change["steps"] if step["act"] == "settle_change"}
            before, after = facts[change["before_fact"]]["stated_in"], facts[change["after_fact"]]["stated_in"]
            found.append((frozenset(before), frozenset(after) | settled))
    return found


def lines(path: Path) -> list[Mapping[str, Any]]:
    return [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]


def checked_by(model: ChatModel) -> Check:
    """Asks for all links, as many in one call as a recall does at most."""
    calls = Calls(model, Prompts())

    def check(view: View, links: Sequence[Link]) -> list[Link]:
        wrong: list[Link] = []
        pending: PendingError | None = None
        for start in range(0, len(links), MOST_PAIRS):
            try:
                wrong += refuted(calls, view, links[start : start + MOST_PAIRS])
            except UnusableReplyError as error:
                print(error)  # as at a recall, the links stay
            except PendingError as error:
                pending = error
        if pending is not None:
            raise pending
        return wrong

    return check


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="+", help="a corpus of groupmem synth make")
    parser.add_argument("--model", help="the chat model that checks (openai:gpt-5, batch:gpt-5@FOLDER)")
    options = parser.parse_args()
    try:
        with Models(log_path=None, cache_path=None) as models:
            check = checked_by(models.chat(options.model, Account(phase="recall"))) if options.model else None
            for folder in options.folder:
                try:
                    before, after = measure(folder, check)
                except PendingError:
                    continue  # told below, when all have asked
                print(f"{folder.name}: {before.right} of {before.shown} right, {before.changes} changes")
                if after is not None:
                    print(f"{folder.name}, checked: {after.right} of {after.shown} right")
            models.flush_batches()
    except GroupMemError as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main()
