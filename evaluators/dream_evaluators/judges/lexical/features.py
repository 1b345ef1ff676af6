"""What can be measured between a claim and a source without understanding either."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from dream_evaluators.judges.lexical.numbers import Pool, wanted_figures
from dream_evaluators.judges.lexical.wording import (
    ABSOLUTES,
    RELATIONS,
    name_pairs,
    name_stems,
    negated,
    opposites,
)
from dream_evaluators.passages.matching import Match, match
from dream_evaluators.passages.terms import STOPWORDS, stem, words

# A window is a run of sentences; a longer one must cover this much more a sentence to be preferred.
WINDOWS = (1, 2, 3, 5)
WINDOW_COST = 0.02
# How rare a word is in general, as far as its length tells: on both citation sets this is worth as
# much as a table of word frequencies. Names and figures in other scripts get the middle.
LONGEST, OTHER = 8, 6

NAMES = (
    "window_coverage", "three_coverage", "page_coverage", "pairs", "numbers_off_page",
    "numbers_off_window", "names_on_page", "names_in_window", "negation_differs", "absolutes",
    "claim_length", "page_length",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A claim measured against a source."""

    vector: tuple[float, ...]  # one number a name in NAMES
    laid: Match
    window: tuple[int, int]  # the best run of sentences: positions in `laid.sentences`
    missing_numbers: tuple[str, ...]  # not on the page at all
    missing_names: tuple[str, ...]
    opposites: int  # terms of the claim for which the window has the opposite instead
    relations: int  # words of cause and comparison in the claim that the window lacks
    broken_names: int  # words that form a name in the claim and do not in the window
    claim_words: int
    source_words: int

    def __getitem__(self, name: str) -> float:
        """Give one feature by its name."""
        return self.vector[NAMES.index(name)]


def measure(claim: str, text: str) -> Measure:
    """Measure a claim against the text of a source, in time linear in both."""
    laid = match(claim, text)
    laid = replace(laid, weights={term: w + _substance(term) for term, w in laid.weights.items()})
    low, high, best_of_three = best_window(laid)
    passage = " ".join(text[s.start : s.end] for s in laid.sentences[low:high])
    said, read = list(words(claim)), list(words(passage))
    read_stems = [stem(word) for word in read]
    held = frozenset().union(*(s.hits for s in laid.sentences))
    in_window = frozenset().union(*(s.hits for s in laid.sentences[low:high]))
    wanted = wanted_figures(claim)
    off_page = Pool(text).lacks(wanted) if wanted else ()
    off_window = Pool(passage).lacks(wanted) if wanted else ()
    names = name_stems(claim)
    vector = (
        laid.coverage(in_window),
        best_of_three,
        laid.coverage(held),
        _shared_pairs([stem(word) for word in said], read_stems),
        float(len(off_page)),
        float(len(off_window)),
        _share_in(names, held),
        _share_in(names, in_window),
        float(negated(said) != negated(read)),
        float(len(ABSOLUTES.intersection(said).difference(read))),
        len(said) / 30,
        math.log1p(len(laid.sentences)),
    )
    return Measure(
        vector=vector,
        laid=laid,
        window=(low, high),
        missing_numbers=off_page,
        missing_names=tuple(dict.fromkeys(name for name, root in names if root not in held)),
        opposites=opposites(laid.terms, frozenset(read_stems)),
        relations=len(RELATIONS.intersection(said).difference(read)),
        broken_names=len(name_pairs(claim).difference(pairwise(_content(read)))),
        claim_words=len(said),
        source_words=sum(sentence.words for sentence in laid.sentences),
    )


def _substance(term: str) -> float:
    """Guess a term's general rarity from its length, on the scale of the page's own weights."""
    return float(min(len(term), LONGEST) if term.isascii() and term.isalpha() else OTHER)


def best_window(laid: Match) -> tuple[int, int, float]:
    """Find the run of at most five sentences that covers the claim best for its length.

    Returns:
        Its first and last-plus-one position, and the best coverage (0-1) of up to three sentences.
    """
    best, place, best_of_three = -1.0, (0, 0), 0.0
    sentences = laid.sentences
    total = math.fsum(laid.weights.values()) or 1.0
    for size in WINDOWS:
        for low in range(max(0, len(sentences) - size + 1)):
            run = sentences[low : low + size]
            if not run[0].hits:
                continue
            coverage = laid.weight(frozenset().union(*(s.hits for s in run))) / total
            if size <= 3:
                best_of_three = max(best_of_three, coverage)
            if coverage - WINDOW_COST * size > best:
                best, place = coverage - WINDOW_COST * size, (low, low + size)
    return *place, best_of_three


def _content(read: Iterable[str]) -> list[str]:
    """Give the stems of the words that are no stopwords, in order."""
    return [stem(word) for word in read if word not in STOPWORDS]


def _share_in(names: Iterable[tuple[str, str]], held: frozenset[str]) -> float:
    """Give the share of names whose stem is held; 1 where there are none."""
    found = [root in held for _, root in names]
    return sum(found) / len(found) if found else 1.0


def _shared_pairs(said: list[str], read: list[str]) -> float:
    """Give the share of the claim's neighbouring stems that are neighbours in the passage too."""
    pairs = set(pairwise(said))
    return len(pairs.intersection(pairwise(read))) / len(pairs) if pairs else 0.0
