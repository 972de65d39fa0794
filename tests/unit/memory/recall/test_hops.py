"""The second hop: what has to be found before what is asked for can be found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from groupmem.memory.recall import ALL_PARTS, Parts, Recaller
from groupmem.memory.recall.bridges import bridge_of
from groupmem.memory.recall.pairs import own_terms
from groupmem.memory.recall.question import Clause
from groupmem.memory.recall.weights import WEIGHTS, Weights
from support.memory_view import MemoryView
from support.recall_talk import VECTORS, ids, said, view_of

NOISE = [("u3", f"The weather of day {number} is like that of the day before.") for number in range(40)]
WISHES = [
    ("u1", "For the tile order I'd rather have grey slate."),
    ("u2", "For the tile order I'd rather have red clay."),
    ("u3", "For the tile order I'd rather have matt glass."),
]
WISH = 'Where Mira Sandoval would rather have "grey slate", what is my own wish?'


def place(view: MemoryView, question: str, message: str, parts: Parts = ALL_PARTS) -> int:
    """Where a message stands among all that are recalled."""
    return ids(Recaller(VECTORS, parts=parts).recall(view, question, limit=60)).index(message)


def test_who_did_something_leads_to_what_they_say_elsewhere() -> None:
    told = ("u3", "Tomas signed off the crane inspection.")
    question = "What would the person who signed off the crane inspection take for the tile order?"
    view = view_of(said(told, *WISHES, *NOISE))
    assert place(view, question, "m3") < min(place(view, question, "m2"), place(view, question, "m4"))


def test_what_one_person_wants_leads_each_asker_to_their_own_wish() -> None:
    talk = said(WISHES[0], *NOISE[:5], WISHES[1], *NOISE[5:10], WISHES[2], *NOISE[10:])
    for asker, own, other in (("u2", "m7", "m13"), ("u3", "m13", "m7")):
        view = view_of(talk, asker=asker)
        assert place(view, WISH, own) < place(view, WISH, other)


def test_a_matter_that_is_named_as_a_question_leads_on() -> None:
    spoken = [("u2", text) for _, text in NOISE]
    told = [
        ("u1", "The tile order? Grey slate, any day."),
        *spoken[:5],
        ("u2", "Red clay suits me for the tile order."),
    ]
    view = view_of(said(*told, *spoken), asker="u2")
    assert place(view, WISH, "m7") < 3 < place(view, WISH, "m7", Parts(expansion=False))


def test_items_of_a_list_do_not_lead_to_each_other() -> None:
    view = view_of(said(("u1", "The crane stands on pier two."), ("u2", "Pier two is long and painted."), *NOISE))
    shares = []
    for question in (
        "Think of the crane. How long is the place of it?",
        "Put in order: the crane, the long one, the shed",
    ):
        reasons = Recaller(VECTORS).explain(view, question, limit=2).reasons
        shares.append(max(reason.components.get("linked", 0.0) for reason in reasons))
    assert shares[0] > 0.5 > 0.25 > shares[1] > 0


def test_a_description_behind_a_noun_leads_to_the_message_that_answers() -> None:
    """Neither message has the words of the other; many have those of what is asked."""
    others = [("u3", f"The licence of tester {name} ends in May.") for name in ("Abel", "Bora", "Cato", "Dara", "Enis")]
    told = [("u1", "Velorum phones the desk every morning."), ("u2", "The licence of Velorum ends in July.")]
    view = view_of(said(*others, *NOISE[:20], told[0], *NOISE[20:], told[1]))
    question = "When does the licence end for the tester that phones the desk every morning?"
    bridge, answer = f"m{len(others) + 21}", f"m{len(others) + len(NOISE) + 2}"
    assert {place(view, question, bridge), place(view, question, answer)} == {0, 1}
    assert place(view, question, answer, Parts(expansion=False)) > 1


def test_a_description_by_a_person_and_a_day_is_found_by_both() -> None:
    for said_of in ("Tomas", "Lena"):
        told = [
            ("u1", f"{said_of} takes care of the mast for Velorum."),
            ("u1", "The gate for Velorum is due on 21 March 2031."),
            ("u1", "The gate for Quillon is due on 28 March 2031."),
            ("u3", "The mast waits for the harbour seal."),
        ]
        view = view_of(said(*told, *NOISE))
        assert place(view, "What does the mast wait for that Tomas takes care of?", "m1") <= 1
        assert place(view, "Who has the gate due by 28 March?", "m3") < place(
            view, "Who has the gate due by 28 March?", "m2"
        )


def test_the_asker_is_found_in_what_others_pass_on() -> None:
    told = [("u1", "Tomas would rather have matt glass for the tile order."), ("u1", "Lena would rather have slate.")]
    view = view_of(said(*told, *NOISE), asker="u2")
    question = "What would I rather have for the tile order?"
    assert place(view, question, "m1") == 0
    reasons = Recaller(VECTORS).explain(view, question, limit=1).reasons
    assert reasons[0].components["own"] > 0


def test_a_description_that_says_next_to_nothing_leads_nowhere_for_sure() -> None:
    """Who "did it" fits half of all messages: what the second hop gives is small beside what it gives elsewhere."""
    told = [("u1", "Somebody did the mast."), ("u2", "The mast of Velorum is blue."), ("u3", "Velorum phones at nine.")]
    view = view_of(said(*told, *NOISE))
    strengths = []
    for question in ("Which colour has the mast of the one who did?", "Which colour has the mast that phones at nine?"):
        reasons = Recaller(VECTORS).explain(view, question, limit=5).reasons
        strengths.append(max(reason.components.get("linked", 0.0) for reason in reasons))
    assert strengths[0] < strengths[1]


@given(st.permutations([f"{letter}{other}" for letter in "bcdfg" for other in "klmnprtv"]))
def test_of_sentences_with_the_same_words_the_first_leads_on(words: list[str]) -> None:
    """Rarities were once added in the order of a set, so that the last bits of a sum, and with them the sentence that
    was taken, depended on how the process hashes texts."""
    text = f"Roof {' '.join(words)}. Wall {' '.join(sorted(words))}."
    (stored,) = view_of(said(("u1", text))).messages(np.array([0]))
    rarity = {word: 1 / (3 + number) for number, word in enumerate(words)}
    assert "roof" in bridge_of(rarity, stored).terms


def by_hop(view: MemoryView, question: str, weights: Weights = WEIGHTS) -> dict[str, float]:
    """What each message gains as one of a pair."""
    found = Recaller(VECTORS, weights=weights).rank(view, question, None).found
    return {
        f"m{row + 1}": gain for row, gain in zip(found.rows.tolist(), found.components["linked"].tolist(), strict=True)
    }


TASKS = [
    ("u3", "The harbour mast is due on 3 April 2031."),
    ("u3", "The harbour shed is due on 9 April 2031."),
    ("u2", "The harbour mast is with Lena."),
    ("u1", "The harbour shed is with Tomas."),
]


@pytest.mark.parametrize(
    ("described", "first", "second", "others"),
    [
        ("due by 3 April 2031", "m1", "m3", ("m2", "m4")),
        ("due by 9 April 2031", "m2", "m4", ("m1", "m3")),
    ],
)
def test_a_day_in_a_description_leads_to_what_is_due_on_it(
    described: str, first: str, second: str, others: tuple[str, str]
) -> None:
    view = view_of(said(*TASKS, *NOISE))
    question = f"Who has the task for the harbour {described}?"
    found = by_hop(view, question)
    assert min(found[first], found[second]) > max(found[each] for each in others)


def test_a_quote_in_a_description_leads_to_what_was_reported_so() -> None:
    told = [
        ("u3", "The harbour mast? waiting for the seal."),
        ("u3", "The harbour shed? half done."),
        ("u2", "The harbour mast is with Lena."),
        ("u1", "The harbour shed is with Tomas."),
    ]
    view = view_of(said(*told, *NOISE))
    question = 'Who has the task for the harbour last reported as "half done"?'
    found = by_hop(view, question)
    assert min(found["m2"], found["m4"]) > max(found["m1"], found["m3"])


@pytest.mark.parametrize(
    ("weight", "described"),
    [
        ("pair_day", "thing at the quay due by 9 April 2031 with the old winch"),
        ("pair_quoted", 'old thing at the quay reported as "half done"'),
    ],
)
def test_a_day_or_quote_counts_beside_words_that_describe_something_else(weight: str, described: str) -> None:
    told = [
        ("u3", "The old winch at the quay is due on 3 April 2031, waiting for the seal."),
        ("u3", "The mast, half done, is due on 9 April 2031."),
        ("u2", "The winch is with Lena."),
        ("u1", "The mast is with Tomas."),
    ]
    view, question = view_of(said(*told, *NOISE)), f"Who has the {described}?"
    with_it, without = by_hop(view, question), by_hop(view, question, replace(WEIGHTS, **{weight: 0.0}))
    assert with_it["m4"] - with_it["m3"] > without["m4"] - without["m3"]


def test_what_others_tell_of_a_person_describes_more_than_what_that_person_wrote() -> None:
    told = [
        ("u2", "The harbour shed has my yes? I asked for the harbour shed myself."),
        ("u3", "The harbour mast has the yes of Tomas."),
        ("u1", "The harbour mast is due on 9 May 2031."),
        ("u1", "The harbour shed is due on 8 May 2031."),
    ]
    found = by_hop(view_of(said(*told, *NOISE)), "When is the thing due that Tomas approved?")
    assert found["m2"] > found["m1"]


def test_the_answer_stands_above_the_message_that_leads_to_it() -> None:
    view = view_of(said(WISHES[0], *NOISE, WISHES[1]), asker="u2")
    found = Recaller(VECTORS).explain(view, WISH, limit=3)
    assert [reason.message for reason in found.reasons[:2]] == ["m42", "m1"]
    assert found.reasons[0].components["answering"] > 0
    for reason in found.reasons:
        assert sum(reason.components.values()) == pytest.approx(reason.score, abs=0.01)


@pytest.mark.parametrize("late", [True, False])
def test_a_message_that_answers_by_itself_stays_above_one_that_only_takes_it_up(late: bool) -> None:
    told = ("u1", "Tomas signed off the crane inspection and would take red clay for the tile order.")
    aside = ("u2", "The tile order? No idea yet.")
    view = view_of(said(told, *NOISE, aside) if late else said(told, aside, *NOISE))
    question = "What would the person who signed off the crane inspection take for the tile order?"
    assert ids(Recaller(VECTORS).recall(view, question, limit=1)) == ["m1"]


def test_what_the_asker_tells_of_somebody_else_is_less_their_own() -> None:
    talk = said(
        ("u2", "Mira prefers grey slate for the tile order."), ("u2", "The tile order: red clay, please."), *NOISE
    )
    ranked = Recaller(VECTORS).rank(view_of(talk, asker="u2"), "What do I prefer for the tile order?", None)
    own = dict(zip(ranked.found.rows.tolist(), ranked.found.components["own"].tolist(), strict=True))
    assert own[1] > own[0] > 0


def test_words_that_others_say_too_still_describe() -> None:
    clause = Clause(
        meaning="the late crane", terms={"late": 0.9, "crane": 0.4, "hoist": 0.8}, others=frozenset({"hoist"})
    )
    assert own_terms(clause) == ["late", "crane"]
