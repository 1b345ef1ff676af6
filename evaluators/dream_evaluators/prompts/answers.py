"""What judges answer: one pydantic type a question kind, the same for every judge that reads.

Field order is the order of thought: evidence, then reasoning, then verdict. The schemas carry no
numeric or length limits, which some endpoints refuse; limits are checked here after parsing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dream_evaluators.model.judgement import Answer

# Longer than any honest answer; a runaway judge is refused instead of stored.
MAX_FACTS = 20
MAX_TEXT = 4_000


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FactAnswer(_Answer):
    """One part of the claim and what the source says about it."""

    fact: str = Field(description="One part of the claim, in your words.")
    quote: str = Field(
        description="The words of the source that settle it, copied exactly; empty when absent."
    )
    relation: Literal["supported", "contradicted", "absent"] = Field(
        description="What the source says about this part."
    )


class ClaimVerdict(_Answer):
    """What one source says about one claim."""

    facts: list[FactAnswer] = Field(description="Every part of the claim, one to six of them.")
    reasoning: str = Field(description="Why, in one to three sentences.")
    verdict: Literal["full_support", "partial_support", "contradict", "unverifiable"] = Field(
        description="contradict if any part is contradicted; full_support if all are supported; "
        "partial_support if some are; unverifiable if none is."
    )


class SourceClassAnswer(_Answer):
    """What kind of publisher stands behind a page."""

    evidence: str = Field(description="The words of the page that tell, copied exactly, or empty.")
    reasoning: str = Field(description="Why, in one or two sentences.")
    source_class: str = Field(description="One of the kinds listed in the question, or unknown.")


class LexicalAnswer(_Answer):
    """What the offline judge says: it may abstain, and never says `contradict`."""

    label: Literal["full_support", "partial_support", "unverifiable", "needs_review"]
    p_support: float = Field(ge=0, le=1, allow_inf_nan=False)
    confidence: float = Field(ge=0, le=1, allow_inf_nan=False)
    quotes: list[str]
    flags: list[str]
    reason: str


Failure = Literal["refused", "truncated", "too_long", "unreadable"]


class FailedAnswer(_Answer):
    """Kept in place of an answer where a judge gave none that can be used: never a verdict."""

    failed: Failure
    reason: str


ANSWER_TYPES: dict[str, type[BaseModel]] = {
    "claim_verdict": ClaimVerdict,
    "union_verdict": ClaimVerdict,
    "source_class": SourceClassAnswer,
}


def folded_verdict(answer: ClaimVerdict) -> str:
    """Derive the verdict from the parts: the rule, whatever the judge wrote last."""
    relations = {fact.relation for fact in answer.facts}
    if "contradicted" in relations:
        return "contradict"
    if relations == {"supported"}:
        return "full_support"
    return "partial_support" if "supported" in relations else "unverifiable"


def normalised(answer: Answer) -> Answer | None:
    """The answer in the form we store; None when its judge could not have given it at all."""
    online: list[type[BaseModel]] = [*ANSWER_TYPES.values(), FailedAnswer]
    types: list[type[BaseModel]] = [LexicalAnswer] if answer.rung == "offline" else online
    for answer_type in types:
        try:
            text = answer_type.model_validate_json(answer.answer).model_dump_json()
        except ValidationError:
            continue
        return replace(answer, answer=text)
    return None
