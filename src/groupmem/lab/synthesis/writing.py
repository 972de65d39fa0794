"""Having all messages written: one after another, or in rounds of one message per phase."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from groupmem.errors import GroupMemError, PendingError
from groupmem.lab.synthesis.base import MessagePlan, Situation, Writer, Written
from groupmem.lab.synthesis.journal import Journal
from groupmem.lab.synthesis.plans import Plans
from groupmem.lab.synthesis.situation import Situations
from groupmem.lab.synthesis.verify import check_honest


class WriterError(GroupMemError):
    """A writer claims to state what is not in its text; that is a fault of the writer, and no corpus is made of it."""


class Progress(Protocol):
    """Something to be told of every message that is written."""

    def advance(self, count: int = 1) -> None: ...


class Writing:
    """The state of writing one corpus: which slots are written, and what they say."""

    def __init__(self, plans: Plans, journal: Journal, seed: int) -> None:
        """Takes over what the journal holds already."""
        self.plans = plans
        self.written: list[Written | None] = [None] * len(plans)
        self._journal = journal
        self._seed = seed
        self._situations = Situations(plans, seed)
        for index, written in sorted(journal.read(), key=lambda line: line[0]):
            self.written[index] = written
            self._situations.add(index, plans.plan(index), written.text)
        self.resumed = sum(written is not None for written in self.written)

    def in_order(self, writer: Writer, progress: Progress) -> None:
        """One message after another, in the order of time."""
        with self._journal:
            for index in range(len(self.plans)):
                if self.written[index] is None:
                    plan = self.plans.plan(index)
                    self._keep(index, plan, self._write(writer, plan, self._situations.of(index, plan)))
                    progress.advance()

    def in_rounds(self, writer: Writer, progress: Progress, workers: int, flush: Callable[[], None]) -> None:
        """Rounds in which every phase that can has its next message written, all of a round at the same time.

        A message waits for the one of a sibling phase that it refers to. Where the reply of a batch is missing, the
        other phases go on until each of them lacks one too; then `flush` hands the noted requests out and raises
        PendingError.
        """
        waiting = {phase: deque(self._open_slots(phase)) for phase in range(len(self.plans.scaffold.phases))}
        lacking: set[int] = set()
        with self._journal, ThreadPoolExecutor(max_workers=workers) as pool:
            while any(waiting.values()):
                ready = [each for each in self._ready(waiting) if each[0] not in lacking]
                if not ready:
                    flush()
                    lacking.clear()
                for (phase, index, plan), found in zip(ready, pool.map(self._try(writer), ready), strict=True):
                    if isinstance(found, PendingError):
                        lacking.add(phase)
                        continue
                    self._keep(index, plan, found)
                    waiting[phase].popleft()
                    progress.advance()

    def _open_slots(self, phase: int) -> list[int]:
        return [index for index in self.plans.in_phase(phase) if self.written[index] is None]

    def _ready(self, waiting: dict[int, deque[int]]) -> list[tuple[int, int, MessagePlan]]:
        """The next message of every phase, without those that refer to something that is not written yet."""
        firsts = [(phase, queue[0], self.plans.plan(queue[0])) for phase, queue in waiting.items() if queue]
        return [each for each in firsts if self._situations.is_ready(each[2])]

    def _try(self, writer: Writer) -> Callable[[tuple[int, int, MessagePlan]], Written | PendingError]:
        def write(task: tuple[int, int, MessagePlan]) -> Written | PendingError:
            _, index, plan = task
            try:
                return self._write(writer, plan, self._situations.of(index, plan))
            except PendingError as pending:
                return pending

        return write

    def _write(self, writer: Writer, plan: MessagePlan, situation: Situation) -> Written:
        written = writer.write(plan, situation, random.Random(f"{self._seed}/write/{plan.id}"))
        dishonest = check_honest(plan, written)
        if dishonest is not None:
            raise WriterError(f"writer {writer.name}: {dishonest}")
        return written

    def _keep(self, index: int, plan: MessagePlan, written: Written) -> None:
        self._journal.append(index, written)
        self.written[index] = written
        self._situations.add(index, plan, written.text)

    def texts(self) -> Sequence[Written]:
        """All messages; only when the writing is done."""
        return [written for written in self.written if written is not None]
