"""Running the metrics of one evaluation."""

from __future__ import annotations

import logging
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators import run
from dream_evaluators.errors import BadInput, StoreError
from dream_evaluators.judge import Judge, Pending, packed_name
from dream_evaluators.ledger import Ledger
from dream_evaluators.metrics import METRICS, SCORES, Context, Effort, MetricResult, MetricSpec
from dream_evaluators.model.finding import Finding, Severity
from dream_evaluators.model.judgement import Question
from dream_evaluators.model.report import CitationStatus, StatementState
from dream_evaluators.model.score import Cost, MetricScore, Reason, Scorecard
from dream_evaluators.run import (
    PLANNED,
    EvaluationRequest,
    choose_metrics,
    claim_report,
    claim_text,
    evaluate,
    metrics_for,
    scorecard_hash,
)
from tests.evaluators.metrics.cases import make_context
from tests.strategies import (
    claim_answer,
    make_answer,
    make_report,
    make_source,
    make_statement,
    texts,
)

A = "https://a.test/"
REQUEST = EvaluationRequest(report_id="b2:1", metrics=("CI", "CA", "CF", "DA"), judge="agent")


def test_the_same_request_has_the_same_id() -> None:
    assert (
        REQUEST.id == EvaluationRequest(report_id="b2:1", metrics=REQUEST.metrics, judge="agent").id
    )
    assert REQUEST.id.startswith("b2:")


OTHERS: dict[str, Any] = {
    "report_id": "b2:2",
    "metrics": ("CA",),
    "judge": "host",
    "judge_name": "agent:m",
    "effort": Effort.FULL,
    "samples": 2,
    "query": "Why?",
    "as_of": "2026-01-01",
    "protocol_id": "p",
    "sources": "b2:3",
    "pack": "b2:4",
    "lists": "b2:5",
    "offline": True,
    "check_links": False,
    "format": "claim",
}


@pytest.mark.parametrize("name", [field.name for field in fields(EvaluationRequest)])
def test_whatever_the_result_depends_on_is_in_the_id(name: str) -> None:
    assert replace(REQUEST, **{name: OTHERS[name]}).id != REQUEST.id


@pytest.mark.parametrize("constant", ["POLICY_VERSION", "PARSER_VERSION"])
def test_a_change_of_rules_is_another_evaluation(
    monkeypatch: pytest.MonkeyPatch, constant: str
) -> None:
    before = REQUEST.id
    monkeypatch.setattr(run, constant, "another")
    assert REQUEST.id != before


def test_no_metric_asked_for_means_all() -> None:
    assert choose_metrics([]) == tuple(SCORES)


@given(st.lists(st.sampled_from(list(SCORES))))
def test_metrics_asked_for_in_any_order_are_one_request(names: list[str]) -> None:
    chosen = choose_metrics(names)
    assert chosen == choose_metrics(names[::-1])
    assert set(chosen) == set(names or SCORES)
    assert list(chosen) == [name for name in SCORES if name in chosen]


@pytest.mark.parametrize(
    ("name", "told"),
    [("XX", "'XX' is no metric"), ("ca", "'ca' is no metric"), ("", "'' is no metric")]
    + [(name, "is not part of this version") for name in PLANNED],
)
def test_an_unknown_metric_is_refused_with_those_there_are(name: str, told: str) -> None:
    with pytest.raises(BadInput, match=told) as caught:
        choose_metrics(["CA", name])
    assert "Choose from: CI, CA, CF, DA." in str(caught.value)


@pytest.mark.parametrize(
    ("scores", "metrics"),
    [
        (["CA"], ("CA",)),
        (["CF"], ("CI",)),
        (["CA", "CF"], ("CI",)),
        (["DA", "CI", "CA"], ("DA", "CI")),
        ([], ()),
    ],
)
def test_each_score_is_computed_once(scores: list[str], metrics: tuple[str, ...]) -> None:
    assert metrics_for(scores) == metrics


def test_the_tables_of_metrics_agree() -> None:
    assert set(SCORES.values()) <= set(METRICS)
    for score, metric in SCORES.items():
        assert score in METRICS[metric].scores
    assert not set(PLANNED) & set(SCORES)


# A check of one citation


@given(texts.filter(bool), st.sampled_from([A, "doi:10.1/x", "", "https://b.test/?q=<a>"]))
def test_one_claim_and_its_source_are_the_smallest_report(claim: str, url: str) -> None:
    report = claim_report(claim_text(claim, url))
    (statement,) = report.statements
    (citation,) = statement.citations
    assert (statement.claim, statement.state) == (claim, StatementState.CITED)
    assert (citation.url, citation.status) == (url, CitationStatus.RESOLVED)
    assert report.text[citation.start : citation.end] == citation.marker == url
    assert report.text[statement.start : statement.end] == claim


def test_a_claim_that_contains_the_mark_is_still_one_claim() -> None:
    claim = "One\n\n<https://evil.test/> and [2](https://two.test/)\n\n<x"
    report = claim_report(claim_text(claim, A))
    assert [s.claim for s in report.statements] == [claim]
    assert [c.url for c in report.citations] == [A]


# Evaluation


async def context_of(ledger: Ledger, **more: Any) -> Context:
    report = make_report(
        make_statement(1, "The plant opened in 2019.", [A]), make_statement(2, "Uncited.", ())
    )
    source = make_source("The plant opened in 2019.", A)
    settings: dict[str, Any] = {"effort": Effort.STANDARD, **more}
    return await make_context(ledger, report, [source], **settings)


async def answer_all(ledger: Ledger, pending: Pending) -> None:
    text = claim_answer(("opened", "supported", "opened in 2019"))
    await ledger.answers.record([make_answer(item, answer=text) for item in pending.items])


async def evaluated(ledger: Ledger, request: EvaluationRequest = REQUEST, **more: Any) -> Scorecard:
    context = await context_of(ledger, **more)
    try:
        return await evaluate(request, context, "1.2.3")
    except Pending as pending:
        await answer_all(ledger, pending)
        return await evaluate(request, context, "1.2.3")


@pytest.mark.anyio
async def test_a_scorecard_holds_every_score_asked_for_in_that_order(ledger: Ledger) -> None:
    card = await evaluated(ledger, replace(REQUEST, metrics=("DA", "CF", "CA"), as_of="2026-11-30"))
    assert list(card.scores) == ["DA", "CF", "CA"]
    assert (card.scores["CA"].value, card.scores["CF"].value) == (50.0, 100.0)
    assert (card.judge, card.effort, card.version) == ("agent", "standard", "1.2.3")
    assert (card.report_id, card.as_of) == (make_report_id(), "2026-11-30")
    assert card.stats["cited"] == 1
    assert len(card.verdicts) == 1
    assert [s.url for s in card.sources] == [A]


def make_report_id() -> str:
    return make_report(
        make_statement(1, "The plant opened in 2019.", [A]), make_statement(2, "Uncited.", ())
    ).id


@pytest.mark.anyio
async def test_a_replay_gives_the_same_scorecard(ledger: Ledger) -> None:
    first = await evaluated(ledger)
    assert await evaluate(REQUEST, await context_of(ledger), "1.2.3") == first


@pytest.mark.anyio
async def test_scorecards_are_compared_by_what_was_found_and_not_by_what_it_cost(
    ledger: Ledger,
) -> None:
    card = await evaluated(ledger)
    same = scorecard_hash(card)
    assert scorecard_hash(replace(card, cost=Cost(usd=3.0, calls=7))) == same
    assert scorecard_hash(replace(card, title="Another")) != same
    assert scorecard_hash(replace(card, verdicts=())) != same
    assert scorecard_hash(replace(card, judge="host")) != same


@pytest.mark.anyio
async def test_scores_carry_the_date_they_are_of(ledger: Ledger) -> None:
    card = await evaluated(ledger, as_of="2026-11-30")
    assert {score.as_of for score in card.scores.values()} == {"2026-11-30"}
    assert {score.as_of for score in (await evaluated(ledger)).scores.values()} == {""}


def stand_in(name: str, monkeypatch: pytest.MonkeyPatch, result: object) -> None:
    """Let a metric return something, or raise it."""

    async def metric(context: Context) -> MetricResult:
        if isinstance(result, Exception):
            raise result
        assert isinstance(result, MetricResult)
        return result

    monkeypatch.setitem(METRICS, name, MetricSpec(metric, METRICS[name].scores))


@pytest.mark.anyio
async def test_a_fault_in_one_metric_costs_its_own_scores_and_no_other(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    stand_in("CI", monkeypatch, ZeroDivisionError("secret detail"))
    request = replace(REQUEST, metrics=("CI", "CA", "CF", "DA"))
    with caplog.at_level(logging.ERROR):
        card = await evaluated(ledger, request)
    for name in ("CI", "CA", "CF"):
        score = card.scores[name]
        assert (score.value, score.reason) == (None, Reason.NOT_RUN)
        assert "ZeroDivisionError" in score.note
        assert "secret" not in score.note
    assert card.scores["DA"].reason is Reason.PARTIAL_JUDGING
    assert "secret detail" in caplog.text


@pytest.mark.anyio
async def test_an_error_of_the_store_ends_the_evaluation(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in("DA", monkeypatch, StoreError("The disk is full."))
    request = replace(REQUEST, metrics=("DA",))
    with pytest.raises(StoreError, match="disk is full"):
        await evaluate(request, await context_of(ledger), "")


@pytest.mark.anyio
async def test_questions_of_every_metric_are_raised_together(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = (await first_question(ledger)).items[0]
    another = replace(item, kind="another")
    stand_in("DA", monkeypatch, Pending([Question(another)]))
    with pytest.raises(Pending) as caught:
        await evaluate(REQUEST, await context_of(ledger), "")
    assert {i.id for i in caught.value.items} == {item.id, another.id}


async def first_question(ledger: Ledger) -> Pending:
    with pytest.raises(Pending) as caught:
        await evaluate(REQUEST, await context_of(ledger), "")
    return caught.value


@pytest.mark.anyio
async def test_findings_come_worst_first_then_in_the_order_of_the_report(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def finding(severity: Severity, start: int, kind: str = "k") -> Finding:
        return Finding(kind=kind, severity=severity, message="m", start=start)

    wanted = [
        finding(Severity.HIGH, 9),
        finding(Severity.MEDIUM, 2, "a"),
        finding(Severity.MEDIUM, 2, "b"),
        finding(Severity.LOW, 1),
    ]
    scores = {"DA": MetricScore(metric="DA")}
    stand_in("DA", monkeypatch, MetricResult(scores=scores, findings=(*wanted[::-1], wanted[0])))
    card = await evaluate(replace(REQUEST, metrics=("DA",)), await context_of(ledger), "")
    assert list(card.findings) == wanted


@pytest.mark.anyio
async def test_a_replay_from_a_pack_equals_what_it_replays(ledger: Ledger) -> None:
    card = await evaluated(ledger)
    other = Ledger.open(":memory:")
    pack = "b2:" + "ab" * 16
    context = await context_of(other, judge=Judge(other, "agent", pack=pack))
    with pytest.raises(Pending) as caught:
        await evaluate(REQUEST, context, "1.2.3")
    answers = await ledger.answers.of([item.id for item in caught.value.items])
    packed = [replace(a, judge=packed_name(pack, a.judge)) for g in answers.values() for a in g]
    await other.answers.record(packed)
    replayed = await evaluate(REQUEST, context, "1.2.3")
    other.close()
    assert replayed.scores["CF"].judge != card.scores["CF"].judge
    assert scorecard_hash(replayed) == scorecard_hash(card)
