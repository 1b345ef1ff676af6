"""Citation faithfulness (CF): what the sources of the sampled statements say about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from dream_evaluators.hashing import content_id
from dream_evaluators.judge import unpacked_name
from dream_evaluators.metrics.citation_reasons import NOTES
from dream_evaluators.metrics.context import Context
from dream_evaluators.metrics.intervals import METHOD, Weighted, bootstrap, weighted_mean
from dream_evaluators.metrics.union import KIND as UNION
from dream_evaluators.metrics.verdicts import KIND, UNDECIDED
from dream_evaluators.model.score import (
    Estimate,
    Label,
    MetricScore,
    Reason,
    ScoreStatus,
    StatementVerdict,
)
from dream_evaluators.prompts import load_prompt

VERSION = "cf-2"
# Our choice: below this share of decided statements the mean is shown but marked insufficient.
ENOUGH = 0.5


def citation_faithfulness(
    context: Context, folded: Sequence[StatementVerdict], population: int
) -> MetricScore:
    """CF: mean credit of the sampled cited statements; 0-100.

    Full support 1, partial ½, contradicted 0, read but silent 0, all sources dead 0. What is
    undecided or could not be read is outside the mean and inside the bounds.
    """
    dead = all(v.label is Label.SOURCE_DEAD for v in folded)  # then nobody needs to read
    if context.judge.rung == "offline" and not dead:
        return _offline_faithfulness(context, folded, population)
    decided = [v for v in folded if v.credit is not None]
    waits = any(v.label is Label.PENDING for v in folded)
    score = replace(_described(context, folded), n_scored=len(decided))
    # What needs no judge (dead links) is known first; alone it would be a mean of the worst.
    if not decided or (waits and all(v.label is Label.SOURCE_DEAD for v in decided)):
        reason = _why_undecided(folded)
        coverage = len(decided) / len(folded)
        return replace(score, reason=reason, note=NOTES[reason], coverage=coverage)
    value = 100 * weighted_mean([_observed(v) for v in decided])
    interval = bootstrap([[_observed(v) for v in decided]], lambda means: 100 * means[0], "CF")
    low, high = _bounds(folded)
    coverage = len(decided) / len(folded)
    return replace(
        score,
        value=value,
        status=ScoreStatus.SCORED if coverage >= ENOUGH and not waits else ScoreStatus.INSUFFICIENT,
        reason=Reason.PENDING if waits else None,
        note=NOTES[Reason.PENDING] if waits else "",
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        interval_method=METHOD.format(cluster="source") if interval else "",
        bound_low=low,
        bound_high=high,
        coverage=coverage,
        variants=_variants(folded, population),
    )


def _described(context: Context, folded: Sequence[StatementVerdict]) -> MetricScore:
    kinds = () if context.judge.rung == "offline" else (KIND, UNION)
    prompt_ids = tuple(load_prompt(kind).id for kind in kinds)
    pairs = [pair for verdict in folded for pair in verdict.pairs]
    judges = sorted({pair.judge for pair in pairs if pair.judge})
    models = sorted({pair.model for pair in pairs if pair.model})
    return MetricScore(
        metric="CF",
        n_total=len(folded),
        labels=dict(sorted(Counter(v.label.value for v in folded).items())),
        judge=", ".join(judges) or context.judge.rung,
        model=", ".join(models),
        prompt_ids=prompt_ids,
        comparability_key=content_id(
            VERSION, "CF", prompt_ids, sorted(map(unpacked_name, judges)), context.effort.value
        ),
    )


def _why_undecided(folded: Sequence[StatementVerdict]) -> Reason:
    labels = {verdict.label for verdict in folded}
    for label, reason in (
        (Label.PENDING, Reason.PENDING),
        (Label.JUDGE_FAILED, Reason.JUDGE_FAILED),
        (Label.NEEDS_REVIEW, Reason.PARTIAL_JUDGING),
    ):
        if label in labels:
            return reason
    return Reason.SOURCE_UNREACHABLE


def _offline_faithfulness(
    context: Context, folded: Sequence[StatementVerdict], population: int
) -> MetricScore:
    score = _described(context, folded)
    if all(v.label is Label.SOURCE_UNKNOWN for v in folded):
        reason = Reason.SOURCE_UNREACHABLE
        return replace(score, reason=reason, note=NOTES[reason])
    decided = [v for v in folded if v.credit is not None]
    low, high = _bounds(folded)
    if not decided:
        reason = Reason.PARTIAL_JUDGING
        return replace(score, reason=reason, note=NOTES[reason], bound_low=low, bound_high=high)
    estimate = Estimate(
        value=100 * weighted_mean([_observed(v) for v in decided]),
        bound_low=low,
        bound_high=high,
        decided_share=len(decided) / len(folded),
        judge=score.judge,
        note="What the offline judge would say of the statements it can decide; not a score.",
    )
    reason = Reason.PARTIAL_JUDGING
    return replace(
        score,
        reason=reason,
        note=NOTES[reason],
        estimate=estimate,
        bound_low=low,
        bound_high=high,
        variants={"population": float(population)},
    )


def _observed(verdict: StatementVerdict) -> Weighted:
    cluster = verdict.pairs[0].canonical_url if verdict.pairs else verdict.statement_id
    return Weighted(verdict.credit or 0.0, verdict.weight, cluster)


def _bounds(folded: Sequence[StatementVerdict]) -> tuple[float, float]:
    """The score if all that is undecided or unread were at its worst, and at its best."""
    worst = [Weighted(v.credit or 0.0, v.weight, 0) for v in folded]
    best = [Weighted(1.0 if v.credit is None else v.credit, v.weight, 0) for v in folded]
    return 100 * weighted_mean(worst), 100 * weighted_mean(best)


def _variants(folded: Sequence[StatementVerdict], population: int) -> dict[str, float]:
    pairs = [
        pair
        for verdict in folded
        for pair in verdict.pairs
        if pair.label not in UNDECIDED and pair.label is not Label.SOURCE_UNKNOWN
    ]
    supports = sum(1 for pair in pairs if any(f.relation == "supported" for f in pair.facts))
    return {"population": float(population), "citation_precision": 100 * supports / len(pairs)}
