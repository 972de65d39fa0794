"""Features of a message: what alternatives of a rule can ask for."""

from __future__ import annotations

from groupmem.lab.synthesis.base import FactMention, MessagePlan

CALLED = "called"
"""Feature of a statement whose value is the person called by "@": it needs no name any more."""
KNOWN = "known"
"""Feature of a statement about what the parent, or this message, has just spoken of."""
BARE = "bare"
"""Feature of a message that has neither a fact nor a piece of matter to bring."""
TOLD = frozenset({"state", "confirm", "reverse", "keep", "report", "mistake"})
"""Manners of the parent in which a fact is news for this conversation, and is reacted to as such."""
NAMING = frozenset({"owner", "approval"})
"""Kinds whose value is a person."""
QUESTION_WORDS = frozenset(["who", "what", "where", "which", "how", "when", "whether", "why", "whose", "if"])
FOR = frozenset({"propose_change", "argue_for"})
AGAINST = frozenset({"argue_against"})


def features_of(plan: MessagePlan) -> frozenset[str]:
    """What is so for the whole message: persona, act, stage, audience, what it answers and in which manner."""
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


def parent_kinds(plan: MessagePlan) -> tuple[str, ...]:
    """What the parent is to be reacted to as, the more telling first: its act, and the kind of what it said."""
    if plan.parent_act is None:
        return ()
    if any(mention.how == "ask" for mention in plan.parent_mentions):
        return ("asked",)
    told = [mention.kind for mention in plan.parent_mentions if mention.how in TOLD]
    return (plan.parent_act, *told[:1])


def whose(mention: FactMention, plan: MessagePlan) -> str:
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
