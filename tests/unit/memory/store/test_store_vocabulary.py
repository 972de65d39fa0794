"""Words of roles: who calls the same thing by another name, learnt from what an asker may see and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groupmem.memory import GroupMemory
from groupmem.memory.store.base import Named
from groupmem.memory.store.sqlite import SqliteStore
from groupmem.types import Channel, Message, Person
from support.memory_store import Opener, open_store, said
from support.plain_vocabulary import PlainVocabulary, Spoken

PEOPLE = (
    Person(id="u1", name="Mira", role="SRE"),
    Person(id="u2", name="Tomas", role="PM"),
    Person(id="u3", name="Lena", role="QA"),
    Person(id="u4", name="Kees", role="Gardener"),
)
BUILD = {"phase": "Build"}
ENGINEERS = [
    said("1", "The rollback runbook for the Lisbon gateway is half written.", author="u1", **BUILD),
    said("2", "I'll finish the rollback runbook for the ticket printers on Monday.", author="u1", **BUILD),
    said("3", "We moved the coffee machine to the second floor.", author="u1", **BUILD),
]
MANAGERS = [
    said("4", "Who reviews the fallback plan for the Lisbon gateway?", author="u2", **BUILD),
    said("5", "The fallback plan for the ticket printers comes first, please.", author="u2", **BUILD),
    said("6", "Lunch is at noon on the second floor.", author="u2", **BUILD),
]
TESTERS = [said("7", "My notes on lighthouses are in the shared folder.", author="u3", **BUILD)]
WEATHER = [said(str(100 + day), f"Day {day}: rain again.", author="u4") for day in range(60)]
QUESTION = "How far did the fallback plan get?"


def memory_of(store: SqliteStore, messages: Sequence[Message], channels: Sequence[Channel] = ()) -> SqliteStore:
    store.set_people(PEOPLE)
    store.set_channels(channels)
    store.add([*messages, *WEATHER])
    return store


def others(found: Sequence[Named]) -> dict[str, list[str]]:
    return {named.phrase: [each.phrase for each in named.counterparts] for named in found}


@pytest.mark.parametrize("flushed", [False, True])
def test_two_phrases_in_the_same_frames_by_two_roles_are_names_of_one_thing(store: SqliteStore, flushed: bool) -> None:
    memory_of(store, [*ENGINEERS, *MANAGERS, *TESTERS])
    if flushed:
        store.flush()
    view = store.view("u2")
    (named,) = view.counterparts(QUESTION, "PM")
    (other,) = named.counterparts
    assert (named.phrase, named.uses, named.own_uses) == ("fallback plan", 2, 2)
    assert (other.phrase, other.uses, other.own_uses) == ("rollback runbook", 2, 0)
    assert other.strength > 1.5, "two frames"
    assert others(view.counterparts("the rollback runbook", "SRE")) == {"rollback runbook": ["fallback plan"]}
    assert view.counterparts(QUESTION, "QA") == [], "who does not say it has no word for it"
    assert view.counterparts(QUESTION, "Nobody") == []


def test_a_role_with_words_for_both_means_two_things(store: SqliteStore) -> None:
    both = [
        said(str(number), f"And the {phrase} for the {thing}, too.", author=author, **BUILD)
        for number, (phrase, author, thing) in enumerate(
            product(("rollback runbook", "fallback plan"), ("u1", "u2"), ("Lisbon gateway", "ticket printers")), 20
        )
    ]
    memory_of(store, both)
    assert store.view("u2").frequencies("content", ["runbook", "fallback"]).tolist() == [4, 4]
    assert store.view("u2").counterparts(QUESTION, "PM") == []


def test_one_word_means_for_each_role_what_stands_in_the_frames_of_that_role(store: SqliteStore) -> None:
    """Twins: "the rotation" is the pager to one and the keys to the other."""
    talk = [
        said("1", "The rotation of the night shift starts at nine.", author="u1"),
        said("2", "The duty roster of the night shift is on the wall.", author="u2"),
        said("3", "The rotation with two signing servers takes an hour.", author="u3"),
        said("4", "The key change with two signing servers is planned.", author="u2"),
    ]
    store = memory_of(store, talk)
    assert others(store.view("u1").counterparts("When is the rotation?", "SRE")) == {"rotation": ["duty roster"]}
    assert others(store.view("u3").counterparts("When is the rotation?", "QA")) == {"rotation": ["key change"]}


def test_what_is_said_where_the_asker_may_not_read_teaches_nothing(store: SqliteStore) -> None:
    private = [Message(id=each.id, channel="board", author=each.author, text=each.text) for each in ENGINEERS]
    memory_of(store, [*MANAGERS, *TESTERS, *private], [Channel(id="board", members=("u1", "u3"))])
    assert store.view("u2").counterparts(QUESTION, "PM") == []
    assert others(store.view("u1").counterparts(QUESTION, "PM")) == {"fallback plan": ["rollback runbook"]}


@pytest.mark.parametrize("flushed", [False, True])
def test_what_is_deleted_teaches_nothing_any_more(opened: Opener, flushed: bool) -> None:
    store = memory_of(opened(), [*ENGINEERS, *MANAGERS, *TESTERS])
    if flushed:
        store.flush()
    store.delete("desk", "1")
    store.delete("desk", "2")
    assert store.view("u2").counterparts(QUESTION, "PM") == []
    store.compact()
    assert opened().view("u2").counterparts(QUESTION, "PM") == []


def test_an_edit_teaches_what_it_says_now(store: SqliteStore) -> None:
    memory_of(store, [*ENGINEERS, *MANAGERS, *TESTERS])
    for each in ENGINEERS[:2]:
        store.add([said(each.id, each.text.replace("rollback runbook", "retreat script"), author="u1", **BUILD)])
    assert others(store.view("u2").counterparts(QUESTION, "PM")) == {"fallback plan": ["retreat script"]}


def test_the_facade_gives_it_to_who_has_a_role_and_recall_explains_it(tmp_path: Path) -> None:
    with GroupMemory(tmp_path / "team.db", embedding=None) as memory:
        memory.set_people([*PEOPLE, Person(id="u5", name="Ada")])
        memory.add([*ENGINEERS, *MANAGERS, *TESTERS, *WEATHER])
        assert others(memory.vocabulary(QUESTION, asker="u2")) == {"fallback plan": ["rollback runbook"]}
        assert memory.vocabulary(QUESTION, asker="u5") == ()
        assert memory.vocabulary(QUESTION, asker="nobody") == ()
        explained = memory.explain(QUESTION, asker="u2")
        assert explained.understood.others_say == {"fallback plan": ("rollback runbook",)}
        assert explained.understood.terms["runbook"] < explained.understood.terms["fallback"] == 1
        assert not memory.explain(QUESTION, asker="u3").understood.others_say


SLOTS = ["lamp oil", "moss", "gate key", "harbour fee", "pilot boat"]
FRAMES = [
    "The {} for the north pier is ready.",
    "I saw the {} for the north pier",
    "We need new {} at the old mill gate, soon.",
    "{} at the old mill, then.",
    "Who pays 3 {} for the north pier of moss?",
]
lines = st.tuples(
    st.sampled_from(["u1", "u2", "u3"]),
    st.sampled_from(FRAMES),
    st.sampled_from(SLOTS),
    st.sampled_from([None, "Build"]),
)


@given(st.lists(lines, max_size=14), st.sampled_from(["nothing", "flush", "several files"]))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_it_is_what_one_finds_word_by_word(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[str, str, str, str | None]], then: str
) -> None:
    messages = [
        said(str(number), frame.format(slot), author=author, phase=phase)
        for number, (author, frame, slot, phase) in enumerate(drawn)
    ]
    store = open_store(tmp_path_factory.mktemp("memory") / "team.db")
    memory_of(store, messages[:5])
    if then == "several files":
        store.flush()
    store.add(messages[5:])
    if then == "flush":
        store.flush()
    roles = {person.id: person.role for person in PEOPLE}
    talk = [Spoken(each.text, roles[each.author], each.phase) for each in (*messages[:5], *WEATHER, *messages[5:])]
    for role in ("SRE", "PM", "QA"):
        question = "the lamp oil, moss, the gate key or the harbour fee for the pilot boat"
        expected = PlainVocabulary(talk, role).named(question)
        found = store.view(None).counterparts(question, role)
        assert _rounded(found) == _rounded(expected)
    store.close()


def _rounded(found: Sequence[Named]) -> dict[tuple[str, int, int], set[tuple[str, float, int, int]]]:
    return {
        (named.phrase, named.uses, named.own_uses): {
            (each.phrase.lower(), round(each.strength, 6), each.uses, each.own_uses) for each in named.counterparts
        }
        for named in found
    }
