"""What must hold of every question that is made from known facts, whatever its type."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from groupmem.lab.measures.values import sentences_of
from groupmem.lab.questions.facts import Fact
from groupmem.lab.questions.known import STRATEGIES, KnownFacts
from groupmem.lab.questions.records import CATEGORIES, Category, Draft
from groupmem.lab.questions.strategies.base import Ladder, Library

Ladders = dict[Category, list[Ladder]]
FIRST_PERSON = re.compile(r"\b(?:I|my|me)\b")


def drafts(ladders: list[Ladder]) -> Iterator[Draft]:
    return (draft for ladder in ladders for rung in ladder.rungs for draft in rung)


def of_their_type(ladders: list[Ladder]) -> Iterator[Draft]:
    """Those that could be accepted."""
    return (draft for draft in drafts(ladders) if not draft.plain)


def test_there_is_a_strategy_for_every_type() -> None:
    assert tuple(STRATEGIES) == CATEGORIES
    assert all(STRATEGIES[category].category == category for category in CATEGORIES)


@pytest.mark.parametrize("category", CATEGORIES)
def test_questions_rest_on_messages_that_their_asker_may_read(
    ladders: Ladders, library: Library, category: Category
) -> None:
    assert len(ladders[category]) >= 20
    for draft in drafts(ladders[category]):
        assert draft.asker in library.truth.people
        assert library.truth.may_read(draft.asker, draft.evidence), draft.text
        assert all(alternative in library.truth.messages for need in draft.needs for alternative in need.alternatives)


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_evidence_proves_the_answer(ladders: Ladders, library: Library, category: Category) -> None:
    finder = library.evidence.finder
    for draft in drafts(ladders[category]):
        proving = [need for need in draft.needs if need.value is not None]
        assert bool(proving) == (draft.gold is not None)
        for need in proving:
            assert need.value is not None
            assert all(finder.holds(library.truth.messages[name], need.value) for name in need.any_of), draft.text


@pytest.mark.parametrize("category", CATEGORIES)
def test_wordings_of_a_ladder_differ_and_ask_the_same(ladders: Ladders, category: Category) -> None:
    for ladder in ladders[category]:
        texts = [rung[0].text for rung in ladder.rungs]
        assert len(set(texts)) == len(texts)
        for place in range(len(ladder.rungs[0])):
            of_one = [rung[place] for rung in ladder.rungs]
            assert len({draft.asker for draft in of_one}) == 1
            golds = {draft.gold.values if draft.gold else None for draft in of_one}
            assert len(golds) == 1 or category == "temporal"  # a list names its members as the question does


@pytest.mark.parametrize("category", CATEGORIES)
def test_questions_are_one_line_of_plain_english(ladders: Ladders, category: Category) -> None:
    for draft in drafts(ladders[category]):
        assert "{" not in draft.text and "  " not in draft.text and draft.text == draft.text.strip()
        assert draft.text[0].isupper() or draft.text[0] == '"'
        assert re.search(r"[?.](?: \(YYYY-MM-DD\))?$", draft.text), draft.text
        assert "the the" not in draft.text.lower()


@pytest.mark.parametrize("category", ["user_implicit", "term_ambiguity"])
def test_twins_share_words_and_nothing_else(ladders: Ladders, category: Category) -> None:
    for ladder in ladders[category]:
        for rung in ladder.rungs:
            if len(rung) == 2:
                left, right = rung
                assert left.text == right.text or (left.plain and right.plain)
                assert left.asker != right.asker
                assert left.answer != right.answer
                assert left.evidence != right.evidence


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_ladder_leads_to_a_wording_of_its_type(ladders: Ladders, category: Category) -> None:
    hidden = category in ("multi_hop", "term_ambiguity")
    for ladder in ladders[category]:
        assert [rung[0].plain for rung in ladder.rungs] == [hidden and place == 0 for place in range(len(ladder.rungs))]
        assert not ladder.rungs[-1][0].plain


@pytest.mark.parametrize("category", CATEGORIES)
def test_nobody_asks_for_what_they_are_or_wrote_themselves(
    ladders: Ladders, library: Library, category: Category
) -> None:
    for draft in of_their_type(ladders[category]):
        if draft.gold is not None and draft.gold.kind == "person":
            assert draft.asker not in draft.gold.values, draft.text
        name = library.truth.name(draft.asker)
        assert not re.search(rf"\b(?:{name}|{name.split()[0]})\b", draft.text), (draft.asker, draft.text)
        authors = {library.truth.messages[need.message].author for need in draft.needs}
        if category in ("multi_hop", "knowledge_update", "temporal") and not set(draft.moves) & {
            "described",
            "through a neighbour",
            "by its people",
        }:
            assert draft.asker not in authors


def test_the_evidence_of_an_update_names_the_whole_matter(ladders: Ladders, library: Library) -> None:
    for ladder in ladders["knowledge_update"]:
        decision = next(one for one in library.truth.decisions if one.id == ladder.anchor.partition("/")[0])
        facts = [library.truth.by_id[name] for name in (decision.before_fact, decision.after_fact) if name]
        names = {decision.subject, *(spoken.subject for fact in facts for spoken in fact.mentions)}
        for draft in drafts([ladder]):
            assert any(library.evidence.is_named(name, message) for name in names for message in draft.evidence)


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_word_stands_twice_in_a_row(ladders: Ladders, category: Category) -> None:
    for draft in drafts(ladders[category]):
        assert not re.search(r"\b(\w+) \1\b", draft.text, re.IGNORECASE), draft.text


def test_user_implicit_questions_are_in_the_first_person(ladders: Ladders) -> None:
    assert all(FIRST_PERSON.search(draft.text) for draft in drafts(ladders["user_implicit"]))
    assert sum(len(ladder.rungs[0]) == 2 for ladder in ladders["user_implicit"]) >= 20


def test_multi_hop_answers_stand_behind_a_pivot_of_somebody_else(ladders: Ladders, library: Library) -> None:
    messages = library.truth.messages
    for draft in of_their_type(ladders["multi_hop"]):
        *links, target = draft.needs
        assert links
        assert all(link.value is None and link.message != target.message for link in links)
        places = {(messages[need.message].author, messages[need.message].channel, need.message) for need in draft.needs}
        assert len(places) == len(draft.needs)
        assert target.value is not None
        assert not any(library.evidence.finder.holds(messages[link.message], target.value) for link in links)


def test_the_evidence_of_term_ambiguity_is_in_other_words(ladders: Ladders, library: Library) -> None:
    for ladder in ladders["term_ambiguity"]:
        for draft in ladder.rungs[-1]:
            if not {"only the word", "double meaning", "own work"} & set(draft.moves):
                continue
            fact = _fact(library, draft)
            word = library.words.own_word(library.truth.role(draft.asker), fact.concepts[0])
            meant = library.words.used(library.truth.role(draft.asker), fact.concepts[0])
            asked = next(found for found in [word, *meant] if found and found in draft.text)
            assert asked.casefold() not in library.truth.messages[draft.needs[-1].message].text.casefold()


def test_temporal_dates_are_never_written_out_in_the_evidence(ladders: Ladders, library: Library) -> None:
    dated = [draft for draft in drafts(ladders["temporal"]) if draft.gold and draft.gold.kind == "date"]
    lists = [draft for draft in drafts(ladders["temporal"]) if draft.gold and draft.gold.kind == "list"]
    assert dated and lists
    for draft in dated:
        assert draft.answer not in library.truth.messages[draft.needs[-1].message].text
    for draft in lists:
        dates = re.findall(r"\d{4}-\d{2}-\d{2}", draft.answer)
        assert dates == sorted(dates) and len(set(dates)) == 3


def test_updates_ask_for_what_a_documented_argument_settled(ladders: Ladders, library: Library) -> None:
    decisions = {decision.id: decision for decision in library.truth.decisions}
    asked = {ladder.anchor.partition("/")[2] for ladder in ladders["knowledge_update"]}
    assert asked == {"now", "before", "trigger", "reason"}
    for ladder in ladders["knowledge_update"]:
        decision = decisions[ladder.anchor.partition("/")[0]]
        draft = ladder.rungs[0][0]
        what = ladder.anchor.partition("/")[2]
        expected = {
            "now": decision.after if decision.outcome == "changed" else decision.before,
            "before": decision.before,
            "trigger": decision.trigger,
            "reason": decision.reason,
        }[what]
        assert draft.answer == expected
        if what == "now" and draft.gold and draft.gold.kind == "choice":
            assert draft.gold.stale


def test_what_abstention_asks_for_is_in_no_sentence_about_its_subject(ladders: Ladders, library: Library) -> None:
    finder = library.evidence.finder
    for ladder in ladders["abstention"]:
        kind, _, subject = ladder.anchor.partition(" of ")
        draft = ladder.rungs[0][0]
        assert draft.gold is None and not draft.needs and draft.probe is not None
        named = [m for m in library.truth.conversation.messages if subject.casefold() in m.text.casefold()]
        assert named, f"{subject} does not occur"
        for message in named:
            for part in sentences_of(message):
                if subject.casefold() in part.text.casefold():
                    assert not finder.offered(part, draft.probe), (kind, part.text)


def test_a_description_fits_one_thing_only(library: Library, ladders: Ladders) -> None:
    """By brute force: of all facts of the corpus, those that the clauses of a question state are about one subject."""
    described = 0
    for draft in drafts(ladders["multi_hop"]):
        if draft.moves.count("described") != 1:
            continue
        pivot = next(f for f in library.truth.settled if draft.needs[0].message in f.stated_in and _stated(f, draft))
        fitting = {
            (fact.project, fact.phase, fact.subject)
            for fact in library.truth.facts
            if (fact.kind, fact.value) == (pivot.kind, pivot.value)
            and (f"for {pivot.tail}" not in draft.text or fact.tail == pivot.tail)
            and (f"in {pivot.project}" not in draft.text or fact.project == pivot.project)
        }
        assert fitting == {(pivot.project, pivot.phase, pivot.subject)}, draft.text
        described += 1
    assert described >= 3


def test_the_same_seed_gives_the_same_anchors(library: Library) -> None:
    for category in ("multi_hop", "abstention"):
        first, again, other = (
            [anchor.id for anchor, _ in zip(KnownFacts(library.truth, seed).anchors(category), range(12), strict=False)]
            for seed in (3, 3, 4)
        )
        assert first == again != other


def _fact(library: Library, draft: Draft) -> Fact:
    return next(
        fact
        for fact in library.truth.settled
        if fact.concepts and library.evidence.need(fact) == draft.needs[-1] and fact.value_text == draft.answer
    )


def _stated(fact: Fact, draft: Draft) -> bool:
    """Whether the question shows the fact's value, in one of the ways in which clauses show values."""
    day = fact.value.lstrip("-")
    shown = {fact.value_text, fact.value_text.split()[0]}
    if fact.kind == "deadline":
        year, _, date = day.split("-")[0], None, int(day.split("-")[2])
        shown = {f"{date} March {year}", f"{date} April {year}", f"{date} May {year}"}
    return any(value in draft.text for value in shown)
