"""The author that needs no model: it takes anchors and gold from the facts of the corpus, and rewords by rule."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from groupmem.lab.questions.author import Anchor
from groupmem.lab.questions.facts import Truth
from groupmem.lab.questions.records import Category, Round, Wording
from groupmem.lab.questions.strategies.abstention import Abstention
from groupmem.lab.questions.strategies.base import Ladder, Library, Strategy
from groupmem.lab.questions.strategies.knowledge_update import KnowledgeUpdate
from groupmem.lab.questions.strategies.multi_hop import MultiHop
from groupmem.lab.questions.strategies.temporal import Temporal
from groupmem.lab.questions.strategies.term_ambiguity import TermAmbiguity
from groupmem.lab.questions.strategies.user_implicit import UserImplicit

STRATEGIES: Mapping[Category, type[Strategy]] = {
    "multi_hop": MultiHop,
    "knowledge_update": KnowledgeUpdate,
    "term_ambiguity": TermAmbiguity,
    "user_implicit": UserImplicit,
    "temporal": Temporal,
    "abstention": Abstention,
}


class FactAnchor:
    """One ladder of wordings; the loop climbs it."""

    def __init__(self, ladder: Ladder) -> None:
        self.id = ladder.anchor
        self.ladder = ladder


class KnownFacts:
    """An author over ground truth. The same truth and seed give the same questions."""

    def __init__(self, truth: Truth, seed: int) -> None:
        self._library = Library.of(truth)
        self._seed = seed

    def anchors(self, category: Category) -> Iterator[FactAnchor]:
        rng = random.Random(f"{self._seed}/{category}")
        for ladder in STRATEGIES[category]().ladders(self._library, rng):
            yield FactAnchor(ladder)

    def compose(self, anchor: Anchor) -> Wording:
        return _ladder(anchor).rungs[0]

    def refine(self, anchor: Anchor, rounds: Sequence[Round]) -> Wording | None:
        """The next rung, or the hardest one where rungs run out before the rounds do: then none is left."""
        rungs = _ladder(anchor).rungs
        return rungs[len(rounds)] if len(rounds) < len(rungs) else None


def _ladder(anchor: Anchor) -> Ladder:
    if not isinstance(anchor, FactAnchor):
        raise TypeError(f"{anchor.id} is no anchor of this author")
    return anchor.ladder
