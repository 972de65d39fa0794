"""Any sequence of what can be done to a memory leaves what a simple model of it says, bit by bit."""

from __future__ import annotations

import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from groupmem.memory.store.base import Added
from groupmem.types import Channel, Message, Person
from support.memory_store import NINE, differences, open_store, picture
from support.word_vectors import WordVectors

WORDS = ["lamp", "moss", "gate", "decided", "change:", "ten", "five", "Monday", "harbour", "we", "instead", "of"]
TERMS = ["lamp", "moss", "gate", "decid", "five", "harbour"]
NAMES = [str(number) for number in range(8)]
CHANNELS = ["flat", "deep", "closed"]
PEOPLE = [Person(id="mira", name="Mira Solberg", role="QA"), Person(id="lena", name="Lena Quist")]
SEEDS = [
    Message(id="root", channel="deep", author="mira", text="which lamp?", sent_at=NINE),
    Message(
        id="leaf", channel="deep", author="lena", text="five", sent_at=NINE + timedelta(minutes=1), reply_to="root"
    ),
]

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)
times = st.integers(2, 30).map(lambda minute: NINE + timedelta(minutes=minute))


@st.composite
def messages(draw: st.DrawFn) -> Message:
    """Of three channels: in the flat one nobody answers and nothing has a time; the closed one is lena's."""
    channel = draw(st.sampled_from(CHANNELS))
    return Message(
        id=draw(st.sampled_from(NAMES)),
        channel=channel,
        author=draw(st.sampled_from(["mira", "lena", "tomas"])),
        text=draw(texts),
        sent_at=None if channel == "flat" else draw(times),
        reply_to=None if channel == "flat" else draw(st.none() | st.sampled_from([*NAMES, "leaf"])),
        phase=draw(st.sampled_from([None, "Build"])),
        topic=draw(st.sampled_from([None, "Locks"])),
    )


class Histories(RuleBasedStateMachine):
    """Keeps beside the store what it should hold: the messages in the order in which they first came."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.model = WordVectors()
        self.store = open_store(self.folder / "team.db", self.model)
        self.said: dict[tuple[str, str], Message] = {}
        self.gone: set[tuple[str, str]] = set()
        self.answers: dict[tuple[str, str], str | None] = {}
        self.setting(self.store)
        self.add(SEEDS)

    def setting(self, store) -> None:
        store.set_people(PEOPLE)
        store.set_channels([Channel(id="closed", members=("lena",))])

    @rule(some=st.lists(messages(), max_size=4))
    def add(self, some: list[Message]) -> None:
        """Messages that would answer each other in a circle answer nothing: which link of a circle the store leaves out
        depends on the order in which its messages came and changed, which a fresh store cannot know."""
        expected = Added()
        some = [self.without_circle(message) for message in some]
        for message in some:
            key = message.channel, message.id
            known = self.said.get(key)
            if key in self.gone:
                expected += Added(deleted=1)
            elif known is None:
                expected += Added(added=1)
            else:
                expected += Added(unchanged=1) if message == known else Added(edited=1)
            if key not in self.gone:
                self.said[key] = message
        assert self.store.add(some) == expected

    def without_circle(self, message: Message) -> Message:
        key = message.channel, message.id
        above, seen = message.reply_to, {message.id}
        while above is not None and above not in seen:
            seen.add(above)
            above = self.answers.get((message.channel, above))
        if above is not None:
            message = msgspec.structs.replace(message, reply_to=None)
        if key not in self.gone:
            self.answers[key] = message.reply_to
        return message

    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        if self.said:
            key = data.draw(st.sampled_from(sorted(self.said)))
            self.add([msgspec.structs.replace(self.said[key], text=data.draw(texts))])

    @rule(data=st.data())
    def delete_a_last_word(self, data: st.DataObject) -> None:
        """Of a message that nobody answers: a thread that loses its head stays one, which a fresh store cannot know."""
        answered = {(message.channel, message.reply_to) for message in self.said.values()}
        free = sorted(key for key in self.said if key not in answered and key[1] not in ("root", "leaf"))
        if free:
            channel, name = key = data.draw(st.sampled_from(free))
            assert self.store.delete(channel, name)
            del self.said[key]
            self.gone.add(key)

    @rule()
    def flush(self) -> None:
        self.store.flush()

    @rule()
    def compact(self) -> None:
        self.store.compact()

    @rule()
    def rebuild(self) -> None:
        self.store.rebuild()

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = open_store(self.folder / "team.db", self.model)

    @invariant()
    def the_store_is_what_a_fresh_one_would_be(self) -> None:
        if not hasattr(self, "said"):
            return
        with tempfile.TemporaryDirectory() as folder:
            fresh = open_store(Path(folder) / "team.db", self.model)
            self.setting(fresh)
            fresh.add(list(self.said.values()))
            query = self.model.embed(["lamp decided five"], kind="query")[0]
            for asker in (None, "lena"):
                seen, expected = self.store.view(asker), fresh.view(asker)
                kept, wanted = picture(seen, TERMS), picture(expected, TERMS)
                for shown in (kept, wanted):  # a fresh store has no history
                    shown["messages"] = {name: parts[:2] for name, parts in shown["messages"].items()}
                assert differences(kept, wanted) == []
                nearest = [view.nearest(query).top(30) for view in (seen, expected)]
                assert nearest[0][1].tolist() == nearest[1][1].tolist()
            fresh.close()

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            shutil.rmtree(self.folder)


Histories.TestCase.settings = settings(max_examples=12, stateful_step_count=8, deadline=None)
test_any_history = Histories.TestCase
