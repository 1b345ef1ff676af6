"""Scores: a number with everything that made it, or no number and the reason why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from dream_evaluators.model.finding import Finding


class ScoreStatus(StrEnum):
    """Whether there is a number, and whether enough stands behind it."""

    SCORED = "scored"
    INSUFFICIENT = "insufficient"  # there is a number, but much of the sample is undecided
    UNSCORED = "unscored"


class Reason(StrEnum):
    """Why a score has no value, or why its value is structural."""

    NO_CLAIMS = "no_claims"
    NO_CITATIONS = "no_citations"
    CITATIONS_UNRESOLVABLE = "citations_unresolvable"
    PARTIAL_JUDGING = "partial_judging"
    JUDGE_FAILED = "judge_failed"
    PENDING = "pending"
    SOURCE_UNREACHABLE = "source_unreachable"
    BUDGET_EXHAUSTED = "budget_exhausted"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a judge that may not score would say: never a value, always labelled."""

    value: float  # 0-100
    bound_low: float  # 0-100, everything undecided at its worst
    bound_high: float  # 0-100, everything undecided at its best
    decided_share: float  # 0-1
    judge: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCheck:
    """How a judge did on questions whose answer is known, put among the others of the same run."""

    asked: int
    answered: int
    right: int
    missed: tuple[str, ...] = ()  # what it said instead, one sentence each


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricScore:
    """One metric's result. Scores are 0-100, shares 0-1; None means absent, never zero."""

    metric: str
    value: float | None = None
    status: ScoreStatus = ScoreStatus.UNSCORED
    reason: Reason | None = None
    note: str = ""  # the reason in words for a reader
    low: float | None = None  # 95 % interval from sampling
    high: float | None = None
    interval_method: str = ""
    bound_low: float | None = None  # what the undecided could at worst make of it
    bound_high: float | None = None
    n_scored: int = 0
    n_total: int = 0
    coverage: float = 0.0  # n_scored / n_total, 0 when there is nothing to score
    labels: Mapping[str, int] = field(default_factory=dict)
    variants: Mapping[str, float] = field(default_factory=dict)
    judge: str = ""
    model: str = ""
    prompt_ids: tuple[str, ...] = ()
    as_of: str = ""
    estimate: Estimate | None = None
    judge_check: JudgeCheck | None = None
    comparability_key: str = ""


class Label(StrEnum):
    """What a source says about a claim."""

    FULL_SUPPORT = "full_support"
    PARTIAL_SUPPORT = "partial_support"
    CONTRADICT = "contradict"
    UNVERIFIABLE = "unverifiable"  # read, and silent on the claim
    NEEDS_REVIEW = "needs_review"  # the judge abstains
    JUDGE_FAILED = "judge_failed"  # the judge's answer could not be used, also when asked again
    PENDING = "pending"  # nobody has answered yet
    SOURCE_DEAD = "source_dead"
    SOURCE_UNKNOWN = "source_unknown"  # blocked, paywalled, not checked: nothing was read


TITLE = "title"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceQuote:
    """A passage of a source: `source_text[start:end]` is what was meant by `quote`.

    Words of its title have no place in the text: `match` is "title", `start` and `end` are 0.
    """

    quote: str
    start: int
    end: int
    match: str = "exact"  # exact, folded, fuzzy or title


@dataclass(frozen=True, slots=True, kw_only=True)
class SubFact:
    """One part of a claim and what the source says about it."""

    fact: str
    relation: str  # supported, contradicted or absent
    evidence: EvidenceQuote | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdict:
    """What one source says about one statement, who said so, and where."""

    statement_id: str
    url: str
    label: Label
    canonical_url: str = ""
    facts: tuple[SubFact, ...] = ()
    reason: str = ""
    flags: tuple[str, ...] = ()
    confidence: float | None = None  # 0-1, only where it is calibrated
    p_support: float | None = None  # 0-1, the offline judge's estimate
    judge: str = ""
    model: str = ""
    items: tuple[str, ...] = ()  # ids of the questions asked, the decisive one last
    source_id: str = ""  # id of the snapshot
    content_hash: str = ""
    outcome: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementVerdict:
    """One sampled statement, folded over its sources."""

    statement_id: str
    label: Label
    pairs: tuple[PairVerdict, ...] = ()
    union: PairVerdict | None = None  # what sources that each support a part say together
    credit: float | None = None  # 1, 0.5 or 0; None when it is outside the mean
    weight: float = 1.0  # how many statements it stands for in the sample
    reason: str = ""
    repeats: tuple[Label, ...] = ()  # its label in each deliberate repeat, where there are several


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What was spent. Unknown prices are left out, never counted as zero dollars."""

    usd: float = 0.0
    calls: int = 0
    searches: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSummary:
    """One cited address: what became of it, and who stands behind it."""

    url: str
    canonical_url: str
    outcome: str
    state: str
    reason: str = ""
    title: str = ""
    published: str = ""
    retrieved_at: str = ""
    content_hash: str = ""
    archived_url: str = ""
    final_url: str = ""
    authority: float | None = None
    source_class: str = ""
    flags: tuple[str, ...] = ()
    statements: int = 0  # how many statements cite it


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorecard:
    """Everything one evaluation found; every number opens down to its verdicts."""

    report_id: str
    judge: str
    effort: str
    scores: Mapping[str, MetricScore]
    findings: tuple[Finding, ...] = ()
    verdicts: tuple[StatementVerdict, ...] = ()
    sources: tuple[SourceSummary, ...] = ()
    asked: tuple[str, ...] = ()  # ids of questions that no verdict names
    stats: Mapping[str, int] = field(default_factory=dict)
    cost: Cost = Cost()
    version: str = ""  # of dream-mcp
    as_of: str = ""
    title: str = ""

    @property
    def items(self) -> list[str]:
        """The ids of all questions that it stands on, sorted."""
        pairs = [
            pair for v in self.verdicts for pair in (*v.pairs, *((v.union,) if v.union else ()))
        ]
        return sorted({*self.asked, *(item for pair in pairs for item in pair.items)})
