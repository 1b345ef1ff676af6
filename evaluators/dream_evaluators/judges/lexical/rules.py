"""When the offline judge decides, and when it abstains: flags, thresholds, reasons, as tables."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from dream_evaluators.judges.lexical.features import Measure
from dream_evaluators.judges.lexical.figures import figures
from dream_evaluators.judges.lexical.language import language_of
from dream_evaluators.judges.lexical.wording import debunks, quotations
from dream_evaluators.passages.grounding import ground
from dream_evaluators.passages.sentences import split_sentences
from dream_evaluators.passages.terms import words

Label = Literal["full_support", "partial_support", "unverifiable", "needs_review"]

# Thresholds are our choice, set on the dev splits so that what is decided is right in at least
# 85 % of WiCE and Factcheck-GPT and little is decided on adversarially edited claims.
SURE_SUPPORT = 0.75
SURE_SILENCE = 0.25
SILENT_ANYWAY = 0.15  # below this nothing else is asked for
SNIPPET = 30  # words below which a source is a snippet: what it lacks, its page may hold
SHORT_CLAIM = 8  # words below which a paraphrase may share none
PAGE = 200  # words from which a source is a page rather than an extract
TOUCHED = 0.4  # coverage of a window from which a page speaks of part of the claim
HALF = 0.5  # coverage of a window from which it may say all of the claim in other words
SEEN = 0.6  # coverage of a window from which it speaks of the same thing
ABSTRACT_WORDS = 450
MAX_QUOTES = 5  # quotations of a claim that are looked up

_SUPPORT, _SILENCE = frozenset({"support"}), frozenset({"silence"})
_BOTH = _SUPPORT | _SILENCE


@dataclass(frozen=True, slots=True)
class Flag:
    """Something special about a pair, which of the two decisions it rules out, and why."""

    blocks: frozenset[str]
    reason: str


FLAGS: dict[str, Flag] = {
    "empty_source": Flag(_BOTH, "the source has no text"),
    "empty_claim": Flag(_BOTH, "the claim has no words"),
    "cross_language": Flag(_BOTH, "claim and source are in different languages"),
    "language_not_measured": Flag(_BOTH, "the offline judge is measured on English only"),
    "several_sentences": Flag(_BOTH, "the claim sums up in several sentences"),
    "gives_orders": Flag(_BOTH, "the source gives orders to whoever judges it"),
    "derived_number": Flag(_BOTH, "the number may be computed from others"),
    "abstract": Flag(_BOTH, "a scientific abstract: claims paraphrase it too freely"),
    "snippet": Flag(_SILENCE, "the source is too short to say that something is not in it"),
    "short_claim": Flag(_SILENCE, "the claim is too short to miss its words"),
    "debunk_page": Flag(_SUPPORT, "the page repeats claims in order to refute them"),
    "possible_contradiction": Flag(_SUPPORT, "the nearest passage may say the opposite"),
    "number_missing": Flag(_SUPPORT, "a number of the claim is not in the source"),
    "entity_missing": Flag(_SUPPORT, "a name in the claim is not in the source"),
    "quote_missing": Flag(_SUPPORT, "words that the claim quotes are not in the source"),
    "absolute_wording": Flag(_SUPPORT, "the claim is more absolute than the passage"),
    "relation_wording": Flag(_SUPPORT, "the passage does not make the claim's connection"),
    "pieced_together": Flag(
        _SUPPORT, "a name or number of the claim is not in the passage as such"
    ),
    "scattered": Flag(_SUPPORT, "no single sentence carries the claim"),
}

_DERIVED = re.compile(
    r"\b(?:doubl|tripl|quadrupl|halv|average|mean of|median|total|combined|sum of|difference|"
    r"ratio|per capita|annuali[sz]ed|times (?:more|higher|larger|as)|\w+fold\b)"
)
_ABSTRACT = re.compile(
    r"\b(?:methods?|results?|conclusions?|background|objectives?)\s?:|\bp\s?[<=]\s?0?\.\d|"
    r"\b95\s?% ci|\bin vi(?:tro|vo)\b|"
    r"\bwe (?:found|show|report|investigated|examined|conclude|demonstrate)"
)


def flags_of(
    claim: str, text: str, found: Measure, *, title: str, heading: str, orders: bool = False
) -> tuple[str, ...]:
    """Name what is special about a pair, in the order of FLAGS.

    Args:
        claim: The statement.
        text: The source's text, with its title as first line.
        found: What was measured between the two.
        title: The source's title.
        heading: The heading above the claim, whose names need not stand in the source.
        orders: Whether the source addresses a judging model.
    """
    raised = _of_the_pair(claim, text, heading, found) | _of_the_texts(claim, text, title, found)
    if orders:
        raised.add("gives_orders")
    return tuple(flag for flag in FLAGS if flag in raised)


def _of_the_texts(claim: str, text: str, title: str, found: Measure) -> set[str]:
    """Flag what claim and source are."""
    spoken = language_of(claim)
    checks = {
        "empty_source": not found.laid.sentences,
        "empty_claim": not found.laid.terms,
        "cross_language": spoken != language_of(text),
        "language_not_measured": spoken != "english",
        "several_sentences": len(split_sentences(claim)) > 1,
        "abstract": found.source_words < ABSTRACT_WORDS
        and len(_ABSTRACT.findall(text[:5000].lower())) > 1,
        "snippet": found.source_words < SNIPPET,
        "short_claim": found.claim_words < SHORT_CLAIM,
        "debunk_page": debunks(title, text),
    }
    return {flag for flag, raised in checks.items() if raised}


def _of_the_pair(claim: str, text: str, heading: str, found: Measure) -> set[str]:
    """Flag what the source lacks or says otherwise."""
    excused = set(words(heading))
    quotes = quotations(claim)[:MAX_QUOTES]
    checks = {
        "derived_number": bool(found.missing_numbers) and bool(_DERIVED.search(claim.lower())),
        "possible_contradiction": _may_contradict(claim, text, found),
        "number_missing": bool(found.missing_numbers),
        "entity_missing": any(excused.isdisjoint(words(name)) for name in found.missing_names),
        "quote_missing": any(not ground(quote, text).found for quote in quotes),
        "absolute_wording": found["absolutes"] > 0,
        "relation_wording": found.relations > 0,
        "pieced_together": found["names_in_window"] < 1
        or found["numbers_off_window"] > 0
        or found.broken_names > 0,
        "scattered": found.window[1] - found.window[0] > 1,
    }
    return {flag for flag, raised in checks.items() if raised}


def _may_contradict(claim: str, text: str, found: Measure) -> bool:
    """Tell whether the window speaks of the same thing but denies it or gives another figure."""
    if found["window_coverage"] < SEEN:
        return False
    if found["negation_differs"] or found.opposites:
        return True
    if not found.missing_numbers:
        return False
    low, high = found.window
    window = " ".join(text[s.start : s.end] for s in found.laid.sentences[low:high])
    missing = {f.dimension for f in figures(claim) if f.written in found.missing_numbers}
    return any(figure.dimension in missing for figure in figures(window))


def decide(p_support: float, found: Measure, flags: Collection[str]) -> tuple[Label, str]:
    """Fold probability and flags into a label and the reason for it."""
    lacks = bool(found.missing_numbers or found.missing_names)
    reworded = found["window_coverage"] >= HALF
    if p_support >= SURE_SUPPORT:
        side = "support"
    elif p_support <= SILENT_ANYWAY or (p_support <= SURE_SILENCE and lacks and not reworded):
        side = "silence"
    else:
        return "needs_review", "words alone do not tell"
    against = next((flag for flag in flags if side in FLAGS[flag].blocks), "")
    if against:
        return "needs_review", FLAGS[against].reason
    if side == "support":
        return "full_support", "one sentence carries the claim's words, numbers and names"
    if lacks and found["window_coverage"] >= TOUCHED and found.source_words >= PAGE:
        return "partial_support", "the source speaks of it, but lacks " + _named(found)
    return "unverifiable", "the source lacks " + (_named(found) or "most of the claim's words")


def _named(found: Measure) -> str:
    """List what is missing, at most five."""
    return ", ".join([*found.missing_numbers, *found.missing_names][:5])
