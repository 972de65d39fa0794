"""Properties of the writer over random plans: whatever is asked of it, the text says it, and is well formed."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groupmem.lab.synthesis.base import MessagePlan, Situation, Written
from groupmem.lab.synthesis.packs import Pack
from groupmem.lab.synthesis.verify import FIRST_PERSON, check_honest, find_surface, missing
from groupmem.lab.synthesis.writers.grammar import GrammarWriter
from support.random_plans import plans

SENTENCE_END = re.compile(r"(?<=[.!?…])\s+(?=[\w\"'@($€£])|\n")
ILL_FORMED = re.compile(r" {2}|\s[,.;?!](?:\s|$)|[,;:]{2}|[.!?],|(?<!\.)\.\.(?!\.)|[{}<>|]|\\|[\ufdd0-\ufdef]|a/an")


@pytest.fixture(scope="module")
def writer(teahouse: Pack) -> GrammarWriter:
    return GrammarWriter(teahouse, 1)


def write(writer: GrammarWriter, plan: MessagePlan, seed: int) -> Written:
    return writer.write(plan, Situation(), random.Random(seed))


seeds = st.integers(0, 2**32)


@given(plans(), seeds)
@settings(max_examples=100)
def test_every_fact_that_must_be_stated_is_stated_in_its_own_words(
    writer: GrammarWriter, plan: MessagePlan, seed: int
) -> None:
    written = write(writer, plan, seed)

    assert missing(plan, written) == []
    assert check_honest(plan, written) is None
    surfaces = {stated.fact: stated.surface for stated in written.stated}
    for mention in plan.mentions:
        surface = surfaces.get(mention.fact)
        if surface is None:
            continue
        assert find_surface(mention, written.text) is not None
        if mention.how == "ask":
            assert surface.casefold() in mention.subject.casefold()
        elif mention.self_value:
            assert FIRST_PERSON.fullmatch(surface)
        else:
            assert surface.casefold() == str(mention.value).casefold()


@given(plans(), seeds)
@settings(max_examples=100)
def test_what_is_demanded_besides_stands_in_the_text(writer: GrammarWriter, plan: MessagePlan, seed: int) -> None:
    text = write(writer, plan, seed).text

    for point in plan.points:
        assert point.text.casefold() in text.casefold()
    assert text.count("https://") == (plan.url is not None)
    assert plan.url is None or plan.url in text
    if plan.mention_parent:
        assert plan.addressee is not None and f"@{plan.addressee.first_name}" in text
    if plan.cross_reference is not None:
        assert plan.cross_reference.spoken in text


@given(plans(), seeds)
@settings(max_examples=100)
def test_the_text_keeps_to_its_length(writer: GrammarWriter, plan: MessagePlan, seed: int) -> None:
    text = write(writer, plan, seed).text

    if plan.ultra_short:
        assert 1 <= len(text.split()) <= 6 + sum(len(point.text.split()) for point in plan.points)
        return
    sentences = [sentence for sentence in SENTENCE_END.split(text) if sentence]
    assert plan.length.min_sentences <= len(sentences) <= plan.length.max_sentences
    if plan.length.sentence_words is not None:
        assert max(len(sentence.split()) for sentence in sentences) <= plan.length.sentence_words, text


@given(plans(), seeds)
@settings(max_examples=100)
def test_the_text_is_well_formed(writer: GrammarWriter, plan: MessagePlan, seed: int) -> None:
    text = write(writer, plan, seed).text

    assert text == text.strip()
    assert not ILL_FORMED.search(text), text
    if plan.imperfection is None and plan.author.style == "boring":
        assert text[0] == text[0].upper() or len(text[0].upper()) > 1
        assert text[-1] in ".!?" or "://" in text.split()[-1]


@given(plans(), seeds)
@settings(max_examples=30)
def test_writing_depends_on_nothing_but_its_arguments(
    writer: GrammarWriter, teahouse: Pack, plan: MessagePlan, seed: int
) -> None:
    first = write(writer, plan, seed)
    random.seed(seed + 1)

    assert write(writer, plan, seed) == first
    assert write(GrammarWriter(teahouse, 1), plan, seed) == first
