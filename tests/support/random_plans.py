"""Random message plans: any act, any facts, any manner, in invented words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import get_args

from hypothesis import strategies as st

from groupmem.lab.synthesis.base import (
    CrossReference,
    Disagreement,
    FactKind,
    FactMention,
    How,
    Imperfection,
    LengthRule,
    Listener,
    Material,
    MessagePlan,
    Noise,
    PhaseView,
    Point,
    PostType,
    ReplyAct,
    Voice,
)
from groupmem.lab.synthesis.scaffold import voices

AUTHOR = Voice(
    id="User_1",
    name="Orla Finch",
    first_name="Orla",
    role="Baker",
    minds="ovens, flour and queues",
    tone="direct",
    style="concise",
    expertise="expert",
)
PEOPLE = (
    Listener(id="User_2", name="Tamsin Roe", first_name="Tamsin", role="Baker"),
    Listener(id="User_3", name="Ulrik Moss", first_name="Ulrik", role="Driver"),
    Listener(id="User_4", name="Ines Vale", first_name="Ines", role="Driver"),
)
MANNERS: tuple[How, ...] = ("state", "confirm", "propose", "argue", "dispute", "reverse", "keep", "refer", "mistake")
_WORDS = ("dough", "crumb", "sieve", "tin", "glaze", "rye shelf", "Quay", "proofing", "ß-mark", "p95", "24/7", "5%")

words = st.sampled_from(_WORDS)


def phrases(most: int = 2) -> st.SearchStrategy[str]:
    return st.lists(words, min_size=1, max_size=most).map(" ".join)


people = st.sampled_from(["Orla", "Tamsin", "Ulrik", "Ines"])


@st.composite
def mentions(draw: st.DrawFn, number: int, most: int = 2) -> FactMention:
    """One fact in phrases of at most so many words; an owner or approver may be the author or the person addressed."""
    kind = draw(st.sampled_from(get_args(FactKind)))
    how = draw(st.sampled_from((*MANNERS, "ask")))
    named = kind in ("owner", "approval")
    holder = draw(st.sampled_from([AUTHOR, *PEOPLE])) if kind in ("preference", "belief") else None
    value = draw(people if named else phrases(most)) if how != "ask" else None
    return FactMention(
        fact=f"Fact_{number}",
        kind=kind,
        how="report" if holder is not None and holder is not AUTHOR and how != "ask" else how,
        subject=f"{draw(phrases(most))} loaf{number}",
        plural=draw(st.booleans()),
        value=value,
        was=draw(st.none() | phrases(most)),
        person=holder.id if holder else None,
        person_name=holder.first_name if holder else None,
        pronoun=draw(st.sampled_from(["she", "he", "they"])),
        self_value=named and value == AUTHOR.first_name,
        optional=draw(st.booleans()),
    )


def _place() -> PhaseView:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    return PhaseView(
        project="Harbour Shop",
        topic="Fitting Out",
        phase="Risk: Late Permits",
        phase_id="Harbour Shop::Fitting Out::Risk: Late Permits",
        category="Risks",
        status="Detected",
        status_goal="Mitigated",
        owner="User_4",
        owner_name="Ines",
        start=at,
        target=at,
        progress=0.5,
        stage="middle",
        url="https://docs.example/permits",
    )


@st.composite
def plans(draw: st.DrawFn) -> MessagePlan:
    """A plan whose phrases are short enough that every rule of length can be kept."""
    is_post = draw(st.booleans())
    ultra_short = not is_post and draw(st.integers(0, 3)) == 0
    most = 1 if ultra_short else 2
    said = tuple(draw(mentions(number, most)) for number in range(draw(st.integers(0, most))))
    material = st.sampled_from(get_args(Material))
    point = Point(material=draw(material), text=draw(phrases()), required=draw(st.booleans()))
    tones = voices()
    author = {axis: draw(st.sampled_from(sorted(tones[axis]))) for axis in ("tone", "style", "expertise")}
    addressee = None if is_post else draw(st.sampled_from(PEOPLE))
    parent = {} if is_post else {"parent": "Msg_1", "parent_act": draw(st.sampled_from(get_args(ReplyAct)))}
    heard = () if is_post else tuple(draw(mentions(9)) for _ in range(draw(st.integers(0, 1))))
    length = LengthRule(min_sentences=2, max_sentences=4)
    if not is_post:
        length = LengthRule(min_sentences=1, max_sentences=3, sentence_words=15, words=6 if ultra_short else None)
    crossed = CrossReference(phase="Risk: Garden Choice", message="Msg_5", author_name="Ulrik")
    return MessagePlan(
        id="Msg_7",
        channel="Harbour Shop",
        path="post" if is_post else draw(st.sampled_from(["reply", "cross_project_reply"])),
        act=draw(st.sampled_from(get_args(PostType if is_post else ReplyAct))),
        author=Voice(**{**{f: getattr(AUTHOR, f) for f in AUTHOR.__struct_fields__}, **author}),
        audience=PEOPLE if addressee is None else (addressee, *(each for each in PEOPLE if each != addressee)),
        addressee=addressee,
        place=_place(),
        sent_at=datetime(2026, 3, 9, 9, tzinfo=UTC),
        mentions=said,
        points=(point,) if not ultra_short and draw(st.booleans()) else (),
        parent_mentions=heard,
        sub_issue=draw(st.sampled_from([None, "who signs for late loaves", "noise from the mixer"])),
        noise=draw(st.none() | st.sampled_from(get_args(Noise))),
        disagreement=draw(st.none() | st.sampled_from(get_args(Disagreement))),
        imperfection=draw(st.none() | st.sampled_from(get_args(Imperfection))),
        ultra_short=ultra_short,
        mention_parent=addressee is not None and draw(st.booleans()),
        url=draw(st.none() | st.just("https://docs.example/permits")) if not ultra_short else None,
        cross_reference=crossed if not ultra_short and len(said) < 2 and draw(st.booleans()) else None,
        source_project=draw(st.sampled_from([None, "Till Change"])),
        length=length,
        **parent,
    )
