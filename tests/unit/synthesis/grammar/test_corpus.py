"""A whole corpus by the grammar writer: variety, openings, personas, threads that answer their parents."""

from __future__ import annotations

import itertools
import os
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import pytest
from planned_corpora import planned

from groupmem.lab.synthesis.base import MessagePlan, Situation, Written
from groupmem.lab.synthesis.situation import Situations
from groupmem.lab.synthesis.verify import check_honest, missing, problems_of
from groupmem.lab.synthesis.writers.grammar import GrammarWriter
from groupmem.lab.synthesis.writers.grammar.echo import opening

N = 2500
WORD = re.compile(r"[\w']+")


class Message(NamedTuple):
    plan: MessagePlan
    situation: Situation
    written: Written

    @property
    def text(self) -> str:
        return self.written.text


@cache
def corpus() -> list[Message]:
    plans = planned(N, 4).plans
    writer, situations = GrammarWriter(plans.scaffold.pack, 4), Situations(plans, 4)
    messages = []
    for index in range(N):
        plan = plans.plan(index)
        situation = situations.of(index, plan)
        written = writer.write(plan, situation, random.Random(f"4/{plan.id}"))
        situations.add(index, plan, written.text)
        messages.append(Message(plan, situation, written))
    return messages


def masked(text: str) -> list[str]:
    """The words of a text without addresses, ticket numbers and digits."""
    return WORD.findall(re.sub(r"\d+", "0", re.sub(r"https?://\S+|\b[A-Z]+\d*-\d+", "", text)).lower())


def shares(messages: Iterable[Message], by: str, pattern: str) -> dict[str, float]:
    """For each value of a persona axis, the share of its messages in which the pattern is found."""
    found: dict[str, list[bool]] = defaultdict(list)
    for message in messages:
        found[getattr(message.plan.author, by)].append(re.search(pattern, message.text, re.IGNORECASE) is not None)
    return {value: sum(hits) / len(hits) for value, hits in found.items()}


def test_every_plan_is_kept() -> None:
    for plan, _, written in corpus():
        assert missing(plan, written) == []
        assert check_honest(plan, written) is None
        lacking = [problem for problem in problems_of(plan, written.text) if not problem.startswith("use at most")]
        assert lacking == []


def test_lengths_are_kept_unless_the_phrases_alone_are_too_long() -> None:
    too_long = [
        message
        for message in corpus()
        if any(problem.startswith("use at most") for problem in problems_of(message.plan, message.text))
    ]
    assert len(too_long) < 0.002 * N


def test_few_messages_nearly_repeat_another() -> None:
    shingles = [
        frozenset(zip(words, words[1:], words[2:], strict=False))
        for words in (masked(message.text) for message in corpus())
        if len(words) >= 4
    ]
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    repeated = 0
    for number, own in enumerate(shingles):
        shared = Counter(other for shingle in own for other in holders[shingle])
        repeated += any(
            common >= 0.8 * len(own | shingles[other]) for other, common in shared.items() if common >= 0.8 * len(own)
        )
        for shingle in own:
            holders[shingle].append(number)
    assert repeated < 0.02 * len(shingles)


def test_wording_is_varied() -> None:
    words = [masked(message.text) for message in corpus()]
    bigrams = [pair for each in words for pair in itertools.pairwise(each)]
    assert len(set(bigrams)) / len(bigrams) > 0.25


def test_nobody_opens_twice_in_a_row_with_the_same_words() -> None:
    repeated = [
        message
        for message in corpus()
        if message.situation.author_recent
        and opening(message.text) == opening(message.situation.author_recent[-1].text)
    ]
    assert len(repeated) <= 0.001 * N


def test_personas_can_be_heard() -> None:
    talked = [message for message in corpus() if not message.plan.ultra_short]

    exclaiming = shares(talked, "tone", "!")
    assert exclaiming["enthusiastic"] > 2 * max(share for tone, share in exclaiming.items() if tone != "enthusiastic")
    worried = shares(talked, "tone", r"worr|nervous|afraid|fear|scare|sleep|calm|sure\b.*\?|hope")
    assert max(worried, key=lambda tone: worried[tone]) == "anxious"
    remembering = shares(talked, "style", r"\b(?:last time|once|years? ago|used to|back then|last (?:winter|spring))\b")
    assert max(remembering, key=lambda style: remembering[style]) == "anecdotal"
    words = defaultdict(list)
    for message in talked:
        words[message.plan.author.style].append(len(message.text.split()))
    mean = {style: sum(counts) / len(counts) for style, counts in words.items()}
    assert mean["concise"] < min(mean["chatty"], mean["elaborative"])


def test_a_subject_that_the_parent_named_is_often_taken_up_by_a_pronoun() -> None:
    answers = [
        message
        for message in corpus()
        if message.plan.act == "answer" and not message.plan.ultra_short and message.plan.mentions
    ]
    whole = [message for message in answers if message.plan.mentions[0].subject in message.text]
    assert 0.1 < len(whole) / len(answers) < 0.7


def test_settling_names_the_new_value_and_gives_the_reason() -> None:
    settled = [message for message in corpus() if message.plan.act == "settle_change"]
    assert settled
    for plan, _, written in settled:
        reason = next(point.text for point in plan.points if point.material == "reason")
        assert reason.casefold() in written.text.casefold()
        assert plan.mentions[0].how == "reverse"
        assert plan.mentions[0].fact in {stated.fact for stated in written.stated}


def test_mistakes_are_said_without_doubt() -> None:
    mistaken = [message for message in corpus() if any(each.how == "mistake" for each in message.plan.mentions)]
    assert mistaken
    doubting = [message for message in mistaken if re.search(r"\b(?:maybe|perhaps|not sure|I guess)\b", message.text)]
    assert len(doubting) < 0.05 * len(mistaken)


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_same_texts_whatever_the_order_of_sets(hash_seed: str) -> None:
    code = (
        "import sys, random; sys.path[:0] = sys.argv[1:]\n"
        "from planned_corpora import planned\n"
        "from groupmem.lab.synthesis.base import Situation\n"
        "from groupmem.lab.synthesis.writers.grammar import GrammarWriter\n"
        "plans = planned(120, 4, small=True).plans\n"
        "writer = GrammarWriter(plans.scaffold.pack, 4)\n"
        "print([writer.write(plans.plan(i), Situation(), random.Random(i)).text for i in range(120)])\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, *sys.path],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    plans = planned(120, 4, small=True).plans
    writer = GrammarWriter(plans.scaffold.pack, 4)
    texts = [writer.write(plans.plan(index), Situation(), random.Random(index)).text for index in range(120)]
    assert run.stdout.strip() == repr(texts)
