"""The figures of a text, in digits or words, by value and unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dream_evaluators.judges.lexical.units import (
    NO_UNIT_OF_YEARS,
    NUMBER_WORDS,
    scale_of,
    unit_of,
)
from dream_evaluators.passages.terms import STOPWORDS, fold

MONTHS_A_YEAR = 12
_YEARS = range(1200, 2200)

_BLANK = r"[ \u00a0\u202f-]?"
_FIGURE = re.compile(
    rf"""
    (?<![^\W\d_]-)(?:(?<!\w)(?<!\d[.,])|(?<=[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]))
    (?P<sign>(?:us)?[$€£¥￥])?\s?
    (?P<digits>\d{{1,20}}(?:[.,]\d{{1,20}}){{0,8}})
    (?P<tail>
      (?:{_BLANK}(?:[^\W\d_\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{{1,12}}2?|[%％°℃]c?)
        |{_BLANK}[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{{1,4}})
      (?:\ [^\W\d_]{{1,12}})?
    )?
    """,
    re.VERBOSE,
)
_NUMBER_WORD = re.compile(
    rf"\b(?:{'|'.join(NUMBER_WORDS)})(?:-(?:{'|'.join(list(NUMBER_WORDS)[1:10])}))?\b"
    r"(?:[ -](?P<tail>[a-z]{1,12}(?: [a-z]{1,12})?))?"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_TAIL_WORD = re.compile(r"[%％℃]|°c?|[^\W\d_]+2?")
_RANGE = re.compile(r"\s?(?:-|–|—|to|bis|至|到|~)\s?")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?")
_HEDGE = re.compile(
    r"(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|ca\.?|over|under|"
    r"more than|less than|fewer than|at least|up to|above|below|close to|an estimated|~|≈|>|<|"
    r"etwa|rund|environ|pres de|unos|cerca de|约|約|近|超过|超過|大约)\s?$"
)


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a text; `text[start:end]` of the folded text is what was read."""

    value: float  # in the base of its dimension
    step: float  # the value of the last significant digit as written, in the same base
    dimension: str  # "%", "$", "length" ...; "" for a plain count
    written: str
    start: int
    end: int
    significant: int = 1  # how many significant digits are written
    scaled: bool = False  # a scale word or a decimal point says how exact it is
    hedged: bool = False
    word: bool = False  # written as a word
    bare: bool = False  # no unit, nor a word that could be what is counted: a table cell, an end
    factor: float = 1.0  # what scale and unit multiplied the digits by

    @property
    def plain(self) -> bool:
        """Whether it has neither unit nor scale of its own."""
        return not self.dimension and self.factor == 1.0

    @property
    def year(self) -> bool:
        """Whether it reads as a year: compared exactly."""
        return self.plain and self.written.isdigit() and self.value in _YEARS


def figures(text: str) -> tuple[Figure, ...]:
    """Read the figures of a text in order: digits and number words, with scale and unit."""
    folded = fold(text)
    found = [*_digit_figures(folded), *_word_figures(folded)]
    return tuple(sorted(found, key=lambda figure: figure.start))


def _digit_figures(folded: str) -> Iterator[Figure]:
    """Read what is written in digits; the unit behind a range counts for both of its ends."""
    previous: Figure | None = None
    for figure in _single_figures(folded):
        if previous is not None:
            between = folded[previous.end : figure.start]
            figure = _full_year(previous, between, figure)  # noqa: PLW2901 - the same figure
            if previous.plain and len(between) < 8 and _RANGE.fullmatch(between):
                previous = replace(
                    previous,
                    value=previous.value * figure.factor,
                    step=previous.step * figure.factor,
                    dimension=figure.dimension,
                    scaled=figure.scaled,
                )
            yield previous
        previous = figure
    if previous is not None:
        yield previous


def _full_year(previous: Figure, between: str, figure: Figure) -> Figure:
    """Read the second year of "2023-24" in full; what may be a month is left alone."""
    short = figure.plain and figure.written.isdigit() and len(figure.written) == 2
    later = max(previous.value % 100, MONTHS_A_YEAR) < figure.value
    if not (short and later and previous.year and _RANGE.fullmatch(between)):
        return figure
    year = previous.value - previous.value % 100 + figure.value
    return replace(figure, value=year, written=f"{year:.0f}", significant=4)


def _single_figures(folded: str) -> Iterator[Figure]:
    """Read each figure in digits by itself."""
    for found in _FIGURE.finditer(folded):
        digits = found["digits"]
        value, step = _number(digits)
        sign = unit_of(found["sign"]) if found["sign"] else None
        tail = _own_tail(digits, found["tail"] or "")
        scale, dimension, end = _tail(tail, found.end("digits"), money=sign is not None)
        factor = 1.0
        if sign is not None:
            dimension = (sign[0], 1.0)
        if dimension is not None:
            factor = dimension[1]
        significant = len(digits.replace(",", "").replace(".", "").strip("0")) or 1
        yield Figure(
            value=value * scale * factor,
            step=step * scale * factor,
            dimension=dimension[0] if dimension is not None else "",
            written=folded[found.start() : end].strip(),
            start=found.start(),
            end=end,
            significant=significant,
            scaled=scale != 1.0 or step < 1.0,
            hedged=_HEDGE.search(folded, max(0, found.start() - 16), found.start()) is not None,
            bare=dimension is None and _ends_figure(folded[end : found.end()]),
            factor=scale * factor,
        )


def _own_tail(digits: str, tail: str) -> str:
    """Give what belongs to a figure of the words behind it: a year takes no ambiguous unit."""
    following = _LETTERS.search(tail)
    if following is None or not digits.isdigit() or int(digits) not in _YEARS:
        return tail
    return "" if tail[0].isspace() and following.group() in NO_UNIT_OF_YEARS else tail


def _ends_figure(rest: str) -> bool:
    """Tell whether what follows a figure is nothing, or a function word ("12 in 2020")."""
    following = rest.split()
    return not following or following[0] in STOPWORDS


def _word_figures(folded: str) -> Iterator[Figure]:
    """Read what is written as number words, from two up: "one" is mostly a pronoun."""
    for found in _NUMBER_WORD.finditer(folded):
        stop = found.start("tail") - 1 if found["tail"] else found.end()
        value = sum(NUMBER_WORDS.get(part, 0.0) for part in folded[found.start() : stop].split("-"))
        scale, dimension, end = _tail(found["tail"] or "", stop + bool(found["tail"]), money=False)
        if value < 2 and scale == 1.0:
            continue
        factor = dimension[1] if dimension is not None else 1.0
        yield Figure(
            value=value * scale * factor,
            step=0.0,
            dimension=dimension[0] if dimension is not None else "",
            written=folded[found.start() : end].strip(),
            start=found.start(),
            end=end,
            scaled=scale != 1.0,
            word=True,
        )


def _number(digits: str) -> tuple[float, float]:
    """Read digits with separators: the value, and the value of its last significant digit."""
    if _THOUSANDS.fullmatch(digits):
        decimal = "," if digits.count(".") > 1 else "."
        digits = digits.replace("." if decimal == "," else ",", "").replace(",", ".")
    elif digits.count(",") == 1 and "." not in digits:
        digits = digits.replace(",", ".")
    elif digits.count(".") + digits.count(",") > 1:  # a version, a date, a list: not one value
        digits = re.split(r"[.,]", digits, maxsplit=1)[0]
    whole, _, fraction = digits.partition(".")
    if fraction:
        return float(digits), 10.0 ** -len(fraction)
    zeros = len(whole) - len(whole.rstrip("0")) if whole.strip("0") else 0
    return float(whole), 10.0**zeros


def _tail(tail: str, start: int, *, money: bool) -> tuple[float, tuple[str, float] | None, int]:
    """Read scale and unit behind a figure: factor, (dimension, factor) or None, and the end."""
    if tail[:1].isspace() and not money and tail.split()[:1] == ["m"]:  # "5 m" is a length
        return 1.0, ("length", 1.0), start + 2
    scale = 1.0
    unit = None
    end = start
    for found in _TAIL_WORD.finditer(tail):
        word = found.group()
        factor, rest = _cjk_scale(word)
        if factor is None and not rest:
            factor = scale_of(word)
        if factor is not None and scale == 1.0 and unit is None:
            scale = factor
            end = start + found.end() - len(rest)
            word = rest
        unit = _longest_unit(word) if word else None
        if unit is not None:
            end = start + found.end()
            break
        if factor is None:
            break
    return scale, unit, end


def _cjk_scale(word: str) -> tuple[float | None, str]:
    """Split a leading CJK scale character off a run: its factor and the rest."""
    if word and not word[0].isascii() and len(word) > 1:
        factor = scale_of(word[0])
        if factor is not None:
            return factor, word[1:]
    return None, ""


def _longest_unit(word: str) -> tuple[str, float] | None:
    """Find a unit at the beginning of a CJK run, or as the whole of any other word."""
    if word.isascii() or word[0] in "°":
        return unit_of(word)
    return next((unit for size in (4, 3, 2, 1) if (unit := unit_of(word[:size]))), None)
