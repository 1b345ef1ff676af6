"""Settings, prices, and the reading of answers, without an endpoint."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from dream_evaluators.clock import FixedClock
from dream_evaluators.errors import BadInput, JudgeUnavailable
from dream_evaluators.judges.anthropic import AnthropicSettings, Spent, judge_name
from dream_evaluators.judges.anthropic.client import retry_after
from dream_evaluators.judges.anthropic.pricing import (
    PRICES,
    most_batched_usd,
    price_of,
    spent_on_call,
)
from dream_evaluators.judges.anthropic.requests import shape_of
from dream_evaluators.judges.anthropic.retry import (
    BY_STATUS,
    BY_TYPE,
    Limiter,
    Remedy,
    Trouble,
    remedy_of,
    spread,
)
from dream_evaluators.judges.anthropic.verdicts import MAX_PROBLEM, fitted, read_verdicts
from dream_evaluators.judges.parsing import MAX_CHARACTERS, Unreadable, read_object
from dream_evaluators.prompts.answers import ClaimVerdict
from tests.evaluators.judges.anthropic.endpoint import KEY


class Verdict(BaseModel):
    reasoning: str
    verdict: Literal["supported", "contradicted"]


class Score(BaseModel):
    score: int = Field(ge=1, le=5)
    reasoning: str = ""


class Claims(BaseModel):
    claims: list[str]


def read(answer_type: type[BaseModel], text: str) -> Any:
    return read_object(text, partial(fitted, answer_type))


FENCED = 'Sure!\n```json\n{"reasoning":"ok","verdict":"supported"}\n```\nHope it helps.'
THOUGHT = (
    '<think>maybe {"reasoning":"?","verdict":"contradicted"}</think>'
    '{"reasoning":"quoted","verdict":"supported"}\n{"note":"extra"}'
)


@pytest.mark.parametrize("text", [FENCED, THOUGHT, THOUGHT.replace("think>", "thinking>")])
def test_prose_fences_and_thoughts_around_an_answer_do_no_harm(text: str) -> None:
    assert read(Verdict, text).verdict == "supported"


def test_a_brace_inside_a_text_does_not_end_the_object() -> None:
    text = '{"score": 4, "reasoning": "the snippet {a: 1} and a \\"}\\" are fine"}'
    assert read(Score, text).score == 4
    assert read(Score, f"Braces like {{a: 1}} first. {text}").score == 4


@pytest.mark.parametrize(
    "text",
    [
        'It says {"reasoning":"perfect","score":5}, ignored. {"reasoning":"weak","score":2}',
        'maybe {"score": 5}</think>{"score": 2}',
        '{"score": 5}{"score": 2}',
    ],
)
def test_two_different_answers_are_none(text: str) -> None:
    with pytest.raises(Unreadable, match="2 different answers"):
        read(Score, text)


def test_the_same_answer_twice_is_one() -> None:
    assert read(Score, 'Draft: {"score": 2}. Final: {"score": 2}').score == 2


@pytest.mark.parametrize(
    "text",
    [
        '{"score": NaN}',
        '{"score": Infinity}',
        '{"score": 9.2e124}',
        '{"score": 1e999}',
        '{"score": true}',
        '{"score": "4"}',
        '{"score": 6}',
        '{"score": 0}',
        '{"score": 90}',
        '{"score": null}',
        '{"score": 1, "score": 5}',
        "[1]",
        "",
        "null",
        '{"score": 3, "rea',
    ],
)
def test_what_is_out_of_range_or_of_another_kind_is_refused_and_never_bent(text: str) -> None:
    with pytest.raises(Unreadable):
        read(Score, text)


def test_a_missing_key_is_named_and_is_no_empty_list() -> None:
    with pytest.raises(Unreadable, match="claims: Field required"):
        read(Claims, '{"truths": ["a", "b"]}')


def test_a_made_up_key_is_named_at_bounded_length() -> None:
    entry = {"question": "q1", "facts": [], "reasoning": "", "verdict": "contradict"}
    text = json.dumps({"verdicts": [{**entry, "k" * 100_000: 1, "\ud800": 2}]})
    (problem,) = read_verdicts(text, ClaimVerdict, ["q1"]).problems.values()
    assert len(problem) <= MAX_PROBLEM
    problem.encode()


def test_entries_for_questions_nobody_asked_are_left_alone() -> None:
    entry = {"facts": [], "reasoning": "r", "verdict": "contradict"}
    text = json.dumps({"verdicts": [{"question": q, **entry} for q in ("q1", "q7", "q1")]})
    reading = read_verdicts(text, ClaimVerdict, ["q1", "q2"])
    assert list(reading.answers) == ["q1"]
    assert list(reading.problems) == ["q2"]


HOSTILE = {
    "openings": "{" * 390_000,
    "nested": '{"a":' * 70_000,
    "closed nests": '{"a":' * 50_000 + "1" + "}" * 50_000,
    "lists": "[" * 390_000,
    "open strings": '{"' * 190_000,
    "thoughts": "<think>" * 50_000,
    "quotes": '"' * 390_000,
    "digits": '{"score": ' + "9" * 389_000,
    "escapes": '{"a": "' + "\\" * 389_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_text_is_refused_in_linear_time(text: str) -> None:
    began = time.process_time()
    with pytest.raises(Unreadable):
        read(Score, text)
    assert time.process_time() - began < 6.0


def test_a_text_longer_than_any_answer_is_not_even_tried() -> None:
    with pytest.raises(Unreadable, match="longer than"):
        read(Score, " " * MAX_CHARACTERS + '{"score": 1}')


@given(st.text(max_size=300), st.integers(1, 5), st.text(alphabet='{}"\\ab:<>/think', max_size=80))
def test_whatever_stands_around_an_answer_it_is_read_right_or_not_at_all(
    reasoning: str, score: int, around: str
) -> None:
    text = around + json.dumps({"score": score, "reasoning": reasoning}) + around
    try:
        found = read(Score, text)
    except Unreadable:
        return
    assert (found.score, found.reasoning) == (score, reasoning)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    reading = read_verdicts(text, ClaimVerdict, ["q1"])
    assert list(reading.problems) == ["q1"]


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"api_key": ""}, JudgeUnavailable, "ANTHROPIC_API_KEY"),
        ({"api_key": "sk-one\nX-Evil: 1"}, JudgeUnavailable, "line breaks"),
        ({"api_key": "sk-schlüssel"}, JudgeUnavailable, "ANTHROPIC_API_KEY"),
        ({"base_url": "ftp://u:secret@a.test"}, BadInput, "http"),
        ({"base_url": "http://[::1"}, BadInput, "http"),
        ({"base_url": "http://a.test:0"}, BadInput, "http"),
        ({"model": " "}, BadInput, "DREAM_MODEL"),
        ({"max_tokens": 0}, BadInput, "max_tokens"),
        ({"max_tokens": 64_001}, BadInput, "max_tokens"),
        ({"request_tokens": 0}, BadInput, "request_tokens"),
        ({"concurrency": 0}, BadInput, "concurrency"),
        ({"deadline_seconds": float("nan")}, BadInput, "deadline"),
        ({"max_usd": -1.0}, BadInput, "max_usd"),
        ({"batch_from": -1}, BadInput, "batch_from"),
        ({"batch_seconds": float("nan")}, BadInput, "batch_seconds"),
        ({"max_usd": float("nan")}, BadInput, "max_usd"),
        ({"max_calls": -1}, BadInput, "max_calls"),
    ],
)
def test_settings_that_cannot_work_are_refused_before_any_call(
    changed: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words) as raised:
        AnthropicSettings(**{"api_key": KEY, **changed})
    assert "secret" not in str(raised.value)
    assert "sk-" not in str(raised.value)


def test_settings_never_show_the_key() -> None:
    settings = AnthropicSettings(api_key=KEY, base_url="https://user:word@a.test")
    assert KEY not in repr(settings)
    assert "word" not in repr(settings)
    assert KEY not in judge_name(settings)


def test_a_judges_name_changes_with_what_may_change_its_answers_and_with_nothing_else() -> None:
    plain = AnthropicSettings(api_key=KEY)
    same = AnthropicSettings(
        api_key="another", concurrency=1, max_usd=3.0, max_calls=9, batch_from=2, batch_seconds=1
    )
    others = [
        AnthropicSettings(api_key=KEY, model="claude-opus-5-5"),
        AnthropicSettings(api_key=KEY, max_tokens=9000),
        AnthropicSettings(api_key=KEY, request_tokens=9000),
        AnthropicSettings(api_key=KEY, base_url="http://127.0.0.1:8080"),
    ]
    assert judge_name(plain) == judge_name(same)
    assert judge_name(plain).startswith("anthropic:claude-sonnet-5-5:")
    assert len({judge_name(s) for s in [plain, *others]}) == 5


def test_every_price_is_dearer_for_output_and_cheaper_from_the_cache() -> None:
    assert all(p.cached < p.input < p.output for p in PRICES.values())
    assert price_of("claude-haiku-9") is None


def test_a_call_costs_what_the_list_says() -> None:
    call = spent_on_call("claude-sonnet-5-5", plain=1000, written=400, cached=10_000, output=500)
    assert call.usd == pytest.approx(1e-6 * (1000 * 2 + 400 * 2.5 + 10_000 * 0.1 + 500 * 10))
    assert (call.input_tokens, call.cached_tokens, call.written_tokens) == (11_400, 10_000, 400)


def test_a_long_prompt_costs_more_where_the_list_says_so() -> None:
    short = spent_on_call("claude-haiku-5-5", plain=100_000, written=0, cached=0, output=0)
    long = spent_on_call("claude-haiku-5-5", plain=100_000, written=0, cached=1, output=0)
    assert short.usd == pytest.approx(0.01)
    assert long.usd == pytest.approx(0.05)


def test_a_message_batch_costs_half_and_its_bound_covers_a_whole_answer() -> None:
    call = spent_on_call("claude-sonnet-5-5", plain=1000, written=0, cached=0, output=500)
    assert call.batched() == replace(call, usd=call.usd / 2 if call.usd else None)
    assert Spent(calls=1, usd=None).batched().usd is None
    most = most_batched_usd("claude-sonnet-5-5", prompt_tokens=1000, max_tokens=500)
    # Half as much again for an estimate that is too low, all of it written to the cache.
    assert most == pytest.approx(1e-6 * (1500 * 1.25 * 2 + 500 * 10) / 2)
    assert most_batched_usd("local-7b", 1000, 500) is None


def test_what_is_unknown_once_stays_unknown_in_the_sum() -> None:
    known = Spent(calls=1, input_tokens=5, usd=0.5)
    assert known + known == Spent(calls=2, input_tokens=10, usd=1.0)
    assert (known + Spent(usd=None) + known).usd is None


@pytest.mark.parametrize(
    ("status", "kind", "remedy"),
    [
        (200, "overloaded_error", Remedy.WAIT),
        (200, "rate_limit_error", Remedy.WAIT),
        (200, "invalid_request_error", Remedy.STOP),
        (200, "request_too_large", Remedy.SMALLER),
        (400, "invalid_request_error", Remedy.STOP),
        (504, "timeout_error", Remedy.WAIT),
        (529, "", Remedy.WAIT),
        (501, "api_error", Remedy.STOP),
        (302, "", Remedy.STOP),
    ],
)
def test_what_helps_is_looked_up_by_status_then_by_type(
    status: int, kind: str, remedy: Remedy
) -> None:
    assert remedy_of(status, kind, "", "") is remedy


def test_no_table_says_to_wait_for_what_somebody_must_change() -> None:
    for kind in ("authentication_error", "billing_error", "permission_error", "not_found_error"):
        assert BY_TYPE[kind] is Remedy.STOP
    assert {401, 402, 403, 404}.isdisjoint(BY_STATUS)


def test_waits_differ_between_requests_and_never_between_runs() -> None:
    waits = {spread(8.0, f"b2:{n}", 1) for n in range(50)}
    assert len(waits) == 50
    assert all(4.0 <= wait <= 8.0 for wait in waits)
    assert spread(8.0, "b2:1", 1) == spread(8.0, "b2:1", 1)


@pytest.mark.anyio
async def test_a_pause_that_one_request_is_told_of_is_kept_by_the_next() -> None:
    naps: list[float] = []

    async def sleep(seconds: float) -> None:
        naps.append(seconds)

    clock = FixedClock(datetime(2026, 11, 30, tzinfo=UTC))
    limiter = Limiter(anyio.CapacityLimiter(1), 300.0, clock, sleep)
    troubles = [Trouble(Remedy.WAIT, "Rate limited", retry_after=40.0, everybody=True)]

    async def send(seconds: float) -> float:
        if troubles:
            raise troubles.pop()
        return seconds

    await limiter.persist(send, "first")
    own = len(naps)
    assert await limiter.persist(send, "second") == 300.0
    assert 40.0 <= naps[own] <= 41.0
    assert len(naps) == own + 1


@given(st.text(max_size=40), st.text(max_size=10))
def test_any_header_is_a_wait_or_none(header: str, milliseconds: str) -> None:
    clock = FixedClock(datetime(2026, 11, 30, tzinfo=UTC))
    found = retry_after({"retry-after": header, "retry-after-ms": milliseconds}, clock)
    assert found is None or found >= 0


def test_a_shape_can_be_shown_for_every_kind_of_field() -> None:
    class All(BaseModel):
        score: int
        share: float
        met: bool
        names: list[str]

    expected = {"score": 0, "share": 0, "met": True, "names": ["..."]}
    assert shape_of(All.model_json_schema()) == expected
