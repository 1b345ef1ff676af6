"""Handing in once: what becomes of a message batch whose fate is not known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from dream_evaluators.errors import AnswersDelayed, JudgeUnavailable
from dream_evaluators.judges.anthropic import AnthropicResponder, judge_name
from dream_evaluators.ledger import Ledger
from dream_evaluators.ledger.open_batches import OpenBatch
from dream_evaluators.model.judgement import WorkItem
from tests.evaluators.judges.anthropic.cases import (
    HANDS_IN,
    Passing,
    paid,
    questions,
    recorded,
    responder,
    settings,
)
from tests.evaluators.judges.anthropic.endpoint import (
    DROP,
    Act,
    Endpoint,
    endpoint,
    failure,
)

pytestmark = pytest.mark.anyio

NEVER = 10**9  # looks
BUSY = failure(529, "overloaded_error")


@pytest.fixture
async def api() -> AsyncIterator[Endpoint]:
    async with endpoint() as started:
        yield started


async def rows(ledger: Ledger, api: Endpoint) -> tuple[OpenBatch, ...]:
    return await ledger.open_batches.of(judge_name(settings(api)))


async def die_at_the_first_wait(ledger: Ledger, api: Endpoint, items: list[WorkItem]) -> None:
    """Hand in until something goes wrong, and be gone before it can be mended."""
    with anyio.CancelScope() as scope:

        async def dying(_: float) -> None:
            scope.cancel()
            await anyio.lowlevel.checkpoint()

        asks = AnthropicResponder(ledger, settings(api, batch_from=2), Passing(), sleep=dying)
        async with asks:
            await asks.respond(items)
    assert scope.cancelled_caught


async def strangers(ledger: Ledger, api: Endpoint, sources: int) -> None:
    """Another program's batch at the same endpoint."""
    items = await questions(ledger, sources=sources)
    async with responder(ledger, api, **HANDS_IN) as asks:
        with pytest.raises(AnswersDelayed):
            await asks.respond(items, sample=7)
    (row,) = await rows(ledger, api)
    await ledger.open_batches.remove(row.id)


async def test_a_batch_taken_without_an_answer_is_not_handed_in_again(
    ledger: Ledger, api: Endpoint
) -> None:
    api.batches.lost, api.batches.looks = 1, 3
    items = await questions(ledger, sources=4)
    async with responder(ledger, api, batch_from=2) as asks:
        spent = await asks.respond(items)
    assert spent.calls == len(await recorded(ledger, api, items)) == 4
    assert len(api.batches.results) == 1
    assert set(paid(api).values()) == {1}
    assert await rows(ledger, api) == ()


async def test_killed_between_the_deposit_and_its_answer_the_next_process_finds_the_batch(
    ledger: Ledger, api: Endpoint
) -> None:
    api.batches.lost, api.batches.looks = 1, NEVER
    items = await questions(ledger, sources=4)
    await die_at_the_first_wait(ledger, api, items)
    (row,) = await rows(ledger, api)
    assert row.is_announced
    async with responder(ledger, api, **HANDS_IN) as asks:
        with pytest.raises(AnswersDelayed, match="4 questions wait"):
            await asks.respond(items)
        api.batches.looks = 0
        spent = await asks.respond(items)
    assert spent.calls == len(await recorded(ledger, api, items)) == 4
    assert set(paid(api).values()) == {1}
    assert await rows(ledger, api) == ()


async def test_killed_before_the_deposit_arrived_the_next_process_hands_it_in(
    ledger: Ledger, api: Endpoint
) -> None:
    api.batches.troubles = [DROP]
    items = await questions(ledger, sources=4)
    await die_at_the_first_wait(ledger, api, items)
    assert len(await rows(ledger, api)) == 1
    async with responder(ledger, api, Passing(60.0), batch_from=2) as asks:
        spent = await asks.respond(items)
    assert spent.calls == 4
    assert api.calls == []
    assert set(paid(api).values()) == {1}
    assert await rows(ledger, api) == ()


@pytest.mark.parametrize("sources", [3, 4])
async def test_another_programs_batch_is_not_taken_for_ours(
    ledger: Ledger, api: Endpoint, sources: int
) -> None:
    await strangers(ledger, api, sources)
    api.batches.troubles = [BUSY]
    items = await questions(ledger, sources=4)
    await die_at_the_first_wait(ledger, api, items)
    async with responder(ledger, api, batch_from=2) as asks:
        spent = await asks.respond(items)
    assert spent.calls == len(await recorded(ledger, api, items)) == 4
    assert len(api.batches.results) == 2
    assert api.calls == []


async def test_a_batch_of_another_size_or_that_is_known_is_not_waited_for(
    ledger: Ledger, api: Endpoint
) -> None:
    api.batches.looks = NEVER
    await strangers(ledger, api, 3)
    items = await questions(ledger, sources=8)
    async with responder(ledger, api, **HANDS_IN) as asks:
        for part in (items[:4], items[4:]):
            api.batches.troubles = [BUSY]
            with pytest.raises(AnswersDelayed):
                await asks.respond(part)
    assert [len(lines) for lines in api.batches.results.values()] == [3, 4, 4]


async def test_a_batch_under_way_that_turns_out_anothers_leaves_the_usual_calls(
    ledger: Ledger, api: Endpoint
) -> None:
    await strangers(ledger, api, 4)
    api.batches.looks = 3
    api.batches.troubles = [BUSY]
    items = await questions(ledger, sources=4)
    async with responder(ledger, api, batch_from=2) as asks:
        await asks.respond(items)
    assert len(api.batches.results) == 1
    assert len(api.calls) == len(await recorded(ledger, api, items)) == 4
    assert await rows(ledger, api) == ()


async def test_without_a_list_of_batches_a_doubtful_deposit_is_handed_in_again(
    ledger: Ledger, api: Endpoint
) -> None:
    api.batches.troubles = [BUSY, failure(404, "not_found_error")]
    items = await questions(ledger, sources=3)
    async with responder(ledger, api, batch_from=2) as asks:
        await asks.respond(items)
    assert len(api.batches.results) == 1
    assert len(await recorded(ledger, api, items)) == 3


async def test_a_list_that_is_refused_leaves_the_deposit_to_be_looked_for(
    ledger: Ledger, api: Endpoint
) -> None:
    api.batches.lost = 1
    items = await questions(ledger, sources=3)
    api.batches.troubles = []
    await die_at_the_first_wait(ledger, api, items)
    api.batches.troubles = [failure(401, "authentication_error")]
    async with responder(ledger, api, batch_from=2) as asks:
        with pytest.raises(JudgeUnavailable, match="ANTHROPIC_API_KEY"):
            await asks.respond(items)
        (row,) = await rows(ledger, api)
        assert row.is_announced
        await asks.respond(items)
    assert set(paid(api).values()) == {1}


@pytest.mark.parametrize("body", [{}, {"data": 3}, {"data": [7, {"id": "../models"}]}])
async def test_a_list_that_is_none_finds_nothing(
    ledger: Ledger, api: Endpoint, body: dict[str, Any]
) -> None:
    api.batches.troubles = [BUSY, Act(body=body)]
    items = await questions(ledger, sources=3)
    async with responder(ledger, api, batch_from=2) as asks:
        await asks.respond(items)
    assert len(api.batches.results) == 1
    assert len(await recorded(ledger, api, items)) == 3


async def test_what_is_refused_outright_is_not_looked_for(ledger: Ledger, api: Endpoint) -> None:
    api.batches.troubles = [failure(400, "invalid_request_error", "no such field")]
    items = await questions(ledger, sources=3)
    async with responder(ledger, api, batch_from=2) as asks:
        with pytest.raises(JudgeUnavailable, match="no such field"):
            await asks.respond(items)
    assert await rows(ledger, api) == ()


async def test_a_refusal_after_a_lost_answer_does_not_make_the_batch_forgotten(
    ledger: Ledger, api: Endpoint
) -> None:
    api.batches.lost = 1
    items = await questions(ledger, sources=3)

    async def breaking(_: float) -> None:
        api.batches.troubles = [failure(403, "permission_error")]

    asks = AnthropicResponder(ledger, settings(api, batch_from=2), Passing(), sleep=breaking)
    async with asks:
        with pytest.raises(JudgeUnavailable):
            await asks.respond(items)
    async with responder(ledger, api, batch_from=2) as again:
        await again.respond(items)
    assert set(paid(api).values()) == {1}


async def test_a_cancellation_while_a_batch_is_handed_in_waits_for_its_id(
    ledger: Ledger, api: Endpoint
) -> None:
    items = await questions(ledger, sources=3)
    api.held = asyncio.Event()
    async with anyio.create_task_group() as group:

        async def ask() -> None:
            async with responder(ledger, api, batch_from=2) as asks:
                await asks.respond(items)

        group.start_soon(ask)
        while not api.batches.results:  # noqa: ASYNC110
            await anyio.sleep(0.01)
        group.cancel_scope.cancel()
        api.held.set()
    (row,) = await rows(ledger, api)
    assert row.id == "msgbatch_1"


@pytest.mark.parametrize("status", [404, 405, 413, 501])
async def test_an_endpoint_that_takes_no_batches_is_told_by_its_status(
    ledger: Ledger, api: Endpoint, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    api.batches.troubles = [failure(status, "some_error")]
    items = await questions(ledger, sources=3)
    async with responder(ledger, api, batch_from=2) as asks:
        await asks.respond(items)
    assert "takes no message batches" in caplog.text
    assert len(api.calls) == 3
    assert await rows(ledger, api) == ()
