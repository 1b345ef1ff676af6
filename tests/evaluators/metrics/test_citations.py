"""CA, CF and CI on reports small enough to compute by hand."""

from __future__ import annotations

import json

import pytest

from dream_evaluators.judge import Judge, Pending
from dream_evaluators.judges.offline import offline_judge
from dream_evaluators.judges.views import view_for
from dream_evaluators.ledger import Ledger
from dream_evaluators.metrics.citations import accuracy_alone, citations, unique
from dream_evaluators.metrics.context import Effort
from dream_evaluators.model.judgement import Answer, WorkItem
from dream_evaluators.model.report import CitationStatus, Report, StatementState
from dream_evaluators.model.score import Label, Reason, ScoreStatus
from dream_evaluators.model.source import Outcome
from dream_evaluators.prompts import load_prompt
from dream_evaluators.tokens import estimate_tokens
from tests.evaluators.metrics.cases import (
    AGAINST,
    FULL,
    PARTIAL,
    SILENT,
    TEXT,
    UNGROUNDED,
    A,
    B,
    C,
    D,
    blocked,
    gone,
    judged,
    make_context,
    page,
    plain,
    unresolvable,
)
from tests.strategies import (
    FAILURE,
    claim_answer,
    make_answer,
    make_citation,
    make_report,
    make_statement,
)

pytestmark = pytest.mark.anyio

# CA


async def test_ca_is_the_share_of_factual_statements_with_an_address(ledger: Ledger) -> None:
    report = make_report(
        make_statement(1, "One.", [A]),
        plain(2, StatementState.UNCITED, inherited=(make_citation(A),)),
        plain(3, StatementState.UNCITED),
        plain(4, StatementState.NOT_FACTUAL),
        unresolvable(5),
    )
    result = await accuracy_alone(await make_context(ledger, report))
    assert list(result.scores) == ["CA"]
    score = result.scores["CA"]
    assert (score.value, score.status, score.reason) == (25.0, ScoreStatus.SCORED, None)
    assert (score.n_scored, score.n_total, score.coverage) == (4, 4, 1.0)
    assert score.labels == {"cited": 1, "uncited": 2, "cited_unresolvable": 1}
    assert score.variants == {"paragraph_policy": 50.0, "unresolvable_share": 25.0}
    assert (score.bound_low, score.bound_high) == (25.0, 50.0)
    assert (score.judge, score.model) == ("deterministic", "")
    assert score.interval_method.startswith("bootstrap, clustered by paragraph")


async def test_ca_has_no_interval_when_all_stands_in_one_paragraph(ledger: Ledger) -> None:
    report = make_report(*(make_statement(n, f"{n}.", [A], paragraph=1) for n in (1, 2)))
    score = (await accuracy_alone(await make_context(ledger, report))).scores["CA"]
    assert (score.value, score.low, score.high, score.interval_method) == (100.0, None, None, "")


# Structural cases


async def test_a_report_that_cites_nothing_scores_zero_as_in_the_paper(ledger: Ledger) -> None:
    report = make_report(plain(1, StatementState.UNCITED), plain(2, StatementState.NOT_FACTUAL))
    scores = (await citations(await make_context(ledger, report))).scores
    for name in ("CI", "CA"):
        score = scores[name]
        assert (score.metric, score.value, score.reason) == (name, 0.0, Reason.NO_CITATIONS)
        assert (score.status, score.n_total) == (ScoreStatus.SCORED, 1)
    assert (scores["CF"].value, scores["CF"].reason) == (None, Reason.NO_CITATIONS)
    assert scores["CF"].status is ScoreStatus.UNSCORED


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        (make_report(), Reason.NO_CLAIMS),
        (make_report(plain(1, StatementState.NOT_FACTUAL)), Reason.NO_CLAIMS),
        (make_report(unresolvable(1)), Reason.CITATIONS_UNRESOLVABLE),
        (
            make_report(
                plain(1, StatementState.UNCITED),
                dangling=(make_citation(status=CitationStatus.DANGLING),),
            ),
            Reason.CITATIONS_UNRESOLVABLE,
        ),
    ],
)
async def test_without_claims_or_addresses_there_is_no_score_but_a_reason(
    ledger: Ledger, report: Report, reason: Reason
) -> None:
    context = await make_context(ledger, report)
    for metric, names in ((citations, ["CI", "CA", "CF"]), (accuracy_alone, ["CA"])):
        scores = (await metric(context)).scores
        assert list(scores) == names
        for score in scores.values():
            assert (score.value, score.status, score.reason) == (None, ScoreStatus.UNSCORED, reason)
            assert score.note


# CF and CI


async def test_four_verdicts_give_cf_and_its_harmonic_mean_with_ca(ledger: Ledger) -> None:
    claims = {"Full.": FULL, "Partial.": PARTIAL, "Against.": AGAINST, "Silent.": SILENT}
    statements = [
        make_statement(n, claim, [url])
        for n, (claim, url) in enumerate(zip(claims, (A, B, C, D), strict=True), 1)
    ]
    report = make_report(*statements, plain(5, StatementState.UNCITED))
    context = await make_context(ledger, report, [page(url) for url in (A, B, C, D)])
    result = await judged(citations, context, claims)
    cf, ci, ca = (result.scores[name] for name in ("CF", "CI", "CA"))
    assert ca.value == 80.0
    assert cf.value == 37.5  # (1 + .5 + 0 + 0) / 4
    assert ci.value == pytest.approx(2 * 80 * 37.5 / 117.5)
    assert cf.labels == {
        "contradict": 1,
        "full_support": 1,
        "partial_support": 1,
        "unverifiable": 1,
    }
    assert cf.variants == {"population": 4.0, "citation_precision": 50.0}
    assert (cf.bound_low, cf.bound_high) == (37.5, 37.5)
    assert (cf.n_scored, cf.n_total, cf.coverage) == (4, 4, 1.0)
    assert (cf.status, cf.judge) == (ScoreStatus.SCORED, "agent:m")
    assert cf.prompt_ids == tuple(load_prompt(f"{kind}_verdict").id for kind in ("claim", "union"))
    assert cf.interval_method.startswith("bootstrap, clustered by source")
    assert ci.interval_method.startswith("bootstrap, clustered by paragraph, CA and CF jointly")
    assert (ci.labels, ci.variants, ci.metric) == ({}, {}, "CI")
    assert [f.kind for f in result.findings] == [
        "partly_unsupported",
        "contradicted",
        "unsupported",
    ]


async def test_a_statement_whose_sources_are_all_dead_counts_zero(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "Full.", [A]), make_statement(2, "Gone.", [B, C]))
    context = await make_context(ledger, report, [page(A), gone(B), gone(C)])
    result = await judged(citations, context, {"Full.": FULL})
    assert result.scores["CA"].value == 100.0
    assert result.scores["CF"].value == 50.0
    assert result.scores["CF"].labels == {"full_support": 1, "source_dead": 1}
    assert result.scores["CF"].variants["citation_precision"] == pytest.approx(100 / 3)
    assert result.scores["CI"].value == pytest.approx(200 / 3)
    assert {f.severity.value for f in result.findings if f.kind == "dead_source"} == {"high"}


async def test_an_archived_page_is_judged_by_its_copy(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "Full.", [A]))
    context = await make_context(ledger, report, [page(A, outcome=Outcome.ARCHIVED)])
    assert (await judged(citations, context, {"Full.": FULL})).scores["CF"].value == 100.0


async def test_an_unread_source_is_outside_the_mean_and_inside_the_bounds(ledger: Ledger) -> None:
    report = make_report(
        make_statement(1, "Full.", [A]),
        make_statement(2, "Silent.", [A]),
        make_statement(3, "Blocked.", [B]),
        make_statement(4, "Settled.", [A, B]),
    )
    context = await make_context(ledger, report, [page(A), blocked(B)])
    script = {"Full.": FULL, "Silent.": SILENT, "Settled.": FULL}
    cf = (await judged(citations, context, script)).scores["CF"]
    assert cf.value == pytest.approx(200 / 3)
    assert (cf.bound_low, cf.bound_high) == (50.0, 75.0)
    assert (cf.n_scored, cf.n_total, cf.coverage) == (3, 4, 0.75)
    assert cf.labels["source_unknown"] == 1


async def test_nothing_that_could_be_read_is_no_fault_of_the_report(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "Blocked.", [A]))
    for judge in (Judge(ledger, "agent"), offline_judge(ledger)):
        context = await make_context(ledger, report, [blocked(A)], judge=judge)
        scores = (await citations(context)).scores
        assert scores["CA"].value == 100.0
        for name in ("CF", "CI"):
            assert (scores[name].value, scores[name].reason) == (None, Reason.SOURCE_UNREACHABLE)
            assert "no fault" in scores[name].note


async def test_below_half_decided_the_mean_is_marked_insufficient(ledger: Ledger) -> None:
    report = make_report(
        make_statement(1, "Full.", [A]),
        *(make_statement(n, f"Blocked {n}.", [B]) for n in (2, 3)),
    )
    context = await make_context(ledger, report, [page(A), blocked(B)])
    scores = (await judged(citations, context, {"Full.": FULL})).scores
    for name in ("CF", "CI"):
        assert (scores[name].value, scores[name].status) == (100.0, ScoreStatus.INSUFFICIENT)
    assert scores["CF"].coverage == pytest.approx(1 / 3)


async def test_a_contradiction_by_one_source_stays_beside_the_support_of_another(
    ledger: Ledger,
) -> None:
    report = make_report(make_statement(1, "Fell.", [A, B]))
    context = await make_context(ledger, report, [page(A), page(B, text="Sales rose in May. " * 3)])
    with pytest.raises(Pending) as caught:
        await citations(context)
    by_source = {item.inputs["source"]: item for item in caught.value.items}
    given = zip(by_source.values(), (FULL, AGAINST), strict=True)
    await ledger.answers.record([make_answer(item, answer=text) for item, text in given])
    result = await citations(context)
    assert result.verdicts[0].label is Label.CONTRADICT
    assert result.scores["CF"].value == 0.0
    assert result.scores["CI"].value == 0.0
    assert result.scores["CF"].variants["citation_precision"] == 50.0


async def test_an_address_cited_twice_by_a_statement_is_asked_once(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "Full.", [A, "http://a.test", A + "?utm_source=x"]))
    assert len(unique(report.statements[0].citations)) == 1
    context = await make_context(ledger, report, [page(A)])
    with pytest.raises(Pending) as caught:
        await citations(context)
    assert len(caught.value.items) == 1


async def test_a_judges_failure_is_never_charged_to_the_report(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "Full.", [A]), make_statement(2, "Bad.", [B]))
    context = await make_context(ledger, report, [page(A), page(B)])
    cf = (await judged(citations, context, {"Full.": FULL, "Bad.": UNGROUNDED})).scores["CF"]
    assert (cf.value, cf.n_scored, cf.labels["judge_failed"]) == (100.0, 1, 1)
    assert (cf.bound_low, cf.bound_high) == (50.0, 100.0)


async def test_when_every_answer_is_unusable_the_reason_is_the_judge(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "Bad.", [A]))
    context = await make_context(ledger, report, [page(A)])
    scores = (await judged(citations, context, {"Bad.": UNGROUNDED})).scores
    assert (scores["CF"].value, scores["CF"].reason) == (None, Reason.JUDGE_FAILED)
    assert (scores["CI"].value, scores["CI"].reason) == (None, Reason.JUDGE_FAILED)


async def test_open_questions_are_raised_all_at_once(ledger: Ledger) -> None:
    report = make_report(*(make_statement(n, f"Claim {n}.", [A, B]) for n in range(1, 6)))
    context = await make_context(ledger, report, [page(A), page(B, text=TEXT + " More.")])
    with pytest.raises(Pending) as caught:
        await citations(context)
    assert len(caught.value.items) == 10


async def test_provisional_scores_say_that_questions_wait(ledger: Ledger) -> None:
    report = make_report(*(make_statement(n, f"Claim {n}.", [A]) for n in range(1, 5)))
    context = await make_context(ledger, report, [page(A)])
    one = {"Claim 1.": FULL, "Claim 2.": FULL, "Claim 3.": SILENT}
    cf = (await judged(citations, context, one)).scores["CF"]
    assert cf.value == pytest.approx(200 / 3)
    assert (cf.status, cf.reason) == (ScoreStatus.INSUFFICIENT, Reason.PENDING)
    assert cf.labels["pending"] == 1
    assert (cf.bound_low, cf.bound_high) == (50.0, 75.0)


async def test_before_the_first_answer_the_score_is_pending(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "Claim.", [A]))
    context = await make_context(ledger, report, [page(A)], provisional=True)
    scores = (await citations(context)).scores
    for name in ("CF", "CI"):
        assert (scores[name].value, scores[name].reason) == (None, Reason.PENDING)


async def test_dead_links_alone_are_no_provisional_score(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "Gone.", [A]), make_statement(2, "Claim.", [B]))
    context = await make_context(ledger, report, [gone(A), page(B)], provisional=True)
    cf = (await citations(context)).scores["CF"]
    assert (cf.value, cf.reason) == (None, Reason.PENDING)
    context = await make_context(ledger, report, [gone(A), page(B)])
    assert (await judged(citations, context, {"Claim.": SILENT})).scores["CF"].value == 0.0


async def test_a_large_report_is_sampled_and_says_how_many_it_stands_for(ledger: Ledger) -> None:
    report = make_report(*(make_statement(n, f"Claim {n}.", [A]) for n in range(40)))
    context = await make_context(ledger, report, [page(A)], effort=Effort.QUICK)
    script = {f"Claim {n}.": FULL for n in range(40)}
    result = await judged(citations, context, script)
    cf = result.scores["CF"]
    assert (cf.n_total, cf.variants["population"], cf.value) == (25, 40.0, 100.0)
    assert sum(v.weight for v in result.verdicts) == pytest.approx(40)


# The offline rung


class Clerk:
    """Says one thing after the other, the last one for ever."""

    def __init__(self, *said: str) -> None:
        self.said = list(said)

    async def answer(self, item: WorkItem) -> Answer:
        label = self.said.pop(0) if len(self.said) > 1 else self.said[0]
        said = {"label": label, "p_support": 0.5, "confidence": 0.5, "quotes": [], "flags": []}
        return make_answer(item, "offline:1", answer=json.dumps({**said, "reason": "So."}))


async def test_offline_there_is_an_estimate_and_never_a_score(ledger: Ledger) -> None:
    text = "The bridge opened in 1932. " + "It spans 503 metres across the wide harbour. " * 30
    report = make_report(
        make_statement(1, "The bridge spans 503 metres across the wide harbour.", [A]),
        make_statement(2, "Gone.", [B]),
        make_statement(3, "Something quite different about cats.", [A]),
    )
    judge = offline_judge(ledger)
    context = await make_context(ledger, report, [page(A, text=text), gone(B)], judge=judge)
    result = await citations(context)
    cf, ci = result.scores["CF"], result.scores["CI"]
    assert (cf.value, cf.reason) == (None, Reason.PARTIAL_JUDGING)
    assert (ci.value, ci.reason, ci.estimate) == (None, Reason.PARTIAL_JUDGING, None)
    estimate = cf.estimate
    assert estimate is not None
    assert 0 <= estimate.bound_low <= estimate.value <= estimate.bound_high <= 100
    assert 0 < estimate.decided_share <= 1
    assert estimate.judge.startswith("offline:")
    assert "not a score" in estimate.note
    assert cf.prompt_ids == ()


async def test_offline_without_anything_decided_there_is_no_estimate(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "Full.", [A]), make_statement(2, "Blocked.", [B]))
    judge = Judge(ledger, "offline", instant=Clerk("needs_review"))
    context = await make_context(ledger, report, [page(A), blocked(B)], judge=judge)
    cf = (await citations(context)).scores["CF"]
    assert (cf.value, cf.reason, cf.estimate) == (None, Reason.PARTIAL_JUDGING, None)
    assert (cf.bound_low, cf.bound_high) == (0.0, 100.0)
    assert cf.labels == {"needs_review": 1, "source_unknown": 1}


async def test_offline_what_is_undecided_is_at_its_worst_and_at_its_best_in_the_bounds(
    ledger: Ledger,
) -> None:
    report = make_report(
        *(make_statement(n, f"Claim {n}.", [A]) for n in (1, 2)),
        make_statement(3, "Gone.", [B]),
        make_statement(4, "Blocked.", [C]),
    )
    judge = Judge(ledger, "offline", instant=Clerk("full_support", "needs_review"))
    sources = [page(A), gone(B), blocked(C)]
    context = await make_context(ledger, report, sources, judge=judge)
    cf = (await citations(context)).scores["CF"]
    assert cf.estimate is not None
    assert cf.labels["needs_review"] == 1
    assert (cf.estimate.value, cf.estimate.decided_share) == (50.0, 0.5)
    assert (cf.estimate.bound_low, cf.estimate.bound_high) == (25.0, 75.0)
    assert (cf.bound_low, cf.bound_high) == (25.0, 75.0)
    assert (cf.value, cf.variants) == (None, {"population": 4.0})


@pytest.mark.parametrize("rung", ["offline", "agent", "host", "anthropic"])
async def test_dead_links_alone_need_no_judge_to_be_scored(ledger: Ledger, rung: str) -> None:
    report = make_report(make_statement(1, "Gone.", [A]), make_statement(2, "Too.", [B, C]))
    context = await make_context(
        ledger, report, [gone(url) for url in (A, B, C)], judge=Judge(ledger, rung)
    )
    scores = (await citations(context)).scores
    for name in ("CF", "CI"):
        score = scores[name]
        assert (score.value, score.status, score.reason) == (0.0, ScoreStatus.SCORED, None)
        assert (score.bound_low, score.bound_high) == (0.0, 0.0)
    assert scores["CF"].labels == {"source_dead": 2}


async def test_a_judge_that_gave_nothing_usable_is_named_as_the_reason(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "Full.", [A]), make_statement(2, "Bad.", [B]))
    context = await make_context(ledger, report, [page(A), page(B)])
    cf = (await judged(citations, context, {"Full.": FAILURE, "Bad.": FAILURE})).scores["CF"]
    assert (cf.value, cf.reason, cf.labels) == (None, Reason.JUDGE_FAILED, {"judge_failed": 2})


async def test_quotes_that_stand_together_are_put_together_once(ledger: Ledger) -> None:
    near, far = "Nothing else of note. " * 18, "Nothing at all was said. " * 40
    text = f"The plant opened in 2019. {near}Sales rose in May. {far}It employs many people."
    report = make_report(make_statement(1, "Parts.", [A, B]))
    pages = [page(A, text=text), page(B, text="It closed in 2020.")]
    context = await make_context(ledger, report, pages)
    with pytest.raises(Pending) as caught:
        await citations(context)
    quotes = ("opened in 2019", "Sales rose in May", "employs many people")
    three = claim_answer(("closed", "absent", ""), *((q, "supported", q) for q in quotes))
    one = claim_answer(("closed", "supported", "closed in 2020"), ("opened", "absent", ""))
    given = zip(caught.value.items, (three, one), strict=True)
    await ledger.answers.record([make_answer(item, answer=text) for item, text in given])
    with pytest.raises(Pending) as caught:
        await citations(context)
    (union,) = caught.value.items
    passages = union.inputs["passages"]
    assert f"The plant opened in 2019. {near}Sales rose in May." in passages
    assert passages.count("[…]") == 1  # what lies between the second and the third
    assert passages.count("Sales rose in May") == 1
    assert "It closed in 2020." in passages


async def test_scores_of_different_judges_are_not_comparable(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "Full.", [A]))
    context = await make_context(ledger, report, [page(A)])
    agent = (await judged(citations, context, {"Full.": FULL})).scores["CF"]
    offline = await make_context(ledger, report, [page(A)], judge=offline_judge(ledger))
    other = (await citations(offline)).scores["CF"]
    assert agent.comparability_key != other.comparability_key
    again = (await citations(context)).scores["CF"]
    assert again == agent


LONG = f"{TEXT} " + "Other things stand here as well. " * 400


@pytest.mark.parametrize(
    ("effort", "rung", "readings", "brief"),
    [
        (Effort.QUICK, "agent", 12, True),
        (Effort.QUICK, "host", 12, True),
        (Effort.QUICK, "agent", 11, False),
        (Effort.STANDARD, "agent", 12, False),
        (Effort.QUICK, "anthropic", 12, False),
    ],
)
async def test_a_quick_evaluation_of_many_readings_shows_less_of_long_pages(
    ledger: Ledger, effort: Effort, rung: str, readings: int, brief: bool
) -> None:
    urls = [f"https://h{n}.test/" for n in range(readings)]
    report = make_report(*(make_statement(n, f"Claim {n}.", (u,)) for n, u in enumerate(urls)))
    pages = [page(url, text=LONG if url == urls[0] else TEXT) for url in urls]
    context = await make_context(ledger, report, pages, effort=effort, judge=Judge(ledger, rung))
    with pytest.raises(Pending) as caught:
        await citations(context)
    asked = {item.inputs["claim"]: item for item in caught.value.items}
    assert ("reading" in asked["Claim 0."].inputs) == brief
    assert "reading" not in asked["Claim 1."].inputs
    shown = (await view_for(ledger, [asked["Claim 0."]])).text
    assert (estimate_tokens(shown) <= 600) == brief
