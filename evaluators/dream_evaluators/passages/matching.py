"""Which terms of a claim stand in which sentence of a source, and what each term weighs there."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dream_evaluators.model.source import SourceBlock
from dream_evaluators.passages.sentences import split_sentences
from dream_evaluators.passages.terms import content_terms, stem, words


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a source: `text[start:end]`, and the terms of the claim that it holds."""

    start: int  # characters
    end: int
    main: bool  # it lies in the main content
    hits: frozenset[str]
    words: int


@dataclass(frozen=True, slots=True)
class Match:
    """A claim laid over a source."""

    terms: tuple[str, ...]  # distinct content stems of the claim, in order
    weights: dict[str, float]  # term -> inverse sentence frequency within this source, above 0
    sentences: tuple[Sentence, ...]  # every sentence a reader would see, in order

    def weight(self, hits: Iterable[str]) -> float:
        """Sum the weights of some terms, the same to the last bit in whatever order they come."""
        return math.fsum(self.weights[term] for term in hits)

    def coverage(self, hits: Iterable[str]) -> float:
        """Give the share of the claim's weight that some terms carry, 0-1."""
        total = math.fsum(self.weights.values())
        return self.weight(hits) / total if total else 0.0


def match(claim: str, text: str, blocks: Sequence[SourceBlock] = ()) -> Match:
    """Lay a claim over a source, in time linear in the length of both.

    Args:
        claim: The statement; its first 400 distinct content terms count.
        text: The whole text of the source.
        blocks: Its labelled stretches. Hidden ones are left out; what no block covers counts as
            main content.
    """
    terms = content_terms(claim)
    wanted = frozenset(terms)
    known: dict[str, str] = {}  # word -> the claim's term, "" for any other; one page's vocabulary
    sentences = []
    for start, end, main in visible_segments(text, blocks):
        for first, last in split_sentences(text[start:end]):
            hits, count = _hits(text[start + first : start + last], wanted, known)
            sentences.append(Sentence(start + first, start + last, main, hits, count))
    return Match(terms, _weights(terms, sentences), tuple(sentences))


def visible_segments(text: str, blocks: Sequence[SourceBlock]) -> list[tuple[int, int, bool]]:
    """Cut a text at its blocks into `(start, end, main)`, leaving out whatever is hidden."""
    changes: dict[int, list[int]] = {0: [0, 0], len(text): [0, 0]}
    for block in blocks:
        start, end = max(0, block.start), min(len(text), block.end)
        if start < end:
            for position, step in ((start, 1), (end, -1)):
                change = changes.setdefault(position, [0, 0])
                change[0] += step * block.hidden
                change[1] += step * (not block.main)
    segments = []
    hidden = aside = 0
    positions = sorted(changes)
    for start, end in pairwise(positions):
        hidden += changes[start][0]
        aside += changes[start][1]
        if not hidden:
            segments.append((start, end, not aside))
    return segments


def _hits(
    sentence: str, wanted: frozenset[str], known: dict[str, str]
) -> tuple[frozenset[str], int]:
    """Find the wanted terms in a sentence, and count its words."""
    hits = set()
    count = 0
    for word in words(sentence):
        count += 1
        term = known.get(word)
        if term is None:
            root = stem(word)
            term = known[word] = root if root in wanted else ""
        if term:
            hits.add(term)
    return frozenset(hits), count


def _weights(terms: tuple[str, ...], sentences: Sequence[Sentence]) -> dict[str, float]:
    """Weigh terms by their inverse sentence frequency (BM25's form, never 0)."""
    frequency = Counter(term for sentence in sentences for term in sentence.hits)
    total = len(sentences)
    return {
        term: math.log(1 + (total - frequency[term] + 0.5) / (frequency[term] + 0.5))
        for term in terms
    }
