"""Public bugs of other judges, scores and stores: each case beside the repository, on ours.

What reading a report gets wrong is in `tests/evaluators/report/test_gold.py`; torn lines and two
writers (ST-03, ST-04) are in `tests/evaluators/ledger/test_processes.py`, with real processes. A
case that is nowhere belongs to a part that does not exist yet (protocols, several runs compared).
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from dream_evaluators.errors import JudgeUnavailable
from dream_evaluators.judge import Judge, Pending
from dream_evaluators.judges.anthropic import AnthropicSettings, judge_name
from dream_evaluators.judges.anthropic.verdicts import fitted
from dream_evaluators.judges.lexical import assess
from dream_evaluators.judges.parsing import Unreadable, read_object
from dream_evaluators.ledger import Ledger
from dream_evaluators.metrics.verdicts import Pair, claim_question, find_problem, judge_pair
from dream_evaluators.model.judgement import WorkItem
from dream_evaluators.model.score import Scorecard
from dream_evaluators.model.source import Outcome, Source
from dream_evaluators.prompts import load_prompt
from dream_evaluators.prompts.answers import ClaimVerdict, FailedAnswer
from dream_evaluators.report import parse_report
from dream_evaluators.web.packs import Pack
from dream_mcp.drive import Driver, Evaluation
from dream_mcp.files import Roots
from dream_mcp.intake import Ask, Handed, make_request, open_report
from dream_mcp.settings import Settings
from tests.conftest import SHARED
from tests.evaluators.judges.anthropic.cases import Passing, questions, recorded, responder
from tests.evaluators.judges.anthropic.endpoint import (
    KEY,
    Act,
    Endpoint,
    answer,
    endpoint,
    failure,
    in_turn,
    message,
    verdicts,
)
from tests.strategies import claim_answer, make_answer, make_citation, make_source, make_statement

CASES = SHARED / "data" / "cases" / "cases.dev.jsonl"
pytestmark = pytest.mark.anyio


@cache
def cases() -> dict[str, Any]:
    if not CASES.exists():
        pytest.skip("the cases are not beside this tree")
    rows = map(json.loads, CASES.read_text("utf-8").splitlines())
    return {row["id"]: row["minimal_input"] for row in rows}


@pytest.fixture
async def api() -> AsyncIterator[Endpoint]:
    async with endpoint() as started:
        yield started


# The reading of a judge's reply


class Verdict(BaseModel):
    reasoning: str
    verdict: Literal["supported", "contradicted"]


class Score(BaseModel):
    score: int = Field(ge=1, le=5)
    reasoning: str = ""


class Claims(BaseModel):
    claims: list[str]


class Bounded(BaseModel):
    score: int = Field(ge=1, le=5)
    reasons: list[str] = Field(min_length=2, max_length=3)
    note: str = Field(max_length=50)


def read(kind: type[BaseModel], reply: object) -> Any:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    return read_object(text, partial(fitted, kind))


@pytest.mark.parametrize("case", ["LJ-01", "LJ-02"])
def test_an_answer_among_fences_thoughts_and_second_objects_is_found(case: str) -> None:
    reply: str = cases()[case]["judge_reply"]
    assert read(Verdict, reply).verdict == "supported"


def test_lj_03_a_brace_in_a_text_ends_nothing() -> None:
    assert read(Score, cases()["LJ-03"]["judge_reply"]).score == 4


def test_lj_07_a_score_outside_the_scale_is_refused_and_not_bent() -> None:
    for reply in cases()["LJ-07"]["judge_replies"]:
        with pytest.raises(Unreadable, match="score"):
            read(Score, reply)


def test_lj_09_no_number_that_is_none_gets_in() -> None:
    *none, written = cases()["LJ-09"]["judge_replies"]
    for reply in none:
        with pytest.raises(Unreadable):
            read(Score, reply)
    with pytest.raises(Unreadable):  # stricter than asked for: a number is a number
        read(Score, written)


def test_lj_10_a_verdict_in_the_text_that_is_judged_is_never_taken() -> None:
    with pytest.raises(Unreadable, match="2 different answers"):
        read(Score, cases()["LJ-10"]["judge_reply"])


def test_lj_18_a_missing_key_is_an_error_and_every_prompts_shape_fits_its_answer() -> None:
    with pytest.raises(Unreadable, match="claims"):
        read(Claims, cases()["LJ-18"]["judge_reply"])
    example = {"facts": [{"fact": "f", "quote": "", "relation": "absent"}], "reasoning": ""}
    ClaimVerdict.model_validate({**example, "verdict": "unverifiable"})
    assert set(load_prompt("claim_verdict").answer_schema["properties"]) == {*example, "verdict"}


# What the answer must hold


def test_lj_12_evidence_and_reasoning_come_before_the_verdict_and_must_agree_with_it() -> None:
    assert list(load_prompt("claim_verdict").answer_schema["properties"]) == [
        "facts",
        "reasoning",
        "verdict",
    ]
    facts = [{"fact": "f", "quote": "Rain fell", "relation": "supported"}]
    given = {"facts": facts, "reasoning": "", "verdict": "unverifiable"}
    assert "amount to" in find_problem(ClaimVerdict.model_validate(given), make_source("Rain fell"))


async def test_lj_15_bounds_are_checked_here_and_not_sent(ledger: Ledger, api: Endpoint) -> None:
    with pytest.raises(Unreadable, match="score"):
        read(Bounded, cases()["LJ-15"]["judge_reply"])
    async with responder(ledger, api) as asks:
        await asks.respond(await questions(ledger))
    sent = json.dumps(api.calls[0].body["output_config"])
    assert not any(f'"{word}"' in sent for word in ("minimum", "maximum", "maxItems", "maxLength"))


def pair(claim: str, text: str) -> Pair:
    return Pair(make_statement(1, claim), make_citation(), make_source(text))


async def judged(ledger: Ledger, claim: str, text: str, *replies: str) -> Any:
    """Judge a claim as an agent that gives these replies, one after the other."""
    asked, judge = pair(claim, text), Judge(ledger, "agent")
    await ledger.sources.add(asked.source)
    for reply in replies:
        try:
            return await judge_pair(judge, asked)
        except Pending as pending:
            await ledger.answers.record([make_answer(item, answer=reply) for item in pending.items])
    return await judge_pair(judge, asked)


async def test_cv_10_an_identifier_that_the_evidence_lacks_is_no_support(ledger: Ledger) -> None:
    case = cases()["CV-10"]
    reply = claim_answer(("no. 731 leads", "supported", case["evidence"].rstrip(".")))
    verdict = await judged(ledger, case["claim"], case["evidence"], reply, reply)
    assert verdict.label.value == "judge_failed"
    assert "731" in verdict.reason
    assert verdict.judge.startswith("agent:")


async def test_cv_11_a_quote_that_is_nowhere_supports_nothing(ledger: Ledger) -> None:
    case = cases()["CV-11"]
    reply = claim_answer(("sales doubled", "supported", case["judge_reply"]["quote"]))
    verdict = await judged(ledger, "Sales doubled.", case["evidence"], reply, reply)
    assert (verdict.label.value, len(verdict.items)) == ("judge_failed", 2)
    empty = make_source(case["variant"]["evidence"])
    assert find_problem(ClaimVerdict.model_validate_json(reply), empty)
    assert not empty.readable


def test_cv_08_what_a_model_remembers_does_not_count() -> None:
    """Instead of today's date, which would make another question of each day's."""
    rules = load_prompt("claim_verdict").instructions
    assert "What you know from elsewhere does not count" in rules


# What comparing words must not believe


def test_cv_02_digits_inside_another_number_are_not_that_number() -> None:
    case = cases()["CV-02"]
    found = assess(case["claim"], case["source_text"])
    assert found.label != "full_support"
    assert "30 million" in found.missing_numbers


def test_cv_03_rounding_is_not_fabricating_and_a_wrong_number_is_not_rounding() -> None:
    case = cases()["CV-03"]
    assert assess(case["claim"], case["source_text"]).missing_numbers == ()
    counter = case["counter"]
    assert assess(counter["claim"], counter["source_text"]).missing_numbers == ("5,000",)


def test_cv_06_a_date_with_dots_splits_no_sentence_and_keeps_its_subject() -> None:
    text: str = cases()["CV-06"]["report_md"]
    [statement] = parse_report(text).statements
    assert statement.claim == text
    assert text[statement.start : statement.end] == text


# Whole evaluations


def known(url: str, text: str, outcome: Outcome = Outcome.OK) -> Source:
    return make_source(text, url, outcome=outcome, reason="As the case says.")


async def evaluated(
    ledger: Ledger, report: str, sources: Sequence[Source], judge: str = "agent"
) -> Evaluation:
    pack = Pack(id="case", sources={source.canonical_url: source for source in sources})
    driver = Driver(ledger, Settings(offline=True))
    opened = await open_report(driver, Roots(()), Handed(report=report))
    request = await make_request(driver, opened, Ask(judge=judge, effort="full"), pack)
    return await driver.advance(await driver.start(request, opened.report, pack), again=True)


def card(view: Evaluation) -> Scorecard:
    assert view.scorecard is not None
    return view.scorecard


async def answered(
    ledger: Ledger, report: str, sources: Sequence[Source], script: Mapping[str, str]
) -> Scorecard:
    """Evaluate, and answer what is asked about a source's text from a script."""
    replies = {source.content_hash: script.get(source.url, "") for source in sources}
    view = await evaluated(ledger, report, sources)
    for _ in range(3):
        driver = Driver(ledger, Settings(offline=True))
        asked = await driver.orders.open_questions(await ledger.evaluations.get(view.id))
        items = [question.item for question in asked.values()]
        if not items:
            break
        given = [make_answer(item, answer=replies[item.inputs["source"]]) for item in items]
        await ledger.answers.record(given)
        view = await driver.advance(view.id, again=True)
    return card(view)


async def test_cv_01_each_clause_is_judged_by_the_page_of_its_own_link(ledger: Ledger) -> None:
    case = cases()["CV-01"]
    report = case["report_md"].replace("example.org", "guide.test")
    pages = {f"https://guide.test{path}": text for path, text in case["pages"].items()}
    sources = [known(url, text) for url, text in pages.items()]
    view = await evaluated(ledger, report, sources)
    pairs = [each for verdict in card(view).verdicts for each in verdict.pairs]
    assert sorted(each.url for each in pairs) == sorted(pages)


SCRIPT = {
    "https://silent.test/": claim_answer(("X grew", "absent", "")),
    "https://against.test/": claim_answer(("X grew", "contradicted", "X shrank in 2025")),
}


async def test_cv_09_not_read_silent_and_denied_are_three_outcomes(ledger: Ledger) -> None:
    sources = [
        known("https://slow.test/", "", Outcome.TIMEOUT),
        known("https://silent.test/", "Something else entirely."),
        known("https://against.test/", "X shrank in 2025."),
    ]
    report = "\n\n".join(f"X grew in 2025 ([source]({source.url}))." for source in sources)
    done = await answered(ledger, report, sources, SCRIPT)
    assert [verdict.label.value for verdict in done.verdicts] == [
        "source_unknown",
        "unverifiable",
        "contradict",
    ]
    assert (done.scores["CF"].n_scored, done.scores["CF"].n_total) == (2, 3)


async def test_cv_14_a_live_page_without_the_figure_is_alive_and_no_support(ledger: Ledger) -> None:
    case = cases()["CV-14"]
    source = known("https://shop.test/", case["source_text"])
    report = f"{case['claim']} [shop](https://shop.test/)"
    script = {source.url: claim_answer(("900 cycles", "absent", ""))}
    done = await answered(ledger, report, [source], script)
    [verdict] = done.verdicts
    assert verdict.label.value == "unverifiable"
    assert (done.scores["CA"].value, done.scores["CF"].value) == (100.0, 0.0)
    assert source.state.value == "alive"


async def test_ag_01_and_02_failures_are_counted_and_never_zero(ledger: Ledger) -> None:
    failed = FailedAnswer(failed="unreadable", reason="No JSON.").model_dump_json()
    good = claim_answer(("rain fell", "supported", "Rain fell"))
    sources = [known(f"https://s{n}.test/", f"Rain fell on day {n}.") for n in range(4)]
    report = "\n\n".join(f"Rain fell here ([s]({source.url}))." for source in sources)
    part = await answered(
        ledger, report, sources, {s.url: failed if n == 1 else good for n, s in enumerate(sources)}
    )
    score = part.scores["CF"]
    assert (score.value, score.n_scored, score.n_total, score.coverage) == (100.0, 3, 4, 0.75)
    other = [known(f"https://o{n}.test/", f"Snow fell on day {n}.") for n in range(4)]
    report = report.replace("https://s", "https://o")
    silent = claim_answer(("rain fell", "absent", ""))
    most = await answered(
        ledger, report, other, {s.url: failed if n else silent for n, s in enumerate(other)}
    )
    score = most.scores["CF"]
    assert (score.value, score.coverage, score.status.value) == (0.0, 0.25, "insufficient")
    assert (score.bound_low, score.bound_high) == (0.0, 75.0)


async def test_ag_03_a_report_without_claims_has_a_reason_and_no_score(ledger: Ledger) -> None:
    done = card(await evaluated(ledger, cases()["AG-03"]["report_md"], []))
    assert done.scores["CF"].value is None
    for name in ("CA", "CF", "CI"):
        assert done.scores[name].reason is not None
        assert (done.scores[name].n_scored, done.scores[name].n_total) == (0, 0)


async def test_ag_06_every_score_is_on_one_scale_with_its_counts(ledger: Ledger) -> None:
    source = known("https://a.test/", "Rain fell.")
    script = {source.url: claim_answer(("rain fell", "supported", "Rain fell"))}
    done = await answered(ledger, "Rain fell ([a](https://a.test/)).", [source], script)
    values = {name: (s.value, s.n_scored, s.n_total) for name, s in done.scores.items() if s.value}
    assert values["CF"] == (100.0, 1, 1)
    assert all(0 <= value <= 100 for value, _, _ in values.values())


async def test_ag_09_without_a_judge_nothing_is_invented(ledger: Ledger) -> None:
    source = known("https://a.test/", "Rain fell.")
    done = card(await evaluated(ledger, "Rain fell ([a](https://a.test/)).", [source], "offline"))
    assert (done.scores["CF"].value, done.scores["CA"].value) == (None, 100.0)


async def test_ag_11_a_report_that_cites_nothing_scores_as_in_the_paper(ledger: Ledger) -> None:
    done = card(await evaluated(ledger, cases()["AG-11"]["report_md"], []))
    assert [done.scores[name].value for name in ("CA", "CI", "DA")] == [0.0, 0.0, 0.0]
    assert done.scores["CF"].value is None
    assert done.scores["CA"].n_total == 2
    assert all(done.scores[name].reason for name in ("CF", "CI", "DA"))


# The endpoint


async def test_lj_05_a_cut_answer_is_asked_for_once_more_and_never_read(
    ledger: Ledger, api: Endpoint
) -> None:
    text: str = cases()["LJ-05"]["api_message"]["text"]
    api.script = lambda _: message(text, stop="max_tokens")
    items = await questions(ledger)
    async with responder(ledger, api, max_tokens=1000) as asks:
        await asks.respond(items)
    assert [call.body["max_tokens"] for call in api.calls] == [1000, 2000]
    [given] = await recorded(ledger, api, items, max_tokens=1000)
    assert FailedAnswer.model_validate_json(given.answer).failed == "truncated"


async def test_lj_06_a_refusal_is_named_and_charged_to_nobody(
    ledger: Ledger, api: Endpoint
) -> None:
    text: str = cases()["LJ-06"]["api_message"]["text"]
    api.script = lambda _: message(text, stop="refusal")
    items = await questions(ledger)
    async with responder(ledger, api) as asks:
        await asks.respond(items)
    [given] = await recorded(ledger, api, items)
    assert FailedAnswer.model_validate_json(given.answer).failed == "refused"


async def test_lj_13_14_and_16_nothing_is_sent_that_a_model_may_refuse(
    ledger: Ledger, api: Endpoint
) -> None:
    async with responder(ledger, api) as asks:
        await asks.respond(await questions(ledger))
    [call] = api.calls
    assert not {"temperature", "top_p", "top_k", "thinking", "tool_choice"} & set(call.body)
    assert [turn["role"] for turn in call.body["messages"]] == ["user"]
    with pytest.raises(TypeError):
        AnthropicSettings(api_key=KEY, **cases()["LJ-13"]["config"])


async def test_lj_17_a_long_answer_is_streamed(ledger: Ledger, api: Endpoint) -> None:
    items = await questions(ledger)
    room = cases()["LJ-17"]["config"]["max_tokens"]
    async with responder(ledger, api, max_tokens=room) as asks:
        await asks.respond(items)
    assert [call.body.get("stream") for call in api.calls] == [True]
    [given] = await recorded(ledger, api, items, max_tokens=room)
    assert not given.failed


async def test_lj_23_an_overload_is_waited_out_also_inside_a_stream(
    ledger: Ledger, api: Endpoint
) -> None:
    def broken(call: Any) -> Act:
        return Act(body=message(verdicts(call)).body, breaks_with="overloaded_error")

    status: int = cases()["LJ-23"]["http"][0]["status"]
    api.script = in_turn(failure(status, "overloaded_error"), broken, answer)
    time, items = Passing(), await questions(ledger)
    async with responder(ledger, api, time, max_tokens=32_000) as asks:
        await asks.respond(items)
    assert len(api.calls) == 3
    assert len(time.naps) == 2
    assert len(set(time.naps)) == 2


async def test_lj_24_a_wait_beyond_the_deadline_is_reported_at_once(
    ledger: Ledger, api: Endpoint
) -> None:
    wait = cases()["LJ-24"]["http"]["retry-after"]
    api.script = lambda _: failure(429, "rate_limit_error", retry_after=wait)
    time = Passing()
    with pytest.raises(JudgeUnavailable, match=r"3,?600"):
        async with responder(ledger, api, time) as asks:
            await asks.respond(await questions(ledger))
    assert sum(time.naps) < 300


async def test_lj_21_a_repeat_run_is_the_same_and_a_wanted_repeat_is_asked_for(
    ledger: Ledger, api: Endpoint
) -> None:
    items = await questions(ledger)
    async with responder(ledger, api) as asks:
        await asks.respond(items)
        await asks.respond(items)
        assert len(api.calls) == 1
        await asks.respond(items, sample=1)
    assert len(api.calls) == 2


# The store


async def test_st_01_prompt_model_and_evidence_are_in_the_key(ledger: Ledger) -> None:
    asked = pair("Rain fell.", "Rain fell here.")
    first = claim_question(asked)
    other_prompt = WorkItem(first.kind, "claim_verdict@0", first.inputs, first.answer_schema)
    other_evidence = claim_question(pair("Rain fell.", "Rain fell there."))
    ids = {first.id, other_prompt.id, other_evidence.id}
    assert len(ids) == 3
    assert claim_question(asked).id == first.id
    one = AnthropicSettings(api_key=KEY, model="claude-a")
    two = AnthropicSettings(api_key=KEY, model="claude-b")
    assert judge_name(one) != judge_name(two)


async def test_st_06_a_failure_is_tried_again_and_no_answer_is_its_own_cache(
    ledger: Ledger, api: Endpoint
) -> None:
    items = await questions(ledger)
    api.script = in_turn(message("No JSON."), message("Again none."), answer)
    async with responder(ledger, api) as asks:
        await asks.respond(items)
        [kept] = await recorded(ledger, api, items)
        assert kept.failed
    async with responder(ledger, api, Passing(seconds=60)) as asks:
        await asks.respond(items)
    [kept] = await recorded(ledger, api, items)
    assert not kept.failed
    assert len(api.calls) == 3


async def test_st_08_a_verdict_keeps_the_page_that_it_was_made_on(ledger: Ledger) -> None:
    url = "https://changing.test/"
    first, second = known(url, "Rain fell in May."), known(url, "Rain fell in June.")
    report = f"Rain fell in May ([page]({url}))."
    script = {url: claim_answer(("may", "supported", "Rain fell in May"))}
    done = await answered(ledger, report, [first], script)
    await ledger.sources.add(second)
    [verdict] = done.verdicts
    assert verdict.label.value == "full_support"
    [kept] = verdict.pairs
    assert (kept.url, kept.content_hash) == (url, first.content_hash)
    assert kept.facts[0].evidence is not None
    assert kept.facts[0].evidence.quote == "Rain fell in May"
    stored = await ledger.sources.with_text(first.content_hash)
    assert (stored.url, stored.retrieved_at) == (url, first.retrieved_at)
