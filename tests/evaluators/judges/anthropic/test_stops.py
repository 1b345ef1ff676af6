"""Why a model stopped is looked at before what it wrote."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from dream_evaluators.ledger import Ledger
from dream_evaluators.prompts.answers import FailedAnswer
from tests.evaluators.judges.anthropic.cases import (
    questions,
    recorded,
    responder,
)
from tests.evaluators.judges.anthropic.endpoint import (
    Act,
    Call,
    Endpoint,
    answer,
    endpoint,
    failure,
    in_turn,
    message,
    verdicts,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
async def api() -> AsyncIterator[Endpoint]:
    async with endpoint() as started:
        yield started


async def test_a_cut_answer_is_asked_for_once_with_double_room_and_never_read(
    ledger: Ledger, api: Endpoint
) -> None:
    api.script = in_turn(lambda call: message(verdicts(call), stop="max_tokens"), answer)
    items = await questions(ledger)
    async with responder(ledger, api, max_tokens=1000) as asks:
        await asks.respond(items)
    assert [call.body["max_tokens"] for call in api.calls] == [1000, 2000]
    (given,) = await recorded(ledger, api, items, max_tokens=1000)
    assert given.usage["calls"] == 2


async def test_an_answer_that_is_cut_twice_fails_naming_the_limit(
    ledger: Ledger, api: Endpoint
) -> None:
    api.script = lambda call: message(verdicts(call), stop="max_tokens")
    items = await questions(ledger)
    async with responder(ledger, api, max_tokens=1000) as asks:
        await asks.respond(items)
    (given,) = await recorded(ledger, api, items, max_tokens=1000)
    failed = FailedAnswer.model_validate_json(given.answer)
    assert failed.failed == "truncated"
    assert "max_tokens = 2000" in failed.reason


async def test_a_refusal_is_not_read_and_takes_no_neighbour_along(
    ledger: Ledger, api: Endpoint
) -> None:
    def refusing(call: Call) -> Act:
        bad = any("2 gates" in claim for claim in call.questions.values())
        return message("I can't help.", stop="refusal") if bad else answer(call)

    api.script = refusing
    items = await questions(ledger, each=4)
    async with responder(ledger, api) as asks:
        spent = await asks.respond(items)
    given = await recorded(ledger, api, items)
    failed = [a for a in given if '"failed"' in a.answer]
    assert [a.item for a in failed] == [items[2].id]
    assert FailedAnswer.model_validate_json(failed[0].answer).failed == "refused"
    assert sum(a.usage["calls"] for a in given) == pytest.approx(spent.calls) == 5


@pytest.mark.parametrize(
    "too_long",
    [
        message("", stop="model_context_window_exceeded"),
        failure(413, "request_too_large", "Request exceeds the maximum size"),
        failure(400, "invalid_request_error", "prompt is too long: 9000 tokens > 8192 maximum"),
    ],
)
async def test_a_request_that_does_not_fit_the_model_is_made_smaller(
    ledger: Ledger, api: Endpoint, too_long: Act
) -> None:
    api.script = lambda call: too_long if len(call.questions) > 1 else answer(call)
    items = await questions(ledger, each=3)
    async with responder(ledger, api) as asks:
        await asks.respond(items)
        api.script = lambda _: too_long
        more = await questions(ledger, sources=2)
        await asks.respond(more)
    given = await recorded(ledger, api, [*items, more[1]])
    assert ['"too_long"' in a.answer for a in given] == [False, False, False, True]


async def test_a_turn_that_only_pauses_is_handed_back_unchanged(
    ledger: Ledger, api: Endpoint
) -> None:
    api.script = in_turn(message("One moment. ", stop="pause_turn"), answer)
    items = await questions(ledger)
    async with responder(ledger, api) as asks:
        await asks.respond(items)
    turns = api.calls[1].body["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant"]
    assert turns[1]["content"][0]["text"] == "One moment. "
    assert '"unverifiable"' in (await recorded(ledger, api, items))[0].answer


async def test_a_model_that_never_stops_pausing_is_given_up(ledger: Ledger, api: Endpoint) -> None:
    api.script = lambda _: message("One moment. ", stop="pause_turn")
    items = await questions(ledger)
    async with responder(ledger, api) as asks:
        await asks.respond(items)
    assert len(api.calls) == 8
    assert '"unreadable"' in (await recorded(ledger, api, items))[0].answer


async def test_a_long_answer_is_streamed_and_read_whole(ledger: Ledger, api: Endpoint) -> None:
    items = await questions(ledger, each=2)
    async with responder(ledger, api, max_tokens=32_000) as asks:
        spent = await asks.respond(items)
    assert api.calls[0].body["stream"] is True
    assert spent.output_tokens == 10
    assert len(await recorded(ledger, api, items, max_tokens=32_000)) == 2
