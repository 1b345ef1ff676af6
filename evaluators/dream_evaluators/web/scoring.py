"""Which passages are the page's subject: a penalty each, from itself and from its neighbours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from operator import mul

from dream_evaluators.web import cues, weights
from dream_evaluators.web.features import TRAITS, resolve, survey, traits
from dream_evaluators.web.places import Passage, Walk

# In the order in which `context` gives them; "likelihood" of being main content, between 0 and 1.
CONTEXT = (
    "own penalty", "likelihood of two before", "likelihood of two after", "lower of these",
    "higher of these", "likelihood of six before", "likelihood of six after", "lower of the six",
    "heading before likely", "short between likely", "links between likely", "mean of the page",
    "best of the page",
)  # fmt: skip
THRESHOLD = 0.9  # a passage whose penalty is below it is main content; our choice: recall first
LEAST_SHARE, LEAST_CHARS = 0.08, 400  # of a page's text that is main, or the threshold is raised
RAISED = 2.8
_BEYOND = 0.3  # the likelihood assumed beyond the ends of a page
_LEAST_WEIGHT = 20  # characters that even the shortest neighbour counts for
_HEADING = TRAITS.index("heading")
_SHORT = TRAITS.index("up to 25 characters")
_LINKS = TRAITS.index("mostly links")
_TRAIT_WEIGHTS = tuple(weights.TRAITS[name] for name in TRAITS)
_CONTEXT_WEIGHTS = tuple(weights.CONTEXT[name] for name in CONTEXT)


@lru_cache(maxsize=4_096)
def cue_penalty(bits: int) -> float:
    """Add up what the cues of a place weigh."""
    return sum(weight for cue, weight in weights.CUES.items() if bits & cues.BIT[cue])


def own_penalties(passages: list[Passage], rows: list[tuple[float, ...]]) -> list[float]:
    """Score each passage by what it is and where it stands."""
    return [
        weights.OWN_BASE
        + sum(map(mul, _TRAIT_WEIGHTS, row))
        + cue_penalty(passage.place.within)
        + weights.TAGS.get(passage.place.tag, 0.0)
        for passage, row in zip(passages, rows, strict=True)
    ]


def context(
    penalties: Sequence[float], lengths: Sequence[int], rows: Sequence[tuple[float, ...]]
) -> list[tuple[float, ...]]:
    """Describe each passage by how likely its neighbours are main content, in order of CONTEXT."""
    likely = [1 / (1 + math.exp(min(penalty, 50.0))) for penalty in penalties]
    sizes = [length + _LEAST_WEIGHT for length in lengths]
    sums, totals = _running(map(mul, likely, sizes)), _running(sizes)
    count = len(likely)
    mean, best = sum(likely) / count, max(likely)

    def window(start: int, end: int) -> float:
        start, end = max(start, 0), min(end, count)
        if end <= start:
            return _BEYOND
        return (sums[end] - sums[start]) / (totals[end] - totals[start])

    found: list[tuple[float, ...]] = []
    for n, (penalty, row) in enumerate(zip(penalties, rows, strict=True)):
        two, after = window(n - 2, n), window(n + 1, n + 3)
        six, later = window(n - 6, n), window(n + 1, n + 7)
        low = min(two, after)
        around = (two, after, low, max(two, after), six, later, min(six, later))
        joint = (row[_HEADING] * after, row[_SHORT] * low, row[_LINKS] * low)
        found.append((penalty, *around, *joint, mean, best))
    return found


def _running(values: Iterable[float]) -> list[float]:
    return list(accumulate(values, initial=0.0))


def penalties(walk: Walk) -> list[float]:
    """Return each passage's penalty, in order: negative for text, positive for its surroundings."""
    passages = walk.passages
    if not passages:
        return []
    resolve(walk)
    rows = traits(passages, survey(passages))
    own = own_penalties(passages, rows)
    around = context(own, [len(passage.text) for passage in passages], rows)
    return [weights.CONTEXT_BASE + sum(map(mul, _CONTEXT_WEIGHTS, row)) for row in around]


def main_flags(walk: Walk) -> list[bool]:
    """Say for each passage whether it is main content; on a page with text, some always is."""
    scores = penalties(walk)
    flags = [score < THRESHOLD for score in scores]
    lengths = [len(passage.text) for passage in walk.passages]
    kept = sum(map(mul, lengths, flags))
    if kept < min(LEAST_SHARE * sum(lengths), LEAST_CHARS):
        flags = [score < RAISED for score in scores]
    return flags if any(flags) else [True] * len(flags)
