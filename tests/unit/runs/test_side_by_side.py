"""Calls side by side: results come back to one thread, and stopping stops."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from groupmem.errors import BudgetError, ModelError, PendingError
from groupmem.lab.runs.progress import Silent
from groupmem.lab.runs.stages.calls import GIVE_UP_AFTER, Crew, call_all, side_by_side
from groupmem.models.session import Models


@pytest.fixture
def crew() -> Crew:
    models = Models(log_path=None, cache_path=None)
    return Crew(models=models, run="r", workers=4, progress=Silent())


class TestSideBySide:
    def test_every_item_comes_back_with_its_result(self) -> None:
        assert sorted(side_by_side(range(50), lambda n: n * n, workers=7)) == [(n, n * n) for n in range(50)]

    def test_so_many_are_under_way_at_a_time_as_there_are_workers(self) -> None:
        meeting = threading.Barrier(3, timeout=20)
        assert len(list(side_by_side(range(6), lambda n: meeting.wait(), workers=3))) == 6

    def test_an_exception_is_a_result(self) -> None:
        ((item, result),) = side_by_side([0], lambda n: 1 // n, workers=2)
        assert item == 0
        assert isinstance(result, ZeroDivisionError)

    def test_nothing_is_begun_after_the_caller_left(self) -> None:
        begun: list[int] = []
        results = side_by_side(range(100), begun.append, workers=1)
        next(results)
        results.close()  # type: ignore[attr-defined]
        for thread in threading.enumerate():
            if thread is not threading.main_thread():
                thread.join(timeout=20)
        assert begun == [0]

    @pytest.mark.parametrize("workers", [1, 3])
    def test_no_more_results_than_workers_wait_to_be_kept(self, workers: int) -> None:
        begun: list[int] = []
        for kept, _ in enumerate(side_by_side(range(40), begun.append, workers=workers)):
            assert len(begun) <= kept + workers


class TestCallAll:
    def test_keeps_every_result_in_this_thread(self, crew: Crew) -> None:
        kept: dict[int, int] = {}

        def keep(item: int, result: int) -> None:
            assert threading.current_thread() is threading.main_thread()
            kept[item] = result

        call_all(range(20), lambda n: -n, keep, crew=crew, what="numbers")
        assert kept == {n: -n for n in range(20)}

    def test_a_full_budget_lets_the_others_go_on_and_is_raised_at_the_end(self, crew: Crew) -> None:
        kept: list[int] = []

        def call(number: int) -> int:
            if number % 2:
                raise BudgetError("full")
            return number

        with pytest.raises(BudgetError):
            call_all(range(6), call, lambda item, result: kept.append(item), crew=crew, what="numbers")
        assert sorted(kept) == [0, 2, 4]

    def test_pending_calls_are_told_by_the_batch_and_no_failure(self, crew: Crew, tmp_path: Path) -> None:
        def call(number: int) -> int:
            raise PendingError(1, str(tmp_path))

        call_all(range(3), call, lambda item, result: None, crew=crew, what="numbers")

    def test_where_all_fail_it_gives_up_early(self, crew: Crew) -> None:
        kept: list[int] = []

        def keep(item: int, result: int) -> str:
            kept.append(item)
            return "no such model"

        with pytest.raises(ModelError, match=f"numbers: {GIVE_UP_AFTER} calls and all failed; .*no such model"):
            call_all(range(1000), lambda n: n, keep, crew=crew, what="numbers")
        assert len(kept) == GIVE_UP_AFTER

    @pytest.mark.parametrize("good", [0, 2])
    def test_one_good_result_keeps_it_going(self, crew: Crew, good: int) -> None:
        kept: list[int] = []

        def keep(item: int, result: int) -> str | None:
            kept.append(item)
            return None if item == good else "out of order"

        call_all(range(3), lambda n: n, keep, crew=crew, what="numbers")
        assert len(kept) == 3

    def test_an_error_that_is_none_of_a_call_is_raised_as_it_is(self, crew: Crew) -> None:
        with pytest.raises(ZeroDivisionError):
            call_all([0], lambda n: 1 // n, lambda item, result: None, crew=crew, what="numbers")
