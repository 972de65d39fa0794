"""The second hop: what has to be found before what is asked for can be found."""

from __future__ import annotations

from groupmem.memory.recall import ALL_PARTS, Parts, Recaller
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
