"""What a metric is given: one frozen context, its only input."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from dream_evaluators.judge import Judge
from dream_evaluators.model.authority import Authority
from dream_evaluators.model.finding import Finding
from dream_evaluators.model.report import Report
from dream_evaluators.model.score import MetricScore, SourceSummary, StatementVerdict
from dream_evaluators.model.source import Source


class Effort(StrEnum):
    """How many statements are judged: quick up to 25, standard up to 60, full all."""

    QUICK = "quick"
    STANDARD = "standard"
    FULL = "full"


class AuthorityScorer(Protocol):
    """Tells who stands behind an address."""

    @property
    def version(self) -> str:
        """What the answers depend on: the registry and the imported ratings."""
        ...

    def score(self, url: str, *, topic: str = "", title: str = "") -> Authority:
        """Score one address; never raises."""
        ...


@dataclass(frozen=True, kw_only=True)
class Context:
    """The report, the means to judge it, and how much of it to judge."""

    report: Report
    judge: Judge
    read: Callable[[str], Awaitable[Source]]  # an address to the snapshot this evaluation reads
    authority: AuthorityScorer
    effort: Effort
    query: str = ""
    as_of: str = ""
    provisional: bool = False  # fold what is answered instead of raising Pending


@dataclass(frozen=True, kw_only=True)
class MetricResult:
    """What a metric returns: scores by name, and what stands behind them."""

    scores: dict[str, MetricScore]
    findings: tuple[Finding, ...] = ()
    verdicts: tuple[StatementVerdict, ...] = ()
    sources: tuple[SourceSummary, ...] = ()
    asked: tuple[str, ...] = ()  # ids of questions that no verdict names


class Metric(Protocol):
    """One metric: straight-line code that asks and folds."""

    async def __call__(self, context: Context) -> MetricResult:
        """Evaluate.

        Raises:
            Pending: Questions wait for an answer and the context is not provisional.
        """
        ...
