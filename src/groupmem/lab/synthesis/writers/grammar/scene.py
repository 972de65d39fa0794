"""One message to be written, as the grammar sees it: features that choose among alternatives, slots that fill them."""

from __future__ import annotations

import random

from groupmem.lab.synthesis.base import FactMention, MessagePlan, Point, Situation
from groupmem.lab.synthesis.writers.grammar.features import (
    BARE,
    CALLED,
    KNOWN,
    NAMING,
    features_of,
    parent_kinds,
    whose,
)
from groupmem.lab.synthesis.writers.grammar.marks import matter, value
from groupmem.lab.synthesis.writers.grammar.rules import Cue
from groupmem.lab.synthesis.writers.grammar.slots import (
    Surroundings,
    agreement,
    parent_subject,
    place_slots,
    pronouns,
    shortened,
)

TAKEN_UP, SHORTENED = 0.55, 0.85
"""A subject that the parent has just named is taken up by a pronoun (below the first) or shortened (the second)."""
VOICED = 0.6
"""How often an optional fact is stated."""
NAMED_ONCE = ("source", "other", "thing", "artefact", "customer", "vendor", "mind", "to")
TELLING_LETTERS = 4
"""A shortened subject keeps at least one word this long, so that it can still be told from others."""


class Scene:
    """What the grammar knows of one message. `cue` holds what is so for the whole of it."""

    def __init__(self, plan: MessagePlan, situation: Situation, surroundings: Surroundings, rng: random.Random) -> None:
        self.plan = plan
        self.rng = rng
        self.voiced = [index for index, each in enumerate(plan.mentions) if not each.optional or rng.random() < VOICED]
        self.parent_kinds = parent_kinds(plan)
        self.spent: set[str] = set()
        """Slots whose phrase this message has used up."""
        self.called: int | None = None
        """The fact whose value is the person that the message calls by "@", if there is one."""
        self._surroundings = surroundings
        self._known = {_about(mention) for mention in plan.parent_mentions}
        self._in_the_air = _in_the_air(plan, situation.parent.text if situation.parent else "")
        features = features_of(plan) | ({BARE} if not self.voiced and not plan.points else set())
        given = {**place_slots(plan, rng), **surroundings.pick(plan.place, rng)}
        slots = {name: matter(text) for name, text in given.items()} | parent_subject(plan)
        self.cue = Cue(rng, features, slots, set())

    def about(self, index: int) -> Cue:
        """The cue for the message's fact number `index`."""
        mention = self.plan.mentions[index]
        who = whose(mention, self.plan)
        is_known = _about(mention) in self._known
        slots = self._subject(mention, index)
        is_called = who == "you" and self.plan.mention_parent and mention.kind in NAMING
        if is_called and self.called in (None, index):
            self.called = index
        elif mention.value is not None and not mention.self_value:
            slots["V"] = value(mention.value, index)
        if mention.was is not None and mention.was != self.plan.author.first_name:
            slots["W"] = matter(mention.was)
        if mention.person_name:
            slots["P"] = matter(mention.person_name)
            slots |= pronouns(mention.pronoun or "they")
        kind = f"{mention.kind}.{who}" if who else mention.kind
        features = ((CALLED, self.called == index), (KNOWN, is_known))
        return self.cue.about(slots, frozenset(feature for feature, holds in features if holds), kind, index)

    def _subject(self, mention: FactMention, index: int) -> dict[str, str]:
        asked = mention.value is None
        subject, pronoun = mention.subject, False
        if _about(mention) in self._in_the_air:
            drawn = self.rng.random()
            pronoun = drawn < TAKEN_UP and not asked
            brief = shortened(subject)
            is_telling = any(len(word) >= TELLING_LETTERS for word in brief.split())
            subject = brief if TAKEN_UP <= drawn < SHORTENED and is_telling else subject
        self._in_the_air = self._known = {_about(mention)}
        named = value(subject, index) if asked else matter(subject)
        slots = {"Sx": f"the {named}", **agreement(mention.plural)}
        if pronoun:
            return slots | {"S": slots["it"], "So": slots["them"]}
        return slots | {"S": slots["Sx"], "So": slots["Sx"], "sub": named}

    def spend(self, text: str) -> None:
        """What `text` names of the surroundings is not named again in this message."""
        spent = {name for name in NAMED_ONCE if name in self.cue.slots and self.cue.slots[name] in text}
        if spent:
            self.spent |= spent
            self.cue = self.cue.without(spent)

    def point(self, point: Point) -> Cue:
        """The cue for a piece of matter, which fills `{x}`."""
        return self.cue.about({"x": matter(point.text)}, frozenset(), point.material, 0)

    def with_slots(self, **slots: str) -> Cue:
        """The message's cue with given phrases in further slots."""
        return self.cue.about({name: matter(text) for name, text in slots.items()}, frozenset(), "", 0)

    def unfamiliar_word(self) -> Cue | None:
        """The cue for explaining a word of the author's role to a listener of another one, if the message has one."""
        if not self.plan.audience or self.plan.audience[0].role == self.plan.author.role:
            return None
        for mention in self.plan.mentions:
            for concept, word in mention.words:
                known = self._surroundings.concepts.get(concept)
                if known is not None and word.casefold() != known[0].casefold():
                    return self.with_slots(word=word, plain=known[0], meaning=known[1])
        return None


def _about(mention: FactMention) -> str:
    """What a mention is about, whatever words its author has for it."""
    subject = mention.subject
    for concept, word in mention.words:
        subject = subject.replace(word, concept)
    return subject


def _in_the_air(plan: MessagePlan, parent_text: str) -> set[str]:
    """What a pronoun can mean: the one thing that the parent speaks of, if it names it."""
    subjects = {mention.subject for mention in plan.parent_mentions}
    if len(subjects) != 1 or shortened(next(iter(subjects))).casefold() not in parent_text.casefold():
        return set()
    return {_about(mention) for mention in plan.parent_mentions}
