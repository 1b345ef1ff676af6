"""Answers that come back, in whatever state."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dream_evaluators.errors import AnswerRejected
from dream_evaluators.judges.submissions import NAME_CHARACTERS, Receipt, judge_name, submit
from dream_evaluators.ledger import Ledger
from tests.strategies import FAILURE, any_texts, claim_answer, json_values, make_answer, make_item

EVALUATION = "e"
GOOD: dict[str, Any] = json.loads(claim_answer(("f", "absent", "")))
ITEMS = [make_item(f"Claim {n}.") for n in range(1, 5)]


@pytest.fixture
async def desk(ledger: Ledger) -> Ledger:
    """A store with four open questions: w1 holds q1 to q3, w2 holds q4."""
    await ledger.answers.open(ITEMS)
    await ledger.evaluations.number(EVALUATION, [(item.id, 0) for item in ITEMS])
    await ledger.evaluations.add_orders(EVALUATION, [[1, 2, 3], [4]])
    return ledger


async def give(ledger: Ledger, *answers: tuple[str, Any], by: str = "m") -> Receipt:
    given = [{"id": handle, "answer": answer} for handle, answer in answers]
    return await submit(ledger, EVALUATION, given, judge_name(by))


async def stored(ledger: Ledger) -> dict[str, list[str]]:
    """The judges that answered each question, by its handle."""
    found = await ledger.answers.of([item.id for item in ITEMS])
    return {
        f"q{n}": [a.judge for a in found[item.id]]
        for n, item in enumerate(ITEMS, 1)
        if item.id in found
    }


def verdicts(*handles: str, **more: Any) -> dict[str, Any]:
    return {"verdicts": [{"question": handle, **GOOD, **more} for handle in handles]}


pytestmark = pytest.mark.anyio


async def test_an_order_is_answered_as_a_whole_in_any_order(desk: Ledger) -> None:
    receipt = await give(desk, ("w2", verdicts("q4")), ("w1", verdicts("q3", "q1", "q2")))
    assert receipt == Receipt(("q4", "q3", "q1", "q2"), ())
    assert await stored(desk) == {f"q{n}": ["agent:m"] for n in range(1, 5)}
    (answer,) = (await desk.answers.of([ITEMS[0].id]))[ITEMS[0].id]
    assert answer.model == "m"
    assert set(answer.asked_with) == {item.id for item in ITEMS}
    assert json.loads(answer.answer) == GOOD


async def test_an_order_may_be_answered_in_parts(desk: Ledger) -> None:
    assert (await give(desk, ("w1", verdicts("q2")))).accepted == ("q2",)
    assert (await give(desk, ("w1", verdicts("q1", "q3")))).accepted == ("q1", "q3")
    assert set(await stored(desk)) == {"q1", "q2", "q3"}


async def test_an_answer_that_comes_twice_is_kept_once(desk: Ledger) -> None:
    for _ in range(2):
        receipt = await give(desk, ("w1", verdicts("q1")))
        assert receipt == Receipt(("q1",), ())
    assert await stored(desk) == {"q1": ["agent:m"]}


async def test_the_first_answer_of_a_judge_stays_when_it_comes_again(desk: Ledger) -> None:
    await give(desk, ("q1", {**GOOD, "reasoning": "first"}))
    await give(desk, ("q1", {**GOOD, "reasoning": "second"}))
    (answer,) = (await desk.answers.of([ITEMS[0].id]))[ITEMS[0].id]
    assert json.loads(answer.answer)["reasoning"] == "first"


async def test_another_judge_may_answer_what_is_answered(desk: Ledger) -> None:
    await give(desk, ("q1", GOOD))
    await give(desk, ("q1", GOOD), by="human:Ada")
    await give(desk, ("q1", GOOD), by="")
    assert await stored(desk) == {"q1": ["agent:m", "human:Ada", "agent:unnamed"]}
    models = [a.model for a in (await desk.answers.of([ITEMS[0].id]))[ITEMS[0].id]]
    assert models == ["m", "", ""]


@pytest.mark.parametrize(
    ("handle", "answer"),
    [
        ("w1", verdicts("q1")),
        ("w1", verdicts("q1")["verdicts"]),
        ("w1", json.dumps(verdicts("q1"))),
        ("w1", json.dumps(verdicts("q1")["verdicts"])),
        (" w1\n", verdicts("q1")),
        ("q1", GOOD),
        ("q1", json.dumps(GOOD)),
        ("q1", {"question": "q1", **GOOD}),
    ],
)
async def test_one_answer_is_understood_in_every_shape_it_comes_in(
    desk: Ledger, handle: str, answer: Any
) -> None:
    assert await give(desk, (handle, answer)) == Receipt(("q1",), ())
    assert await stored(desk) == {"q1": ["agent:m"]}


async def test_an_order_of_one_question_takes_a_bare_verdict(desk: Ledger) -> None:
    assert (await give(desk, ("w2", GOOD))).accepted == ("q4",)
    receipt = await give(desk, ("w1", GOOD))
    assert receipt.accepted == ()
    assert '{"verdicts": [...]}' in receipt.rejected[0].reason


FACT = {"fact": "f", "quote": "", "relation": "absent"}
DEEP = "[" * 200_000
REFUSED: list[tuple[str, Any, str, str]] = [
    ("w9", verdicts("q1"), "w9", "no open work order 'w9'"),
    ("q9", GOOD, "q9", "ids look like 'w1' (an order) or 'q1'"),
    ("", GOOD, "?", "no open work order ''"),
    ("w1", verdicts("q4"), "w1", "verdicts.0.question: 'q4' is not one of q1, q2, q3"),
    ("w1", {"verdicts": [GOOD]}, "w1", "verdicts.0.question: '' is not one of"),
    ("w1", {"verdicts": ["yes"]}, "w1", "verdicts.0: must be an object"),
    ("w1", {"verdicts": "all"}, "w1", 'answer: must be {"verdicts": [...]}'),
    ("w1", None, "w1", 'answer: must be {"verdicts": [...]}'),
    ("q1", None, "q1", "answer: must be an object"),
    ("q1", [GOOD], "q1", "answer: must be an object"),
    ("q1", 7, "q1", "answer: must be an object"),
    ("q1", "7", "q1", "answer: must be an object"),
    ("q1", True, "q1", "answer: must be an object"),
    ("q1", DEEP, "q1", "answer: is nested too deeply"),
    ("w1", DEEP, "w1", "answer: is nested too deeply"),
    ("w1", '{"verdicts":' * 100_000, "w1", "answer: is nested too deeply"),
    ("q1", {**GOOD, "reasoning": "\ud800"}, "q1", "answer: holds characters that are no text"),
    ("q1", json.dumps({**GOOD, "reasoning": "\udfff"}), "q1", "holds characters that are no text"),
    ("w1", verdicts("q1", reasoning="\ud800"), "q1", "verdicts.0: holds characters that are no"),
    ("q1", {**GOOD, "facts": [{**FACT, "quote": "\ud800"}]}, "q1", "characters that are no text"),
    ("w1", "{", "w1", "answer: is not valid JSON"),
    ("w1", "full_support", "w1", "answer: is not valid JSON"),
    ("w1", verdicts("q1", verdict="true"), "q1", "verdicts.0.verdict: Input should be"),
    ("w1", verdicts("q1", facts=[{**FACT, "relation": "x"}]), "q1", "verdicts.0.facts.0.relation:"),
    ("w1", verdicts("q1", facts=[FACT, {}]), "q1", "verdicts.0.facts.1.fact: Field required"),
    ("w1", verdicts("q1", confidence=1), "q1", "verdicts.0.confidence: Extra inputs"),
    ("q1", {}, "q1", "facts: Field required; reasoning: Field required; verdict: Field required"),
    ("q1", {**GOOD, "facts": [{}, {}]}, "q1", "; and 3 more"),
    ("q1", {**GOOD, "reasoning": 7}, "q1", "reasoning: Input should be a valid string"),
    ("q1", {**GOOD, "reasoning": "x" * 90_000}, "q1", "is too long"),
    ("w1", verdicts("q1", reasoning="x" * 90_000), "q1", "verdicts.0: is too long"),
]


@pytest.mark.parametrize(("handle", "answer", "named", "told"), REFUSED)
async def test_a_wrong_answer_is_refused_with_its_path_and_its_question_stays_open(
    desk: Ledger, handle: str, answer: Any, named: str, told: str
) -> None:
    receipt = await give(desk, (handle, answer))
    assert receipt.accepted == ()
    (rejection,) = receipt.rejected
    assert rejection.id == named
    assert told in rejection.reason
    assert len(rejection.reason) < 500
    assert "pydantic" not in rejection.reason
    assert await stored(desk) == {}


async def test_one_wrong_answer_does_not_spoil_the_others(desk: Ledger) -> None:
    mixed = verdicts("q1", "q2", "q3")
    mixed["verdicts"][1]["verdict"] = "perhaps"
    receipt = await give(desk, ("w7", GOOD), ("w1", mixed), ("w2", GOOD))
    assert receipt.accepted == ("q1", "q3", "q4")
    assert [r.id for r in receipt.rejected] == ["w7", "q2"]
    assert "verdicts.1.verdict" in receipt.rejected[1].reason
    assert set(await stored(desk)) == {"q1", "q3", "q4"}


async def test_answers_are_recorded_under_the_judge_that_is_named(desk: Ledger) -> None:
    for judge in ("host:some client", "human:Ada", "agent:unnamed"):
        await submit(desk, EVALUATION, [{"id": "q1", "answer": GOOD}], judge)
    kept = (await desk.answers.of([ITEMS[0].id]))[ITEMS[0].id]
    assert [(a.judge, a.model) for a in kept] == [
        ("host:some client", ""),
        ("human:Ada", ""),
        ("agent:unnamed", ""),
    ]


async def test_an_answer_takes_the_place_of_a_failure_of_the_same_judge(desk: Ledger) -> None:
    await desk.answers.record([make_answer(ITEMS[0], answer=FAILURE)])
    assert (await give(desk, ("q1", GOOD))).accepted == ("q1",)
    (kept,) = (await desk.answers.of([ITEMS[0].id]))[ITEMS[0].id]
    assert not kept.failed


async def test_a_verdict_whose_question_is_no_name_is_refused(desk: Ledger) -> None:
    for question in (None, 7, ["q1"], {"q1": 1}, "\ud800"):
        receipt = await give(desk, ("w1", {"verdicts": [{**GOOD, "question": question}]}))
        assert receipt.accepted == ()
        assert "is not one of q1, q2, q3" in receipt.rejected[0].reason


async def test_an_answer_without_id_or_answer_is_refused(desk: Ledger) -> None:
    receipt = await submit(desk, EVALUATION, [{}, {"answer": GOOD}, {"id": "w1"}], "agent:m")
    assert receipt.accepted == ()
    assert len(receipt.rejected) == 3


async def test_an_evaluation_without_questions_takes_nothing(desk: Ledger) -> None:
    receipt = await submit(desk, "another", [{"id": "w1", "answer": verdicts("q1")}], "agent:m")
    assert receipt.accepted == ()
    assert await stored(desk) == {}


@pytest.mark.parametrize(
    ("answered_by", "name"),
    [
        ("", "agent:unnamed"),
        ("  \n", "agent:unnamed"),
        ("some-model-1", "agent:some-model-1"),
        ("agent:some-model", "agent:some-model"),
        ("human:Ada", "human:Ada"),
        (" human:Ada\n", "human:Ada"),
        ("offline:lexical-1", "agent:offline:lexical-1"),
        ("pack:abc:human:x", "agent:pack:abc:human:x"),
        ("anthropic:m:h", "agent:anthropic:m:h"),
        ("a\x00b\x1b[31m\u202ec", "agent:ab[31mc"),
    ],
)
def test_a_name_never_passes_for_another_rung(answered_by: str, name: str) -> None:
    assert judge_name(answered_by) == name


@pytest.mark.parametrize("answered_by", ["human:", " human: \n"])
def test_a_person_has_a_name(answered_by: str) -> None:
    with pytest.raises(AnswerRejected, match="human:NAME"):
        judge_name(answered_by)


@given(any_texts | st.text(min_size=90, max_size=200))
def test_names_are_printable_and_short(answered_by: str) -> None:
    name = judge_name(answered_by)
    assert name.isprintable()
    assert len(name) <= NAME_CHARACTERS + len("agent:")
    assert name.startswith(("agent:", "human:"))
    assert name not in {"agent:", "human:"}


def spoilt(text: str) -> dict[str, Any]:
    """A verdict of the right shape whose reasoning is any text, lone surrogates too."""
    return {**GOOD, "reasoning": text}


def decoded(answer: object) -> object:
    try:
        return json.loads(answer) if isinstance(answer, str) else answer
    except ValueError:
        return answer


@settings(max_examples=60)
@given(
    st.sampled_from(["w1", "q1", "w2", "x"]),
    json_values | st.sampled_from([GOOD, verdicts("q1")]).map(json.dumps) | any_texts.map(spoilt),
)
async def test_whatever_comes_in_is_taken_or_refused(handle: str, answer: object) -> None:
    ledger = Ledger.open(":memory:")
    await ledger.answers.open(ITEMS)
    await ledger.evaluations.number(EVALUATION, [(item.id, 0) for item in ITEMS])
    await ledger.evaluations.add_orders(EVALUATION, [[1, 2, 3], [4]])
    receipt = await give(ledger, (handle, answer))
    found = await stored(ledger)
    ledger.close()
    assert set(receipt.accepted) == set(found)
    if decoded(answer) not in ([], {"verdicts": []}):
        assert receipt.accepted or receipt.rejected
