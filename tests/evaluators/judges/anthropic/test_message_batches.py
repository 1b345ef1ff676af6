"""Message batches: handed in once, fetched by whoever comes, the rest asked the usual way."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from dream_evaluators.clock import FixedClock
from dream_evaluators.errors import AnswersDelayed, JudgeUnavailable
from dream_evaluators.judges.anthropic import AnthropicResponder, judge_name
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import WorkItem
from tests.evaluators.judges.anthropic.cases import (
    HANDS_IN,
    Passing,
    about,
    paid,
    question,
    questions,
    recorded,
    responder,
    settings,
)
from tests.evaluators.judges.anthropic.endpoint import (
    DROP,
    KEY,
    MODEL,
    Act,
    Call,
    Endpoint,
    answer,
    endpoint,
    failure,
    message,
    verdicts,
)

pytestmark = pytest.mark.anyio

CANCELED = Act(status=-1)
NEVER = 10**9  # looks


@pytest.fixture
async def api() -> AsyncIterator[Endpoint]:
    async with endpoint() as started:
        yield started


async def test_a_large_round_is_handed_in_once_and_costs_half(
    ledger: Ledger, api: Endpoint
) -> None:
    usage = {"input_tokens": 4_000, "output_tokens": 200}  # $0.01 at the usual price
    api.script = lambda call: message(verdicts(call), usage=usage)
    api.batches.looks = 2
    items = await questions(ledger, sources=12, each=2)
    time = Passing()
    async with responder(ledger, api, time, batch_from=10) as asks:
        spent = await asks.respond(items)
        again = await asks.respond(items)
    assert api.calls == []
    assert len(api.batches.calls) == spent.calls == 12
    assert spent.usd == pytest.approx(12 * 0.01 / 2)
    assert again.calls == 0
    assert time.naps == [2, 4, 8]
    given = await recorded(ledger, api, items)
    assert len(given) == 24
    assert {a.model for a in given} == {MODEL}
    assert sum(a.usage["usd"] for a in given) == pytest.approx(spent.usd)
    assert await ledger.open_batches.of(given[0].judge) == ()


async def test_results_out_of_order_reach_the_questions_they_answer(
    ledger: Ledger, api: Endpoint
) -> None:
    def telling(call: Call) -> Act:
        (claim,) = call.questions.values()
        return message(verdicts(call, reasoning=f"On: {claim}"))

    api.script = telling
    items = await questions(ledger, sources=5)
    async with responder(ledger, api, batch_from=2) as asks:
        await asks.respond(items)
    given = await recorded(ledger, api, items)
    assert [json.loads(a.answer)["reasoning"] for a in given] == [
        f"On: {item.inputs['claim']}" for item in items
    ]


@pytest.mark.parametrize(("batch_from", "batches"), [(0, 0), (5, 0), (4, 1), (1, 1)])
async def test_only_a_round_of_enough_requests_is_handed_in(
    ledger: Ledger, api: Endpoint, batch_from: int, batches: int
) -> None:
    items = await questions(ledger, sources=4)
    async with responder(ledger, api, batch_from=batch_from) as asks:
        await asks.respond(items)
    assert len(api.batches.results) == batches
    assert len(api.calls) == (0 if batches else 4)
    assert len(await recorded(ledger, api, items)) == 4


@pytest.mark.parametrize(
    "undone", [DROP, CANCELED, failure(500, "api_error"), failure(529, "overloaded_error")]
)
async def test_what_a_batch_did_not_come_to_is_asked_the_usual_way(
    ledger: Ledger, api: Endpoint, undone: Act
) -> None:
    async with responder(ledger, api, batch_from=2) as asks:
        items = await questions(ledger, sources=5, each=2)

        def script(call: Call) -> Act:
            missed = about(call, 3) and len(api.calls) == 0
            return undone if missed else answer(call)

        api.script = script
        spent = await asks.respond(items)
    assert len(api.batches.calls) == 5
    assert len(api.calls) == 1
    assert about(api.calls[0], 3)
    assert spent.calls == 5  # the one that was not answered costs nothing
    assert len(await recorded(ledger, api, items)) == 10


async def test_a_batch_that_is_not_done_is_fetched_by_another_process_and_not_paid_again(
    tmp_path: Path, api: Endpoint, clock: FixedClock
) -> None:
    api.batches.looks = 1
    first = Ledger.open(str(tmp_path / "store.sqlite3"), clock=clock)
    items = await questions(first, sources=6, each=2)
    async with responder(first, api, **HANDS_IN) as asks:
        with pytest.raises(AnswersDelayed, match=r"12 questions wait in the message batch msgb"):
            await asks.respond(items)
        assert asks.spent.calls == 0
    first.close()
    second = Ledger.open(str(tmp_path / "store.sqlite3"), clock=clock)
    async with responder(second, api, **HANDS_IN) as asks:
        with pytest.raises(AnswersDelayed):
            await asks.respond(items)
    # The third may do without batches: what was handed in is fetched nevertheless.
    async with responder(second, api) as asks:
        spent = await asks.respond(items)
    assert spent.calls == 6
    assert len(api.batches.results) == 1
    assert set(paid(api).values()) == {1}
    assert len(await recorded(second, api, items)) == 12
    second.close()


async def test_killed_while_it_waits_nothing_is_paid_twice(ledger: Ledger, api: Endpoint) -> None:
    api.batches.looks = NEVER
    items = await questions(ledger, sources=4)

    with anyio.CancelScope() as scope:

        async def dying(_: float) -> None:
            scope.cancel()
            await anyio.lowlevel.checkpoint()

        asks = AnthropicResponder(ledger, settings(api, batch_from=2), Passing(), sleep=dying)
        async with asks:
            await asks.respond(items)
    assert scope.cancelled_caught
    api.batches.looks = 0
    async with responder(ledger, api, batch_from=2) as again:
        spent = await again.respond(items)
    assert spent.calls == len(await recorded(ledger, api, items)) == 4
    assert set(paid(api).values()) == {1}


async def test_a_batch_recorded_but_not_forgotten_is_done_once_more_to_the_same_answers(
    ledger: Ledger, api: Endpoint
) -> None:
    items = await questions(ledger, sources=3)
    async with responder(ledger, api, **HANDS_IN) as asks:
        with pytest.raises(AnswersDelayed):
            await asks.respond(items)
    (row,) = await ledger.open_batches.of(judge_name(settings(api)))
    async with responder(ledger, api, **HANDS_IN) as asks:
        await asks.respond(items)
    before = await recorded(ledger, api, items)
    await ledger.open_batches.add(row)  # as if the process had died before it forgot
    async with responder(ledger, api, **HANDS_IN) as asks:
        await asks.respond(items)
    assert await recorded(ledger, api, items) == before
    assert await ledger.open_batches.of(judge_name(settings(api))) == ()
    assert set(paid(api).values()) == {1}


async def test_what_is_new_goes_out_while_a_batch_is_under_way(
    ledger: Ledger, api: Endpoint
) -> None:
    api.batches.looks = NEVER
    items = await questions(ledger, sources=4)
    async with responder(ledger, api, **HANDS_IN) as asks:
        with pytest.raises(AnswersDelayed):
            await asks.respond(items[:3])
        with pytest.raises(AnswersDelayed, match="3 questions wait"):
            await asks.respond(items)
    assert len(api.calls) == 1
    assert about(api.calls[0], 3)
    assert len(await recorded(ledger, api, items)) == 1


async def test_every_repeat_is_handed_in_and_fetched_as_itself(
    ledger: Ledger, api: Endpoint
) -> None:
    items = await questions(ledger, sources=2)
    async with responder(ledger, api, **HANDS_IN) as asks:
        for sample in (0, 1):
            with pytest.raises(AnswersDelayed):
                await asks.respond(items, sample=sample)
        for sample in (0, 1):
            await asks.respond(items, sample=sample)
    assert len(api.batches.results) == 2
    assert sorted(a.sample for a in await recorded(ledger, api, items)) == [0, 0, 1, 1]
    assert set(paid(api).values()) == {2}


async def test_an_endpoint_without_batches_is_asked_the_usual_way_with_a_warning(
    ledger: Ledger, api: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    api.batches.closed = True
    items = await questions(ledger, sources=4)
    with caplog.at_level(logging.WARNING):
        async with responder(ledger, api, batch_from=2) as asks:
            await asks.respond(items[:2])
            await asks.respond(items[2:])
    assert caplog.text.count("takes no message batches") == 1
    assert len(api.calls) == 4
    assert len(await recorded(ledger, api, items)) == 4


async def test_a_passing_trouble_with_a_batch_is_waited_out(ledger: Ledger, api: Endpoint) -> None:
    busy = failure(529, "overloaded_error")
    api.batches.troubles = [busy, busy]
    items = await questions(ledger, sources=3)
    async with responder(ledger, api, **HANDS_IN) as asks:
        with pytest.raises(AnswersDelayed):
            await asks.respond(items)
        api.batches.troubles = [busy, DROP]
        await asks.respond(items)
    assert len(api.batches.results) == 1
    assert len(await recorded(ledger, api, items)) == 3


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (failure(401, "authentication_error", f"invalid {KEY}"), "ANTHROPIC_API_KEY"),
        (failure(400, "invalid_request_error", "no such field"), "no such field"),
        (Act(200, {"id": "../models"}), "as the Messages API does"),
        (Act(200, "well"), "as the Messages API does"),
    ],
)
async def test_a_lasting_trouble_with_a_batch_ends_the_round(
    ledger: Ledger, api: Endpoint, trouble: Act, words: str
) -> None:
    api.batches.troubles = [trouble]
    items = await questions(ledger, sources=3)
    async with responder(ledger, api, batch_from=2) as asks:
        with pytest.raises(JudgeUnavailable, match=words) as raised:
            await asks.respond(items)
        assert KEY not in str(raised.value)
        await asks.respond(items)
    assert len(await recorded(ledger, api, items)) == 3


@pytest.mark.parametrize("lines", ["{", "[]", '{"custom_id": "r1"}', "7"])
async def test_results_that_cannot_be_read_stay_to_be_fetched(
    ledger: Ledger, api: Endpoint, lines: str
) -> None:
    items = await questions(ledger, sources=2)
    async with responder(ledger, api, **HANDS_IN) as asks:
        with pytest.raises(AnswersDelayed):
            await asks.respond(items)
        ended = Act(body={"id": "msgbatch_1", "processing_status": "ended"})
        api.batches.troubles = [ended, Act(body=lines)]
        with pytest.raises(JudgeUnavailable, match="as the Messages API does"):
            await asks.respond(items)
        await asks.respond(items)
    assert set(paid(api).values()) == {1}
    assert len(await recorded(ledger, api, items)) == 2


async def test_a_batch_that_the_endpoint_does_not_know_holds_a_day_and_is_then_asked_again(
    tmp_path: Path, api: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    time = Passing()
    ledger = Ledger.open(str(tmp_path / "store.sqlite3"), clock=time)
    items = await questions(ledger, sources=3)
    async with responder(ledger, api, time, **HANDS_IN) as asks:
        with pytest.raises(AnswersDelayed):
            await asks.respond(items[:2])
        api.batches.results.clear()
        with pytest.raises(JudgeUnavailable, match=r"msgbatch_1.*the key and the workspace"):
            await asks.respond(items)
        await asks.respond(items[2:])  # not its questions: nobody waits for it
        time.seconds += 24 * 3600
        await asks.respond(items[:1])
    assert "msgbatch_1 is gone" in caplog.text
    assert len(await recorded(ledger, api, items)) == 2
    ledger.close()


async def test_a_batch_that_never_ends_is_given_up_after_two_days(
    tmp_path: Path, api: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    api.batches.looks = NEVER
    time = Passing()
    ledger = Ledger.open(str(tmp_path / "store.sqlite3"), clock=time)
    items = await questions(ledger, sources=2)
    async with responder(ledger, api, time, **HANDS_IN) as asks:
        for hours in (24, 23):
            with pytest.raises(AnswersDelayed):
                await asks.respond(items)
            time.seconds += hours * 3600
        with pytest.raises(AnswersDelayed):
            await asks.respond(items)
        time.seconds += 3600
        await asks.respond(items)
    assert "msgbatch_1 is gone" in caplog.text
    assert len(api.calls) == len(await recorded(ledger, api, items)) == 2
    ledger.close()


async def test_waiting_counts_the_time_that_looking_takes(ledger: Ledger, api: Endpoint) -> None:
    api.batches.looks = NEVER
    time = Passing()

    async def slowly(seconds: float) -> None:
        time.naps.append(seconds)
        time.seconds += seconds + 10  # as if each look took that long

    items = await questions(ledger, sources=2)
    asks = AnthropicResponder(
        ledger, settings(api, batch_from=2, batch_seconds=30), time, sleep=slowly
    )
    async with asks:
        with pytest.raises(AnswersDelayed):
            await asks.respond(items)
        assert time.naps == [2, 4, 4]  # 12 and 14 seconds, then the four that are left
        with pytest.raises(AnswersDelayed):
            await asks.respond(items)
    assert len(time.naps) == 3


async def test_a_batch_without_questions_of_a_round_is_left_to_those_who_ask_them(
    ledger: Ledger, api: Endpoint
) -> None:
    items = await questions(ledger, sources=6)
    async with responder(ledger, api, **HANDS_IN) as asks:
        with pytest.raises(AnswersDelayed):
            await asks.respond(items[:3])
    async with responder(ledger, api) as other:
        spent = await other.respond(items[3:])
        assert spent.calls == 3
        assert await recorded(ledger, api, items[:3]) == []
    async with responder(ledger, api) as again:
        assert (await again.respond(items[:3])).calls == 3
    assert set(paid(api).values()) == {1}


async def test_questions_that_nobody_puts_any_more_are_not_asked_again(
    ledger: Ledger, api: Endpoint
) -> None:
    (source,) = {item.inputs["source"] for item in await questions(ledger)}
    old = question(source)
    stale = WorkItem(old.kind, "claim_verdict@000000000000", old.inputs, old.answer_schema)
    fresh = await questions(ledger, sources=2)
    async with responder(ledger, api, **HANDS_IN) as asks:
        with pytest.raises(AnswersDelayed):
            await asks.respond([stale, *fresh])
        api.script = answer
        await asks.respond(fresh)
    assert await recorded(ledger, api, [stale]) == []
    assert len(await recorded(ledger, api, fresh)) == 2
    assert api.calls == []
