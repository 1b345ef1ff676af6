"""Endpoints that fail: what is tried again, for how long, and what is never paid twice."""

from __future__ import annotations

import asyncio
import logging
import random
import traceback
from collections import Counter
from collections.abc import AsyncIterator

import anyio
import pytest

from dream_evaluators.errors import BadInput, BudgetExhausted, JudgeUnavailable
from dream_evaluators.judges.anthropic.retry import MAX_ATTEMPTS
from dream_evaluators.ledger import Ledger
from tests.evaluators.judges.anthropic.cases import (
    Passing,
    question,
    questions,
    recorded,
    responder,
)
from tests.evaluators.judges.anthropic.endpoint import (
    DROP,
    KEY,
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

BUSY = failure(529, "overloaded_error", "Overloaded")
LIMITED = failure(429, "rate_limit_error", "Slow down")
PASSING_TROUBLES = {
    "429": LIMITED,
    "500": failure(500, "api_error"),
    "503 without a word": Act(503, "busy"),
    "529": BUSY,
    "408": failure(408, "timeout_error"),
    "409": failure(409, "conflict_error"),
    "a dropped connection": DROP,
}
LASTING_TROUBLES = {
    "bad key": (failure(401, "authentication_error", f"invalid key {KEY}"), "ANTHROPIC_API_KEY"),
    "no credit": (failure(402, "billing_error", "no credit"), "no credit"),
    "credit in another dress": (
        failure(400, "invalid_request_error", "Your credit balance is too low"),
        "credit balance is too low",
    ),
    "spending limit": (
        failure(429, "rate_limit_error", "limit", "enforced_spend_limit_reached"),
        "spending limit",
    ),
    "no permission": (failure(403, "permission_error"), "may not"),
    "no such model": (failure(404, "not_found_error", "model: x"), "no model 'claude-sonnet-5-5'"),
    "a redirect": (Act(307, "", {"location": "https://elsewhere.test/"}), "refuses the request"),
    "an unknown refusal": (failure(418, "teapot_error", "short and stout"), "short and stout"),
}


@pytest.fixture
async def api() -> AsyncIterator[Endpoint]:
    async with endpoint() as started:
        yield started


@pytest.mark.parametrize("act", PASSING_TROUBLES.values(), ids=PASSING_TROUBLES.keys())
async def test_a_passing_trouble_is_waited_out(ledger: Ledger, api: Endpoint, act: Act) -> None:
    api.script = in_turn(act, act, answer)
    time = Passing()
    items = await questions(ledger)
    async with responder(ledger, api, time) as asks:
        spent = await asks.respond(items)
    assert len(api.calls) == 3
    assert spent.calls == 1
    assert len(await recorded(ledger, api, items)) == 1
    assert 0.25 <= time.naps[0] <= 0.5
    assert time.naps[-1] <= 1.0


@pytest.mark.parametrize("broken", ["overloaded_error", "rate_limit_error", "api_error", "cut"])
async def test_a_stream_that_breaks_off_is_asked_for_again(
    ledger: Ledger, api: Endpoint, broken: str
) -> None:
    def breaking(call: Call) -> Act:
        whole = answer(call)
        return Act(200, whole.body, breaks_with=broken)

    api.script = in_turn(breaking, answer)
    items = await questions(ledger)
    async with responder(ledger, api, max_tokens=30_000) as asks:
        await asks.respond(items)
    assert len(api.calls) == 2
    assert len(await recorded(ledger, api, items, max_tokens=30_000)) == 1


@pytest.mark.parametrize(("act", "words"), LASTING_TROUBLES.values(), ids=LASTING_TROUBLES.keys())
async def test_a_lasting_trouble_ends_the_round_at_once_and_keeps_the_key(
    ledger: Ledger, api: Endpoint, act: Act, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    api.script = in_turn(answer, act)
    items = await questions(ledger, sources=6)
    with caplog.at_level(logging.DEBUG), pytest.raises(JudgeUnavailable, match=words) as raised:
        async with responder(ledger, api, concurrency=1) as asks:
            await asks.respond(items)
    assert len(api.calls) == 2
    assert len(await recorded(ledger, api, items, concurrency=1)) == 1
    told = "".join(traceback.format_exception(raised.value)) + caplog.text
    assert KEY not in told
    assert "is kept" in str(raised.value)


async def test_what_was_answered_before_a_lasting_trouble_is_not_asked_again(
    ledger: Ledger, api: Endpoint
) -> None:
    api.script = in_turn(answer, failure(401, "authentication_error"))
    items = await questions(ledger, sources=3)
    async with responder(ledger, api, concurrency=1) as asks:
        with pytest.raises(JudgeUnavailable):
            await asks.respond(items)
        api.script = answer
        spent = await asks.respond(items)
    assert spent.calls == 2
    assert asks.spent.calls == 3
    assert len(await recorded(ledger, api, items)) == 3


@pytest.mark.parametrize("header", ["3600", "Mon, 30 Nov 2026 01:00:00 GMT"])
async def test_a_wait_beyond_the_deadline_is_reported_instead_of_slept(
    ledger: Ledger, api: Endpoint, header: str
) -> None:
    api.script = in_turn(answer, failure(429, "rate_limit_error", "Slow", retry_after=header))
    time = Passing()
    async with responder(ledger, api, time) as asks:
        with pytest.raises(JudgeUnavailable, match=r"Rate limited .*try again in 3600 s"):
            await asks.respond(await questions(ledger, sources=20))
    assert sum(time.naps) < 300


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7),
        ({"retry_after_ms": "1500", "retry_after": "9"}, 1.5),
        ({"retry_after": "Mon, 30 Nov 2026 00:00:05 GMT"}, 5),
    ],
)
async def test_a_wait_that_fits_is_kept_by_everybody(
    ledger: Ledger, api: Endpoint, headers: dict[str, str], seconds: float
) -> None:
    api.script = in_turn(failure(429, "rate_limit_error", "", **headers), answer)
    time = Passing()
    async with responder(ledger, api, time) as asks:
        await asks.respond(await questions(ledger, sources=3))
    assert seconds <= sum(time.naps) <= seconds + 1
    assert len(api.calls) == 4


@pytest.mark.parametrize("header", ["soon", "", "-3", "1e9"])
async def test_a_wait_nobody_can_read_is_our_own(
    ledger: Ledger, api: Endpoint, header: str
) -> None:
    api.script = in_turn(failure(429, "rate_limit_error", retry_after=header), answer)
    time = Passing()
    async with responder(ledger, api, time) as asks:
        await asks.respond(await questions(ledger))
    assert 0 < sum(time.naps) <= 1


async def test_the_deadline_holds_over_all_attempts(ledger: Ledger, api: Endpoint) -> None:
    api.script = lambda _: BUSY
    time = Passing()
    async with responder(ledger, api, time, deadline_seconds=6.0) as asks:
        with pytest.raises(JudgeUnavailable, match=r"overloaded \(HTTP 529: Overloaded\)"):
            await asks.respond(await questions(ledger))
    assert time.seconds <= 6.0
    assert 3 <= len(api.calls) < MAX_ATTEMPTS


async def test_attempts_are_numbered_where_no_time_passes(ledger: Ledger, api: Endpoint) -> None:
    api.script = lambda _: failure(500, "api_error")
    async with responder(ledger, api, Passing(), deadline_seconds=1e9) as asks:
        with pytest.raises(JudgeUnavailable, match=r"\(10 attempts\)"):
            await asks.respond(await questions(ledger))
    assert len(api.calls) == MAX_ATTEMPTS


async def test_an_endpoint_that_never_answers_is_left_at_the_deadline(
    ledger: Ledger, api: Endpoint
) -> None:
    api.held = asyncio.Event()
    async with responder(ledger, api, deadline_seconds=0.05) as asks:
        with pytest.raises(JudgeUnavailable, match="did not answer within"):
            await asks.respond(await questions(ledger))


async def test_nobody_listening_is_told_as_such(ledger: Ledger, api: Endpoint) -> None:
    async with responder(ledger, api, base_url="http://127.0.0.1:9", deadline_seconds=2.0) as asks:
        with pytest.raises(JudgeUnavailable, match="No connection to the endpoint"):
            await asks.respond(await questions(ledger))


@pytest.mark.parametrize("kind", ["429", "529", "a dropped connection", "all"])
async def test_in_a_storm_nothing_is_lost_and_nothing_is_paid_twice(
    ledger: Ledger, api: Endpoint, kind: str
) -> None:
    chance = random.Random(5)  # noqa: S311 - the same storm every time
    acts = list(PASSING_TROUBLES.values()) if kind == "all" else [PASSING_TROUBLES[kind]]
    paid: Counter[str] = Counter()

    def stormy(call: Call) -> Act:
        if chance.random() < 0.3:
            return chance.choice(acts)
        paid.update(call.questions.values())
        return answer(call)

    api.script = stormy
    items = await questions(ledger, sources=40, each=2)
    async with responder(ledger, api) as asks:
        spent = await asks.respond(items)
    given = await recorded(ledger, api, items)
    assert len(given) == 80
    assert set(paid.values()) == {1}
    assert len(api.calls) > spent.calls == 40
    assert sum(a.usage["calls"] for a in given) == pytest.approx(40)


async def test_a_cancelled_round_stops_asking_and_resumes_with_what_is_open(
    ledger: Ledger, api: Endpoint
) -> None:
    items = await questions(ledger, sources=9)
    async with responder(ledger, api, concurrency=1) as asks:
        with anyio.CancelScope() as scope:

            def cancelling(call: Call) -> Act:
                if len(api.calls) == 4:
                    scope.cancel()
                return answer(call)

            api.script = cancelling
            await asks.respond(items)
        assert scope.cancelled_caught
        assert len(api.calls) == 4
        api.script = answer
        await asks.respond(items)
    assert len(api.calls) in {9, 10}  # the call under way may have been lost
    assert len(await recorded(ledger, api, items)) == 9


async def test_a_cap_on_calls_is_kept_exactly(ledger: Ledger, api: Endpoint) -> None:
    items = await questions(ledger, sources=9)
    async with responder(ledger, api, max_calls=4) as asks:
        with pytest.raises(BudgetExhausted, match=r"cap of 4 calls \(max_calls\)"):
            await asks.respond(items)
        with pytest.raises(BudgetExhausted):
            await asks.respond(items)
    assert len(api.calls) == 4
    assert len(await recorded(ledger, api, items)) == 4


async def test_a_cap_in_dollars_overshoots_by_the_calls_under_way_at_most(
    ledger: Ledger, api: Endpoint
) -> None:
    # One call costs $0.01: 4,000 tokens in and 200 out at $2 and $10 a million.
    usage = {"input_tokens": 4_000, "output_tokens": 200}
    api.script = lambda call: message(verdicts(call), usage=usage)
    items = await questions(ledger, sources=30)
    async with responder(ledger, api, max_usd=0.05, concurrency=3) as asks:
        with pytest.raises(BudgetExhausted, match=r"cap of \$0.05 \(max_usd\) is reached"):
            await asks.respond(items)
        assert asks.spent.usd == pytest.approx(0.01 * len(api.calls))
    assert 5 <= len(api.calls) <= 5 + 3 - 1
    assert len(await recorded(ledger, api, items)) == len(api.calls)


async def test_a_cap_in_dollars_needs_a_price(ledger: Ledger, api: Endpoint) -> None:
    with pytest.raises(BudgetExhausted, match="max_calls"):
        async with responder(ledger, api, max_usd=1.0, model="local-7b"):
            pass
    api.script = lambda call: message(verdicts(call), model="local-7b")
    async with responder(ledger, api, max_usd=1.0) as asks:
        with pytest.raises(BudgetExhausted, match="not known"):
            await asks.respond(await questions(ledger, sources=3))
    assert len(api.calls) == 1


async def test_an_error_of_our_own_comes_through_alone(ledger: Ledger, api: Endpoint) -> None:
    items = [*await questions(ledger), question("b2:" + "0" * 32)]
    async with responder(ledger, api) as asks:
        with pytest.raises(BadInput, match="No source"):
            await asks.respond(items)
