"""The shapes of tool results. A field that is absent is left out: nothing is null."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict  # pydantic needs this one below Python 3.12


class EstimateCard(TypedDict):
    """What the offline judge would say; never a score."""

    value: float
    bound_low: float
    bound_high: float
    decided_share: float
    judge: str
    note: str


class JudgeCheckCard(TypedDict):
    """How the judge did on questions whose answer is known, put among the others."""

    asked: int
    answered: int
    right: int
    missed: NotRequired[list[str]]


class ScoreCard(TypedDict):
    """One score, 0-100; `value` is absent when there is none, and `reason` says why."""

    status: str
    value: NotRequired[float]
    reason: NotRequired[str]
    note: NotRequired[str]
    low: NotRequired[float]
    high: NotRequired[float]
    interval_method: NotRequired[str]
    bound_low: NotRequired[float]
    bound_high: NotRequired[float]
    n_scored: int
    n_total: int
    coverage: float
    labels: dict[str, int]
    variants: dict[str, float]
    judge: NotRequired[str]
    model: NotRequired[str]
    prompt_ids: NotRequired[list[str]]
    as_of: NotRequired[str]
    estimate: NotRequired[EstimateCard]
    judge_check: NotRequired[JudgeCheckCard]
    comparability_key: NotRequired[str]


class FindingCard(TypedDict):
    """One thing to look at; offsets are characters of the report."""

    id: str
    severity: str
    kind: str
    message: str
    fix: NotRequired[str]
    statement_id: NotRequired[str]
    start: NotRequired[int]
    end: NotRequired[int]
    text: NotRequired[str]
    url: NotRequired[str]
    quote: NotRequired[str]
    search_query: NotRequired[str]


class OrderCard(TypedDict):
    """One work order: a prompt that needs no other knowledge, and the schema of its answer."""

    id: str
    kind: str
    metric: str
    capability: str
    prompt: str
    answer_schema: dict[str, Any]
    questions: list[str]
    tokens: int


class RemainingCard(TypedDict):
    """What is left for the judge; minutes are a rough guess."""

    orders: int
    minutes: float


class ProgressCard(TypedDict):
    """How far an evaluation is, in questions."""

    done: int
    total: int
    message: str


class CostCard(TypedDict):
    """What was spent so far."""

    usd: float
    calls: int
    searches: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int


class QuoteCard(TypedDict):
    """A passage of the source; offsets are characters of its stored text."""

    quote: str
    start: int
    end: int
    match: NotRequired[str]


class FactCard(TypedDict):
    """One part of a claim, and what the source says about it."""

    fact: str
    relation: str
    evidence: NotRequired[QuoteCard]


class VerdictCard(TypedDict):
    """What one source says about one statement."""

    label: str
    reason: NotRequired[str]
    confidence: NotRequired[float]
    p_support: NotRequired[float]
    evidence: list[QuoteCard]
    facts: NotRequired[list[FactCard]]
    flags: list[str]
    judge: NotRequired[str]
    model: NotRequired[str]
    url: NotRequired[str]
    outcome: NotRequired[str]
    content_hash: NotRequired[str]


class StatementVerdictCard(TypedDict):
    """One sampled statement with what each of its sources says."""

    statement_id: str
    label: str
    credit: NotRequired[float]
    weight: float
    pairs: list[VerdictCard]
    union: NotRequired[VerdictCard]


class SourceCard(TypedDict):
    """One address: what became of it, and who stands behind it."""

    url: str
    final_url: NotRequired[str]
    outcome: str
    state: str
    reason: NotRequired[str]
    title: NotRequired[str]
    published: NotRequired[str]
    retrieved_at: NotRequired[str]
    content_hash: NotRequired[str]
    archived_url: NotRequired[str]
    authority: NotRequired[float]
    source_class: NotRequired[str]
    flags: NotRequired[list[str]]
    statements: NotRequired[int]


class StatsCard(TypedDict):
    """Counts over one report."""

    statements: int
    factual: int
    cited: int
    cited_unresolvable: int
    uncited: int
    references: int
    dangling: int
    orphans: int
    unique_urls: int


class EvaluationCard(TypedDict):
    """An evaluation as it stands."""

    evaluation_id: str
    status: str
    progress: ProgressCard
    report_id: str
    protocol_id: NotRequired[str]
    judge: str
    effort: str
    scores: dict[str, ScoreCard]
    top_findings: list[FindingCard]
    cost: CostCard
    scorecard_hash: NotRequired[str]
    work_orders: NotRequired[list[OrderCard]]
    remaining: NotRequired[RemainingCard]
    findings: NotRequired[list[FindingCard]]
    statements: NotRequired[list[StatementVerdictCard]]
    sources: NotRequired[list[SourceCard]]
    next_cursor: NotRequired[str]
    warnings: NotRequired[list[str]]
    next: str


class ChangedCard(TypedDict):
    """An audited draft against the one before it."""

    added: list[str]
    removed: list[str]
    kept: int
    fixed_findings: list[str]
    new_findings: list[str]


class AuditCard(EvaluationCard):
    """An audit: the evaluation with all its findings and counts."""

    stats: StatsCard
    changed: NotRequired[ChangedCard]


class CitationCheckCard(TypedDict):
    """One claim against one source."""

    evaluation_id: str
    status: str
    verdict: NotRequired[VerdictCard]
    source: SourceCard
    work_orders: NotRequired[list[OrderCard]]
    remaining: NotRequired[RemainingCard]
    next: str


class ReportCard(TypedDict):
    """An opened report."""

    report_id: str
    format: str
    title: NotRequired[str]
    language: NotRequired[str]
    words: int
    stats: StatsCard


class CitationCard(TypedDict):
    """One citation as it stands in the report."""

    marker: str
    url: NotRequired[str]
    canonical_url: NotRequired[str]
    status: str
    scope: str
    start: int
    end: int


class StatementCard(TypedDict):
    """One statement of a report."""

    id: str
    kind: str
    text: str
    start: int
    end: int
    state: str
    citations: list[CitationCard]


class ReferenceCard(TypedDict):
    """One entry of a reference list."""

    label: str
    url: NotRequired[str]
    canonical_url: NotRequired[str]
    title: NotRequired[str]
    used: bool


class ClaimsCard(TypedDict):
    """A page of a report's statements, with its references."""

    report_id: str
    statements: list[StatementCard]
    references: list[ReferenceCard]
    dangling: list[CitationCard]
    orphans: list[ReferenceCard]
    stats: StatsCard
    next_cursor: NotRequired[str]


class PassageCard(TypedDict):
    """A passage of a source; offsets are characters of its stored text."""

    text: str
    start: int
    end: int


class FetchCard(TypedDict):
    """A page as read; its text is fenced, since it is untrusted."""

    source: SourceCard
    text: NotRequired[str]
    passages: NotRequired[list[PassageCard]]
    next_cursor: NotRequired[str]


class BasisCard(TypedDict):
    """One step from an address to its score."""

    rule: str
    value: str
    weight: float


class RatingCard(TypedDict):
    """One imported rating, on a 0-100 scale."""

    list_name: str
    value: float
    date: str


# `class` is a keyword, hence the functional form.
AuthorityCard = TypedDict(
    "AuthorityCard",
    {
        "url": str,
        "score": NotRequired[float],
        "band": NotRequired[str],
        "class": str,
        "confidence": float,
        "basis": list[BasisCard],
        "publisher": NotRequired[str],
        "registrable_domain": NotRequired[str],
        "host": NotRequired[str],
        "unwrapped_from": NotRequired[str],
        "flags": list[str],
        "fit": NotRequired[float],
        "fit_reason": NotRequired[str],
        "ratings": list[RatingCard],
        "disagreement": NotRequired[float],
    },
)


class AuthoritiesCard(TypedDict):
    """Who stands behind each address; means count unknown names as 50, or leave them out."""

    results: list[AuthorityCard]
    mean: NotRequired[float]
    known_only: NotRequired[float]
    coverage: float


class RejectionCard(TypedDict):
    """An answer that was not taken, and what to send instead."""

    id: str
    reason: str


class ReceiptCard(TypedDict):
    """What became of submitted answers."""

    evaluation_id: str
    accepted: list[str]
    rejected: list[RejectionCard]
    status: str
    remaining: RemainingCard
    scores: dict[str, ScoreCard]
    next: str


class SubmissionCard(ReceiptCard):
    """What became of submitted answers, and what comes next."""

    work_orders: list[OrderCard]


class OrdersCard(TypedDict):
    """The next open work orders."""

    evaluation_id: str
    work_orders: list[OrderCard]
    remaining: RemainingCard
    next: str
