"""Domain authority (DA): the mean authority of the unique addresses a report cites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt

from dream_evaluators.hashing import content_id
from dream_evaluators.judge import gather
from dream_evaluators.metrics.context import Context, MetricResult
from dream_evaluators.metrics.source_classes import class_questions, judged_classes
from dream_evaluators.metrics.source_findings import Cited, source_findings
from dream_evaluators.model.authority import Authority
from dream_evaluators.model.finding import Finding, Severity
from dream_evaluators.model.report import Citation, CitationStatus
from dream_evaluators.model.score import MetricScore, Reason, ScoreStatus, SourceSummary
from dream_evaluators.model.source import Source
from dream_evaluators.web.domains import CLASSES

VERSION = "da-1"
# An unknown name is neither trusted nor condemned: half the scale, with bounds for what it could
# be (docs/faithfulness.md; our choice).
NEUTRAL = 50.0
UNKNOWN_LOW, UNKNOWN_HIGH = 20.0, 80.0
WEAK = 40.0  # the upper edge of the lowest band
LOWEST = 5
# Our choice: a mean over fewer known addresses than this share is shown but marked insufficient.
ENOUGH = 0.25


async def domain_authority(context: Context) -> MetricResult:
    """Evaluate DA: deterministic; a judge may name classes, which are shown beside it.

    Raises:
        Pending: Classes of unknown publishers wait for an answer (in a full evaluation only).
    """
    cited = _unique_citations(context.report.citations)
    read = await gather([context.read(c.url) for c in cited])
    rows = [
        _row(context, citation, source)
        for citation, source in zip(cited, read, strict=True)
        if source is not None
    ]
    judged = [(a, s) for (a, _, _), s in zip(rows, filter(None, read), strict=True)]
    classes = await judged_classes(context, judged)
    score = _score(context, [authority for authority, _, _ in rows], classes)
    return MetricResult(
        scores={"DA": score},
        findings=(
            *_findings(context, [(a, c) for a, c, _ in rows]),
            *source_findings(
                context.report,
                [Cited(c, source) for c, source in zip(cited, read, strict=True) if source],
            ),
        ),
        sources=tuple(summary for _, _, summary in rows),
        asked=class_questions(context, judged),
    )


def _unique_citations(citations: Sequence[Citation]) -> list[Citation]:
    resolved = [c for c in citations if c.status is CitationStatus.RESOLVED]
    return list({c.canonical_url: c for c in reversed(resolved)}.values())[::-1]


def _row(
    context: Context, citation: Citation, source: Source
) -> tuple[Authority, Citation, SourceSummary]:
    authority = context.authority.score(citation.url, topic=context.query, title=source.title)
    if authority.source_class == "unresolved_redirect" and source.readable:
        authority = context.authority.score(source.final_url, topic=context.query)
    summary = SourceSummary(
        url=citation.url,
        canonical_url=citation.canonical_url,
        outcome=source.outcome.value,
        state=source.state.value,
        reason=source.reason,
        title=source.title or citation.title,
        published=source.published,
        retrieved_at=source.retrieved_at,
        content_hash=source.content_hash,
        archived_url=source.archived_url,
        final_url=source.final_url,
        authority=authority.score,
        source_class=authority.source_class,
        flags=(*source.flags, *authority.flags),
        statements=sum(
            1
            for s in context.report.statements
            if any(c.canonical_url == citation.canonical_url for c in s.citations)
        ),
    )
    return authority, citation, summary


def _score(
    context: Context, authorities: Sequence[Authority], classes: Mapping[str, str]
) -> MetricScore:
    report = context.report
    if not authorities:
        return _without_addresses(bool(report.citations or report.dangling))
    counted = [a for a in authorities if a.score is not None or a.source_class == "unknown"]
    known = [a.score for a in counted if a.score is not None]
    score = MetricScore(
        metric="DA",
        n_scored=len(known),
        n_total=len(authorities),
        coverage=len(known) / len(authorities),
        labels=dict(sorted(Counter(a.source_class for a in authorities).items())),
        judge="deterministic",
        comparability_key=content_id(VERSION, context.authority.version),
    )
    if not known:
        note = "No cited address belongs to a publisher or class that is known here."
        return replace(score, reason=Reason.PARTIAL_JUDGING, note=note)
    return replace(
        score,
        value=_mean(counted, NEUTRAL),
        status=ScoreStatus.SCORED if score.coverage >= ENOUGH else ScoreStatus.INSUFFICIENT,
        note="" if score.coverage >= ENOUGH else "Few of the cited addresses are known here.",
        bound_low=_mean(counted, UNKNOWN_LOW),
        bound_high=_mean(counted, UNKNOWN_HIGH),
        variants={
            "known_only": sum(known) / len(known),
            "balanced": _balanced(counted),
            **_with_judged(counted, classes),
        },
    )


def _with_judged(counted: Sequence[Authority], classes: Mapping[str, str]) -> dict[str, float]:
    """DA if the classes that a judge named for unknown publishers counted; shown, never scored."""
    if not classes:
        return {}
    named = [
        replace(a, score=CLASSES[classes[a.host]].prior) if a.host in classes else a
        for a in counted
    ]
    return {"with_judged_classes": _mean(named, NEUTRAL)}


def _without_addresses(has_markers: bool) -> MetricScore:
    if has_markers:
        return MetricScore(
            metric="DA",
            reason=Reason.CITATIONS_UNRESOLVABLE,
            note="The report has citation markers, but none leads to an address.",
        )
    return MetricScore(
        metric="DA",
        value=0.0,
        status=ScoreStatus.SCORED,
        reason=Reason.NO_CITATIONS,
        note="The report cites nothing at all: a structural zero, as in the paper.",
        judge="deterministic",
    )


def _mean(counted: Sequence[Authority], unknown: float) -> float:
    return sum(unknown if a.score is None else a.score for a in counted) / len(counted)


def _balanced(counted: Sequence[Authority]) -> float:
    """The mean with each effective publisher weighted by the square root of its addresses."""
    groups: dict[str, list[float]] = {}
    for a in counted:
        name = a.publisher or a.registrable_domain or a.host
        groups.setdefault(name, []).append(NEUTRAL if a.score is None else a.score)
    weights = {name: sqrt(len(scores)) for name, scores in groups.items()}
    total = sum(weights[name] * sum(s) / len(s) for name, s in groups.items())
    return total / sum(weights.values())


def _findings(context: Context, rows: Sequence[tuple[Authority, Citation]]) -> tuple[Finding, ...]:
    weak = [(a, c) for a, c in rows if a.score is not None and a.score < WEAK]
    weak.sort(key=lambda row: (row[0].score or 0.0, row[1].start))
    return tuple(_weak(context, a, c) for a, c in weak[:LOWEST])


def _weak(context: Context, authority: Authority, citation: Citation) -> Finding:
    statement = next(
        s
        for s in context.report.statements
        if any(c.canonical_url == citation.canonical_url for c in s.citations)
    )
    alone = len({c.canonical_url for c in statement.resolved}) == 1
    name = authority.publisher or authority.host
    return Finding(
        kind="weak_source",
        severity=Severity.MEDIUM if alone else Severity.LOW,
        message=f"{name} ({authority.source_class.replace('_', ' ')}) carries little weight"
        + (" and is the only source of this sentence." if alone else "."),
        fix="Find a primary or independent source that says the same.",
        statement_id=statement.id,
        start=statement.start,
        end=statement.end,
        text=statement.text,
        url=citation.url,
        search_query=statement.claim[:160],
    )
