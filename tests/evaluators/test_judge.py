"""The one door to any judge."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Generator
from typing import Any

import anyio
import pytest

from dream_evaluators.errors import BadInput
from dream_evaluators.judge import (
    AT_ONCE,
    Judge,
    Pending,
    gather,
    packed_name,
    unpacked_name,
)
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import Answer, Question, WorkItem
from tests.strategies import FAILURE, make_answer, make_item

pytestmark = pytest.mark.anyio
PACK_ID = "b2:" + "ab" * 16


class Clerk:
    """Answers on the spot and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def answer(self, item: WorkItem) -> Answer:
        self.asked += 1
        return make_answer(item, "offline:1")


async def test_an_answer_given_on_the_spot_is_recorded_with_its_question(ledger: Ledger) -> None:
    clerk, item = Clerk(), make_item()
    judge = Judge(ledger, "offline", "offline:1", clerk)
    first = await judge.ask(item)
    second = await judge.ask(item)
    assert clerk.asked == 1
    assert first.answer == second.answer
    assert await ledger.answers.items([item.id]) == {item.id: item}
    assert len((await ledger.answers.of([item.id]))[item.id]) == 1


async def test_a_question_nobody_has_answered_waits(ledger: Ledger) -> None:
    item = make_item()
    with pytest.raises(Pending) as caught:
        await Judge(ledger, "agent").ask(item)
    assert caught.value.items == (item,)
    assert str(caught.value) == "1 questions wait for an answer"


def test_a_question_waits_once_however_often_it_is_named() -> None:
    assert Pending([*map(Question, [make_item("a"), make_item("b"), make_item("a")])]).items == (
        make_item("a"),
        make_item("b"),
    )


@pytest.mark.parametrize(
    ("judge", "counts"),
    [
        ("agent:m", True),
        ("agent:another", True),
        ("human:Ada", True),
        ("anthropic:m:h", False),
        ("host:x", False),
        ("offline:1", False),
        (packed_name(PACK_ID, "agent:m"), False),
        (packed_name(PACK_ID, "human:Ada"), False),
    ],
)
async def test_only_answers_of_the_rung_and_of_people_count(
    ledger: Ledger, judge: str, counts: bool
) -> None:
    await ledger.answers.record([make_answer(make_item(), judge)])
    try:
        answer = await Judge(ledger, "agent").ask(make_item())
    except Pending:
        assert not counts
    else:
        assert counts
        assert answer.judge == judge


async def test_a_judge_whose_name_is_fixed_takes_no_other_of_its_rung(ledger: Ledger) -> None:
    item, judge = make_item(), Judge(ledger, "anthropic", "anthropic:m:1")
    await ledger.answers.record([make_answer(item, "anthropic:m:2")])
    with pytest.raises(Pending):
        await judge.ask(item)
    await ledger.answers.record([make_answer(item, "anthropic:m:1")])
    assert (await judge.ask(item)).judge == "anthropic:m:1"


async def test_a_person_outranks_every_model_on_every_rung(ledger: Ledger) -> None:
    item = make_item()
    await ledger.answers.record([make_answer(item, "agent:m"), make_answer(item, "human:Ada")])
    assert (await Judge(ledger, "agent").ask(item)).judge == "human:Ada"
    clerk = Clerk()
    assert (await Judge(ledger, "offline", instant=clerk).ask(item)).judge == "human:Ada"
    assert clerk.asked == 0
    assert (await Judge(ledger, "agent", sample=3).ask(item)).judge == "human:Ada"


async def test_of_several_answers_the_first_recorded_counts(ledger: Ledger) -> None:
    item = make_item()
    for judge in ("agent:z", "agent:a"):
        await ledger.answers.record([make_answer(item, judge)])
    assert (await Judge(ledger, "agent").ask(item)).judge == "agent:z"


async def test_a_repeat_is_another_question_to_the_same_judge(ledger: Ledger) -> None:
    item, judge = make_item(), Judge(ledger, "agent", sample=1)
    await ledger.answers.record([make_answer(item)])
    with pytest.raises(Pending) as caught:
        await judge.ask(item)
    assert caught.value.questions == (Question(item, 1),)
    await ledger.answers.record([make_answer(item, sample=1)])
    assert (await judge.ask(item)).sample == 1


async def test_a_packs_answers_count_in_evaluations_of_that_pack_alone(ledger: Ledger) -> None:
    item, name = make_item(), packed_name(PACK_ID, "agent:m")
    await ledger.answers.record([make_answer(item, name)])
    answer = await Judge(ledger, "agent", pack=PACK_ID).ask(item)
    assert (answer.judge, answer.rung) == (name, "agent")
    for pack, rung in (("b2:" + "cd" * 16, "agent"), ("", "agent"), (PACK_ID, "host")):
        with pytest.raises(Pending):
            await Judge(ledger, rung, pack=pack).ask(item)


async def test_in_a_packs_evaluation_local_answers_count_too(ledger: Ledger) -> None:
    item = make_item()
    await ledger.answers.record([make_answer(item, "agent:local")])
    assert (await Judge(ledger, "agent", pack=PACK_ID).ask(item)).judge == "agent:local"


async def test_a_failure_from_before_is_no_answer_to_who_asks_anew(ledger: Ledger) -> None:
    item = make_item()
    await ledger.answers.record([make_answer(item, answer=FAILURE)])
    assert (await Judge(ledger, "agent").ask(item)).failed
    assert (await Judge(ledger, "agent", since="2026-11-30T12:00:00Z").ask(item)).failed
    with pytest.raises(Pending):
        await Judge(ledger, "agent", since="2026-11-30T12:00:01Z").ask(item)
    await ledger.answers.record([make_answer(item)])
    assert not (await Judge(ledger, "agent", since="2030").ask(item)).failed


AGENT, OTHER, ADA = (make_answer("b2:1", name) for name in ("agent:m", "agent:o", "human:Ada"))
FAILED = make_answer("b2:1", answer=FAILURE, answered_at="2026-11-01T00:00:00Z")
REPEATED = make_answer("b2:1", "agent:o", sample=1)


@pytest.mark.parametrize(
    ("known", "more", "chosen"),
    [
        ([], {}, None),
        ([AGENT, OTHER], {}, AGENT),
        ([AGENT, OTHER], {"name": "agent:o"}, OTHER),
        ([AGENT], {"rung": "host"}, None),
        ([AGENT, ADA], {}, ADA),
        ([ADA], {"rung": "offline", "name": "offline:1"}, ADA),
        ([FAILED], {}, FAILED),
        ([FAILED, OTHER], {}, FAILED),
        ([FAILED], {"since": "2026-11-02"}, None),
        ([FAILED, OTHER], {"since": "2026-11-02"}, OTHER),
        ([FAILED], {"since": "2026-11-01T00:00:00Z"}, FAILED),
        ([AGENT], {"since": "2030-01-01"}, AGENT),
        ([REPEATED], {}, None),
    ],
)
def test_of_what_is_known_one_answer_counts_or_none(
    ledger: Ledger, known: list[Answer], more: dict[str, Any], chosen: Answer | None
) -> None:
    judge = Judge(ledger, **{"rung": "agent", **more})
    assert judge.choose(known) == chosen


def test_a_repeat_is_chosen_by_its_number(ledger: Ledger) -> None:
    assert Judge(ledger, "agent", sample=1).choose([AGENT, REPEATED]) == REPEATED


async def test_a_persons_failure_to_answer_is_none(ledger: Ledger) -> None:
    item = make_item()
    await ledger.answers.record([make_answer(item, "human:Ada", answer=FAILURE)])
    with pytest.raises(Pending):
        await Judge(ledger, "agent", since="2030").ask(item)


@pytest.mark.parametrize("judge", ["agent:m", "human:Ada:B", "anthropic:m:h", "offline"])
def test_the_name_a_judge_had_before_its_pack_is_found_again(judge: str) -> None:
    assert unpacked_name(packed_name(PACK_ID, judge)) == judge
    assert unpacked_name(judge) == judge


async def _value(value: int) -> int:
    return value


async def _wait(*claims: str) -> int:
    raise Pending([Question(make_item(claim)) for claim in claims])


async def test_results_come_in_the_order_of_the_questions() -> None:
    async def later(value: int, before: anyio.Event, own: anyio.Event) -> int:
        await before.wait()
        own.set()
        return value

    events = [anyio.Event() for _ in range(4)]
    events[3].set()
    questions = [later(n, events[n + 1], events[n]) for n in range(3)]
    assert await gather(questions) == [0, 1, 2]
    assert await gather([]) == []


async def test_siblings_finish_before_one_pending_names_every_open_question() -> None:
    finished: list[int] = []

    async def slow() -> int:
        await anyio.lowlevel.checkpoint()
        finished.append(1)
        return 1

    with pytest.raises(Pending) as caught:
        await gather([_wait("b", "a"), slow(), _wait("a"), _wait("c"), slow()])
    assert finished == [1, 1]
    claims = {make_item(claim).id for claim in "abc"}
    assert {item.id for item in caught.value.items} == claims
    assert len(caught.value.items) == 3


async def test_open_questions_come_in_the_order_they_were_put_whichever_ends_first() -> None:
    async def late(claim: str) -> int:
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        return await _wait(claim)

    with pytest.raises(Pending) as caught:
        await gather([late("c"), _wait("b", "a")])
    assert [item.inputs["claim"] for item in caught.value.items] == ["c", "b", "a"]


async def test_provisional_gives_none_for_what_waits() -> None:
    assert await gather([_wait("a"), _value(2)], provisional=True) == [None, 2]


async def test_pending_passes_through_nested_gathers() -> None:
    async def inner(*claims: str) -> int:
        return len(await gather([_wait(claim) for claim in claims]))

    with pytest.raises(Pending) as caught:
        await gather([inner("a", "b"), inner("b", "c")])
    assert len(caught.value.items) == 3


@pytest.mark.parametrize("provisional", [False, True])
async def test_another_error_passes_through_unwrapped(provisional: bool) -> None:
    async def fault() -> int:
        raise BadInput("no such thing")

    with pytest.raises(BadInput, match="no such thing"):
        await gather([_wait("a"), fault(), _value(1)], provisional=provisional)


async def test_an_error_ends_the_siblings_that_still_run() -> None:
    ended: list[str] = []

    async def forever() -> int:
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("ended")
        return 1

    async def fault() -> int:
        await anyio.lowlevel.checkpoint()
        raise KeyError("k")

    with pytest.raises(KeyError):
        await gather([forever(), fault()])
    assert ended == ["ended"]


async def test_questions_that_never_had_their_turn_are_closed() -> None:
    async def fault() -> int:
        raise KeyError("k")

    questions = [fault(), *(_value(n) for n in range(3 * AT_ONCE))]
    with pytest.raises(KeyError):
        await gather(questions)
    assert {inspect.getcoroutinestate(question) for question in questions} == {inspect.CORO_CLOSED}


async def test_what_is_awaited_need_not_be_a_coroutine() -> None:
    class Ready:
        def __await__(self) -> Generator[Any, Any, int]:
            yield from _value(1).__await__()
            return 2

    questions: list[Awaitable[int]] = [Ready(), _value(3)]
    assert await gather(questions) == [2, 3]


async def test_no_more_run_at_once_than_threads_could_serve() -> None:
    running = 0
    most = 0

    async def counted() -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await anyio.lowlevel.checkpoint()
        running -= 1
        return 1

    questions: list[Awaitable[int]] = [counted() for _ in range(3 * AT_ONCE)]
    assert sum(r or 0 for r in await gather(questions)) == 3 * AT_ONCE
    assert 1 < most <= AT_ONCE


async def test_asking_the_same_question_at_once_records_one_answer(ledger: Ledger) -> None:
    judge = Judge(ledger, "offline", instant=Clerk())
    await gather([judge.ask(make_item()) for _ in range(20)])
    assert len((await ledger.answers.of([make_item().id]))[make_item().id]) == 1
