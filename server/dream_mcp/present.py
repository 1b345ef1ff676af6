"""Records to tool results: absent fields left out, long texts cut, numbers rounded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from enum import Enum
from typing import TYPE_CHECKING, Any, cast

from .cards import (
    AuthorityCard,
    CitationCard,
    EvaluationCard,
    FindingCard,
    OrderCard,
    OrdersCard,
    ReceiptCard,
    ReferenceCard,
    RemainingCard,
    ReportCard,
    ScoreCard,
    SourceCard,
    StatementCard,
    StatementVerdictCard,
    StatsCard,
    VerdictCard,
)

if TYPE_CHECKING:
    from dream_evaluators.judges.orders import WorkOrder
    from dream_evaluators.judges.submissions import Receipt
    from dream_evaluators.model.authority import Authority
    from dream_evaluators.model.finding import Finding
    from dream_evaluators.model.report import Citation, Reference, Report, Statement
    from dream_evaluators.model.score import (
        MetricScore,
        PairVerdict,
        SourceSummary,
        StatementVerdict,
    )
    from dream_evaluators.model.source import Source

    from .drive import Evaluation

TOP_FINDINGS = 10
TEXT = 600  # characters of a statement or quote in a result; the record holds all of it
DIGITS = 4
MINUTES_AN_ORDER = 1.0


def present(record: object, *, drop: Iterable[str] = ()) -> dict[str, Any]:
    """Turn a record into a card: empty strings and absent values out, numbers rounded."""
    plain = asdict(record)  # type: ignore[call-overload]
    return {key: _value(value) for key, value in plain.items() if key not in drop and _said(value)}


def score_card(score: MetricScore) -> ScoreCard:
    """One score."""
    card = present(score, drop=("metric",))
    for always in ("n_scored", "n_total", "coverage", "labels", "variants"):
        card.setdefault(always, _value(getattr(score, always)))
    return cast("ScoreCard", card)


def scores_card(scores: Mapping[str, MetricScore]) -> dict[str, ScoreCard]:
    """Every score by name."""
    return {name: score_card(score) for name, score in scores.items()}


def finding_card(finding: Finding, number: int) -> FindingCard:
    """A finding with its id: `f1` is the worst."""
    return cast("FindingCard", {"id": f"f{number}", **present(finding)})


def finding_cards(findings: Sequence[Finding]) -> list[FindingCard]:
    """Findings with their ids."""
    return [finding_card(finding, number) for number, finding in enumerate(findings, 1)]


def order_card(order: WorkOrder) -> OrderCard:
    """One work order, whole: nothing of a prompt is cut."""
    return {
        "id": order.id,
        "kind": order.kind,
        "metric": order.metric,
        "capability": order.capability,
        "prompt": order.prompt,
        "answer_schema": dict(order.answer_schema),
        "questions": list(order.questions),
        "tokens": order.tokens,
    }


def orders_card(view: Evaluation, orders: Sequence[WorkOrder], waiting: int) -> OrdersCard:
    """The next open work orders of an evaluation."""
    return {
        "evaluation_id": view.id,
        "work_orders": [order_card(order) for order in orders],
        "remaining": remaining(waiting),
        "next": what_next(view, waiting),
    }


def receipt_card(view: Evaluation, receipt: Receipt, waiting: int) -> ReceiptCard:
    """What became of submitted answers."""
    return {
        "evaluation_id": view.id,
        "accepted": list(receipt.accepted),
        "rejected": [{"id": r.id, "reason": r.reason} for r in receipt.rejected],
        "status": view.status.value,
        "remaining": remaining(waiting),
        "scores": scores_card(view.scorecard.scores) if view.scorecard else {},
        "next": what_next(view, waiting),
    }


def remaining(orders: int) -> RemainingCard:
    """What is left, with a rough guess of the time."""
    return {"orders": orders, "minutes": orders * MINUTES_AN_ORDER}


def source_card(source: Source) -> SourceCard:
    """A source as read, without its text."""
    drop = ("text", "blocks", "canonical_url", "status", "media_type", "language", "publisher")
    extra = ("published_from", "modified", "identifier", "headers")
    card = present(source, drop=(*drop, *extra))
    return cast("SourceCard", {**card, "url": source.url, "state": source.state.value})


def summary_card(summary: SourceSummary) -> SourceCard:
    """A cited address of an evaluation."""
    return cast("SourceCard", {"url": summary.url, **present(summary, drop=("canonical_url",))})


def verdict_card(pair: PairVerdict) -> VerdictCard:
    """What one source says about one statement."""
    card = present(pair, drop=("statement_id", "canonical_url", "items", "source_id", "facts"))
    facts = [present(fact) for fact in pair.facts]
    evidence = [fact["evidence"] for fact in facts if "evidence" in fact]
    card |= {"flags": list(pair.flags), "evidence": evidence}
    return cast("VerdictCard", card | ({"facts": facts} if facts else {}))


def statement_verdict_card(verdict: StatementVerdict) -> StatementVerdictCard:
    """A sampled statement with the verdicts of its sources."""
    card: StatementVerdictCard = {
        "statement_id": verdict.statement_id,
        "label": verdict.label.value,
        "weight": round(verdict.weight, DIGITS),
        "pairs": [verdict_card(pair) for pair in verdict.pairs],
    }
    if verdict.union is not None:
        card["union"] = verdict_card(verdict.union)
    if verdict.credit is not None:
        card["credit"] = verdict.credit
    return card


def report_card(report: Report) -> ReportCard:
    """An opened report."""
    keep = {"title": report.title[:TEXT], "language": report.language}
    card = {
        "report_id": report.id,
        "format": report.format,
        "words": report.words,
        "stats": stats_card(report),
        **{key: value for key, value in keep.items() if value},
    }
    return cast("ReportCard", card)


def stats_card(report: Report) -> StatsCard:
    """The counts over a report."""
    return cast("StatsCard", asdict(report.stats))


def statement_card(statement: Statement) -> StatementCard:
    """One statement with its citations."""
    return {
        "id": statement.id,
        "kind": statement.kind.value,
        "text": statement.text,
        "start": statement.start,
        "end": statement.end,
        "state": statement.state.value,
        "citations": [citation_card(c) for c in statement.citations],
    }


def citation_card(citation: Citation) -> CitationCard:
    """One citation."""
    card = present(citation, drop=("label", "title", "expected_quote"))
    card |= {"start": citation.start, "end": citation.end}
    return cast("CitationCard", card)


def reference_card(reference: Reference) -> ReferenceCard:
    """One entry of a reference list."""
    card = present(reference, drop=("labels", "start", "end"))
    label = ", ".join(reference.labels)
    return cast("ReferenceCard", {**card, "label": label, "used": reference.used})


def authority_card(authority: Authority) -> AuthorityCard:
    """Who stands behind an address."""
    card = present(authority, drop=("source_class",))
    card |= {
        "url": authority.url,
        "class": authority.source_class,
        "confidence": round(authority.confidence, DIGITS),
        "basis": [asdict(step) for step in authority.basis],
        "flags": list(authority.flags),
        "ratings": [asdict(rating) for rating in authority.ratings],
    }
    return cast("AuthorityCard", card)


def evaluation_card(view: Evaluation, orders: Sequence[WorkOrder], waiting: int) -> EvaluationCard:
    """An evaluation as it stands, with its scores and worst findings."""
    card = view.scorecard
    findings = card.findings if card else ()
    total = sum(len(v.pairs) for v in card.verdicts) if card else 0
    result: EvaluationCard = {
        "evaluation_id": view.id,
        "status": view.status.value,
        "progress": {
            "done": max(0, total - view.open_questions),
            "total": total,
            "message": view.message or f"{view.open_questions} questions open",
        },
        "report_id": view.request.report_id,
        "judge": view.request.judge,
        "effort": view.request.effort.value,
        "scores": scores_card(card.scores) if card else {},
        "top_findings": finding_cards(findings[:TOP_FINDINGS]),
        "cost": cast("Any", asdict(card.cost) if card else _NO_COST),
        "next": what_next(view, waiting),
    }
    if card:
        from dream_evaluators.run import scorecard_hash  # noqa: PLC0415 - start-up

        result["scorecard_hash"] = scorecard_hash(card)
    if waiting:
        result["work_orders"] = [order_card(order) for order in orders]
        result["remaining"] = remaining(waiting)
    return result


_NO_COST = {
    "usd": 0.0,
    "calls": 0,
    "searches": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "cached_tokens": 0,
}


def what_next(view: Evaluation, waiting: int) -> str:
    """Say in one sentence what to call now."""
    status = view.status.value
    if status == "needs_work":
        return (
            f"{orders_open(waiting)} Answer those in work_orders with submit_answers; it returns "
            "the next ones."
        )
    if status == "complete" and view.request.judge == "offline":
        return offline_next(view)
    if status == "running" and view.message:
        return LATER.format(id=view.id)
    return NEXT[status].format(id=view.id)


def orders_open(waiting: int) -> str:
    """Say how much work waits, in a sentence."""
    if not waiting:
        return "No work order is open."
    minutes = max(1, round(waiting * MINUTES_AN_ORDER))
    unit = "minute" if minutes == 1 else "minutes"
    are = "work order is" if waiting == 1 else "work orders are"
    return f"{waiting} {are} open (about {minutes} {unit})."


def orders_of(orders: int) -> str:
    """Name a number of work orders and the time they take."""
    return "one work order, a minute" if orders == 1 else f"{orders} work orders, {orders} minutes"


def offline_next(view: Evaluation) -> str:
    """Say what the offline judge left open and what having it read would cost."""
    card = view.scorecard
    pairs = [p for v in card.verdicts for p in v.pairs if p.judge] if card else []
    if not pairs:
        return (
            "No source could be read here; evaluate again with the network, and fresh, or with an "
            "evidence pack."
        )
    orders = max(1, round(len(pairs) / PAIRS_AN_ORDER))
    return (
        f"The offline judge leaves faithfulness open. judge='agent' would have you read "
        f"{len(pairs)} source passages: about {orders_of(orders)}."
    )


NEXT = {
    "running": "Call get_evaluation with evaluation_id {id} and wait_seconds 45.",
    "complete": "Call get_evaluation with detail='findings' or 'statements' to open the numbers.",
    "failed": "Mend what the message says and call the same tool again; nothing is lost.",
    "budget_exhausted": "Call the same tool again to go on; what was done is kept.",
    "cancelled": "Nothing is left to do; fresh=true starts anew.",
}
LATER = "Call get_evaluation with evaluation_id {id} in some minutes: it fetches what has come."
PAIRS_AN_ORDER = 6  # measured on the example: statements on pages of some 500 words


def _value(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, str):
        return value if len(value) <= TEXT else value[: TEXT - 1] + "…"
    if isinstance(value, Mapping):
        return {key: _value(part) for key, part in value.items() if _said(part)}
    if isinstance(value, list | tuple):
        return [_value(part) for part in value]
    return value


def _said(value: Any) -> bool:
    return value is not None and value != "" and value != () and value != []
