"""Turns at hosts, and what Retry-After says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.web import pace as pace_module
from dream_evaluators.web.pace import Pace, retry_after

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.mark.anyio
async def test_no_more_than_the_limit_have_a_turn_at_one_host() -> None:
    pace = Pace(2, 0.0)
    inside: list[int] = []
    full, leave = anyio.Event(), anyio.Event()

    async def visit(number: int) -> None:
        async with pace.turn("a.test"):
            inside.append(number)
            if len(inside) == 2:
                full.set()
            await leave.wait()

    async with anyio.create_task_group() as tasks:
        for number in range(5):
            tasks.start_soon(visit, number)
        await full.wait()
        await anyio.wait_all_tasks_blocked()
        assert len(inside) == 2
        async with pace.turn("b.test"):  # another host is not held up
            leave.set()
    assert len(inside) == 5


@pytest.mark.anyio
async def test_starts_at_one_host_are_an_interval_apart() -> None:
    pace = Pace(3, 0.05)
    starts: list[float] = []

    async def visit() -> None:
        async with pace.turn("a.test"):
            starts.append(anyio.current_time())

    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(visit)
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    assert min(gaps) >= 0.045


@pytest.mark.anyio
async def test_a_deferred_host_is_left_alone_for_so_long() -> None:
    pace = Pace(1, 0.0)
    pace.defer("a.test", 0.05)
    before = anyio.current_time()
    async with pace.turn("b.test"):
        other = anyio.current_time() - before
    async with pace.turn("a.test"):
        deferred = anyio.current_time() - before
    assert deferred >= 0.045
    assert other < deferred


@pytest.mark.anyio
async def test_hosts_nobody_waits_for_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace_module, "REMEMBERED_HOSTS", 3)
    pace = Pace(1, 0.0)
    pace.defer("slow.test", 60)
    async with pace.turn("held.test"):
        for number in range(10):
            async with pace.turn(f"{number}.test"):
                pass
        assert len(pace.hosts) <= 4
        assert {"slow.test", "held.test"} <= pace.hosts


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("9" * 60, 1e60),
        ("Mon, 04 May 2026 12:00:30 GMT", 30.0),
        ("Monday, 04-May-26 12:00:30 GMT", 30.0),
        ("Mon, 04 May 2026 12:00:30", 30.0),
        ("Mon, 04 May 2026 14:00:30 +0200", 30.0),
        ("Mon, 04 May 2020 12:00:00 GMT", 0.0),
        ("", None),
        ("-5", None),
        ("soon", None),
        ("１２", None),
        ("Mon, 99 May 2026 12:00:30 GMT", None),
        ("Mon, 04 May 99999999999 12:00:30 GMT", None),
    ],
)
def test_retry_after_is_read_in_both_forms(value: str, seconds: float | None) -> None:
    assert retry_after(value, NOON) == (None if seconds is None else pytest.approx(seconds))


@given(st.text(max_size=200))
def test_no_retry_after_raises_or_is_negative(value: str) -> None:
    wait = retry_after(value, NOON)
    assert wait is None or wait >= 0


@given(st.integers(0, 10**6))
def test_a_date_so_many_seconds_ahead_is_so_many_seconds(seconds: int) -> None:
    moment = NOON + timedelta(seconds=seconds)
    assert retry_after(format_datetime(moment, usegmt=True), NOON) == seconds
