"""Citation accuracy (CA): how many factual statements cite something that leads to an address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from dream_evaluators.hashing import content_id
from dream_evaluators.metrics.citation_reasons import NOTES
from dream_evaluators.metrics.intervals import METHOD, Weighted, bootstrap, weighted_mean
from dream_evaluators.model.report import Citation, CitationStatus, Report, StatementState
from dream_evaluators.model.score import MetricScore, Reason, ScoreStatus

VERSION = "ca-1"


def citation_accuracy(report: Report) -> MetricScore:
    """CA: share of factual statements with a citation that resolves; 0-100, exact, no judge."""
    factual = [s for s in report.statements if s.factual]
    observations = [
        Weighted(float(s.state is StatementState.CITED), 1.0, s.paragraph) for s in factual
    ]
    interval = bootstrap([observations], lambda means: 100 * means[0], "CA")
    states = Counter(s.state for s in factual)
    value = 100 * weighted_mean(observations)
    paragraph = sum(1 for s in factual if s.resolved or _resolves(s.inherited)) / len(factual)
    opaque = states[StatementState.CITED_UNRESOLVABLE] / len(factual)
    return MetricScore(
        metric="CA",
        value=value,
        status=ScoreStatus.SCORED,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        interval_method=METHOD.format(cluster="paragraph") if interval else "",
        bound_low=value,
        bound_high=100 * (states[StatementState.CITED] / len(factual) + opaque),
        n_scored=len(factual),
        n_total=len(factual),
        coverage=1.0,
        labels={state.value: states[state] for state in states},
        variants={"paragraph_policy": 100 * paragraph, "unresolvable_share": 100 * opaque},
        judge="deterministic",
        comparability_key=content_id(VERSION, "CA"),
    )


def nothing_to_judge(report: Report) -> dict[str, MetricScore] | None:
    """The scores of a report without factual statements, without markers, or with dead markers."""
    if not any(s.factual for s in report.statements):
        return _unscored(Reason.NO_CLAIMS)
    if any(s.state is StatementState.CITED for s in report.statements):
        return None
    if report.citations or report.dangling:
        return _unscored(Reason.CITATIONS_UNRESOLVABLE)
    factual = sum(1 for s in report.statements if s.factual)
    zero = MetricScore(
        metric="CA",
        value=0.0,
        status=ScoreStatus.SCORED,
        reason=Reason.NO_CITATIONS,
        note=NOTES[Reason.NO_CITATIONS],
        n_scored=factual,
        n_total=factual,
        coverage=1.0,
        judge="deterministic",
        comparability_key=content_id(VERSION, "CA"),
    )
    silent = MetricScore(
        metric="CF", reason=Reason.NO_CITATIONS, note="There is no citation to check."
    )
    return {"CI": replace(zero, metric="CI"), "CA": zero, "CF": silent}


def _unscored(reason: Reason) -> dict[str, MetricScore]:
    return {
        name: MetricScore(metric=name, reason=reason, note=NOTES[reason])
        for name in ("CI", "CA", "CF")
    }


def _resolves(given: Sequence[Citation]) -> bool:
    return any(c.status is CitationStatus.RESOLVED for c in given)
