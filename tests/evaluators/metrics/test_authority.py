"""DA on addresses whose authority is known, and on reports that have none."""

from __future__ import annotations

from math import sqrt
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dream_evaluators.judge import Pending
from dream_evaluators.ledger import Ledger
from dream_evaluators.metrics.authority import domain_authority
from dream_evaluators.model.authority import Authority
from dream_evaluators.model.report import CitationStatus, Report, StatementState
from dream_evaluators.model.score import MetricScore, Reason, ScoreStatus
from dream_evaluators.model.source import Outcome
from dream_evaluators.web.domains import DomainAuthority
from tests.evaluators.metrics.cases import Table, make_context
from tests.strategies import (
    FAILURE,
    make_answer,
    make_citation,
    make_report,
    make_source,
    make_statement,
)

pytestmark = pytest.mark.anyio
A, B, C, D = (f"https://{name}.test/" for name in "abcd")


def rated(url: str, score: float | None, **more: Any) -> Authority:
    settings: dict[str, Any] = {"source_class": "news" if score is not None else "unknown", **more}
    return Authority(url=url, score=score, host=url.split("/")[2], **settings)


def table(*authorities: Authority) -> Table:
    return Table({authority.url: authority for authority in authorities})


async def score_of(ledger: Ledger, report: Report, authority: Any) -> MetricScore:
    result = await domain_authority(await make_context(ledger, report, authority=authority))
    return result.scores["DA"]


async def test_da_is_the_mean_over_unique_addresses(ledger: Ledger) -> None:
    report = make_report(
        make_statement(1, "One.", [A, B]), make_statement(2, "Two.", [A, "http://a.test/#x"])
    )
    score = await score_of(ledger, report, table(rated(A, 90.0), rated(B, 40.0)))
    assert (score.value, score.status) == (65.0, ScoreStatus.SCORED)
    assert (score.bound_low, score.bound_high) == (65.0, 65.0)
    assert (score.n_scored, score.n_total, score.coverage) == (2, 2, 1.0)
    assert (score.judge, score.low, score.high) == ("deterministic", None, None)
    assert score.labels == {"news": 2}


async def test_an_unknown_publisher_counts_half_with_bounds_for_what_it_could_be(
    ledger: Ledger,
) -> None:
    report = make_report(make_statement(1, "One.", [A, B]))
    score = await score_of(ledger, report, table(rated(A, 90.0)))
    assert (score.value, score.bound_low, score.bound_high) == (70.0, 55.0, 85.0)
    assert score.variants["known_only"] == 90.0
    assert (score.n_scored, score.n_total, score.coverage) == (1, 2, 0.5)
    assert score.labels == {"news": 1, "unknown": 1}


async def test_when_nobody_is_known_there_is_no_score(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "One.", [A, B]))
    score = await score_of(ledger, report, table())
    assert (score.value, score.reason) == (None, Reason.PARTIAL_JUDGING)
    assert (score.coverage, score.n_total) == (0.0, 2)
    assert score.note


async def test_placeholders_and_redirects_are_counted_and_left_out(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "One.", [A, B, C]))
    left_out = (
        rated(B, None, source_class="not_a_web_source"),
        rated(C, None, source_class="unresolved_redirect"),
    )
    score = await score_of(ledger, report, table(rated(A, 90.0), *left_out))
    assert (score.value, score.bound_low, score.bound_high) == (90.0, 90.0, 90.0)
    assert score.labels == {"news": 1, "not_a_web_source": 1, "unresolved_redirect": 1}
    assert score.coverage == pytest.approx(1 / 3)


async def test_a_redirect_that_was_followed_is_rated_by_where_it_led(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "One.", [A]))
    authority = table(rated(A, None, source_class="unresolved_redirect"), rated(B, 80.0))
    source = make_source("Text.", A, final_url=B)
    context = await make_context(ledger, report, [source], authority=authority)
    result = await domain_authority(context)
    assert result.scores["DA"].value == 80.0
    assert result.sources[0].authority == 80.0


async def test_a_publisher_cited_often_weighs_by_the_root_of_its_pages(ledger: Ledger) -> None:
    pages = [f"https://big.test/{n}" for n in range(4)]
    report = make_report(make_statement(1, "One.", [*pages, B]))
    authority = table(*(rated(p, 20.0, publisher="big") for p in pages), rated(B, 95.0))
    score = await score_of(ledger, report, authority)
    assert score.value == 35.0
    assert score.variants["balanced"] == pytest.approx((2 * 20 + 95) / 3)
    mixed = table(*(rated(p, 20.0, publisher="big") for p in pages[:2]), rated(B, 95.0))
    score = await score_of(ledger, report, mixed)
    # big: 20, 20; the other two pages are unknown hosts of their own, 50 each
    names = {"big": [20.0, 20.0], "p2": [50.0], "p3": [50.0], "b": [95.0]}
    total = sum(sqrt(len(v)) * sum(v) / len(v) for v in names.values())
    assert score.variants["balanced"] == pytest.approx(total / (3 + sqrt(2)))


async def test_a_report_that_cites_nothing_scores_zero(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "One.", ()))
    score = await score_of(ledger, report, table())
    assert (score.value, score.status, score.reason) == (
        0.0,
        ScoreStatus.SCORED,
        Reason.NO_CITATIONS,
    )


async def test_markers_that_lead_nowhere_give_no_score(ledger: Ledger) -> None:
    dangling = make_citation(status=CitationStatus.DANGLING)
    inside = make_report(
        make_statement(1, "One.", citations=(dangling,), state=StatementState.CITED_UNRESOLVABLE)
    )
    beside = make_report(make_statement(1, "One.", ()), dangling=(dangling,))
    for report in (inside, beside):
        score = await score_of(ledger, report, table())
        assert (score.value, score.reason) == (None, Reason.CITATIONS_UNRESOLVABLE)


async def test_every_source_is_listed_with_what_became_of_it(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "One.", [A]), make_statement(2, "Two.", [A, B]))
    alive = make_source("Text.", A, title="Title", published="2020", flags=("truncated",))
    dead = make_source("", B, outcome=Outcome.GONE, reason="410.")
    authority = table(rated(A, 90.0, flags=("preprint",)))
    context = await make_context(ledger, report, [alive, dead], authority=authority)
    first, second = (await domain_authority(context)).sources
    assert (first.url, first.state, first.title, first.published) == (A, "alive", "Title", "2020")
    assert (first.authority, first.flags, first.statements) == (90.0, ("truncated", "preprint"), 2)
    assert (second.state, second.outcome, second.reason) == ("dead", "gone", "410.")
    assert (second.authority, second.statements) == (None, 1)


async def test_the_five_weakest_sources_are_findings_the_weakest_first(ledger: Ledger) -> None:
    urls = [f"https://w{n}.test/" for n in range(7)]
    statements = [make_statement(n, f"Claim {n}.", [url]) for n, url in enumerate(urls)]
    statements.append(make_statement(8, "Two.", [urls[0], A]))
    scores = [39.0, 5.0, 40.0, 10.0, 20.0, 15.0, 30.0]
    known = zip(urls, scores, strict=True)
    authority = table(*(rated(u, s, publisher=u, source_class="blog_platform") for u, s in known))
    context = await make_context(ledger, make_report(*statements), authority=authority)
    findings = (await domain_authority(context)).findings
    assert [f.url for f in findings] == [urls[n] for n in (1, 3, 5, 4, 6)]
    assert "blog platform" in findings[0].message
    assert "only source" in findings[0].message
    assert findings[0].statement_id == "s0.1"


async def test_a_weak_source_beside_another_is_a_lesser_finding(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "One.", [A, B]))
    context = await make_context(ledger, report, authority=table(rated(A, 10.0), rated(B, 90.0)))
    (finding,) = (await domain_authority(context)).findings
    assert (finding.severity.value, "only source" in finding.message) == ("low", False)


async def test_with_the_shipped_registry_an_agency_outweighs_a_blog(ledger: Ledger) -> None:
    authority = DomainAuthority()
    agency = make_report(make_statement(1, "One.", ["https://www.who.int/news/x"]))
    blog = make_report(make_statement(1, "One.", ["https://somebody.github.io/post"]))
    good, weak = [await score_of(ledger, report, authority) for report in (agency, blog)]
    assert good.value is not None
    assert weak.value is not None
    assert weak.value < 40 < 80 < good.value <= 100
    assert good.comparability_key == weak.comparability_key
    assert good.comparability_key != (await score_of(ledger, agency, table())).comparability_key


async def test_a_judge_that_names_no_class_leaves_the_publisher_unknown(ledger: Ledger) -> None:
    report = make_report(make_statement(1, "One.", [A, B]))
    pages = [make_source("Text.", A)]
    context = await make_context(ledger, report, pages, authority=table(rated(B, 90.0)))
    with pytest.raises(Pending) as caught:
        await domain_authority(context)
    (item,) = caught.value.items
    await ledger.answers.record([make_answer(item, answer=FAILURE)])
    score = (await domain_authority(context)).scores["DA"]
    assert (score.value, score.labels) == (70.0, {"news": 1, "unknown": 1})


@settings(max_examples=25)
@given(st.lists(st.none() | st.floats(0, 100), min_size=1, max_size=8))
async def test_da_is_on_the_scale_within_its_bounds_or_absent(scores: list[float | None]) -> None:
    ledger = Ledger.open(":memory:")
    urls = [f"https://p{n}.test/" for n in range(len(scores))]
    authority = table(*(rated(u, s) for u, s in zip(urls, scores, strict=True)))
    score = await score_of(ledger, make_report(make_statement(1, "One.", urls)), authority)
    ledger.close()
    if all(s is None for s in scores):
        assert score.value is None
        return
    assert score.value is not None
    assert score.bound_low is not None
    assert score.bound_high is not None
    assert -1e-9 <= score.bound_low <= score.value + 1e-9
    assert score.value <= score.bound_high + 1e-9 <= 100 + 2e-9
    assert -1e-9 <= score.variants["balanced"] <= 100 + 1e-9
