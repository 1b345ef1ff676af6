"""Run the metrics of one evaluation and fold their results into a scorecard."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from dream_evaluators.errors import BadInput, DreamError
from dream_evaluators.hashing import content_id, text_id
from dream_evaluators.judge import Pending, gather, unpacked_name
from dream_evaluators.metrics import METRICS, SCORES, Context, Effort, MetricResult
from dream_evaluators.metrics.repeats import fold_repeats
from dream_evaluators.model.finding import Finding, Severity
from dream_evaluators.model.report import (
    Citation,
    Report,
    Statement,
    StatementKind,
    StatementState,
)
from dream_evaluators.model.score import Cost, MetricScore, Reason, Scorecard
from dream_evaluators.model.stored import as_plain
from dream_evaluators.report import PARSER_VERSION
from dream_evaluators.urls import canonicalise

# Raised whenever a rule changes that moves a score: sampling, folding, credits.
POLICY_VERSION = "policy-2"
PLANNED = ("WQ", "factuality", "KIC", "RQ")
# How a check of one claim is kept as a report: the claim, and behind this mark its source.
CLAIM_FORMAT = "claim"
CLAIM_MARK = "\n\n<"
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRequest:
    """What was asked for: everything that the result depends on, caps on spending excluded."""

    report_id: str
    format: str = "markdown"  # what the report was opened as
    metrics: tuple[str, ...]
    judge: str  # the rung
    judge_name: str = ""  # the full name where it is fixed beforehand
    effort: Effort = Effort.STANDARD
    samples: int = 1
    query: str = ""
    as_of: str = ""
    protocol_id: str = ""
    sources: str = ""  # hash of the author's sources, "" when none were given
    pack: str = ""  # hash of the evidence pack, "" without one
    lists: str = ""  # hash of the user's imported ratings and registry, "" without any
    offline: bool = False
    check_links: bool = True

    @property
    def id(self) -> str:
        """The identity of the request; asking twice gives the same evaluation."""
        return content_id(POLICY_VERSION, PARSER_VERSION, asdict(self))


def choose_metrics(names: Iterable[str]) -> tuple[str, ...]:
    """Check the scores asked for; none asked for means all.

    Raises:
        BadInput: One is unknown, or not part of this version.
    """
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name in SCORES:
            continue
        known = ", ".join(SCORES)
        why = "is not part of this version" if name in PLANNED else "is no metric"
        raise BadInput(f"{name!r} {why}. Choose from: {known}.")
    return tuple(score for score in SCORES if score in wanted or not wanted)


def metrics_for(scores: Sequence[str]) -> tuple[str, ...]:
    """The metrics that give these scores; CA alone needs no source and no judge."""
    needed = dict.fromkeys(SCORES[score] for score in scores)
    if "CI" in needed:
        needed.pop("CA", None)
    return tuple(needed)


def claim_text(claim: str, url: str) -> str:
    """Write one claim and its source as the text of the smallest report there is."""
    return f"{claim}{CLAIM_MARK}{url}>"


def claim_report(text: str) -> Report:
    """Read what `claim_text` wrote: one statement with one citation, whatever it contains."""
    claim, _, address = text.rpartition(CLAIM_MARK)
    url = address.removesuffix(">")
    citation = Citation(
        marker=url,
        start=len(claim) + len(CLAIM_MARK),
        end=len(text) - len(">"),
        url=url,
        canonical_url=canonicalise(url),
    )
    statement = Statement(
        id="s0.1",
        kind=StatementKind.SENTENCE,
        start=0,
        end=len(claim),
        text=claim,
        claim=claim,
        state=StatementState.CITED,
        citations=(citation,),
    )
    return Report(id=text_id(text), text=text, format=CLAIM_FORMAT, statements=(statement,))


async def evaluate(request: EvaluationRequest, context: Context, version: str) -> Scorecard:
    """Run the metrics together, once for each deliberate repeat.

    Args:
        request: What was asked for.
        context: The means; with `provisional` open questions are folded as pending.
        version: Of dream-mcp, for the record.

    Raises:
        Pending: Questions of any metric wait for an answer and the context is not provisional.
        DreamError: The store or the judge cannot be used.
    """
    judges = [replace(context.judge, sample=sample) for sample in range(request.samples)]
    repeats = [_once(request, replace(context, judge=judge), version) for judge in judges]
    folded = fold_repeats([card for card in await gather(repeats) if card is not None])
    return replace(folded, findings=_ordered(folded.findings))


async def _once(request: EvaluationRequest, context: Context, version: str) -> Scorecard:
    names = metrics_for(request.metrics)
    results = await gather([_bounded(name, context) for name in names])
    found = [result for result in results if result is not None]
    scores = {name: score for result in found for name, score in result.scores.items()}
    report = context.report
    return Scorecard(
        report_id=report.id,
        title=report.title,
        judge=request.judge,
        effort=request.effort.value,
        scores={name: _dated(scores[name], context) for name in request.metrics if name in scores},
        findings=tuple(f for result in found for f in result.findings),
        verdicts=tuple(v for result in found for v in result.verdicts),
        sources=tuple(s for result in found for s in result.sources),
        asked=tuple(item for result in found for item in result.asked),
        stats=asdict(report.stats),
        version=version,
        as_of=request.as_of,
    )


def scorecard_hash(card: Scorecard) -> str:
    """What two scorecards are compared by: everything found, whatever it cost.

    A judge's name counts without the pack that its answers may have come in, so that a replay is
    equal to what it replays.
    """
    plain = as_plain(replace(card, cost=Cost()))
    return content_id(_unpacked(plain))


def _unpacked(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _judges(part) if key == "judge" else _unpacked(part) for key, part in value.items()
        }
    return [_unpacked(part) for part in value] if isinstance(value, list) else value


def _judges(names: str) -> str:
    return ", ".join(sorted({unpacked_name(name) for name in names.split(", ")}))


async def _bounded(name: str, context: Context) -> MetricResult:
    """Run one metric; a fault inside it costs its own score and nothing else."""
    try:
        return await METRICS[name].evaluate(context)
    except (Pending, DreamError):
        raise
    except Exception as error:  # one of two borders: a metric's fault is its own
        logger.exception("metric %s failed", name)
        note = f"This metric failed ({type(error).__name__}); the others are not affected."
        return MetricResult(
            scores={
                score: MetricScore(metric=score, reason=Reason.NOT_RUN, note=note)
                for score in METRICS[name].scores
            }
        )


def _dated(score: MetricScore, context: Context) -> MetricScore:
    return replace(score, as_of=context.as_of) if context.as_of else score


SEVERITIES = {Severity.HIGH: 0, Severity.MEDIUM: 1, Severity.LOW: 2}


def _ordered(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Worst first, then in the order of the report."""
    unique = dict.fromkeys(findings)
    return tuple(sorted(unique, key=lambda f: (SEVERITIES[f.severity], f.start, f.kind)))
