"""One message to be written, as the grammar sees it: features that choose among alternatives, slots that fill them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping

from groupmem.lab.synthesis.base import FactMention, MessagePlan, PhaseView, Point, Situation
from groupmem.lab.synthesis.packs import Pack
from groupmem.lab.synthesis.writers.grammar.marks import matter, value
from groupmem.lab.synthesis.writers.grammar.rules import Cue

TAKEN_UP, SHORTENED = 0.55, 0.85
"""A subject that the parent has just named is taken up by a pronoun (below the first) or shortened (the second)."""
VOICED = 0.6
"""How often an optional fact is stated."""
TOLD = frozenset({"state", "confirm", "reverse", "keep", "report", "mistake"})
"""Manners of the parent in which a fact is news for this conversation, and is reacted to as such."""
CALLED = "called"
"""Feature of a statement whose value is the person called by "@": it needs no name any more."""
KNOWN = "known"
"""Feature of a statement about what the parent, or this message, has just spoken of."""
BARE = "bare"
"""Feature of a message that has neither a fact nor a piece of matter to bring."""
NAMED_ONCE = ("source", "other", "thing", "artefact", "customer", "vendor", "mind", "to")
NAMING = frozenset({"owner", "approval"})
"""Kinds whose value is a person."""
TELLING_LETTERS = 4
"""A shortened subject keeps at least one word this long, so that it can still be told from others."""
QUESTION_WORDS = frozenset(["who", "what", "where", "which", "how", "when", "whether", "why", "whose", "if"])
FOR = frozenset({"propose_change", "argue_for"})
AGAINST = frozenset({"argue_against"})
_TAIL = re.compile(r"\s+(?:for|of|at|in|on|from)\s.*$|\s+[A-Z]+-\d+$")
_LIST = re.compile(r",\s*(?:and\s+)?|\s+and\s+")
_ITEM_WORDS = 3


class Surroundings:
    """What the pack knows beside the plan: its concepts (neutral wording, meaning), and what lies about in a place."""

    def __init__(self, pack: Pack) -> None:
        self.concepts = {concept.id: (concept.plain, concept.meaning) for concept in pack.concepts}
        self._around = {
            (project.name, phase.name): {
                "artefact": _plain(project.artefacts),
                "customer": _plain(project.customers),
                "vendor": _plain(project.vendors),
                "thing": _plain(each.subject for each in (*phase.things(), *topic.things()) if not each.plural),
            }
            for project, topic, phase in pack.phases()
        }

    def pick(self, place: PhaseView, rng: random.Random) -> dict[str, str]:
        """One thing of each sort that people in this place have about them."""
        around = self._around.get((place.project, place.phase), {})
        return {name: rng.choice(choices) for name, choices in around.items() if choices}


class Scene:
    """What the grammar knows of one message. `cue` holds what is so for the whole of it."""

    def __init__(self, plan: MessagePlan, situation: Situation, surroundings: Surroundings, rng: random.Random) -> None:
        self.plan = plan
        self.rng = rng
        self.voiced = [index for index, each in enumerate(plan.mentions) if not each.optional or rng.random() < VOICED]
        self.parent_kinds = _parent_kinds(plan)
        self.spent: set[str] = set()
        """Slots whose phrase this message has used up."""
        self.called: int | None = None
        """The fact whose value is the person that the message calls by "@", if there is one."""
        self._surroundings = surroundings
        self._known = {key for each in plan.parent_mentions for key in _keys(each)}
        self._in_the_air = _in_the_air(plan, situation.parent.text if situation.parent else "")
        features = _features(plan) | ({BARE} if not self.voiced and not plan.points else set())
        self.cue = Cue(rng, features, self._slots(), set())

    def _slots(self) -> Mapping[str, str]:
        plan, place = self.plan, self.plan.place
        slots = {
            "phase": place.phase.rpartition(": ")[2],
            "topic": place.topic,
            "project": place.project,
            "role": plan.author.role,
        }
        slots |= self._surroundings.pick(place, self.rng)
        items = [item for item in _LIST.split(plan.author.minds) if item and len(item.split()) <= _ITEM_WORDS]
        if items:
            slots["mind"] = self.rng.choice(items)
        others = [listener.first_name for listener in plan.audience if listener != plan.addressee]
        if others:
            slots["other"] = self.rng.choice(others)
        if plan.addressee is not None and not plan.mention_parent:
            slots["to"] = plan.addressee.first_name
        if plan.source_project:
            slots["source"] = plan.source_project
        if plan.sub_issue:
            slots["issue"] = plan.sub_issue
        if plan.reporting is not None:
            slots["on_behalf"] = plan.reporting.first_name
        slots |= _reference(plan)
        slots = {name: matter(text) for name, text in slots.items()}
        return slots | _parent_subject(plan)

    def about(self, index: int) -> Cue:
        """The cue for the message's fact number `index`."""
        mention = self.plan.mentions[index]
        who = _who(mention, self.plan)
        is_known = not self._known.isdisjoint(_keys(mention))
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
            slots |= _pronouns(mention.pronoun or "they")
        kind = f"{mention.kind}.{who}" if who else mention.kind
        features = ((CALLED, self.called == index), (KNOWN, is_known))
        return self.cue.about(slots, frozenset(feature for feature, holds in features if holds), kind, index)

    def _subject(self, mention: FactMention, index: int) -> dict[str, str]:
        asked = mention.value is None
        subject, pronoun = mention.subject, False
        if not self._in_the_air.isdisjoint(_keys(mention)):
            drawn = self.rng.random()
            pronoun = drawn < TAKEN_UP and not asked
            brief = shortened(subject)
            is_telling = any(len(word) >= TELLING_LETTERS for word in brief.split())
            subject = brief if TAKEN_UP <= drawn < SHORTENED and is_telling else subject
        self._in_the_air = self._known = _keys(mention)
        named = value(subject, index) if asked else matter(subject)
        slots = {"Sx": f"the {named}", **_agreement(mention.plural)}
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


def _plain(phrases: Iterable[str]) -> tuple[str, ...]:
    """The phrases that say what they say without a concept or a name put in."""
    return tuple(phrase for phrase in phrases if "{" not in phrase)


def shortened(subject: str) -> str:
    """A subject as somebody says it who has just heard it whole: without what follows its head."""
    return _TAIL.sub("", subject) or subject


def _keys(mention: FactMention) -> set[str]:
    """What two mentions of the same thing share: the subject, whatever words its author has for it."""
    subject = mention.subject
    for concept, word in mention.words:
        subject = subject.replace(word, concept)
    return {subject}


def _in_the_air(plan: MessagePlan, parent_text: str) -> set[str]:
    """What a pronoun can mean: the one thing that the parent speaks of, if it names it."""
    subjects = {mention.subject for mention in plan.parent_mentions}
    if len(subjects) != 1 or shortened(next(iter(subjects))).casefold() not in parent_text.casefold():
        return set()
    return {key for mention in plan.parent_mentions for key in _keys(mention)}


def _parent_kinds(plan: MessagePlan) -> tuple[str, ...]:
    """What the parent is to be reacted to as, the more telling first: its act, and the kind of what it said."""
    if plan.parent_act is None:
        return ()
    if any(mention.how == "ask" for mention in plan.parent_mentions):
        return ("asked",)
    told = [mention.kind for mention in plan.parent_mentions if mention.how in TOLD]
    return (plan.parent_act, *told[:1])


def _who(mention: FactMention, plan: MessagePlan) -> str:
    """Whose the fact is as the grammar needs to know it: "self", "you", or "" for anybody else."""
    if mention.self_value:
        return "self"
    addressee = plan.addressee
    if mention.kind in ("preference", "belief"):
        if mention.person == plan.author.id:
            return "self"
        return "you" if addressee is not None and mention.person == addressee.id else ""
    if addressee is not None and mention.kind in NAMING and mention.value is not None:
        return "you" if mention.value.casefold() in (addressee.first_name.casefold(), addressee.name.casefold()) else ""
    return ""


def _agreement(plural: bool) -> dict[str, str]:
    if plural:
        return {"is": "are", "isnt": "aren't", "was": "were", "has": "have", "does": "do", "s": "", "es": "",
                "it": "they", "them": "them", "its": "their", "this": "these"}  # fmt: skip
    return {"is": "is", "isnt": "isn't", "was": "was", "has": "has", "does": "does", "s": "s", "es": "es",
            "it": "it", "them": "it", "its": "its", "this": "this"}  # fmt: skip


def _pronouns(pronoun: str) -> dict[str, str]:
    if pronoun == "they":
        return {"he": "they", "him": "them", "his": "their", "hes": ""}
    him, his = ("her", "her") if pronoun == "she" else ("him", "his")
    return {"he": pronoun, "him": him, "his": his, "hes": "s"}


def _parent_subject(plan: MessagePlan) -> dict[str, str]:
    if not plan.parent_mentions:
        return {}
    mention = plan.parent_mentions[0]
    named = matter(shortened(mention.subject))
    forms = _agreement(mention.plural)
    return {"pS": f"the {named}", "psub": named, "pit": forms["it"], "pthem": forms["them"], "pis": forms["is"]}


def _reference(plan: MessagePlan) -> dict[str, str]:
    reference = plan.cross_reference
    if reference is None:
        return {}
    known = {plan.author.name, plan.author.first_name}
    if plan.addressee is not None:
        known |= {plan.addressee.name, plan.addressee.first_name}
    named = {} if reference.author_name in known else {"xauthor": reference.author_name.split()[0]}
    subject = shortened(reference.mention.subject) if reference.mention is not None else reference.spoken
    about = {} if reference.spoken in subject else {"xsub": subject}
    return {"xphase": reference.spoken, **named, **about}


def _features(plan: MessagePlan) -> frozenset[str]:
    author, place = plan.author, plan.place
    features = {author.tone, author.style, author.expertise, place.stage, plan.act}
    features.add("post" if plan.path == "post" else "answering")
    if plan.audience:
        features.add("peer" if plan.audience[0].role == author.role else "mixed")
    if plan.closure:
        features.add("closing")
    if plan.sub_issue:
        features.add("wh" if plan.sub_issue.split()[0].casefold() in QUESTION_WORDS else "np")
    for side, other in ((FOR, AGAINST), (AGAINST, FOR)):
        if plan.act in side and plan.parent_act in side | other:
            features.add("allied" if plan.parent_act in side else "opposed")
    if plan.parent_noise is not None:
        features.add(f"heard_{plan.parent_noise}")
    return frozenset(features).union(filter(None, (plan.noise, plan.disagreement)))
