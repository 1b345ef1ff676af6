"""Questions and answers in the ledger."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dream_evaluators.clock import FixedClock
from dream_evaluators.ledger import Ledger
from dream_evaluators.ledger.answers import BATCH, answer_fingerprint
from dream_evaluators.model.judgement import Answer, WorkItem
from tests.strategies import FAILURE, answers, make_answer, make_item

pytestmark = pytest.mark.anyio


async def test_a_question_comes_back_as_it_was_asked(ledger: Ledger) -> None:
    item = WorkItem("k", "p@1", {"claim": "ünïcode \u2028", "b": ""}, {"type": ["x", None]})
    await ledger.answers.open([item, item])
    assert await ledger.answers.items([item.id, "b2:unknown"]) == {item.id: item}


def test_who_answers_is_no_part_of_a_question() -> None:
    item = make_item()
    assert item.id == make_item().id
    for other in (
        make_item("Another claim."),
        make_item(heading="H"),
        replace(item, kind="k2"),
        replace(item, prompt_id="p@2"),
        replace(item, answer_schema={}),
    ):
        assert other.id != item.id


@pytest.mark.parametrize(
    ("judge", "rung"),
    [
        ("anthropic:model:hash", "anthropic"),
        ("agent:some:model", "agent"),
        ("human:Ada", "human"),
        ("pack:abc:agent:m", "agent"),
        ("pack:abc:human:x", "human"),
        ("offline", "offline"),
    ],
)
def test_the_rung_is_in_the_judges_name(judge: str, rung: str) -> None:
    assert make_answer("b2:1", judge).rung == rung


async def test_the_first_answer_of_a_judge_stays(ledger: Ledger) -> None:
    first = make_answer("b2:1", model="first")
    assert await ledger.answers.record([first]) == ("b2:1",)
    assert await ledger.answers.record([make_answer("b2:1", model="second")]) == ()
    (kept,) = (await ledger.answers.of(["b2:1"]))["b2:1"]
    assert kept.model == "first"


async def test_a_judges_failure_gives_way_to_its_later_answer_and_to_nothing_else(
    ledger: Ledger,
) -> None:
    failed = make_answer("b2:1", answer=FAILURE, model="one")
    assert failed.failed
    await ledger.answers.record([failed, make_answer("b2:1", "agent:other")])
    assert await ledger.answers.record([make_answer("b2:1", model="two")]) == ("b2:1",)
    assert await ledger.answers.record([failed, make_answer("b2:1", model="three")]) == ()
    kept = (await ledger.answers.of(["b2:1"]))["b2:1"]
    assert [(a.judge, a.model, a.failed) for a in kept] == [
        ("agent:m", "two", False),
        ("agent:other", "", False),
    ]


async def test_another_judge_or_sample_is_another_answer(ledger: Ledger) -> None:
    given = [
        make_answer("b2:1", "human:z"),
        make_answer("b2:1", "agent:a"),
        make_answer("b2:1", "agent:a", sample=1),
        make_answer("b2:2", "agent:a"),
    ]
    assert await ledger.answers.record(given) == ("b2:1", "b2:1", "b2:1", "b2:2")
    kept = await ledger.answers.of(["b2:1", "b2:2", "b2:3"])
    assert [(a.judge, a.sample) for a in kept["b2:1"]] == [
        ("human:z", 0),
        ("agent:a", 0),
        ("agent:a", 1),
    ]
    assert set(kept) == {"b2:1", "b2:2"}


async def test_answers_keep_the_order_in_which_they_came(ledger: Ledger) -> None:
    judges = [f"agent:{name}" for name in "zyxabc"]
    for judge in judges:
        await ledger.answers.record([make_answer("b2:1", judge)])
    kept = (await ledger.answers.of(["b2:1"]))["b2:1"]
    assert [answer.judge for answer in kept] == judges


async def test_an_answer_without_a_moment_gets_the_clocks(ledger: Ledger) -> None:
    told = make_answer("b2:1", answered_at="2020-01-01T00:00:00Z")
    await ledger.answers.record([told, make_answer("b2:2")])
    kept = await ledger.answers.of(["b2:1", "b2:2"])
    assert kept["b2:1"][0].answered_at == "2020-01-01T00:00:00Z"
    assert kept["b2:2"][0].answered_at == "2026-11-30T12:00:00Z"


async def test_more_ids_than_a_statement_takes_are_read_in_batches(ledger: Ledger) -> None:
    items = [make_item(f"Claim {n}.") for n in range(2 * BATCH + 1)]
    await ledger.answers.open(items)
    await ledger.answers.record([make_answer(item) for item in items])
    ids = [item.id for item in items]
    assert len(await ledger.answers.items(ids)) == len(items)
    assert len(await ledger.answers.of(ids)) == len(items)
    assert await ledger.answers.items([]) == {}


async def test_everything_is_there_after_the_store_is_opened_again(
    tmp_path: Path, clock: FixedClock
) -> None:
    path = str(tmp_path / "l.sqlite3")
    before = Ledger.open(path, clock=clock)
    await before.answers.open([make_item()])
    await before.answers.record([make_answer(make_item(), usage={"input": 3.0})])
    fence = await before.fence("a")
    before.close()
    after = Ledger.open(path, clock=FixedClock(datetime(2030, 1, 1, tzinfo=UTC)))
    assert await after.answers.items([make_item().id])
    (answer,) = (await after.answers.of([make_item().id]))[make_item().id]
    assert answer.usage == {"input": 3.0}
    assert await after.fence("a") == fence
    after.close()


async def test_a_space_sees_nothing_of_another(tmp_path: Path, clock: FixedClock) -> None:
    path = str(tmp_path / "l.sqlite3")
    ours, theirs = (Ledger.open(path, space=name, clock=clock) for name in ("ours", "theirs"))
    await ours.answers.open([make_item()])
    await ours.answers.record([make_answer(make_item())])
    assert await theirs.answers.items([make_item().id]) == {}
    assert await theirs.answers.of([make_item().id]) == {}
    assert await theirs.answers.record([make_answer(make_item())]) == (make_item().id,)
    ours.close()
    theirs.close()


async def test_many_tasks_may_write_at_once(ledger: Ledger) -> None:
    new: list[str] = []

    async def write(number: int) -> None:
        new.extend(await ledger.answers.record([make_answer("b2:1", f"agent:{number % 10}")]))

    async with anyio.create_task_group() as group:
        for number in range(40):
            group.start_soon(write, number)
    assert len(new) == 10
    assert len((await ledger.answers.of(["b2:1"]))["b2:1"]) == 10


@settings(max_examples=40)
@given(st.lists(answers(), max_size=12))
def test_the_ledger_keeps_the_first_of_each_judge_and_sample(given: list[Answer]) -> None:
    first: dict[tuple[str, str, int], Answer] = {}
    for answer in given:
        first.setdefault((answer.item, answer.judge, answer.sample), answer)

    async def kept() -> dict[str, tuple[Answer, ...]]:
        ledger = Ledger.open(":memory:")
        await ledger.answers.record(given)
        read = await ledger.answers.of(["b2:1", "b2:2", "b2:3"])
        ledger.close()
        return read

    read = anyio.run(kept)
    for item, group in read.items():
        assert list(group) == [a for a in first.values() if a.item == item]
    assert sum(map(len, read.values())) == len(first)


def test_a_set_of_answers_has_one_fingerprint_whatever_its_order() -> None:
    pair = [make_answer("b2:1"), make_answer("b2:2")]
    assert answer_fingerprint(pair) == answer_fingerprint(pair[::-1])
    assert answer_fingerprint(pair) != answer_fingerprint(pair[:1])
    assert answer_fingerprint(pair) == answer_fingerprint([replace(a, model="m") for a in pair])
