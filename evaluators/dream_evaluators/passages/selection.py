"""The passages of a source that bear on a claim: greedy coverage of its terms, with offsets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dream_evaluators.model.source import SourceBlock
from dream_evaluators.passages.matching import Match, Sentence, match
from dream_evaluators.tokens import estimate_tokens

# Our choices, tuned on the WiCE dev split for the share of claims whose whole evidence is chosen.
BM25_SHARE = 0.25  # what a good match is worth beside new coverage
COVERED = 0.5  # a term already covered keeps this share of its weight for the next sentence
ASIDE = 0.6  # navigation, comments and the like count this much: main content comes first
LENGTH_SHARE = 0.5  # how far long sentences are held back (BM25's b)
SATURATION = 1.2  # BM25's k1
MAX_GAP = 16  # characters of blanks that a passage may bridge between two sentences


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a source: `text` is the source's `text[start:end]` (characters)."""

    start: int
    end: int
    text: str


def select(
    claim: str,
    text: str,
    *,
    blocks: Sequence[SourceBlock] = (),
    k: int = 10,
    neighbours: int = 1,
    max_tokens: int = 0,
) -> tuple[Passage, ...]:
    """Choose the passages of a source that bear on a claim, in time linear in the source.

    Sentences are picked one by one, each time the one that covers most of what the claim says and
    no picked sentence does yet; the picked ones and their neighbours are joined into passages. A
    claim that shares no word with the source gets the source's opening instead, so that a reader
    at least sees what the page is about.

    Args:
        claim: The statement to be judged.
        text: The whole text of the source.
        blocks: Its labelled stretches: main content comes first, hidden text never.
        k: How many sentences to pick.
        neighbours: How many sentences before and after each picked one come along.
        max_tokens: An upper bound on the estimated tokens of all passages together; 0 is none.
            What was picked first is kept first.

    Returns:
        Passages in the order of the text, not overlapping; none where nothing is visible or fits.
    """
    laid = match(claim, text, blocks)
    ranked = rank(laid, k) or [*range(min(k, len(laid.sentences)))]
    chosen = _with_neighbours(laid.sentences, ranked, neighbours, max_tokens, text)
    return join(text, laid.sentences, chosen)


def rank(laid: Match, k: int) -> list[int]:
    """Pick up to `k` sentences greedily: best first, as positions in `laid.sentences`.

    Only sentences that hold a term of the claim are picked.
    """
    scores = bm25(laid)
    worth = dict(laid.weights)
    # Sentences with the same terms gain the same from each pick: the best of each kind competes.
    kinds: dict[tuple[frozenset[str], bool], list[int]] = {}
    for at in sorted(scores, key=lambda at: (scores[at], -at)):
        kinds.setdefault((laid.sentences[at].hits, laid.sentences[at].main), []).append(at)

    def value(kind: tuple[frozenset[str], bool]) -> tuple[float, int]:
        hits, main = kind
        best = kinds[kind][-1]
        fresh = math.fsum(worth[term] for term in hits)
        return (fresh + BM25_SHARE * scores[best]) * (1.0 if main else ASIDE), -best

    picked: list[int] = []
    while kinds and len(picked) < k:
        kind = max(kinds, key=value)
        picked.append(kinds[kind].pop())
        if not kinds[kind]:
            del kinds[kind]
        for term in kind[0]:
            worth[term] *= COVERED
    return picked


def bm25(laid: Match) -> dict[int, float]:
    """Score the sentences that hold a term; a term counts once a sentence."""
    lengths = [sentence.words for sentence in laid.sentences]
    mean = (sum(lengths) / len(lengths) if lengths else 0.0) or 1.0
    return {
        at: laid.weight(sentence.hits)
        * (SATURATION + 1)
        / (1 + SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * sentence.words / mean))
        for at, sentence in enumerate(laid.sentences)
        if sentence.hits
    }


def _with_neighbours(
    sentences: Sequence[Sentence],
    ranked: Iterable[int],
    neighbours: int,
    max_tokens: int,
    text: str,
) -> set[int]:
    """Add each pick's neighbours, and stop taking what the token budget no longer holds."""
    chosen: set[int] = set()
    left = float(max_tokens) if max_tokens > 0 else float("inf")
    for at in ranked:
        for offset in sorted(range(-max(0, neighbours), max(0, neighbours) + 1), key=abs):
            position = at + offset
            if not 0 <= position < len(sentences) or position in chosen:
                continue
            cost = 0
            if max_tokens > 0:
                sentence = sentences[position]
                cost = estimate_tokens(text[sentence.start : sentence.end]) + MAX_GAP // 4
            if cost <= left:
                left -= cost
                chosen.add(position)
    return chosen


def join(text: str, sentences: Sequence[Sentence], chosen: Iterable[int]) -> tuple[Passage, ...]:
    """Join chosen sentences into passages where nothing but a short blank lies between them."""
    spans: list[tuple[int, int]] = []
    for at in sorted(chosen):
        start, end = sentences[at].start, sentences[at].end
        if spans and start - spans[-1][1] <= MAX_GAP and not text[spans[-1][1] : start].strip():
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return tuple(Passage(start, end, text[start:end]) for start, end in spans)
