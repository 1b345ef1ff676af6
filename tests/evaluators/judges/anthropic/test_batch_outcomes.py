"""What a message batch brings that is no plain answer, and what caps let into one."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest

from dream_evaluators.errors import AnswersDelayed, BudgetExhausted
from dream_evaluators.ledger import Ledger
from dream_evaluators.prompts.answers import FailedAnswer
from tests.evaluators.judges.anthropic.cases import (
    HANDS_IN,
    about,
    paid,
    questions,
    recorded,
    responder,
)
from tests.evaluators.judges.anthropic.endpoint import (
    DROP,
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

NEVER = 10**9  # looks


@pytest.fixture
async def api() -> AsyncIterator[Endpoint]:
    async with endpoint() as started:
        yield started


async def test_an_unusable_answer_in_a_batch_is_asked_again_with_its_problem(
    ledger: Ledger, api: Endpoint
) -> None:
    def forgetful(call: Call) -> Act:
        if not api.calls and about(call, 1):
            return message(json.dumps({"verdicts": json.loads(verdicts(call))["verdicts"][:1]}))
        return answer(call)

    api.script = forgetful
    items = await questions(ledger, sources=3, each=2)
    async with responder(ledger, api, batch_from=2) as asks:
        spent = await asks.respond(items)
    (call,) = api.calls
    assert list(call.questions) == ["q2"]
    assert "q2: there is no entry for it" in call.text
    assert spent.calls == 4
    given = await recorded(ledger, api, items)
    assert len(given) == 6
    assert sum(a.usage["calls"] for a in given) == pytest.approx(4)


async def test_an_answer_unusable_in_the_batch_and_after_it_fails(
    ledger: Ledger, api: Endpoint
) -> None:
    api.script = lambda call: message("I'd rather not.") if about(call, 1) else answer(call)
    items = await questions(ledger, sources=3)
    async with responder(ledger, api, batch_from=2) as asks:
        await asks.respond(items)
    assert len(api.calls) == 1
    given = await recorded(ledger, api, items)
    assert [a.failed for a in given] == [False, True, False]


async def test_a_cut_answer_in_a_batch_gets_double_room_by_itself(
    ledger: Ledger, api: Endpoint
) -> None:
    api.script = lambda call: (
        message(verdicts(call), stop="max_tokens")
        if call.body["max_tokens"] == 1000
        else answer(call)
    )
    items = await questions(ledger, sources=3)
    async with responder(ledger, api, batch_from=2, max_tokens=1000) as asks:
        await asks.respond(items)
    assert [call.body["max_tokens"] for call in api.calls] == [2000] * 3
    given = await recorded(ledger, api, items, max_tokens=1000)
    assert [a.usage["calls"] for a in given] == [2, 2, 2]


async def test_a_refusal_in_a_batch_takes_no_neighbour_along(ledger: Ledger, api: Endpoint) -> None:
    def refusing(call: Call) -> Act:
        bad = any("Plant 1 has 1 gates" in claim for claim in call.questions.values())
        return message("I can't help.", stop="refusal") if bad else answer(call)

    api.script = refusing
    items = await questions(ledger, sources=3, each=2)
    async with responder(ledger, api, batch_from=2) as asks:
        await asks.respond(items)
    assert len(api.calls) == 2
    failed = [a for a in await recorded(ledger, api, items) if a.failed]
    assert [a.item for a in failed] == [items[3].id]
    assert FailedAnswer.model_validate_json(failed[0].answer).failed == "refused"


async def test_a_lone_question_refused_in_a_batch_needs_no_call(
    ledger: Ledger, api: Endpoint
) -> None:
    api.script = lambda _: message("", stop="refusal")
    items = await questions(ledger, sources=2)
    async with responder(ledger, api, batch_from=2) as asks:
        await asks.respond(items)
    assert api.calls == []
    assert [a.failed for a in await recorded(ledger, api, items)] == [True, True]


async def test_a_turn_that_paused_in_a_batch_is_handed_back(ledger: Ledger, api: Endpoint) -> None:
    api.script = lambda call: (
        answer(call) if len(call.body["messages"]) > 1 else message("Wait. ", stop="pause_turn")
    )
    items = await questions(ledger, sources=2)
    async with responder(ledger, api, batch_from=2) as asks:
        await asks.respond(items)
    assert [len(call.body["messages"]) for call in api.calls] == [2, 2]
    assert not any(a.failed for a in await recorded(ledger, api, items))


async def test_no_more_is_handed_in_than_the_cap_on_calls_allows(
    ledger: Ledger, api: Endpoint
) -> None:
    items = await questions(ledger, sources=9)
    async with responder(ledger, api, batch_from=2, max_calls=4) as asks:
        with pytest.raises(BudgetExhausted, match=r"cap of 4 calls \(max_calls\)"):
            await asks.respond(items)
    assert len(api.batches.calls) == 4
    assert api.calls == []
    assert len(await recorded(ledger, api, items)) == 4


async def test_what_is_handed_in_counts_before_it_is_answered(
    ledger: Ledger, api: Endpoint
) -> None:
    api.batches.looks = NEVER
    items = await questions(ledger, sources=9)
    async with responder(ledger, api, max_calls=4, **HANDS_IN) as asks:
        for part in (items[:3], items[3:6], items[6:]):
            with pytest.raises((AnswersDelayed, BudgetExhausted)):
                await asks.respond(part)
    assert sum(paid(api).values()) == 4


@pytest.mark.parametrize("cap", [{"max_calls": 5}, {"max_usd": 0.05, "max_tokens": 1_700}])
async def test_while_a_batch_is_out_a_capped_sitting_begins_nothing_new(
    ledger: Ledger, api: Endpoint, cap: dict[str, Any]
) -> None:
    api.batches.looks = NEVER
    items = await questions(ledger, sources=9)
    for asked in (items[:4], items, items):
        async with responder(ledger, api, **cap, **HANDS_IN) as asks:
            with pytest.raises(AnswersDelayed):
                await asks.respond(asked)
    assert [len(lines) for lines in api.batches.results.values()] == [4]
    assert api.calls == []


async def test_what_an_earlier_sitting_handed_in_counts_when_another_repeat_is_asked(
    ledger: Ledger, api: Endpoint
) -> None:
    api.batches.looks = NEVER
    items = await questions(ledger, sources=4)
    async with responder(ledger, api, **HANDS_IN) as asks:
        with pytest.raises(AnswersDelayed):
            await asks.respond(items)
    async with responder(ledger, api, max_calls=6, **HANDS_IN) as asks:
        for sample in (0, 1):
            with pytest.raises(AnswersDelayed):
                await asks.respond(items, sample=sample)
    assert [len(lines) for lines in api.batches.results.values()] == [4, 2]
    assert api.calls == []


async def test_what_is_fetched_counts_once(ledger: Ledger, api: Endpoint) -> None:
    items = await questions(ledger, sources=6)
    async with responder(ledger, api, batch_from=2, max_calls=6) as asks:
        await asks.respond(items[:4])
        await asks.respond(items[4:])
        assert asks.spent.calls == 6
    assert [len(lines) for lines in api.batches.results.values()] == [4, 2]


async def test_no_more_is_handed_in_than_the_cap_in_dollars_surely_allows(
    ledger: Ledger, api: Endpoint
) -> None:
    # All 1,000 tokens of room cost half a cent by way of a batch; a prompt of ours a fifth of one.
    usage = {"input_tokens": 1_200, "output_tokens": 1_000}
    api.script = lambda call: message(verdicts(call), usage=usage)
    items = await questions(ledger, sources=12)
    async with responder(ledger, api, max_usd=0.05, max_tokens=1_000, **HANDS_IN) as asks:
        with pytest.raises(AnswersDelayed):
            await asks.respond(items)
        handed_in = len(api.batches.calls)
        assert 5 <= handed_in < 10
        with pytest.raises(BudgetExhausted, match=r"cap of \$0.05"):
            while True:
                await asks.respond(items)
        assert asks.spent.usd is not None
        assert asks.spent.usd <= 0.05 + 0.0124 * 8  # the usual calls under way, as ever
    assert len(api.batches.calls) == handed_in


async def test_a_cap_too_small_for_a_batch_leaves_the_usual_calls(
    ledger: Ledger, api: Endpoint
) -> None:
    items = await questions(ledger, sources=4)
    async with responder(ledger, api, batch_from=2, max_usd=0.05) as asks:
        await asks.respond(items)
    assert api.batches.calls == []
    assert len(api.calls) == 4


async def test_a_cap_in_dollars_on_a_batch_needs_a_price(ledger: Ledger, api: Endpoint) -> None:
    with pytest.raises(BudgetExhausted, match="max_calls"):
        async with responder(ledger, api, batch_from=2, max_usd=1.0, model="local-7b"):
            pass


async def test_in_a_storm_nothing_handed_in_is_lost_or_paid_twice(
    ledger: Ledger, api: Endpoint
) -> None:
    chance = random.Random(5)  # noqa: S311 - the same storm every time
    busy = failure(529, "overloaded_error")
    answered: Counter[str] = Counter()

    def stormy(call: Call) -> Act:
        if chance.random() < 0.3:
            return chance.choice([busy, DROP, failure(500, "api_error")])
        answered.update(call.questions.values())
        return answer(call)

    api.script = stormy
    api.batches.troubles = [busy, DROP, busy]
    api.batches.looks = 2
    items = await questions(ledger, sources=40, each=2)
    async with responder(ledger, api, batch_from=10) as asks:
        spent = await asks.respond(items)
    given = await recorded(ledger, api, items)
    assert len(given) == 80
    assert set(answered.values()) == {1}
    assert spent.calls == 40 < len(api.batches.calls) + len(api.calls)
    assert sum(a.usage["calls"] for a in given) == pytest.approx(40)
