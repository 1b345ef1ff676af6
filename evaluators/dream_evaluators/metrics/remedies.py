"""What mends a statement that its source does not support: the nearest wording, a better source.

Found by comparing words among the pages that the evaluation has read anyway, so it costs no
question and no fetch; a reader is told that it is a hint. Only where a judge has read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import shorten

import anyio

from dream_evaluators.injection import ORDERS
from dream_evaluators.judges.lexical import assess
from dream_evaluators.metrics.quotes import lacking_numbers
from dream_evaluators.metrics.verdicts import Pair
from dream_evaluators.model.score import Label, StatementVerdict
from dream_evaluators.model.source import Source
from dream_evaluators.passages.matching import match
from dream_evaluators.passages.selection import rank
from dream_evaluators.passages.terms import content_terms

WANTED = frozenset({Label.UNVERIFIABLE, Label.PARTIAL_SUPPORT, Label.SOURCE_DEAD})
# Our choice: hints come from few, near places, in a fraction of what judging took.
NEAR = 0.4  # share of the claim's terms that a sentence must hold to be near
SHARED = 0.6  # share of the claim's terms that a page must hold to be compared
MOST_PAGES = 3  # that are compared with one claim
MOST_STATEMENTS = 50  # that are given a hint in one evaluation
MOST_TERMS = 50_000  # of a page
QUOTE_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Remedy:
    """Hints for one statement; each is empty where there is none.

    Attributes:
        nearest: What the cited source says that comes nearest.
        numbers: The statement's numbers that stand nowhere in the cited source.
        better_url: Another source of the report that seems to say it all.
        better_quote: Its words.
    """

    nearest: str = ""
    numbers: tuple[str, ...] = ()
    better_url: str = ""
    better_quote: str = ""


NOTHING = Remedy()


async def remedies(
    folded: Sequence[StatementVerdict], read: Sequence[Sequence[Pair]]
) -> Mapping[str, Remedy]:
    """Find hints for the statements without full support, by statement id, off the event loop.

    Args:
        folded: The verdicts of a judge that reads.
        read: The sources of each statement, in the same order.
    """
    wanting = [
        (verdict, pairs)
        for verdict, pairs in zip(folded, read, strict=True)
        if verdict.label in WANTED
    ][:MOST_STATEMENTS]
    if not wanting:
        return {}
    sources = {
        pair.source.content_hash: pair.source
        for pairs in read
        for pair in pairs
        if pair.source.readable and ORDERS not in pair.source.flags
    }
    return await anyio.to_thread.run_sync(partial(_find, wanting, list(sources.values())))


def _find(
    wanting: Sequence[tuple[StatementVerdict, Sequence[Pair]]], sources: Sequence[Source]
) -> dict[str, Remedy]:
    terms = {
        source.content_hash: frozenset(content_terms(source.text, MOST_TERMS)) for source in sources
    }
    return {
        verdict.statement_id: _remedy(pairs, sources, terms) for verdict, pairs in wanting if pairs
    }


def _remedy(
    pairs: Sequence[Pair], sources: Sequence[Source], terms: Mapping[str, frozenset[str]]
) -> Remedy:
    claim = pairs[0].statement.claim
    own = [pair.source for pair in pairs if pair.source.readable]
    cited = {pair.source.content_hash for pair in pairs}
    better = _better(claim, [s for s in sources if s.content_hash not in cited], terms)
    return Remedy(
        nearest=next((near for source in own if (near := nearest(claim, source))), ""),
        numbers=_lacking(claim, own),
        better_url=better[0],
        better_quote=better[1],
    )


def nearest(claim: str, source: Source) -> str:
    """The sentence of a source that says most of a claim; "" when none says much of it."""
    laid = match(claim, source.text, source.blocks)
    best = rank(laid, 1)
    if not best or len(laid.sentences[best[0]].hits) < NEAR * len(laid.terms):
        return ""
    sentence = laid.sentences[best[0]]
    return _quoted(source.text[sentence.start : sentence.end])


def _lacking(claim: str, own: Sequence[Source]) -> tuple[str, ...]:
    """Numbers that no cited source has."""
    lacking = [set(lacking_numbers(claim, source)) for source in own]
    common = set.intersection(*lacking) if lacking else set()
    return tuple(sorted(common, key=claim.find))


def _better(
    claim: str, others: Sequence[Source], terms: Mapping[str, frozenset[str]]
) -> tuple[str, str]:
    """Another source that by its words says all of a claim, with the words; ("", "") if none."""
    wanted = frozenset(content_terms(claim))
    shares = [(len(wanted & terms[s.content_hash]) / max(1, len(wanted)), s) for s in others]
    shares = sorted(shares, key=lambda each: -each[0])[:MOST_PAGES]
    for share, source in shares:
        if share < SHARED:
            break
        found = assess(claim, source.visible_text, title=source.title)
        if found.label == "full_support" and found.evidence:
            return source.url, _quoted(found.evidence[0].text)
    return "", ""


def _quoted(text: str) -> str:
    """A passage on one line, cut at a word."""
    return shorten(text, QUOTE_CHARACTERS, placeholder=" …")
