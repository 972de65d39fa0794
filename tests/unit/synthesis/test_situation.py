"""What a writer is shown of what was said before: window, older snippets, echoes dropped, ledger."""

from __future__ import annotations

from datetime import UTC, datetime
from difflib import SequenceMatcher

from planned_corpora import Planned, planned

from groupmem.lab.synthesis.base import MessagePlan, Said, Situation
from groupmem.lab.synthesis.ledger import PhaseLedger
from groupmem.lab.synthesis.situation import Deduplicator, Situations
from groupmem.text import words

N = 1500


def walk(corpus: Planned) -> list[tuple[MessagePlan, Situation]]:
    """Every message with its situation, each text being the message's id."""
    situations = Situations(corpus.plans, seed=0)
    found = []
    for index in range(N):
        plan = corpus.plans.plan(index)
        assert situations.is_ready(plan)
        found.append((plan, situations.of(index, plan)))
        situations.add(index, plan, plan.id)
    return found


def test_the_window_holds_the_last_messages_of_the_phase_in_order() -> None:
    corpus = planned(N, 0, ("context.window=7", "context.older_snippets=2"))
    told: dict[str, list[str]] = {}
    for plan, situation in walk(corpus):
        before = told.setdefault(plan.place.phase_id, [])
        assert [said.text for said in situation.recent] == before[-7:]
        older = [said.text for said in situation.older]
        assert len(older) == min(2, max(0, len(before) - 7))
        assert set(older) <= set(before[:-7])
        assert older == sorted(older, key=before.index)
        before.append(plan.id)


def test_parent_and_references_are_shown_as_they_were_written() -> None:
    for plan, situation in walk(planned(N)):
        assert (situation.parent.id if situation.parent else None) == plan.parent
        assert (situation.original_post.id if situation.original_post else None) == plan.original_post
        cited = situation.cross_reference
        assert (cited.id if cited else None) == (plan.cross_reference.message if plan.cross_reference else None)
        assert all(said.author == plan.author.id for said in situation.author_recent)


def test_a_message_is_not_ready_before_what_it_refers_to() -> None:
    corpus = planned(N)
    situations = Situations(corpus.plans, seed=0)
    plan = next(plan for plan in map(corpus.plans.plan, range(N)) if plan.cross_reference)
    assert plan.cross_reference is not None
    assert not situations.is_ready(plan)
    cited = int(plan.cross_reference.message.removeprefix("Msg_")) - 1
    situations.add(cited, corpus.plans.plan(cited), "said")
    assert situations.is_ready(plan)


def said(number: int, text: str) -> Said:
    return Said(
        id=f"m{number}",
        author="a",
        author_name="A",
        role="r",
        text=text,
        sent_at=datetime(2026, 3, 2, tzinfo=UTC),
        act="add",
    )


def test_of_two_similar_messages_the_newer_one_stays() -> None:
    texts = [
        "the harbour permit is due on Friday",
        "who calls the district office about it?",
        "the harbour permit is due on Monday",
        "slate is too heavy for the upper floor",
    ]
    messages = [said(number, text) for number, text in enumerate(texts)]
    assert SequenceMatcher(None, texts[0], texts[2], autojunk=False).ratio() > 0.5
    assert [m.id for m in Deduplicator(0.5).keep(messages)] == ["m1", "m2", "m3"]
    assert [m.id for m in Deduplicator(1.01).keep(messages)] == ["m0", "m1", "m2", "m3"]


def test_echoes_are_found_again_as_the_window_slides() -> None:
    messages = [said(number, f"{'permit' if number % 3 else 'counter'} number {number % 3}") for number in range(40)]
    sliding = Deduplicator(0.5)
    for end in range(1, 40):
        window = messages[max(0, end - 9) : end]
        assert sliding.keep(window) == Deduplicator(0.5).keep(window)


def test_the_ledger_is_renewed_every_few_messages_and_keeps_to_its_words() -> None:
    corpus = planned(6000, 3, ("memory.ledger_words=40",))
    ledgers = {index: PhaseLedger(corpus.plans, corpus.policy.memory) for index in range(len(corpus.scaffold.phases))}
    asked_again = 0
    for slot in corpus.slots:
        ledger = ledgers[slot.phase]
        before = ledger.snapshot()
        ledger.add(slot.index)
        after = ledger.snapshot()
        if (slot.in_phase + 1) % 8:
            assert after is before
        lines = [*after.decided, *after.pending, *(text for text, _ in after.open)]
        assert sum(len(words(line)) for line in lines) <= 40
        asked_again += any(count > 1 for _, count in after.open)
    assert asked_again


def test_an_answered_question_leaves_the_open_ones() -> None:
    corpus = planned(6000, 3)
    for phase in range(len(corpus.scaffold.phases)):
        ledger = PhaseLedger(corpus.plans, corpus.policy.memory)
        answered: set[str] = set()
        for index in corpus.plans.in_phase(phase):
            ledger.add(index)
            for seed in corpus.story.contents[index].seeds:
                if seed.how in ("state", "confirm") and seed.fact.holder is None:
                    plain = corpus.plans.wording.plain
                    answered.add(f"{seed.fact.kind} of {plain(seed.fact.subject)}")
                if seed.how == "ask" and not seed.fact.is_known:
                    answered.discard(f"{seed.fact.kind} of {corpus.plans.wording.plain(seed.fact.subject)}")
            told = corpus.slots[index].in_phase + 1
            if told % 8 == 0:
                asked_after = {text for text, _ in ledger.snapshot().open}
                assert not asked_after & (answered - _asked_since(corpus, phase, index, answered))


def _asked_since(corpus: Planned, phase: int, index: int, answered: set[str]) -> set[str]:
    """Subjects that were answered and asked about once more up to this slot."""
    last: dict[str, str] = {}
    for number in corpus.plans.in_phase(phase):
        if number > index:
            break
        for seed in corpus.story.contents[number].seeds:
            if seed.fact.holder is None and seed.how in ("ask", "state", "confirm", "reverse", "keep"):
                last[f"{seed.fact.kind} of {corpus.plans.wording.plain(seed.fact.subject)}"] = seed.how
    return {text for text in answered if last.get(text) == "ask"}
