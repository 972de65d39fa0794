"""Near-duplicates: messages that say nearly the same in the same words as another one.

Two messages are alike where the Jaccard similarity of their sets of word 3-grams is at least `ALIKE`. Pairs are found
by MinHash (Broder, "On the resemblance and containment of documents", 1997) and each is verified exactly. The bands are
so many that a pair at the threshold is missed with a chance of 3e-5.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence

from datasketch import MinHash, MinHashLSH

from groupmem.types import Record

ALIKE = 0.8
SHORTEST = 4
"""Words of a message that is looked at: short ones ("sounds good to") are alike in every chat."""
GRAM = 3
BANDS, ROWS = 20, 4

Grams = frozenset[str]


class NearDuplicates(Record, frozen=True, kw_only=True):
    """Counts of messages. `considered` have `SHORTEST` words or more; of them `alike` have another one like them, and
    `repeated` an earlier one."""

    considered: int
    alike: int
    repeated: int

    @property
    def alike_share(self) -> float | None:
        return self.alike / self.considered if self.considered else None

    @property
    def repeated_share(self) -> float | None:
        return self.repeated / self.considered if self.considered else None


def near_duplicates(messages: Sequence[Sequence[str]]) -> NearDuplicates:
    """Counts near-duplicates among messages, given as their words in the order of time."""
    # Equal messages are one entry: a corpus of copies would make pairs by the square of its length.
    groups = Counter(_grams(message) for message in messages if len(message) >= SHORTEST)
    alike, repeated = _like_another(list(groups))
    return NearDuplicates(
        considered=groups.total(),
        alike=sum(count for grams, count in groups.items() if count > 1 or grams in alike),
        repeated=sum(count - (grams not in repeated) for grams, count in groups.items()),
    )


def _grams(message: Sequence[str]) -> Grams:
    return frozenset(" ".join(message[at : at + GRAM]) for at in range(len(message) - GRAM + 1))


def _like_another(sets: Sequence[Grams]) -> tuple[set[Grams], set[Grams]]:
    """(those that are like another one, those that are like an earlier one) among different sets."""
    alike: set[Grams] = set()
    repeated: set[Grams] = set()
    index = MinHashLSH(num_perm=BANDS * ROWS, params=(BANDS, ROWS))
    encoded = [[gram.encode("utf-8", "surrogatepass") for gram in grams] for grams in sets]
    hashes = MinHash.bulk(encoded, num_perm=BANDS * ROWS, hashfunc=zlib.crc32)
    for number, (grams, hashed) in enumerate(zip(sets, hashes, strict=True)):
        near = {sets[other] for other in index.query(hashed) if _jaccard(grams, sets[other]) >= ALIKE}
        if near:
            alike |= near | {grams}
            repeated.add(grams)
        index.insert(number, hashed)
    return alike, repeated


def _jaccard(left: Grams, right: Grams) -> float:
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)
