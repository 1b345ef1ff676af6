"""Labels of numbered citations: lists and ranges, and what only looks like them."""

from __future__ import annotations

import re

RANGE_CAP = 60  # entries; our choice: a wider range is a span of years or pages, no citation

_NUMERIC = re.compile(
    r"\^?\d{1,4}(?:\^)?(?:\s{0,2}(?:[,，;；、–—~-]|&|and|to|至|到)\s{0,2}\^?\d{1,4}\^?){0,80}"
)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")  # "[10,000]" is an amount
_SEPARATOR = re.compile(r"\s*(?:[,，;；、]|&|and)\s*")
_RANGE = re.compile(r"\^?(\d{1,4})\^?\s*(?:[–—~-]|to|至|到)\s*\^?(\d{1,4})\^?")
# Words after which "[5, 10]" is an interval, and symbols of one.
_INTERVAL = re.compile(
    r"(?:\b(?:interval|range|CI|between|scale|IQR|bounds?|confidence|domain|values? "
    r"in)\b|区间|區間|范围|範圍|∈|=|\bin)[\s:：(]{0,3}\$?$",
    re.I,
)


def is_numeric(inner: str) -> bool:
    """Whether what stands in brackets is a number, a list or a range of numbers."""
    if inner.isdigit():
        return len(inner) <= 4 and inner.isascii()
    inner = inner.strip()
    return _NUMERIC.fullmatch(inner) is not None and not _THOUSANDS.fullmatch(inner)


def is_interval(before: str, inner: str) -> bool:
    """Whether "[5, 10]" reads as an interval: two numbers after a word or symbol of one."""
    if inner.isdigit():
        return False
    numbers = re.findall(r"\d+", inner)
    if len(numbers) != 2:
        return False
    return "0" in numbers or bool(_INTERVAL.search(before[-24:]))


def expand(inner: str, *, sentence_style: bool = False) -> tuple[str, ...]:
    """Return the labels of a numeric marker: "2, 5-7" gives 2, 5, 6, 7.

    Args:
        inner: What stands between the brackets, with `is_numeric` true.
        sentence_style: The report writes document-sentence pairs: "41-23" cites document 41.

    Returns:
        Labels in order without duplicates; empty when it cannot be a citation (a range of years).
    """
    if inner.isdigit():
        return (_plain(inner),)
    labels: dict[str, None] = {}
    for piece in _SEPARATOR.split(inner.strip()):
        found = _RANGE.fullmatch(piece.strip())
        if found is None:
            for number in re.findall(r"\d+", piece):
                labels[_plain(number)] = None
            continue
        low, high = int(found.group(1)), int(found.group(2))
        if sentence_style or high <= low:
            labels[str(low)] = None
        elif high - low > RANGE_CAP:
            return ()
        else:
            labels.update((str(n), None) for n in range(low, high + 1))
    return tuple(labels)


def goes_down(inner: str) -> bool:
    """Whether a range runs downwards, the sign of document-sentence pairs ("41-23")."""
    found = _RANGE.fullmatch(inner.strip())
    return found is not None and int(found.group(2)) < int(found.group(1))


def _plain(number: str) -> str:
    return number.lstrip("0") or "0"


_RAISED = str.maketrans("0123456789-–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def to_superscript(text: str) -> str:
    """Write digits as superscripts; what is no digit stays."""
    return text.translate(_RAISED)


def from_superscript(text: str) -> tuple[str, ...]:
    """Return the labels of superscript digits: "¹⁻³" is a range, "¹˒²" a list."""
    plain = text.translate(_SUPERSCRIPTS).replace("⁻", "-").replace("⁾", "").replace("⁽", "")
    plain = re.sub(r"[˒᠂ʼ,، ]+", ",", plain).strip(",-")
    return expand(plain) if plain and is_numeric(plain) else ()
