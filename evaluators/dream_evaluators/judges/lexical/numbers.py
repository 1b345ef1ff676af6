"""Which of a claim's figures a source does not carry: by value, unit and conventional rounding."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable

from dream_evaluators.judges.lexical.figures import Figure, figures
from dream_evaluators.judges.lexical.units import MONTHS
from dream_evaluators.passages.terms import fold

# Figures of a claim beyond this many are not compared: a claim is one statement.
MAX_FIGURES = 60
# An unhedged round figure ("5,000") may differ by this share; one with a hedge, by the other.
STRICT, LOOSE = 0.01, 0.1
COUNTED_OUT = 12  # a claim's number words up to here are often pronouns and counts of a list
MONEY = ("$", "€", "£", "¥", "yuan")

_MONTH = re.compile(
    rf"\b(?:{'|'.join(sorted(set(MONTHS) - {'may'}, key=len, reverse=True))})\b"
    r"|(?<=\d )may\b|\bmay(?=[ ,.]{1,2}\d)"
)


def missing_numbers(claim: str, text: str) -> tuple[str, ...]:
    """Name the figures of a claim, as it writes them, that a source does not carry.

    Figures are compared by value and unit: "30 million" is not carried by "1300" or "30 %", but by
    "30,012,400" (rounding to the digits that the claim writes). A round figure without hedge
    ("5,000") is carried only by what is within 1 %; years and small counts only by themselves.
    """
    wanted = wanted_figures(claim)
    return Pool(text).lacks(wanted) if wanted else ()


def wanted_figures(claim: str) -> tuple[Figure, ...]:
    """Read the figures of a claim that its source should carry, at most MAX_FIGURES.

    Small number words are left out: sources often count without saying the number.
    """
    return tuple(
        figure
        for figure in figures(claim)
        if not figure.word or figure.scaled or figure.value > COUNTED_OUT
    )[:MAX_FIGURES]


class Pool:
    """The figures of a source, laid out for comparison."""

    def __init__(self, text: str) -> None:
        values: defaultdict[str, set[float]] = defaultdict(set)
        for figure in figures(text):
            values[figure.dimension].add(figure.value)
            if not figure.dimension and figure.bare:
                values["bare"].add(figure.value)
        values[""].update(float(MONTHS[found.group()]) for found in _MONTH.finditer(fold(text)))
        self._values = {dimension: sorted(each) for dimension, each in values.items()}

    def lacks(self, wanted: Iterable[Figure]) -> tuple[str, ...]:
        """Name the figures, as written and each once, that the source does not carry."""
        return tuple(dict.fromkeys(each.written for each in wanted if not self.carries(each)))

    def carries(self, figure: Figure) -> bool:
        """Tell whether some figure of the source says what this one does."""
        low, high = _tolerance(figure)
        # A figure without any unit near it (a table cell) may stand for one whose unit is written
        # elsewhere; a figure with another unit never does.
        names: tuple[str, ...] = (figure.dimension, "bare") if figure.dimension else ("",)
        if figure.bare and figure.scaled:  # "sales of 3 million" leaves the currency out
            names += MONEY
        return any(_any_between(self._values.get(name, ()), low, high) for name in names)


def _any_between(values: list[float] | tuple[()], low: float, high: float) -> bool:
    """Tell whether a sorted list has a value in `[low, high]`."""
    at = bisect_left(values, low)
    return at < len(values) and values[at] <= high


def _tolerance(figure: Figure) -> tuple[float, float]:
    """Give the interval of source values that a claim's figure may be a rounding of."""
    value, half = figure.value, figure.step / 2
    whole = not figure.dimension and not figure.scaled and value < 1000
    if figure.year or figure.word or (whole and not figure.hedged):
        slack = 0.0
    elif figure.hedged:
        slack = max(half, LOOSE * abs(value))
    elif figure.significant > 1 or figure.scaled:
        slack = min(half, LOOSE * abs(value))
    else:
        slack = STRICT * abs(value)
    edge = 1e-9 * max(1.0, abs(value))
    return value - slack - edge, value + slack + edge
