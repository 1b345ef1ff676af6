"""A scorecard as Markdown for people and as a few lines for a model. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dream_evaluators.model.finding import Finding
from dream_evaluators.model.score import Label, MetricScore, Scorecard, SourceSummary

NAMES = {
    "CI": "Citation integrity",
    "CA": "Citation accuracy",
    "CF": "Citation faithfulness",
    "DA": "Domain authority",
}
SHOWN_FINDINGS = 40
EXCERPT = 160


def to_markdown(card: Scorecard) -> str:
    """Write the whole scorecard: scores, findings, sources, how it was made."""
    lines = [f"# Scorecard: {_plain(card.title) or 'untitled report'}", ""]
    lines += _score_table(card)
    lines += _findings(card.findings)
    lines += _sources(card.sources)
    lines += _method(card)
    return "\n".join(lines) + "\n"


def to_summary(card: Scorecard, top: int = 5) -> str:
    """Write the scores and the worst findings, a line each."""
    lines = [score_line(score) for score in card.scores.values()]
    counts = ", ".join(f"{n} {s}" for s, n in severity_counts(card.findings).items() if n)
    lines.append(f"Findings: {counts or 'none'}.")
    lines += [f"- {_one_finding(f)}" for f in card.findings[:top]]
    return "\n".join(lines)


def score_line(score: MetricScore) -> str:
    """Write one score with its interval, or the reason why there is none."""
    name = f"{score.metric} ({NAMES.get(score.metric, score.metric)})"
    if score.value is None:
        why = score.reason.value if score.reason else "not run"
        return f"{name}: no score ({why}). {score.note}{_estimated(score)}".rstrip()
    extra = f" ({score.status.value}: {score.note})" if score.status.value != "scored" else ""
    return f"{name}: {score.value:.1f}{_interval(score)}{extra}, judge {score.judge}"


def severity_counts(findings: Sequence[Finding]) -> dict[str, int]:
    """Count findings by severity, the worst first."""
    counts = {"high": 0, "medium": 0, "low": 0}
    for finding in findings:
        counts[finding.severity.value] += 1
    return counts


def _score_table(card: Scorecard) -> Iterator[str]:
    yield "| metric | score | 95 % interval | bounds | scored of total | judge |"
    yield "|---|---|---|---|---|---|"
    for score in card.scores.values():
        value = f"{score.value:.1f}" if score.value is not None else "none"
        bounds = _range(score.bound_low, score.bound_high)
        interval = _range(score.low, score.high)
        name = f"{score.metric} {NAMES.get(score.metric, '')}".strip()
        yield (
            f"| {name} | {value} | {interval} | {bounds} "
            f"| {score.n_scored} of {score.n_total} | {_cell(score.judge)} |"
        )
    yield ""
    for score in card.scores.values():
        if score.note or score.estimate:
            yield f"- {score.metric}: {score.note}{_estimated(score)}"
    yield ""


def _findings(findings: Sequence[Finding]) -> Iterator[str]:
    counts = ", ".join(f"{n} {name}" for name, n in severity_counts(findings).items())
    yield f"## Findings ({counts})"
    yield ""
    for finding in findings[:SHOWN_FINDINGS]:
        yield f"- {_one_finding(finding)}"
        if finding.text:
            yield f"  > {_plain(finding.text)[: EXCERPT * 2]}"
        if finding.quote:
            yield f"  Source: “{_plain(finding.quote)[: EXCERPT * 2]}”"
        if finding.fix:
            yield f"  Fix: {_plain(finding.fix)}"
    if len(findings) > SHOWN_FINDINGS:
        yield f"- … and {len(findings) - SHOWN_FINDINGS} more"
    yield ""


def _one_finding(finding: Finding) -> str:
    where = f" at {finding.statement_id}" if finding.statement_id else ""
    url = f" <{_plain(finding.url)}>" if finding.url else ""
    return f"**{finding.severity.value}** {finding.kind}{where}: {_plain(finding.message)}{url}"


def _sources(sources: Sequence[SourceSummary]) -> Iterator[str]:
    if not sources:
        return
    yield "## Sources"
    yield ""
    yield "| source | link | authority | class | cited by |"
    yield "|---|---|---|---|---|"
    for source in sources:
        authority = f"{source.authority:.0f}" if source.authority is not None else "unknown"
        yield (
            f"| {_cell(source.title or source.url)} | {source.state} ({source.outcome}) "
            f"| {authority} | {source.source_class} | {source.statements} |"
        )
    yield ""


def _method(card: Scorecard) -> Iterator[str]:
    judged = sum(1 for v in card.verdicts for p in v.pairs if p.judge)
    open_ = sum(1 for v in card.verdicts if v.label is Label.PENDING)
    yield "## How this was made"
    yield ""
    yield f"- Judge: {card.judge}; effort: {card.effort}; dream-mcp {card.version}."
    yield f"- {len(card.verdicts)} cited statements sampled, {judged} source readings judged."
    for score in card.scores.values():
        if (check := score.judge_check) and check.answered:
            yield (
                f"- Judge's check: {check.right} of {check.answered} questions with a known answer "
                f"right ({check.asked} were put among the others)."
            )
            yield from (f"  - {_plain(missed)}" for missed in check.missed)
    if open_:
        yield f"- {open_} statements wait for an answer."
    yield f"- Report {card.report_id}, {card.stats.get('statements', 0)} statements."


def _interval(score: MetricScore) -> str:
    return f" [{score.low:.1f}, {score.high:.1f}]" if score.low is not None else ""


def _range(low: float | None, high: float | None) -> str:
    return f"{low:.1f} to {high:.1f}" if low is not None and high is not None else ""


def _estimated(score: MetricScore) -> str:
    estimate = score.estimate
    if estimate is None:
        return ""
    return (
        f" Offline estimate {estimate.value:.0f} (between {estimate.bound_low:.0f} and "
        f"{estimate.bound_high:.0f}; {estimate.decided_share:.0%} decided), not a score."
    )


def _plain(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|")[:EXCERPT]
