"""Repeats: one evaluation judged several times on purpose, folded into one scorecard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from dream_evaluators.hashing import content_id
from dream_evaluators.model.finding import Finding
from dream_evaluators.model.score import (
    MetricScore,
    Reason,
    Scorecard,
    ScoreStatus,
    StatementVerdict,
)


def fold_repeats(cards: Sequence[Scorecard]) -> Scorecard:
    """Fold the scorecards of all repeats.

    A score's value, bounds and interval are means over the repeats; `variants` names the value of
    each and their spread (largest less smallest). A finding stays when more than half of the
    repeats made it. The verdicts are those of the first, each with its label in every repeat.

    Args:
        cards: One for each repeat, at least one, of the same report and request.
    """
    first = cards[0]
    if len(cards) == 1:
        return first
    return replace(
        first,
        scores={name: _score([card.scores[name] for card in cards]) for name in first.scores},
        findings=_findings([card.findings for card in cards]),
        verdicts=tuple(
            _verdict([card.verdicts[at] for card in cards]) for at in range(len(first.verdicts))
        ),
        # A re-ask or a union question may be one that no other repeat put.
        asked=tuple(dict.fromkeys(item for card in cards for item in card.items)),
    )


def _score(scores: Sequence[MetricScore]) -> MetricScore:
    first = scores[0]
    if not any(score.prompt_ids for score in scores):  # nobody was asked
        return first
    judged = [score for score in scores if score.value is not None]
    values = [score.value for score in judged if score.value is not None]
    base = judged[0] if judged else first
    waits = next((score for score in scores if score.reason is Reason.PENDING), None)
    weak = any(score.status is not ScoreStatus.SCORED for score in scores)
    folded = replace(
        base,
        low=_mean([score.low for score in judged]),
        high=_mean([score.high for score in judged]),
        bound_low=_mean([score.bound_low for score in judged]),
        bound_high=_mean([score.bound_high for score in judged]),
        comparability_key=content_id(base.comparability_key, "repeats", len(scores)),
    )
    if not values:
        return folded
    numbered = {f"repeat_{n}": s.value for n, s in enumerate(scores, 1) if s.value is not None}
    return replace(
        folded,
        value=fmean(values),
        status=ScoreStatus.INSUFFICIENT if weak else ScoreStatus.SCORED,
        reason=waits.reason if waits else base.reason,
        note=waits.note if waits else base.note,
        variants={**base.variants, **numbered, "repeat_spread": max(values) - min(values)},
    )


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean; None where any is missing."""
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None


def _findings(found: Sequence[Sequence[Finding]]) -> tuple[Finding, ...]:
    """What most repeats found, in the order of the first that did."""

    def key(finding: Finding) -> tuple[str, str, int, int, str]:
        return finding.kind, finding.statement_id, finding.start, finding.end, finding.url

    counts = Counter(name for findings in found for name in {key(f) for f in findings})
    unique = {key(f): f for findings in reversed(found) for f in reversed(findings)}
    kept = [f for findings in found for f in findings if 2 * counts[key(f)] > len(found)]
    return tuple(dict.fromkeys(unique[key(f)] for f in kept))


def _verdict(verdicts: Sequence[StatementVerdict]) -> StatementVerdict:
    return replace(verdicts[0], repeats=tuple(verdict.label for verdict in verdicts))
