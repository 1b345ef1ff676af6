"""Evaluations in the ledger: identity, state, leases, numbers and orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dream_evaluators.clock import FixedClock
from dream_evaluators.errors import BadInput
from dream_evaluators.ledger import Ledger
from dream_evaluators.ledger.evaluations import (
    LEASE_SECONDS,
    SHORTEST_PREFIX,
    EvaluationStatus,
)
from tests.conftest import NOW

pytestmark = pytest.mark.anyio
Opened = Callable[[float], Ledger]


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Opened]:
    """Opens one and the same store as a process sees it some seconds later."""
    with ExitStack() as stack:

        def opened(seconds: float) -> Ledger:
            clock = FixedClock(NOW + timedelta(seconds=seconds))
            ledger = Ledger.open(str(tmp_path / "shared.sqlite3"), clock=clock)
            stack.callback(ledger.close)
            return ledger

        yield opened


async def test_asking_twice_gives_the_same_evaluation(ledger: Ledger) -> None:
    first = await ledger.evaluations.start("request", "{}")
    assert await ledger.evaluations.start("request", "{}") == first
    assert await ledger.evaluations.find("request") == first
    assert await ledger.evaluations.start("another", "{}") != first
    assert await ledger.evaluations.find("unheard of") == ""


async def test_fresh_makes_a_new_evaluation_which_then_is_the_latest(ledger: Ledger) -> None:
    first = await ledger.evaluations.start("request", "{}")
    second = await ledger.evaluations.start("request", "{}", fresh=True)
    assert second != first
    assert await ledger.evaluations.start("request", "{}") == second
    assert await ledger.evaluations.find("request") == second


async def test_the_same_request_in_another_space_is_another_evaluation() -> None:
    ids = set()
    for space in ("one", "two"):
        ledger = Ledger.open(":memory:", space=space)
        ids.add(await ledger.evaluations.start("request", "{}"))
        ledger.close()
    assert len(ids) == 2


async def test_an_evaluation_begins_running_and_holds_what_was_asked(ledger: Ledger) -> None:
    evaluation = await ledger.evaluations.start("request", '{"a": 1}')
    row = await ledger.evaluations.get(evaluation)
    assert row.id == evaluation
    assert row.request == '{"a": 1}'
    assert row.status is EvaluationStatus.RUNNING
    assert row.created_at == row.updated_at == "2026-11-30T12:00:00Z"


async def test_a_unique_beginning_of_an_id_is_enough(ledger: Ledger) -> None:
    evaluation = await ledger.evaluations.start("request", "{}")
    assert (await ledger.evaluations.get(evaluation[:SHORTEST_PREFIX])).id == evaluation
    for short in (evaluation[: SHORTEST_PREFIX - 1], "", "b2:00000000", "%", evaluation + "0"):
        with pytest.raises(BadInput, match="No evaluation"):
            await ledger.evaluations.get(short)


COPY = """insert into evaluation select space, ?, ?, generation, request, status, message,
    scorecard, created_at, updated_at, owner, lease, opened, caps from evaluation limit 1"""


async def test_a_beginning_that_two_ids_share_is_refused(ledger: Ledger) -> None:
    await ledger.evaluations.start("request", "{}")
    rows = [(new, new) for new in ("b2:00000000aa", "b2:00000000ab", "b2:00000000")]
    await ledger._database.write(lambda c: c.executemany(COPY, rows).rowcount)
    with pytest.raises(BadInput, match="More than one evaluation 'b2:00000000a'"):
        await ledger.evaluations.get("b2:00000000a")
    assert (await ledger.evaluations.get("b2:00000000")).id == "b2:00000000"


async def test_an_update_without_a_scorecard_keeps_the_stored_one(at: Opened) -> None:
    evaluation = await at(0).evaluations.start("request", "{}")
    assert await at(0).evaluations.update(evaluation, EvaluationStatus.NEEDS_WORK, "w", "card")
    assert await at(60).evaluations.update(evaluation, EvaluationStatus.COMPLETE, "done")
    row = await at(60).evaluations.get(evaluation)
    assert (row.status, row.message, row.scorecard) == (EvaluationStatus.COMPLETE, "done", "card")
    assert row.created_at < row.updated_at == "2026-11-30T12:01:00Z"
    assert not await at(0).evaluations.update("b2:unknown", EvaluationStatus.COMPLETE)


@pytest.mark.parametrize("status", list(EvaluationStatus))
async def test_cancelled_stays_cancelled(ledger: Ledger, status: EvaluationStatus) -> None:
    evaluation = await ledger.evaluations.start("request", "{}")
    await ledger.evaluations.update(evaluation, EvaluationStatus.CANCELLED)
    assert not await ledger.evaluations.update(evaluation, status, "late", "card")
    row = await ledger.evaluations.get(evaluation)
    assert (row.status, row.message, row.scorecard) == (EvaluationStatus.CANCELLED, "", "")


async def test_one_worker_at_a_time_holds_the_lease(at: Opened) -> None:
    evaluation = await at(0).evaluations.start("request", "{}")
    assert await at(0).evaluations.claim(evaluation, "a")
    assert not await at(1).evaluations.claim(evaluation, "b")
    assert not await at(LEASE_SECONDS).evaluations.claim(evaluation, "b")
    assert not await at(0).evaluations.claim("b2:unknown", "a")


async def test_a_worker_renews_its_own_lease(at: Opened) -> None:
    evaluation = await at(0).evaluations.start("request", "{}")
    assert await at(0).evaluations.claim(evaluation, "a")
    assert await at(LEASE_SECONDS - 1).evaluations.claim(evaluation, "a")
    assert not await at(LEASE_SECONDS + 5).evaluations.claim(evaluation, "b")


async def test_the_lease_of_a_silent_worker_passes_on(at: Opened) -> None:
    evaluation = await at(0).evaluations.start("request", "{}")
    assert await at(0).evaluations.claim(evaluation, "a")
    assert await at(LEASE_SECONDS + 1).evaluations.claim(evaluation, "b")
    assert not await at(LEASE_SECONDS + 2).evaluations.claim(evaluation, "a")


async def test_the_lease_of_a_worker_known_to_be_dead_need_not_be_waited_for(at: Opened) -> None:
    ledger = at(0)
    evaluation = await ledger.evaluations.start("request", "{}")
    assert await ledger.evaluations.holder(evaluation) == ""
    assert await ledger.evaluations.claim(evaluation, "a")
    assert await ledger.evaluations.holder(evaluation) == "a"
    assert not await ledger.evaluations.claim(evaluation, "b", dead="c")
    assert await ledger.evaluations.claim(evaluation, "b", dead="a")
    assert await ledger.evaluations.holder(evaluation) == "b"
    assert await ledger.evaluations.holder("b2:unknown") == ""


async def test_only_its_holder_gives_a_lease_back(at: Opened) -> None:
    ledger = at(0)
    evaluation = await ledger.evaluations.start("request", "{}")
    await ledger.evaluations.claim(evaluation, "a")
    await ledger.evaluations.release(evaluation, "b")
    assert not await ledger.evaluations.claim(evaluation, "b")
    await ledger.evaluations.release(evaluation, "a")
    assert await ledger.evaluations.claim(evaluation, "b")


async def test_questions_keep_their_numbers(ledger: Ledger) -> None:
    number = ledger.evaluations.number
    x, y, z, again = ("x", 0), ("y", 0), ("z", 0), ("y", 1)
    assert await number("e", [x, y, x]) == {x: 1, y: 2}
    assert await number("e", [z, y]) == {x: 1, y: 2, z: 3}
    assert await number("e", []) == {x: 1, y: 2, z: 3}
    assert await number("e", [again]) == {x: 1, y: 2, z: 3, again: 4}
    assert await number("other", [y]) == {y: 1}


async def test_tasks_that_number_at_once_agree(ledger: Ledger) -> None:
    async with anyio.create_task_group() as group:
        for start in range(8):
            items = [(f"i{n}", 0) for n in range(start, start + 8)]
            group.start_soon(ledger.evaluations.number, "e", items)
    numbers = await ledger.evaluations.number("e", [])
    assert sorted(numbers.values()) == list(range(1, 16))


async def test_orders_are_numbered_on_and_hold_no_question_twice(ledger: Ledger) -> None:
    add, orders = ledger.evaluations.add_orders, ledger.evaluations.orders
    await add("e", [[1, 2], [3]])
    await add("e", [[2, 3], [3, 4], [4], [5]])
    await add("other", [[1]])
    assert await orders("e") == {1: (1, 2), 2: (3,), 3: (4,), 4: (5,)}
    assert await orders("none") == {}


@settings(max_examples=40)
@given(st.lists(st.lists(st.lists(st.integers(1, 9), max_size=5), max_size=3), max_size=5))
def test_whatever_is_handed_out_each_question_is_in_one_order(calls: list[list[list[int]]]) -> None:
    async def orders() -> dict[int, tuple[int, ...]]:
        ledger = Ledger.open(":memory:")
        for call in calls:
            await ledger.evaluations.add_orders("e", [list(dict.fromkeys(o)) for o in call])
        read = await ledger.evaluations.orders("e")
        ledger.close()
        return read

    read = anyio.run(orders)
    held = [question for members in read.values() for question in members]
    assert len(held) == len(set(held))
    assert set(held) == {n for call in calls for order in call for n in order}
    assert list(read) == list(range(1, len(read) + 1))
