"""Message batches that are still to be fetched, in the ledger."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dream_evaluators.clock import FixedClock
from dream_evaluators.errors import StoreError
from dream_evaluators.ledger import Ledger
from dream_evaluators.ledger.open_batches import BatchedRequest, OpenBatch

pytestmark = pytest.mark.anyio
JUDGE = "anthropic:a:0"
REQUESTS = {
    "r1": BatchedRequest({"q1": "b2:1", "q2": "b2:2"}, 0),
    "r2": BatchedRequest({"q1": "b2:1"}, 1),
}
FIRST = OpenBatch(id="m1", judge=JUDGE, requests=REQUESTS, created_at="2026-11-30T12:00:00Z")


async def test_a_batch_is_read_as_it_was_handed_in_until_it_is_removed(ledger: Ledger) -> None:
    later = OpenBatch(id="m0", judge=JUDGE, requests={}, created_at="2026-11-30T12:00:01Z")
    await ledger.open_batches.add(later)
    await ledger.open_batches.add(FIRST)
    await ledger.open_batches.add(FIRST)
    assert await ledger.open_batches.of(JUDGE) == (FIRST, later)
    assert FIRST.keys == {("b2:1", 0), ("b2:2", 0), ("b2:1", 1)}
    assert await ledger.open_batches.remove("m0")
    assert await ledger.open_batches.of(JUDGE) == (FIRST,)


async def test_a_batch_without_a_moment_gets_the_clocks(ledger: Ledger) -> None:
    await ledger.open_batches.add(OpenBatch(id="m1", judge=JUDGE, requests=REQUESTS))
    assert await ledger.open_batches.of(JUDGE) == (FIRST,)


async def test_a_batch_is_removed_by_one_process_only(ledger: Ledger) -> None:
    await ledger.open_batches.add(FIRST)
    assert await ledger.open_batches.remove("m1")
    assert not await ledger.open_batches.remove("m1")


async def test_neither_another_judge_nor_another_space_sees_it(
    tmp_path: Path, ledger: Ledger, clock: FixedClock
) -> None:
    await ledger.open_batches.add(FIRST)
    other = Ledger.open(str(tmp_path / "ledger.sqlite3"), space="other", clock=clock)
    assert await ledger.open_batches.of("anthropic:b:0") == ()
    assert await other.open_batches.of(JUDGE) == ()
    assert not await other.open_batches.remove("m1")
    other.close()


@pytest.mark.parametrize("damage", ["{", "[]", '{"r1": {"items": 3, "sample": 0}}', '{"r1": {}}'])
async def test_a_damaged_batch_is_said_to_be_one(
    tmp_path: Path, ledger: Ledger, damage: str
) -> None:
    await ledger.open_batches.add(FIRST)
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite3")) as store:
        store.execute("update message_batch set requests = ?", (damage,))
        store.commit()
    with pytest.raises(StoreError, match="message batch is damaged"):
        await ledger.open_batches.of(JUDGE)
