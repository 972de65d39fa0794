"""What is known of a view beside its messages, kept for as long as the view's contents stay the same."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.notes.people import Directory
from groupmem.memory.recall.places import Labels
from groupmem.memory.recall.question import Surroundings
from groupmem.memory.store.base import View
from groupmem.models.base import EmbeddingModel, Vectors
from groupmem.types import Person

_MOST_VIEWS = 16
_MOST_NAMES = 4096
_QUESTION_WORDS = ("what", "which", "when did", "who is", "how many", "where", "why did", "is it", "did they", "the")


@dataclass(frozen=True, slots=True)
class Index:
    """Places of labels in the columns of an outline, and the people whom a question can name."""

    directory: Directory
    humans: tuple[str, ...]
    authors: Mapping[str, int]
    roles: Mapping[str, int]
    channels: Mapping[str, int]
    phases: Mapping[str, int]
    topics: tuple[str, ...]
    spoken_of: Mapping[str, int]
    channel_labels: Labels
    phase_labels: Labels

    def around(self, asker: str | None, now: datetime | None) -> Surroundings:
        """What a question by `asker` can refer to."""
        return Surroundings(
            directory=self.directory,
            asker=asker,
            humans=self.humans,
            channels=self.channel_labels,
            phases=self.phase_labels,
            now=now,
        )


class Indexes:
    """The index of each view that was asked lately."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, Index] = OrderedDict()

    def of(self, view: View) -> Index:
        key = view.version
        if key not in self._known:
            self._known[key] = _index(view)
            while len(self._known) > _MOST_VIEWS:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]


def _index(view: View) -> Index:
    authors = list(view.authors)
    unlisted = [Person(id=author, name=author) for author in authors if author not in view.people]
    bots = {person.id for person in view.people.values() if person.is_bot}
    return Index(
        directory=Directory((*view.people.values(), *unlisted), view.channels),
        humans=tuple(author for author in authors if author not in bots),
        authors=_places(authors),
        roles=_places(list(view.roles)),
        channels=_places([channel.id for channel in view.channels]),
        phases=_places(list(view.phases)),
        topics=tuple(view.topics),
        spoken_of=_places(list(view.spoken_of)),
        channel_labels=Labels(name for channel in view.channels for name in (channel.id, channel.name) if name),
        phase_labels=Labels(view.phases),
    )


def _places(labels: Sequence[str]) -> dict[str, int]:
    return {label: place for place, label in enumerate(labels)}


class Meanings:
    """Vectors of questions and of topic names; a name is embedded once."""

    def __init__(self, model: EmbeddingModel) -> None:
        self._model = model
        self._names: dict[str, NDArray[np.float32]] = {}
        self._stacked: tuple[Sequence[str], Vectors] = (), np.empty((0, model.dimensions), dtype=np.float32)
        self._asking: NDArray[np.float32] | None = None

    def questions(self, texts: Sequence[str]) -> Vectors:
        """The unit vectors of questions, or of parts of one."""
        return self._model.embed(texts, kind="query")

    def told(self, vector: NDArray[np.float32], share: float) -> NDArray[np.float32]:
        """The vector without `share` of what all questions have in common; again of unit length."""
        if self._asking is None:
            self._asking = self._model.embed(_QUESTION_WORDS, kind="query").mean(axis=0)
        return _unit(vector - np.float32(share) * self._asking, vector)

    def renamed(
        self, vector: NDArray[np.float32], names: Sequence[tuple[str, str]], share: float
    ) -> NDArray[np.float32]:
        """The vector of a question, moved by `share` of the way from each first name to the second; again of unit
        length."""
        if not names:
            return vector
        phrases = list(dict.fromkeys(phrase for pair in names for phrase in pair))
        of = dict(zip(phrases, self._model.embed(phrases, kind="query"), strict=True))
        moves = np.mean([of[new] - of[old] for old, new in names], axis=0)
        return _unit(vector + np.float32(share) * moves, vector)

    def nearness(self, vector: NDArray[np.float32], topics: Sequence[str]) -> NDArray[np.float32]:
        """For each topic how near its name is to the question, in shares of the nearest; 0 beyond the first 4,096."""
        shares = np.zeros(len(topics), dtype=np.float32)
        known = topics[:_MOST_NAMES]
        if known:
            cosines = np.clip(self._vectors(known) @ vector, 0, None)
            shares[: len(known)] = cosines / (cosines.max() or 1)
        return shares

    def _vectors(self, names: Sequence[str]) -> Vectors:
        if names == self._stacked[0]:
            return self._stacked[1]
        new = [name for name in names if name not in self._names]
        if new:
            self._names.update(zip(new, self._model.embed(new, kind="passage"), strict=True))
        self._stacked = names, np.stack([self._names[name] for name in names])
        return self._stacked[1]


def _unit(moved: NDArray[np.float32], before: NDArray[np.float32]) -> NDArray[np.float32]:
    """What was moved at unit length; where nothing is left of it, what it was before."""
    length = float(np.linalg.norm(moved))
    return np.asarray(moved / length, dtype=np.float32) if length else before
