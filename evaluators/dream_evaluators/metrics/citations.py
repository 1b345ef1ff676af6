"""Citation integrity: accuracy (CA), faithfulness (CF), and their harmonic mean (CI).

CA asks how many factual statements have a citation behind which an address stands; CF asks, over a
sample of the cited ones, what their sources say; CI is second-hand from the paper, the rules for
dead, unread and undecided sources are ours (docs/faithfulness.md).
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace

from dream_evaluators.hashing import content_id, text_id
from dream_evaluators.judge import gather
from dream_evaluators.metrics.anchors import Anchor, draw_anchors, judge_check
from dream_evaluators.metrics.citation_accuracy import citation_accuracy, nothing_to_judge
from dream_evaluators.metrics.citation_findings import citation_findings
from dream_evaluators.metrics.context import Context, Effort, MetricResult
from dream_evaluators.metrics.faithfulness import citation_faithfulness
from dream_evaluators.metrics.intervals import METHOD, Weighted, bootstrap
from dream_evaluators.metrics.remedies import Remedy, remedies
from dream_evaluators.metrics.sampling import Sampled, sample
from dream_evaluators.metrics.union import judge_union, needs_union
from dream_evaluators.metrics.verdicts import Pair, fold, judge_pair, unjudged, unread_label
from dream_evaluators.model.report import Citation, Statement, StatementState
from dream_evaluators.model.score import (
    JudgeCheck,
    Label,
    MetricScore,
    PairVerdict,
    StatementVerdict,
)

VERSION = "ci-1"
# Judges whose reader waits for each turn; the others read whole pages at any effort.
BRIEF_RUNGS = frozenset({"agent", "host"})
MANY = 12  # source readings from which a quick evaluation shows passages only (our choice)


async def citations(context: Context) -> MetricResult:
    """Evaluate CA, CF and CI.

    Raises:
        Pending: Cited statements wait for their verdicts.
    """
    report = context.report
    missing = nothing_to_judge(report)
    if missing is not None:
        return MetricResult(scores=missing, findings=report.findings)
    accuracy = citation_accuracy(report)
    cited = [s for s in report.statements if s.state is StatementState.CITED]
    sampled = sample(cited, context.effort)
    read = await _read(context, sampled)
    folded, check, asked = await _judged(context, read)
    faithfulness = replace(citation_faithfulness(context, folded, len(cited)), judge_check=check)
    integrity = _integrity(context, accuracy, faithfulness, folded)
    hints: Mapping[str, Remedy] = {}
    if context.judge.rung != "offline":
        hints = await remedies(folded, [pairs for _, pairs in read])
    return MetricResult(
        scores={"CI": integrity, "CA": accuracy, "CF": faithfulness},
        findings=(*report.findings, *citation_findings(report, folded, hints)),
        verdicts=tuple(folded),
        asked=asked,
    )


async def _read(context: Context, sampled: Sequence[Sampled]) -> list[tuple[Sampled, list[Pair]]]:
    """The sampled statements with their sources; in a quick evaluation with many, read briefly."""
    found = await gather([_pairs(context, each.statement) for each in sampled])
    pairs = [group for group in found if group is not None]
    brief = context.effort is Effort.QUICK and context.judge.rung in BRIEF_RUNGS
    if brief and _readable(pairs) >= MANY:
        pairs = [[replace(pair, brief=True) for pair in group] for group in pairs]
    return list(zip(sampled, pairs, strict=True))


def _readable(pairs: Sequence[Sequence[Pair]]) -> int:
    return sum(pair.source.readable for group in pairs for pair in group)


async def _judged(
    context: Context, read: Sequence[tuple[Sampled, list[Pair]]]
) -> tuple[list[StatementVerdict], JudgeCheck | None, tuple[str, ...]]:
    """The statements' verdicts, how the judge did on anchors among them, and their questions."""
    anchors = await _anchors(context, read)
    # An anchor is put between the statements: whoever answers must not know it by its place.
    places = sorted(
        [*((at / len(read), 0, at) for at in range(len(read)))]
        + [(anchor.place, 1, at) for at, anchor in enumerate(anchors)]
    )
    questions: list[Awaitable[StatementVerdict | PairVerdict]] = [
        _pair(context, anchors[at].pair) if is_anchor else _statement(context, *read[at])
        for _, is_anchor, at in places
    ]
    results = dict(zip([place[1:] for place in places], await gather(questions), strict=True))
    checked = [v for at in range(len(anchors)) if isinstance(v := results[1, at], PairVerdict)]
    folded = [v for at in range(len(read)) if isinstance(v := results[0, at], StatementVerdict)]
    return folded, judge_check(anchors, checked), tuple(i for v in checked for i in v.items)


async def _anchors(
    context: Context, read: Sequence[tuple[Sampled, list[Pair]]]
) -> tuple[Anchor, ...]:
    """The anchors of this evaluation, where a judge that reads has much to read."""
    if context.judge.rung == "offline":
        return ()
    readable = _readable([pairs for _, pairs in read])
    # The least of the claims' hashes names the report and outlives most edits of it: an edited
    # report pays for what changed, and for no new anchors.
    name = min((text_id(each.statement.claim) for each, _ in read), default="")
    anchors = draw_anchors(name, readable)
    for anchor in anchors:
        await context.judge.ledger.sources.add(anchor.pair.source)
    return anchors


async def accuracy_alone(context: Context) -> MetricResult:
    """Evaluate CA by itself: no source is read and no judge is asked."""
    report = context.report
    scores = nothing_to_judge(report) or {"CA": citation_accuracy(report)}
    return MetricResult(scores={"CA": scores["CA"]}, findings=report.findings)


async def _statement(context: Context, sampled: Sampled, pairs: Sequence[Pair]) -> StatementVerdict:
    judged = [v for v in await gather([_pair(context, pair) for pair in pairs]) if v is not None]
    union = None
    if context.judge.rung != "offline" and needs_union(judged):
        union = await _or_pending(context, pairs[0], judge_union(context.judge, pairs, judged))
    return fold(sampled.statement, judged, sampled.weight, union)


async def _pairs(context: Context, statement: Statement) -> list[Pair]:
    citations_ = unique(statement.resolved)
    sources = await gather([context.read(c.url) for c in citations_])
    return [
        Pair(statement, citation, source)
        for citation, source in zip(citations_, sources, strict=True)
        if source is not None
    ]


async def _pair(context: Context, pair: Pair) -> PairVerdict:
    if not pair.source.readable:
        return unjudged(pair, unread_label(pair.source), pair.source.reason)
    return await _or_pending(context, pair, judge_pair(context.judge, pair))


async def _or_pending(context: Context, pair: Pair, asked: Awaitable[PairVerdict]) -> PairVerdict:
    """The verdict; in a provisional scorecard a stand-in for one that nobody has given yet."""
    verdicts = await gather([asked], provisional=context.provisional)
    return verdicts[0] or unjudged(pair, Label.PENDING, "No judge has answered yet.")


def unique(citations_: Sequence[Citation]) -> list[Citation]:
    """The citations of distinct addresses, the first of each."""
    return list({c.canonical_url: c for c in reversed(citations_)}.values())[::-1]


def _integrity(
    context: Context,
    accuracy: MetricScore,
    faithfulness: MetricScore,
    folded: Sequence[StatementVerdict],
) -> MetricScore:
    score = replace(
        faithfulness,
        metric="CI",
        low=None,
        high=None,
        interval_method="",
        bound_low=None,
        bound_high=None,
        labels={},
        variants={},
        estimate=None,
        judge_check=None,
        comparability_key=content_id(
            VERSION, accuracy.comparability_key, faithfulness.comparability_key
        ),
    )
    if accuracy.value is None or faithfulness.value is None:
        return score
    interval = bootstrap(_by_paragraph(context, folded), _harmonic_of_shares, "CI")
    return replace(
        score,
        value=harmonic(accuracy.value, faithfulness.value),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        interval_method=METHOD.format(cluster="paragraph, CA and CF jointly") if interval else "",
        bound_low=harmonic(accuracy.value, faithfulness.bound_low or 0.0),
        bound_high=harmonic(accuracy.value, faithfulness.bound_high or 0.0),
    )


def harmonic(first: float, second: float) -> float:
    """The harmonic mean of two scores (0-100); 0 when either is 0."""
    return 2 * first * second / (first + second) if first and second else 0.0


def _harmonic_of_shares(means: Sequence[float]) -> float:
    return harmonic(100 * means[0], 100 * means[1])


def _by_paragraph(context: Context, folded: Sequence[StatementVerdict]) -> list[Sequence[Weighted]]:
    paragraph = {s.id: s.paragraph for s in context.report.statements}
    accuracy = [
        Weighted(float(s.state is StatementState.CITED), 1.0, s.paragraph)
        for s in context.report.statements
        if s.factual
    ]
    faithfulness = [
        Weighted(v.credit, v.weight, paragraph[v.statement_id])
        for v in folded
        if v.credit is not None
    ]
    return [accuracy, faithfulness]
