"""The example: a self-written report with planted faults, its pages, and a model's answers.

`examples/answers.jsonl` holds what a language model answered to the work orders, seeing nothing
else; `examples/labels.json` was written with the report and never shown to it.
"""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import Answer
from dream_evaluators.model.score import Scorecard
from dream_evaluators.model.stored import adapter
from dream_evaluators.report import parse_report
from dream_mcp.drive import Driver, Evaluation
from dream_mcp.files import Roots
from dream_mcp.intake import Ask, Handed, make_request, open_report
from dream_mcp.settings import Settings

from .conftest import ROOT

pytestmark = pytest.mark.anyio
EXAMPLES = ROOT / "examples"
REPORT = (EXAMPLES / "report.md").read_text(encoding="utf-8")
LABELS: list[dict[str, Any]] = json.loads((EXAMPLES / "labels.json").read_text(encoding="utf-8"))
# What each planted fault is found as: without reading, and by a judge that reads.
OFFLINE = {
    "dead_link": {"dead_source"},
    "uncited_claim": {"uncited_claim"},
    "weak_domain": {"weak_source"},
    "dangling_marker": {"dangling_marker"},
    "placeholder_link": {"placeholder_link"},
    "misquote": {"quote_not_in_source"},
    "unsupported_number": {"number_not_in_source"},
}
ANSWERED = OFFLINE | {
    "misquote": {"unsupported", "partly_unsupported", "contradicted"},
    "unsupported_number": {"unsupported", "partly_unsupported", "contradicted"},
    "opposite": {"contradicted"},
    "partial": {"partly_unsupported"},
}


@cache
def maker() -> Any:
    spec = importlib.util.spec_from_file_location("make_pack", EXAMPLES / "make_pack.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def recorded() -> dict[str, Answer]:
    lines = (EXAMPLES / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [adapter(Answer).validate_python(json.loads(line)) for line in lines]
    return {answer.item: answer for answer in answers}


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    ledger = Ledger.open(str(tmp_path / "example.sqlite3"))
    yield Driver(ledger, Settings(offline=True))
    ledger.close()


async def start(driver: Driver, judge: str, report: str = REPORT) -> str:
    from dream_evaluators.web.packs import read_pack

    pack = read_pack((EXAMPLES / "pack.zip").read_bytes())
    opened = await open_report(driver, Roots(()), Handed(report=report))
    request = await make_request(driver, opened, Ask(judge=judge, effort="full"), pack)
    return await driver.start(request, opened.report, pack)


async def replay(driver: Driver, evaluation: str) -> Evaluation:
    """Answer every open question with what the model answered, until none is open."""
    for _ in range(4):
        view = await driver.advance(evaluation, again=True)
        questions = await driver.orders.open_questions(
            await driver.ledger.evaluations.get(evaluation)
        )
        if not questions:
            return view
        known = {
            n: recorded()[item.id] for n, (item, _) in questions.items() if item.id in recorded()
        }
        assert known, "the prompt, the parser or the extraction changed: have a model judge again"
        answers = [{"id": f"q{n}", "answer": a.answer} for n, a in known.items()]
        await driver.orders.submit(evaluation, answers, "agent:claude")
    raise AssertionError("questions stay open")


def kinds_at(card: Scorecard, sentence: str) -> set[str]:
    start = REPORT.index(sentence)
    return {
        finding.kind
        for finding in card.findings
        if finding.start < start + len(sentence) and start < finding.end
    }


def test_the_pack_is_what_the_pages_give() -> None:
    assert (EXAMPLES / "pack.zip").read_bytes() == maker().example_pack()


def test_every_label_is_a_sentence_of_the_report() -> None:
    assert all(REPORT.count(label["sentence"]) == 1 for label in LABELS)
    assert {label["fault"] for label in LABELS} - {""} == set(ANSWERED)


async def test_without_a_model_the_faults_that_need_no_reading_are_found(driver: Driver) -> None:
    view = await driver.advance(await start(driver, "offline"))
    assert view.scorecard is not None
    for label in LABELS:
        if label["fault"] in OFFLINE:
            assert kinds_at(view.scorecard, label["sentence"]) & OFFLINE[label["fault"]], label
    assert view.scorecard.scores["CF"].value is None
    assert view.scorecard.scores["CF"].estimate is not None


async def test_with_a_model_as_the_judge_every_planted_fault_is_found(driver: Driver) -> None:
    view = await replay(driver, await start(driver, "agent"))
    assert view.status.value == "complete"
    assert view.scorecard is not None
    for label in LABELS:
        if label["fault"]:
            assert kinds_at(view.scorecard, label["sentence"]) & ANSWERED[label["fault"]], label


async def test_the_model_raises_no_false_alarm_on_the_sound_sentences(driver: Driver) -> None:
    view = await replay(driver, await start(driver, "agent"))
    assert view.scorecard is not None
    for label in LABELS:
        if not label["fault"]:
            assert kinds_at(view.scorecard, label["sentence"]) == set(), label


async def test_the_models_verdicts_agree_with_the_labels(driver: Driver) -> None:
    view = await replay(driver, await start(driver, "agent"))
    assert view.scorecard is not None
    said = {v.statement_id: v.label.value for v in view.scorecard.verdicts}
    agree = 0
    judged = 0
    for statement in parse_report(REPORT).statements:
        label = next((x for x in LABELS if x["sentence"] in statement.text), None)
        if label is None or statement.id not in said:
            continue
        allowed = {label["expected"], *label.get("also_acceptable", [])}
        judged += 1
        agree += said[statement.id].replace("source_dead", "dead") in allowed
    assert judged == 33
    assert agree >= 32


async def test_the_same_evaluation_again_asks_nothing(driver: Driver) -> None:
    first = await replay(driver, await start(driver, "agent"))
    again = await driver.advance(await start(driver, "agent"))
    assert again == first


async def test_an_edited_sentence_asks_only_what_changed(driver: Driver) -> None:
    await replay(driver, await start(driver, "agent"))
    edited = REPORT.replace("81% of 1,940 surveyed", "82% of 1,940 surveyed")
    assert edited != REPORT
    view = await driver.advance(await start(driver, "agent", edited))
    row = await driver.ledger.evaluations.get(view.id)
    questions = await driver.orders.open_questions(row)
    # The sentence itself, and the one after it, whose question quotes what precedes it.
    claims = [item.inputs["claim"] for item, _ in questions.values()]
    assert len(claims) == 2
    assert any("82% of 1,940" in claim for claim in claims)


async def test_answers_may_come_late_twice_in_parts_and_invalid(driver: Driver) -> None:
    evaluation = await start(driver, "agent")
    await driver.advance(evaluation)
    row = await driver.ledger.evaluations.get(evaluation)
    questions = await driver.orders.open_questions(row)
    answers = [
        {"id": f"q{n}", "answer": json.loads(recorded()[item.id].answer)}
        for n, (item, _) in questions.items()
    ]
    random.Random(1).shuffle(answers)  # noqa: S311 - any order will do
    bad: list[dict[str, Any]] = [
        {"id": "q1", "answer": {"verdict": "yes"}},
        {"id": "w99", "answer": {}},
        {"id": ""},
    ]
    for part in (answers[:9], answers[5:20], bad, answers[20:], answers):
        receipt = await driver.orders.submit(evaluation, part, "agent:claude")
        assert len(receipt.rejected) == (3 if part is bad else 0)
        await driver.advance(evaluation, again=True)
    view = await replay(driver, evaluation)
    other = await replay(driver, await start(driver, "agent"))
    assert view.status.value == "complete"
    assert view == other
