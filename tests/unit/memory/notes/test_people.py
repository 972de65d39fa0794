"""Who is named and spoken to: by the roster, never by a guess."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.memory.notes.mentions import Mention, find_mentions, find_roles
from groupmem.memory.notes.people import Directory, normalise
from groupmem.memory.notes.reading import read
from groupmem.types import Channel, Person

PEOPLE = (
    Person(id="U1", name="Mira Holm", role="Release Manager", aliases=("miri",)),
    Person(id="U2", name="Tomas Vale", role="Backend Engineer"),
    Person(id="U5", name="Mira", role="QA Lead"),
    Person(id="U7", name="Ngozi Adeyemi", role="Product Manager"),
    Person(id="U8", name="Will Stone", role="Security Engineer"),
    Person(id="User_9", name="Åsa Lindgren", role="SRE"),
    Person(id="U10", name="José Ortega"),
    Person(id="U11", name="Tomas] [Ngozi"),
    Person(id="U12", name="王小明"),
)
DIRECTORY = Directory(PEOPLE, (Channel(id="secret", members=("U1", "guest-4")),))


def mentions(text: str) -> tuple[Mention, ...]:
    return find_mentions(read(text), DIRECTORY)


def people(text: str) -> list[str | None]:
    return [mention.person for mention in mentions(text)]


def addressed(text: str) -> list[str | None]:
    return [mention.person for mention in mentions(text) if mention.addressed]


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("@Tomas Vale can you?", "U2"),
        ("@tomas please", "U2"),
        ("ask Ngozi first", "U7"),
        ("ask ngozi first", "U7"),
        ("Dr Adeyemi approved it", "U7"),
        ("Adeyemi's note", "U7"),
        ("Mira Holm signed", "U1"),
        ("miri said so", "U1"),
        ("<@U36X|gone> and <@U2>", "U2"),
        ("@**Ngozi Adeyemi|12** look", "U7"),
        ("@_**Ngozi Adeyemi** quoted", "U7"),
        ("parking it for User_9.", "User_9"),
        ("User_9's pager", "User_9"),
        ("asa lindgren knows", "User_9"),
        ("Jose will do", "U10"),
        ("José will do", "U10"),
        ("Will, can you look?", "U8"),
        ("I asked Will yesterday", "U8"),
        ("@adeyeml please", "U7"),
        ("王小明 做完了", "U12"),
        ("guest-4 joined", "guest-4"),
    ],
)
def test_who_is_named(text: str, person: str) -> None:
    assert person in people(text)


@pytest.mark.parametrize(
    "text",
    [
        "Will it work?",
        "will you",
        "a stone wall",
        "STONE",
        "nobody here",
        "mail to x@tomas.example",
        "@here look",
        "port 8080",
    ],
)
def test_who_is_not_named(text: str) -> None:
    assert people(text) == []


def test_a_name_that_fits_two_is_noted_with_both_and_given_to_none() -> None:
    (mention,) = mentions("Mira approved it")
    assert (mention.person, set(mention.candidates)) == (None, {"U1", "U5"})
    assert mention.candidates[0] == "U5", "the whole name first"


def test_two_ids_with_one_display_name_stay_ambiguous() -> None:
    directory = Directory([Person(id="A", name="Lena Voss"), Person(id="B", name="Lena  Voss")])
    (mention,) = find_mentions(read("did Lena Voss cancel it?"), directory)
    assert (mention.person, mention.candidates) == (None, ("A", "B"))


def test_a_bracket_in_a_name_cannot_forge_a_second_speaker() -> None:
    assert people("Ngozi agreed") == ["U7"]
    assert DIRECTORY.candidates("Tomas] [Ngozi") == ("U11",)
    assert DIRECTORY.candidates("Tomas") == ("U2",)


def test_an_unknown_raw_mention_is_kept_unresolved() -> None:
    (mention,) = mentions("cc <@U404>")
    assert (mention.name, mention.person, mention.candidates) == ("U404", None, ())


def test_a_typo_near_two_names_is_nobody() -> None:
    directory = Directory([Person(id="A", name="Marten"), Person(id="B", name="Martin")])
    (mention,) = find_mentions(read("@martan hi"), directory)
    assert (mention.person, mention.candidates) == (None, ())


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("Ngozi, can you check?", "U7"),
        ("hey Ngozi can you check", "U7"),
        ("Ok. Ngozi: please check", "U7"),
        ("Sorry, Ngozi.", "U7"),
        ("thanks Tomas!", "U2"),
        ("can you look, Ngozi?", "U7"),
        ("cc @Ngozi", "U7"),
        ("Start now. User_9, bring a curve", "User_9"),
    ],
)
def test_who_is_spoken_to(text: str, person: str) -> None:
    assert addressed(text) == [person]


@pytest.mark.parametrize(
    "text",
    ["Ngozi said yes", "I saw Tomas, he agreed", "Ngozi, Tomas and I went", "with Tomas on this one", "as for Ngozi"],
)
def test_who_is_only_spoken_of(text: str) -> None:
    assert addressed(text) == []
    assert people(text)


def test_a_mention_in_a_quote_does_not_count() -> None:
    assert people("> <@U7> did you check?\n\n@Tomas yes") == ["U2"]


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("the release manager decides", {"Release Manager"}),
        ("the manager decides", {"Release Manager", "Product Manager"}),
        ("engineers differ", {"Backend Engineer", "Security Engineer"}),
        ("ask an SRE", {"SRE"}),
        ("QA signed", {"QA Lead"}),
        ("our PM said", {"Product Manager"}),
        ("backend engineers and QA leads", {"Backend Engineer", "QA Lead"}),
    ],
)
def test_which_roles_are_named(text: str, roles: set[str]) -> None:
    found = find_roles(read(text), DIRECTORY)
    assert {role for mention in found for role in mention.roles} == roles
    for mention in found:
        assert mention.people == DIRECTORY.holders(mention.roles)


def test_a_role_word_that_is_no_role_here_is_none() -> None:
    assert find_roles(read("they lead the way and manager is a class name"), DIRECTORY) == ()


@given(st.text(max_size=200))
def test_spans_lie_in_any_text(text: str) -> None:
    reading = read(text)
    for mention in (*find_mentions(reading, DIRECTORY), *find_roles(reading, DIRECTORY)):
        assert 0 <= mention.span[0] < mention.span[1] <= len(text)


NAMES = st.sampled_from(
    ["Mira", "mira holm", "Tomas", "@Ngozi", "<@U7>", "User_9", "Will", ",", "hey", "the", "engineers", "QA", "\n>"]
)


@given(st.lists(NAMES, max_size=8).map(" ".join))
def test_mentions_do_not_overlap_and_fit_the_roster(text: str) -> None:
    found = mentions(text)
    assert all(left.span[1] <= right.span[0] for left, right in pairwise(found))
    for mention in found:
        assert mention.person in ((None,) if len(mention.candidates) != 1 else mention.candidates)
        assert mention.how == "at" or text[slice(*mention.span)] == mention.name


@given(st.text(max_size=40))
def test_a_normalised_name_is_its_own_normal_form(name: str) -> None:
    assert normalise(normalise(name)) == normalise(name)
    assert Directory([Person(id="x", name=name)]).candidates(name) == (("x",) if normalise(name) or name == "x" else ())
