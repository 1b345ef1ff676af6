"""Over MCP: a message batch that takes its time keeps nobody waiting."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

import dream_evaluators.judges.anthropic as rung
from dream_evaluators.judges.anthropic import message_batches
from tests.evaluators.judges.anthropic.cases import paid
from tests.evaluators.judges.anthropic.endpoint import KEY, Endpoint, endpoint

from .conftest import ROOT, Connect

pytestmark = pytest.mark.anyio
NEVER = 10**9  # looks
REPORT = {
    "report_path": str(ROOT / "examples" / "report.md"),
    "evidence_pack": str(ROOT / "examples" / "pack.zip"),
    "judge": "anthropic",
}


@pytest.fixture(autouse=True)
def any_round_is_large_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rung, "BATCH_FROM", 1)
    monkeypatch.setattr(message_batches, "FIRST_NAP", 0.05)
    monkeypatch.setattr(message_batches, "LONGEST_NAP", 0.05)


def batching(served: Endpoint, **more: str) -> dict[str, str]:
    usual = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": served.url, "DREAM_BATCHES": "1"}
    return {**usual, **more}


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    card: dict[str, Any] | None = result.structured_content
    assert card is not None
    return card


@pytest.fixture
async def once(connect: Connect, tmp_path: Path) -> Counter[str]:
    """What the evaluation asks by usual calls, in a store of its own."""
    store = str(tmp_path / "usual.sqlite3")
    async with (
        endpoint() as served,
        connect(**batching(served, DREAM_STORE=store, DREAM_BATCHES="0")) as client,
    ):
        card = await call(client, "evaluate_report", **REPORT, wait_seconds=45)
        assert card["status"] == "complete"
        assert served.batches.calls == []
        return paid(served)


async def test_tools_return_while_a_batch_is_under_way_and_the_server_fetches_it_by_itself(
    connect: Connect, once: Counter[str]
) -> None:
    async with endpoint() as served, connect(**batching(served)) as client:
        served.batches.looks = NEVER
        with anyio.fail_after(20):
            card = await call(client, "evaluate_report", **REPORT, wait_seconds=0)
            while not any(served.batches.looked.values()):
                card = await call(client, "get_evaluation", evaluation_id=card["evaluation_id"])
                await anyio.sleep(0.02)
            assert card["status"] == "running"
            served.batches.looks = 0
            card = await call(
                client, "get_evaluation", evaluation_id=card["evaluation_id"], wait_seconds=45
            )
    assert card["status"] == "complete"
    assert paid(served) == once


async def test_an_evaluation_that_gave_up_waiting_is_fetched_by_the_next_get_evaluation(
    connect: Connect, once: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        rung, "AnthropicSettings", partial(rung.AnthropicSettings, batch_seconds=0.0)
    )
    async with endpoint() as served, connect(**batching(served)) as client:
        served.batches.looks = NEVER
        with anyio.fail_after(20):
            card = await call(client, "evaluate_report", **REPORT, wait_seconds=45)
            for _ in range(2):
                assert card["status"] == "running"
                assert "wait in the message batch" in card["progress"]["message"]
                assert "get_evaluation" in card["next"]
                assert "in some minutes" in card["next"]
                assert card["scores"]["CF"]["reason"] == "pending"
                card = await call(
                    client, "get_evaluation", evaluation_id=card["evaluation_id"], wait_seconds=45
                )
            served.batches.looks = 0
            for _ in range(6):  # a batch for each later round of questions
                card = await call(
                    client, "get_evaluation", evaluation_id=card["evaluation_id"], wait_seconds=45
                )
                if card["status"] != "running":
                    break
    assert card["status"] == "complete"
    assert paid(served) == once
    assert card["cost"]["calls"] == len(served.calls) + len(served.batches.calls)
