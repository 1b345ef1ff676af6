"""What happens when several things happen at once: answers, openings, packs."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcp import Client

from dream_evaluators.ledger import Ledger
from dream_evaluators.ledger.reports import OpenedReport
from dream_mcp.app import App
from dream_mcp.drive import Driver, Evaluation
from dream_mcp.files import Roots
from dream_mcp.intake import Ask, Opened, make_request
from dream_mcp.rungs import Caps
from dream_mcp.settings import Settings

from .conftest import Connect
from .test_tools import call

pytestmark = pytest.mark.anyio
DAYS = range(2, 10)
REPORT = "\n\n".join(f"In month {n} rain fell on {n} days [1]." for n in DAYS)
TEXT = "The station kept its books well."
SOURCES = [{"marker": "[1]", "url": "https://rain.test/", "text": TEXT}]


def verdict_on(question: str) -> dict[str, Any]:
    return {
        "question": question,
        "facts": [{"fact": "rain", "quote": TEXT, "relation": "absent"}],
        "reasoning": "The books say nothing of rain.",
        "verdict": "unverifiable",
    }


async def evaluated(client: Client, sources: list[dict[str, str]]) -> dict[str, Any]:
    opened = await call(client, "open_report", report=REPORT, sources=sources)
    report = opened["report_id"]
    return await call(client, "evaluate_report", report_id=report, judge="agent", metrics=["CF"])


async def submit(client: Client, evaluation: str, order: str, question: str) -> None:
    answer = {"id": order, "answer": {"verdicts": [verdict_on(question)]}}
    await call(
        client, "submit_answers", evaluation_id=evaluation, answers=[answer], answered_by="m"
    )


async def test_answers_that_come_at_once_are_all_folded_in(connect: Connect, mode: str) -> None:
    async with connect(mode) as client:
        card = await evaluated(client, SOURCES)
        assert len(card["work_orders"][0]["questions"]) > 2
        rounds = 0
        while card["status"] == "needs_work":
            rounds += 1
            assert rounds < 10
            async with anyio.create_task_group() as group:
                for order in card["work_orders"]:
                    for question in order["questions"]:
                        group.start_soon(
                            submit, client, card["evaluation_id"], order["id"], question
                        )
            card = await call(client, "get_evaluation", evaluation_id=card["evaluation_id"])
        assert card["status"] == "complete"
        assert card["scores"]["CF"]["value"] == 0.0
        assert card["scores"]["CF"]["n_scored"] == len(DAYS)


async def test_what_others_say_of_a_text_later_does_not_enter_an_evaluation(
    connect: Connect,
) -> None:
    async with connect() as client:
        mine = await evaluated(client, SOURCES)
        lie = [{**source, "text": "Nothing at all was counted here."} for source in SOURCES]
        theirs = await evaluated(client, lie)
        assert theirs["evaluation_id"] != mine["evaluation_id"]
        again = await call(client, "get_evaluation", evaluation_id=mine["evaluation_id"])
        assert TEXT in again["work_orders"][0]["prompt"]
        assert "Nothing at all was counted" not in again["work_orders"][0]["prompt"]


class Slow(Driver):
    """A driver whose folding waits at a gate, so that something can come meanwhile."""

    begun: anyio.Event
    gate: anyio.Event
    folds = 0

    async def advance(
        self, evaluation: str, caps: Caps | None = None, *, again: bool = False
    ) -> Evaluation:
        self.folds += 1
        self.begun.set()
        view = await super().advance(evaluation, caps, again=again)
        await self.gate.wait()
        return view


async def test_answers_that_come_while_one_folds_are_folded_in_after_it(
    environment: dict[str, str],
) -> None:
    driver = Slow(Ledger.open(":memory:"), Settings.from_env(environment))
    driver.begun, driver.gate = anyio.Event(), anyio.Event()
    report = OpenedReport(text=REPORT)
    opened = Opened(await driver.ledger.reports.add(report), report)
    evaluation = await driver.start(await make_request(driver, opened, Ask()), report)

    async def beat(seconds: float) -> None:
        """No one listens."""

    async with anyio.create_task_group() as group:
        app = App(driver, Roots(()), group)
        await app.work(evaluation, 0, beat)
        await driver.begun.wait()
        await app.work(evaluation, 0, beat, again=True)
        driver.gate.set()
        await app.work(evaluation, 60, beat)
    assert driver.folds == 2
    driver.ledger.close()
