"""The offline judge: it decides where it is measured to be right, and abstains elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from dream_evaluators.judges.lexical.features import Measure, measure
from dream_evaluators.judges.lexical.model import Model, shipped
from dream_evaluators.judges.lexical.rules import Label, decide, flags_of
from dream_evaluators.passages.selection import Passage, join, rank

LEXICAL_VERSION = "lexical-2"
MAX_CLAIM = 4000  # characters of a claim that are read; a statement has a few hundred
MAX_EVIDENCE = 4  # sentences shown beside the best window


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalVerdict:
    """What the offline judge makes of one claim and one source. It never says "contradict"."""

    label: Label
    p_support: float  # 0-1, calibrated: how likely the source supports the claim in full
    confidence: float  # 0-1: p_support for full_support, 1 - p_support for the two below it,
    #                    the greater of both for needs_review
    evidence: tuple[Passage, ...] = ()
    flags: tuple[str, ...] = ()
    missing_numbers: tuple[str, ...] = ()
    missing_entities: tuple[str, ...] = ()
    reason: str = ""


def assess(
    claim: str,
    source_text: str,
    *,
    title: str = "",
    heading: str = "",
    orders: bool = False,
    model: Model | None = None,
) -> LexicalVerdict:
    """Judge a claim by words alone, in time linear in the source (a few CPU ms a page).

    Args:
        claim: The statement, without citation markers.
        source_text: What a reader of the source sees: the caller leaves hidden text out.
        title: The source's title; it counts as its first line.
        heading: The heading above the claim in the report; its names excuse a claim's missing ones.
        orders: Whether the source addresses a judging model: then nothing is decided.
        model: Other weights than those shipped, for measurements.
    """
    claim = claim[:MAX_CLAIM]
    text = f"{title}\n{source_text}" if title else source_text
    found = measure(claim, text)
    p_support = (model or shipped()).probability(found.vector)
    flags = flags_of(claim, text, found, title=title, heading=heading, orders=orders)
    label, reason = decide(p_support, found, flags)
    sure = p_support if label == "full_support" else 1 - p_support
    return LexicalVerdict(
        label=label,
        p_support=p_support,
        confidence=max(p_support, 1 - p_support) if label == "needs_review" else sure,
        evidence=_evidence(found, text, len(text) - len(source_text)),
        flags=flags,
        missing_numbers=found.missing_numbers,
        missing_entities=found.missing_names,
        reason=reason,
    )


def _evidence(found: Measure, text: str, shift: int) -> tuple[Passage, ...]:
    """Give the best window and the sentences that cover most, with offsets into the source."""
    chosen = {*range(*found.window), *rank(found.laid, MAX_EVIDENCE)}
    kept = [at for at in chosen if found.laid.sentences[at].start >= shift]
    return tuple(
        Passage(passage.start - shift, passage.end - shift, passage.text)
        for passage in join(text, found.laid.sentences, kept)
    )
