"""What is sent, and what goes out together."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from dream_evaluators.judges.anthropic.requests import HANDLES
from dream_evaluators.ledger import Ledger
from dream_evaluators.prompts import load_prompt
from dream_evaluators.prompts.answers import ANSWER_TYPES, ClaimVerdict
from dream_evaluators.tokens import estimate_tokens
from tests.evaluators.judges.anthropic.cases import (
    question,
    questions,
    recorded,
    responder,
)
from tests.evaluators.judges.anthropic.endpoint import (
    MODEL,
    Act,
    Call,
    Endpoint,
    answer,
    endpoint,
    message,
    verdicts,
)
from tests.evaluators.judges.anthropic.prompt_cache import PromptCache

pytestmark = pytest.mark.anyio

BOUNDS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
BOUNDS |= {"minLength", "maxLength", "minItems", "maxItems", "pattern", "$ref"}


@pytest.fixture
async def api() -> AsyncIterator[Endpoint]:
    async with endpoint() as started:
        yield started


async def test_questions_on_one_source_go_in_one_request_that_holds_its_text_once(
    ledger: Ledger, api: Endpoint
) -> None:
    items = await questions(ledger, sources=3, each=4)
    async with responder(ledger, api) as asks:
        await asks.respond(items)
    assert len(api.calls) == 3
    assert [len(call.questions) for call in api.calls] == [4, 4, 4]
    assert all(call.text.count("<source-") == 1 for call in api.calls)
    assert len(await recorded(ledger, api, items)) == 12


async def test_more_questions_than_an_answer_has_room_for_go_in_several_requests(
    ledger: Ledger, api: Endpoint
) -> None:
    items = await questions(ledger, each=45)
    async with responder(ledger, api) as asks:
        await asks.respond(items)
    assert [len(call.questions) for call in api.calls] == [20, 20, 5]
    assert len(await recorded(ledger, api, items)) == 45


async def test_what_stands_before_the_questions_is_the_same_for_all_of_a_source(
    ledger: Ledger, api: Endpoint
) -> None:
    cache = PromptCache()
    api.script = lambda call: message(verdicts(call), usage=cache.usage(call))
    items = await questions(ledger, each=21)
    async with responder(ledger, api) as asks:
        spent = await asks.respond(items)
        again = await asks.respond([question(items[0].inputs["source"], problem="Quote it.")])
    first, second, third = api.calls
    assert first.body["system"] == second.body["system"] == third.body["system"]
    assert first.body["output_config"] == second.body["output_config"]
    assert second.body["output_config"] == third.body["output_config"]
    texts = {call.body["messages"][0]["content"][0]["text"] for call in api.calls}
    assert len(texts) == 1
    rules = estimate_tokens(first.body["system"][0]["text"])
    assert again.cached_tokens == rules
    assert spent.cached_tokens == rules + estimate_tokens(texts.pop())


async def test_a_request_holds_nothing_that_newer_models_refuse(
    ledger: Ledger, api: Endpoint
) -> None:
    async with responder(ledger, api) as asks:
        await asks.respond(await questions(ledger))
    body = api.calls[0].body
    assert set(body) == {"model", "max_tokens", "system", "messages", "output_config"}
    assert [turn["role"] for turn in body["messages"]] == ["user"]
    assert body["model"] == MODEL
    assert "cache_control" in body["system"][0]


async def test_short_sources_go_out_together_each_text_once(ledger: Ledger, api: Endpoint) -> None:
    asked = await questions(ledger, sources=6, each=3)
    async with responder(ledger, api, request_tokens=16_000) as asks:
        spent = await asks.respond(asked)
    assert spent.calls == 1
    (call,) = api.calls
    assert len(call.questions) == 18
    for number in range(6):
        assert call.text.count(f"Plant {number} opened in") == 1
    blocks = [block["text"] for block in call.body["messages"][0]["content"]]
    for source, below in zip(blocks[::2], blocks[1::2], strict=True):
        name = source.split("Plant ")[1][0]
        assert below.count(f"Claim: Plant {name} has") == 3
    assert len(await recorded(ledger, api, asked, request_tokens=16_000)) == 18


@pytest.mark.parametrize(
    ("sources", "each", "request_tokens", "calls"),
    [(6, 3, 1, 6), (7, 3, 16_000, 2), (4, 1, 250, 2), (2, 21, 16_000, 4), (3, 20, 16_000, 3)],
)
async def test_a_request_holds_twenty_questions_and_so_many_tokens_at_most(
    ledger: Ledger, api: Endpoint, sources: int, each: int, request_tokens: int, calls: int
) -> None:
    asked = await questions(ledger, sources, each)
    async with responder(ledger, api, request_tokens=request_tokens) as asks:
        spent = await asks.respond(asked)
    assert spent.calls == calls
    assert sum(len(call.questions) for call in api.calls) == len(asked)
    assert all(len(call.questions) <= 20 for call in api.calls)


async def test_of_sources_asked_together_only_what_failed_is_asked_again(
    ledger: Ledger, api: Endpoint
) -> None:
    asked = await questions(ledger, sources=3)

    def script(call: Call) -> Act:
        if len(call.questions) == 3:
            entries = json.loads(verdicts(call))["verdicts"][:2]
            return message(json.dumps({"verdicts": entries}))
        return answer(call)

    api.script = script
    async with responder(ledger, api, request_tokens=16_000) as asks:
        await asks.respond(asked)
    assert [len(call.questions) for call in api.calls] == [3, 1]
    assert "Plant 2 opened" in api.calls[1].text
    assert "Plant 0 opened" not in api.calls[1].text
    assert len(await recorded(ledger, api, asked, request_tokens=16_000)) == 3


async def test_a_source_that_makes_the_model_refuse_takes_no_other_along(
    ledger: Ledger, api: Endpoint
) -> None:
    asked = await questions(ledger, sources=3)

    def script(call: Call) -> Act:
        refuses = "Plant 1 opened" in call.text
        return message("", stop="refusal") if refuses else answer(call)

    api.script = script
    async with responder(ledger, api, request_tokens=16_000) as asks:
        await asks.respond(asked)
    answers = await recorded(ledger, api, asked, request_tokens=16_000)
    assert [a.failed for a in answers] == [False, True, False]


@pytest.mark.parametrize(("each", "cached"), [(20, False), (21, True)])
async def test_a_sources_text_goes_into_the_cache_only_if_another_request_will_read_it(
    ledger: Ledger, api: Endpoint, each: int, cached: bool
) -> None:
    async with responder(ledger, api) as asks:
        await asks.respond(await questions(ledger, each=each))
    for call in api.calls:
        blocks = call.body["messages"][0]["content"]
        assert ["cache_control" in block for block in blocks] == [cached, False]


@pytest.mark.parametrize("kind", ANSWER_TYPES)
async def test_the_schema_sent_has_no_bounds_and_thinks_before_it_judges(
    ledger: Ledger, api: Endpoint, kind: str
) -> None:
    async with responder(ledger, api) as asks:
        await asks.respond(await questions(ledger))
    schema = api.calls[0].body["output_config"]["format"]["schema"]

    def keys(node: Any) -> set[str]:
        if isinstance(node, list):
            return set().union(*map(keys, node))
        if not isinstance(node, dict):
            return set()
        return set(node).union(*map(keys, node.values()))

    assert not keys(schema) & BOUNDS
    assert not keys(load_prompt(kind).answer_schema) & BOUNDS
    entry = schema["properties"]["verdicts"]["items"]["properties"]
    assert list(entry) == ["question", "facts", "reasoning", "verdict"]
    assert entry["question"]["enum"] == list(HANDLES)


async def test_the_shape_shown_in_the_rules_is_one_that_the_answer_type_accepts(
    ledger: Ledger, api: Endpoint
) -> None:
    async with responder(ledger, api) as asks:
        await asks.respond(await questions(ledger))
    shown = json.loads(api.calls[0].body["system"][0]["text"].rpartition("\n")[2])
    entry = shown["verdicts"][0]
    assert entry.pop("question") == "q1"
    choices = entry["verdict"].split("|")
    relations = entry["facts"][0]["relation"].split("|")
    for chosen, relation in zip(choices, [*relations, relations[0]], strict=True):
        facts = [{**entry["facts"][0], "relation": relation}]
        ClaimVerdict.model_validate({**entry, "verdict": chosen, "facts": facts})
