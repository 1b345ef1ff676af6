"""The metrics, as a table: what can be asked for, and who computes it."""

from __future__ import annotations

from typing import NamedTuple

from dream_evaluators.metrics.authority import domain_authority
from dream_evaluators.metrics.citations import accuracy_alone, citations
from dream_evaluators.metrics.context import Context, Effort, Metric, MetricResult

__all__ = ["METRICS", "SCORES", "Context", "Effort", "Metric", "MetricResult", "MetricSpec"]


class MetricSpec(NamedTuple):
    """One evaluator and the scores it gives."""

    evaluate: Metric
    scores: tuple[str, ...]


METRICS: dict[str, MetricSpec] = {
    "CA": MetricSpec(accuracy_alone, ("CA",)),
    "CI": MetricSpec(citations, ("CI", "CA", "CF")),
    "DA": MetricSpec(domain_authority, ("DA",)),
}
# Every score that can be asked for by name, and the metric that gives it.
SCORES: dict[str, str] = {"CI": "CI", "CA": "CA", "CF": "CI", "DA": "DA"}
