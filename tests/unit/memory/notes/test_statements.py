"""Statements by kind: general cues, many wordings, and what must hold whatever the words are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.memory.notes import Directory, Notes, note
from groupmem.memory.notes.context import Context, add_dates, add_people, add_place
from groupmem.memory.notes.cue_words import BY_STEM, BY_WORD, PAIRS
from groupmem.memory.notes.cues import cues_of
from groupmem.memory.notes.reading import read
from groupmem.memory.notes.statements import FLOOR, KINDS, WEIGHTS
from groupmem.types import Message, Person

DIRECTORY = Directory([Person(id="U1", name="Mira Holm"), Person(id="U2", name="Tomas Vale")])
NOW = datetime(2026, 11, 9, 10, tzinfo=UTC)


def noted(text: str, parent: str | None = None, is_bot: bool = False) -> Notes:
    above = noted(parent) if parent is not None else None
    message = Message(id="m", channel="c", author="U3", text=text, sent_at=NOW, is_bot=is_bot)
    return note(message, directory=DIRECTORY, parent=above)


def confidence(kind: str, text: str, parent: str | None = None, is_bot: bool = False) -> float:
    return max((s.confidence for s in noted(text, parent, is_bot).statements if s.kind == kind), default=0.0)


TABLE = """
decision: No deploys on that day.
decision: Yes to the blue one.
decision: We decided to use the blue adapter.
decision: Decision: the blue adapter ships first.
decision: We're going with the smaller cluster.
decision: Final answer: forty seats.
decision: The cutoff is 0.8 from now on.
decision: Retention stays at 30 days.
decision: Every export needs two approvals.
decision: Agreed, we use the managed queue.
decision: The window goes to 45 minutes.
decision: Release moves to Tuesday 24 November.
decision: Let's go with Postgres then, we keep the old replica.
change: Scratch that, the window is 40 minutes.
change: On second thought, keep the old one.
change: We no longer support that format.
change: Kickoff is pushed back to Thursday.
change: Moved the review from Monday to Wednesday.
change: Use the green one instead.
change: Back to ten seats.
change: Six people rather than twelve.
change: Switching the default to manual.
change: Reverting the flag.
change: Raised the limit to 500 MB.
commitment: I'll send the draft tomorrow.
commitment: I will take care of it.
commitment: Will fix it tonight.
commitment: I'm going to rerun the suite.
commitment: On it.
commitment: Will do.
commitment: I promise to look at it.
commitment: i'll have numbers by EOD
request: Please review the draft.
request: Can you check the logs?
request: @Mira could you rerun it?
request: Send me the file.
request: Tomas, please take over.
request: Update the doc before noon.
request: @Tomas to write the adapter this week.
deadline: The report is due Friday.
deadline: I need it by Thursday.
deadline: Send it before the 18th please.
deadline: Deadline is 30 November.
deadline: by EOD, please
owner: Mira owns the rollout.
owner: I own the migration.
owner: Tomas is responsible for the pager.
owner: Mira is in charge of testing.
owner: @Tomas takes over the queue.
status: The deploy is done.
status: Build failed.
status: Tests passed on the branch.
status: The staging box is down.
status: merged
status: PR is up and waiting.
blocker: We are blocked by the missing certificate.
blocker: I'm stuck on the migration.
blocker: Waiting for legal.
blocker: That is a hard stop for us.
blocker: The rollout depends on the new key.
preference: I prefer tabs.
preference: I'd rather have a button.
preference: I would like mornings.
preference: Mira prefers mornings.
preference: I'd go with ten.
preference: I want it per job.
opinion: I think two models are too many.
opinion: In my view the pool was too small.
opinion: That is the wrong fix.
opinion: I still believe the button matters.
opinion: I doubt it.
question: Does it include flags?
question: what happens at midnight
question: Who owns that box these days?
approval: Works for me.
approval: LGTM
approval: Sounds good.
approval: Agreed.
approval: Fine by me.
approval: ok
proposal: What if we split the queue?
proposal: I propose a second pass.
proposal: How about Thursday?
proposal: We could consider a smaller ring.
value: Forty seats.
value: 250 MB
"""


def table() -> Iterator[tuple[str, str]]:
    for line in TABLE.strip().splitlines():
        kind, _, text = line.partition(": ")
        yield kind, text


@pytest.mark.parametrize(("kind", "text"), list(table()))
def test_a_wording_shows_its_kind(kind: str, text: str) -> None:
    assert confidence(kind, text) >= FLOOR


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("decision", "What is the cutoff?"),
        ("decision", "maybe we could try 40 seats?"),
        ("decision", "My cat slept on the keyboard."),
        ("decision", "lol"),
        ("change", "I like the view from here."),
        ("change", "Lunch was great."),
        ("commitment", "Will it work?"),
        ("commitment", "She fixed it."),
        ("request", "Review meeting is Thursday."),
        ("request", "Report looks fine."),
        ("deadline", "It was Friday."),
        ("owner", "my own fault"),
        ("owner", "I told Mira about it."),
        ("status", "Is it done?"),
        ("approval", "not ok"),
        ("question", "Do it now."),
        ("preference", "Do you prefer tabs?"),
    ],
)
def test_a_wording_does_not_show_another_kind(kind: str, text: str) -> None:
    assert confidence(kind, text) < FLOOR


NOUN = st.from_regex(r"[bdfgklmnprstvz][aeiou][bdfgklmnprtvz]{1,2}[aeiou][bdfgkmpvz]", fullmatch=True)
AMOUNT = st.integers(32, 990)


@given(NOUN, NOUN, AMOUNT)
def test_invented_words_are_settled_by_grammar_alone(thing: str, unit: str, amount: int) -> None:
    """The same invented statement counts most when plain, less when hedged or wished for, least when asked."""
    plain = confidence("decision", f"The {thing} is {amount} {unit} from now on.")
    hedged = confidence("decision", f"Maybe the {thing} could be {amount} {unit}.")
    wished = confidence("decision", f"I'd rather have the {thing} at {amount} {unit}.")
    asked = confidence("decision", f"Should the {thing} be {amount} {unit}?")
    assert plain > FLOOR
    assert plain > hedged >= asked
    assert plain > wished >= asked


@given(NOUN, AMOUNT, AMOUNT)
def test_naming_the_old_value_shows_a_change(thing: str, old: int, new: int) -> None:
    assert confidence("change", f"The {thing} goes from {old} to {new}.") > FLOOR
    assert confidence("change", f"The {thing} is {new} instead of {old}.") > FLOOR
    assert confidence("change", f"The {thing} is {new}.") < FLOOR


def test_a_short_answer_to_a_question_settles_more_than_the_same_words_alone() -> None:
    assert confidence("decision", "Forty seats.", parent="How many seats do we take?") > confidence(
        "decision", "Forty seats."
    )


def test_a_negated_verb_of_deciding_settles_less() -> None:
    assert confidence("decision", "We agreed on it today.") > confidence("decision", "We have not agreed on it today.")


def test_a_bot_settles_less_than_a_person() -> None:
    text = "The cutoff is 40 from now on."
    assert confidence("decision", text, is_bot=True) < confidence("decision", text)


def test_a_value_is_a_kind_only_where_nothing_else_is_said() -> None:
    assert [s.kind for s in noted("250 MB").statements] == ["value"]
    assert "value" not in [s.kind for s in noted("We decided on 250 MB.").statements]


def test_each_sentence_has_its_own_statements_and_values() -> None:
    notes = noted("The cutoff is 0.8 from now on. Can you check 12 rows?")
    decision = next(s for s in notes.statements if s.kind == "decision")
    question = next(s for s in notes.statements if s.kind == "question")
    assert decision.span[1] <= question.span[0]
    assert [notes.values[index].normal for index in decision.values] == ["0.8"]
    assert [notes.values[index].normal for index in question.values] == ["12"]


def test_every_weighted_cue_can_show_and_every_kind_has_weights() -> None:
    by_words = {*BY_STEM, *BY_WORD, *PAIRS, "from_to", "imperative", "undecided", "asking", "verdict"}
    seen: set[str] = set()
    samples = [text for _, text in table()]
    samples += [
        "I promise. I will.",
        "will do it",
        "Mira, please do it to me",
        "is it ok",
        "ok",
        "12 seats, every day",
        "on it",
        "that one is ok",
    ]
    for text in samples:
        for context in (Context(), Context(parent_kinds=frozenset({"question"}), is_bot=True, people=((0, 4),))):
            notes, reading = noted(text), read(text).sentences
            for sentence in reading:
                cues = cues_of(sentence)
                calls = Context(people=((0, 4),), calls=((0, 4),))
                for place in (context, calls):
                    add_place(cues, sentence, [v for v in notes.values if sentence.holds(v.span)], place)
                    add_people(cues, sentence, place)
                    add_dates(cues, [d for d in notes.dates if sentence.holds(d.span)])
                seen |= cues.keys()
    weighted = {cue for sides in WEIGHTS.values() for side in sides for cue in side}
    assert weighted - by_words <= seen
    assert set(WEIGHTS) == set(KINDS)


@given(st.text(max_size=200))
def test_any_text_has_statements_inside_it_surest_first(text: str) -> None:
    notes = noted(text)
    for statement in notes.statements:
        assert 0 <= statement.span[0] < statement.span[1] <= len(text)
        assert FLOOR <= statement.confidence <= 1
        assert all(0 <= index < len(notes.values) for index in statement.values)
