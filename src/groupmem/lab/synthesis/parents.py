"""Drawing a parent from a phase's whole history under w(m), in logarithmic time.

All messages older than the recency window have the same recency (the floor), so only their attraction counts: it lives
in a Fenwick tree. The few younger ones are weighed one by one.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from groupmem.lab.synthesis.policy import Weights
from groupmem.lab.synthesis.weights import attraction, recency


class Fenwick:
    """Growing list of weights with prefix sums: append, change and draw take O(log n)."""

    def __init__(self) -> None:
        self._sums: list[float] = [0.0]
        self.total = 0.0

    def append(self, weight: float) -> None:
        position = len(self._sums)
        gathered = weight
        step = 1
        while step < position & -position:
            gathered += self._sums[position - step]
            step *= 2
        self._sums.append(gathered)
        self.total += weight

    def add(self, index: int, difference: float) -> None:
        position = index + 1
        while position < len(self._sums):
            self._sums[position] += difference
            position += position & -position
        self.total += difference

    def find(self, point: float) -> int:
        """The index under `point`, where the weights lie end to end from 0 to `total`."""
        position = 0
        step = 1 << (len(self._sums) - 1).bit_length()
        while step:
            following = position + step
            if following < len(self._sums) and self._sums[following] <= point:
                position = following
                point -= self._sums[following]
            step >>= 1
        return min(position, len(self._sums) - 2)


class ParentPool:
    """The messages of one phase as candidates for being answered."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._replies: list[int] = []
        self._posts: list[bool] = []
        self._old = Fenwick()
        self._old_count = 0
        # The age from which on recency stays at its floor.
        self._window = next(
            age for age in range(weights.parent_window + 2) if recency(weights, age) <= weights.parent_floor
        )

    def __len__(self) -> int:
        return len(self._replies)

    def replies(self, position: int) -> int:
        """Number of replies to the message at this position of the phase."""
        return self._replies[position]

    def append(self, is_post: bool) -> None:
        """A new message of the phase."""
        self._replies.append(0)
        self._posts.append(is_post)
        if len(self._replies) - self._old_count > self._window:
            self._old.append(self._attraction(self._old_count))
            self._old_count += 1

    def answered(self, position: int) -> None:
        """The message at this position got a reply."""
        before = self._attraction(position)
        self._replies[position] += 1
        if position < self._old_count:
            self._old.add(position, self._attraction(position) - before)

    def draw(self, rng: random.Random) -> int:
        """A position under w(m)."""
        young = self._young()
        aged = self._old.total * self._weights.parent_floor
        point = rng.random() * (aged + sum(young))
        if point < aged:
            return self._old.find(point / self._weights.parent_floor)
        point -= aged
        for offset, weight in enumerate(young):
            point -= weight
            if point < 0:
                return self._old_count + offset
        return len(self._replies) - 1

    def draw_among(self, positions: Sequence[int], rng: random.Random) -> int:
        """One of these positions under w(m)."""
        return rng.choices(positions, [self.weight(position) for position in positions])[0]

    def weight(self, position: int) -> float:
        """w(m) of the message at this position."""
        return self._attraction(position) * recency(self._weights, len(self._replies) - 1 - position)

    def _young(self) -> Sequence[float]:
        return [self.weight(position) for position in range(self._old_count, len(self._replies))]

    def _attraction(self, position: int) -> float:
        return attraction(self._weights, self._replies[position], self._posts[position])
