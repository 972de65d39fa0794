"""Solve, judge, refine: what is accepted, what is refused and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from groupmem.lab.measures.values import GoldValue, ValueFinder
from groupmem.lab.questions.author import Anchor, RefusedError
from groupmem.lab.questions.checks import Seen, check_wording, is_yes_no
from groupmem.lab.questions.loop import pursue
from groupmem.lab.questions.records import Category, Draft, Need, Outcome, Round, Trial, Wording
from groupmem.types import Message, Person

PEOPLE = (Person(id="u1", name="Mira Castellane"), Person(id="u2", name="Tomas Okonjo"))
MESSAGES = {"m1": Message(id="m1", channel="c", author="u2", text="We paint the door ochre.")}
FINDER = ValueFinder(PEOPLE)
OCHRE = GoldValue(kind="choice", values=("ochre",))


class One:
    id = "a1"


class Script:
    """An author with wordings in order, and an examiner with a trial for each draft by its text and asker."""

    def __init__(self, wordings: Sequence[Wording], trials: dict[str, Trial]) -> None:
        self._wordings = wordings
        self._trials = trials

    def anchors(self, category: Category) -> Iterator[Anchor]:
        yield One()

    def compose(self, anchor: Anchor) -> Wording:
        return self._wordings[0]

    def refine(self, anchor: Anchor, rounds: Sequence[Round]) -> Wording | None:
        return self._wordings[len(rounds)] if len(rounds) < len(self._wordings) else None

    def examine(self, draft: Draft) -> Trial:
        return self._trials.get(f"{draft.text}/{draft.asker}") or self._trials[draft.text]


def draft(text: str, asker: str = "u1", **fields: object) -> Draft:
    usual = {"gold": OCHRE, "needs": (Need(message="m1", value=OCHRE),), "answer": "ochre"}
    return Draft(category="multi_hop", text=text, asker=asker, **{**usual, **fields})  # type: ignore[arg-type]


SOLVED, HARD = Trial(solved=True, answerable=True), Trial(solved=False, answerable=True)


def tried(wordings: Sequence[Wording], trials: dict[str, Trial], rounds: int = 4) -> Outcome:
    script = Script(wordings, trials)
    return pursue(One(), "multi_hop", script, script, lambda one: check_wording(one, FINDER, MESSAGES), rounds)


def test_a_question_is_reworded_until_the_solver_fails() -> None:
    wordings = [(draft("Which colour?"),), (draft("Which paint?"),), (draft("Which shade?"),)]
    outcome = tried(wordings, {"Which colour?": SOLVED, "Which paint?": HARD, "Which shade?": HARD})
    assert outcome.refusal is None
    assert outcome.accepted == wordings[1]
    assert [one.trials for one in outcome.rounds] == [(SOLVED,), (HARD,)]


def test_a_plain_wording_is_tried_but_never_accepted() -> None:
    plain, hidden = (draft("Which colour?", plain=True),), (draft("Which paint?"),)
    for first in (SOLVED, HARD):
        outcome = tried([plain, hidden], {"Which colour?": first, "Which paint?": HARD}, rounds=1)
        assert outcome.accepted == hidden
        assert [one.trials for one in outcome.rounds] == [(first,), (HARD,)]


def test_a_plain_wording_that_nothing_follows_is_refused() -> None:
    outcome = tried([(draft("Which colour?", plain=True),)], {"Which colour?": HARD})
    assert (outcome.refusal, outcome.accepted) == ("solved", ())


def test_one_that_is_solved_to_the_end_is_refused() -> None:
    outcome = tried([(draft("Which colour?"),)], {"Which colour?": SOLVED})
    assert (outcome.refusal, outcome.accepted) == ("solved", ())


def test_no_more_rounds_than_allowed_are_tried() -> None:
    wordings = [(draft(f"Which colour, {n}?"),) for n in range(5)]
    outcome = tried(wordings, {one[0].text: SOLVED for one in wordings}, rounds=3)
    assert outcome.refusal == "solved" and len(outcome.rounds) == 3


@pytest.mark.parametrize(
    ("trial", "refusal"),
    [
        (Trial(solved=False, answerable=False), "unanswerable"),
        (Trial(solved=True, answerable=False), "unanswerable"),
        (Trial(solved=False, answerable=True, guessable=True), "guessable"),
        (Trial(solved=False, answerable=True, unscored="truncated"), "unscored"),
    ],
)
def test_what_the_oracle_cannot_answer_or_anybody_can_guess_is_refused(trial: Trial, refusal: str) -> None:
    outcome = tried([(draft("Which colour?"),), (draft("Which paint?"),)], {"Which colour?": trial})
    assert outcome.refusal == refusal and len(outcome.rounds) == 1


def test_twins_stand_and_fall_together() -> None:
    pair = (draft("Which colour?"), draft("Which colour?", "u2"))
    harder = (draft("Which paint?"), draft("Which paint?", "u2"))
    trials = {"Which colour?/u1": HARD, "Which colour?/u2": SOLVED, "Which paint?": HARD}
    assert tried([pair, harder], trials).accepted == harder
    assert tried([pair], trials).refusal == "solved"


@pytest.mark.parametrize(
    ("bad", "refusal"),
    [
        (draft("Is the door ochre?"), "answer_in_question"),
        (draft("Which colour?", needs=()), "no_evidence"),
        (draft("Which colour?", needs=(Need(message="m9", value=OCHRE),)), "no_evidence"),
    ],
)
def test_what_may_not_be_asked_is_refused_before_it_is_tried(bad: Draft, refusal: str) -> None:
    outcome = tried([(bad,)], {})
    assert (outcome.refusal, outcome.rounds) == (refusal, ())


def test_an_author_that_gives_up_is_recorded_with_its_reason() -> None:
    class GivesUp(Script):
        def compose(self, anchor: Anchor) -> Wording:
            raise RefusedError("malformed", "no JSON")

    author = GivesUp([], {})
    outcome = pursue(One(), "temporal", author, author, lambda one: None, 3)
    assert (outcome.refusal, outcome.detail, outcome.category) == ("malformed", "no JSON", "temporal")


@pytest.mark.parametrize(
    ("text", "answerable_by_yes"),
    [
        ("Is the door painted?", True),
        ("You know the door that Mira painted. Was it ochre?", True),
        ("Which colour has the door? (YYYY-MM-DD)", False),
        ("What is the door painted with, and is it dry?", False),
    ],
)
def test_yes_no_questions_are_told_apart(text: str, answerable_by_yes: bool) -> None:
    assert is_yes_no(text) == answerable_by_yes


def test_the_same_words_of_the_same_asker_are_seen_once() -> None:
    seen = Seen()
    seen.add((draft("Which colour has the big door of the hall?"),))
    assert seen.has_like((draft("Which colour has the big door of the hall, please?"),))
    assert not seen.has_like((draft("Which colour has the big door of the hall?", "u2"),))
    assert not seen.has_like((draft("Who painted the small window?"),))
