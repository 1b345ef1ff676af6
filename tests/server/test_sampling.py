"""The host rung: a client that lends its model, in both protocol eras, with and without tools."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.types import (
    CreateMessageResult,
    CreateMessageResultWithTools,
    SamplingCapability,
    SamplingToolsCapability,
    TextContent,
    ToolUseContent,
)

from dream_mcp.app import build
from dream_mcp.settings import Settings

pytestmark = pytest.mark.anyio
PAGE = "In March rain fell on twelve days. Storms were not counted."
CHECK = {"claim": "Rain fell on 12 days.", "source_text": PAGE, "judge": "host"}


def verdicts(prompt: str, quote: str) -> dict[str, Any]:
    handles = [line.split()[1] for line in prompt.splitlines() if line.startswith("Question q")]
    fact = {"fact": "rain on 12 days", "quote": quote, "relation": "supported"}
    entry = {"facts": [fact], "reasoning": "So it says.", "verdict": "full_support"}
    return {"verdicts": [{"question": handle, **entry} for handle in handles]}


class Model:
    """What the client lends: answers each prompt by the function given, and counts them."""

    def __init__(self, say: Callable[[str], str]) -> None:
        self.say = say
        self.prompts: list[str] = []

    async def __call__(self, context: Any, params: Any) -> Any:
        prompt = params.messages[0].content.text
        self.prompts.append(prompt)
        if params.tools:
            content = ToolUseContent(
                type="tool_use",
                id="t1",
                name=params.tools[0].name,
                input=json.loads(self.say(prompt)),
            )
            return CreateMessageResultWithTools(
                role="assistant", content=[content], model="lent", stop_reason="toolUse"
            )
        return CreateMessageResult(
            role="assistant", content=TextContent(type="text", text=self.say(prompt)), model="lent"
        )


def server(environment: dict[str, str]) -> Any:
    return build(Settings.from_env(environment), environment)


async def check(client: Client, **arguments: Any) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sampling is deprecated in the newest protocol
        answer = await client.call_tool("check_citation", {**CHECK, **arguments})
    assert not answer.is_error, answer.content
    card: dict[str, Any] | None = answer.structured_content
    assert card is not None
    return card


async def test_the_clients_model_judges(environment: dict[str, str], mode: str) -> None:
    model = Model(lambda prompt: json.dumps(verdicts(prompt, "rain fell on twelve days")))
    async with Client(server(environment), mode=mode, sampling_callback=model) as client:
        card = await check(client)
        assert card["status"] == "complete"
        assert card["verdict"]["label"] == "full_support"
        assert card["verdict"]["judge"].startswith("host:")
        assert (await check(client)) == card
    assert len(model.prompts) == 1


async def test_tools_give_the_answer_its_shape(environment: dict[str, str], mode: str) -> None:
    model = Model(lambda prompt: json.dumps(verdicts(prompt, "rain fell on twelve days")))
    capability = SamplingCapability(tools=SamplingToolsCapability())
    async with Client(
        server(environment),
        mode=mode,
        sampling_callback=model,
        sampling_capabilities=capability,
    ) as client:
        assert (await check(client))["verdict"]["label"] == "full_support"


async def test_prose_and_fences_around_the_answer_are_read_past(
    environment: dict[str, str], mode: str
) -> None:
    def say(prompt: str) -> str:
        answer = json.dumps(verdicts(prompt, "rain fell on twelve days"))
        return f"Here is my answer.\n```json\n{answer}\n```\nI hope it helps."

    async with Client(server(environment), mode=mode, sampling_callback=Model(say)) as client:
        assert (await check(client))["verdict"]["label"] == "full_support"


async def test_an_invented_quote_is_asked_once_more_and_then_left(
    environment: dict[str, str], mode: str
) -> None:
    model = Model(lambda prompt: json.dumps(verdicts(prompt, "it poured for months")))
    async with Client(server(environment), mode=mode, sampling_callback=model) as client:
        card = await check(client)
    assert card["verdict"]["label"] == "judge_failed"
    assert len(model.prompts) == 2
    assert "it poured for months" in model.prompts[1]


async def test_a_client_that_refuses_leaves_the_question_open(
    environment: dict[str, str],
) -> None:
    async def refuse(context: Any, params: Any) -> Any:
        raise MCPError(code=-1, message="the user said no")

    async with Client(server(environment), mode="legacy", sampling_callback=refuse) as client:
        card = await check(client)
    assert card["status"] == "needs_work"


async def test_without_sampling_the_error_names_the_other_judges(
    environment: dict[str, str], mode: str
) -> None:
    async with Client(server(environment), mode=mode) as client:
        answer = await client.call_tool("check_citation", CHECK)
        assert answer.is_error
        assert "'agent'" in answer.content[0].text  # type: ignore[union-attr]


async def test_auto_takes_the_clients_model_where_there_is_no_key(
    environment: dict[str, str], mode: str
) -> None:
    model = Model(lambda prompt: json.dumps(verdicts(prompt, "rain fell on twelve days")))
    assert not environment.get("ANTHROPIC_API_KEY")
    async with Client(server(environment), mode=mode, sampling_callback=model) as client:
        card = await check(client, judge="auto")
    assert card["verdict"]["judge"].startswith("host:")
