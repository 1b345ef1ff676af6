"""Edits of a claim by program: such that damage it, and such that leave what it says alone.

Each takes a claim and the names that other claims speak of, and gives the edited claim, or None
where there is nothing of its kind to edit. Which number, which name: always the same one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Edit = Callable[[str, Sequence[str]], str | None]

_YEAR = re.compile(r"\b(?:1\d\d\d|20[0-2]\d)\b")
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_NUMBER = re.compile(
    r"(?<![\w.,/–-])(?P<n>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\w/–-]|[.,]\d)"
)
_NAME = re.compile(r"[A-Z][\w'’.-]*[\w](?: (?:of |the |de )?[A-Z][\w'’-]*[\w])+")
_NEGATIONS = (
    (" was ", " was not "),
    (" were ", " were not "),
    (" is ", " is not "),
    (" are ", " are not "),
    (" has been ", " has not been "),
    (" can ", " cannot "),
)
_LEAD = re.compile(
    r"^(?P<lead>(?:In|On|Since) [^,]{0,30}\d[^,\s]*(?:, \d{4})?),? "
    rf"(?P<rest>(?!\d|{_MONTH}|[A-Z]?[a-z]+ing |.*(?:\d{{4}}|, \w+ing|, but|previous))"
    r"\w[^;]{0,150})\.$"
)
_DAY = re.compile(rf"\b(?P<month>{_MONTH}) (?P<day>[0-3]?\d), (?P<year>\d{{4}})\b")
_LOWERED = {"The", "A", "An", "In", "On", "It", "He", "She", "They", "Its", "His", "Her", "Their"}
_LOWERED |= {"This", "These", "About", "After", "Before", "During", "By", "Since", "When", "There"}
_HEDGES = ("€", "$", "£", "about", "around", "approximately", "roughly", "nearly", "some")
_SOME = 100  # numbers below it stay as they are when a claim is rounded
# (unit, factor, converted unit), each in the plural as claims write it.
_UNITS = (
    (r"%", 1, "percent"),
    (r"kilomet(?:re|er)s|km", 0.621371, "miles"),
    (r"miles", 1.609344, "kilometres"),
    (r"met(?:re|er)s", 3.28084, "feet"),
    (r"feet", 0.3048, "metres"),
    (r"million", 1000, "thousand"),
    (r"billion", 1000, "million"),
    (r"hours", 60, "minutes"),
    (r"weeks", 7, "days"),
    (r"years", 12, "months"),
    (r"pounds", 0.453592, "kilograms"),
)


def _dated(claim: str, start: int, end: int) -> bool:
    """Whether a number is a day or a year."""
    month = re.search(rf"{_MONTH} $", claim[:start]) or re.match(rf",? {_MONTH}", claim[end:])
    return bool(month or _YEAR.fullmatch(claim[start:end]))


def _numbers(claim: str) -> list[tuple[int, int, float]]:
    """Every number that is no part of a date: (start, end, value)."""
    found = [
        (*each.span("n"), float(each["n"].replace(",", ""))) for each in _NUMBER.finditer(claim)
    ]
    return [each for each in found if not _dated(claim, each[0], each[1])]


def _written(value: float) -> str:
    return f"{value:,.0f}" if value >= _SOME or value == int(value) else f"{value:.1f}"


def other_number(claim: str, names: Sequence[str]) -> str | None:
    """Another number: the first that is no date, times 1.7 and 2 more."""
    del names
    for start, end, value in _numbers(claim):
        return claim[:start] + _written(float(int(value * 1.7 + 2))) + claim[end:]
    return None


def other_date(claim: str, names: Sequence[str]) -> str | None:
    """Another year: the first, four years earlier."""
    del names
    if not (year := _YEAR.search(claim)):
        return None
    return claim[: year.start()] + str(int(year[0]) - 4) + claim[year.end() :]


def names_in(claim: str) -> list[str]:
    """The names a claim speaks of, of two words or more."""
    return [n for n in _NAME.findall(claim) if n.split()[0] not in _LOWERED]


def other_name(claim: str, names: Sequence[str]) -> str | None:
    """Another name: the last one gives way to one of another claim."""
    own = names_in(claim)
    others = [name for name in names if name not in claim]
    if not own or not others:
        return None
    at = claim.rindex(own[-1])
    return claim[:at] + others[len(claim) % len(others)] + claim[at + len(own[-1]) :]


def negated(claim: str, names: Sequence[str]) -> str | None:
    """The opposite: a "not" after the first verb that takes one."""
    del names
    found = [(claim.find(verb), verb, no) for verb, no in _NEGATIONS if verb in claim]
    if not found or " not " in claim:
        return None
    _, verb, no = min(found)
    return claim.replace(verb, no, 1)


def _lowered(claim: str) -> str:
    return claim[0].lower() + claim[1:] if claim.split(maxsplit=1)[0] in _LOWERED else claim


def paraphrased(claim: str, names: Sequence[str]) -> str | None:
    """The same, said to be what the source says; three ways in turn."""
    del names
    ways = (
        "The page linked here says that {}",
        "As the source puts it, {}",
        "It is on record that {}",
    )
    return ways[len(claim) % len(ways)].format(_lowered(claim))


def rounded(claim: str, names: Sequence[str]) -> str | None:
    """A number to two digits and with "about", or a day as its month."""
    del names
    for start, end, value in _numbers(claim):
        short = float(f"{value:.2g}")
        measured = value >= _SOME and re.search(r"\b[a-z]+ $", claim[:start])
        if measured and not claim[:start].rstrip().endswith(_HEDGES):
            return f"{claim[:start]}about {_written(short)}{claim[end:]}"
    if day := re.search(rf"\b([Oo])n (?={_DAY.pattern})", claim):
        month = _DAY.sub(r"\g<month> \g<year>", claim[day.end() :], count=1)
        return f"{claim[: day.start()]}{'I' if day[1] == 'O' else 'i'}n {month}"
    return None


def converted(claim: str, names: Sequence[str]) -> str | None:
    """The first measure in another unit, or a day in another notation."""
    del names
    for start, end, value in _numbers(claim):
        for unit, factor, name in _UNITS:
            if found := re.match(rf"[ -]?(?:{unit})(?!\w)", claim[end:]):
                new = value * factor
                hedged = claim[:start].rstrip().endswith(_HEDGES)
                about = "" if hedged or factor == int(factor) else "about "
                number = f"{new:,.0f}" if new >= 10 else f"{new:.1f}"
                return f"{claim[:start]}{about}{number} {name}{claim[end + found.end() :]}"
    if day := _DAY.search(claim):
        return (
            f"{claim[: day.start()]}{day['day']} {day['month']} {day['year']}{claim[day.end() :]}"
        )
    return None


def reordered(claim: str, names: Sequence[str]) -> str | None:
    """The opening "In 2019, …" at the end."""
    del names
    if not (found := _LEAD.match(claim)):
        return None
    lead, rest = found["lead"], found["rest"]
    return f"{rest[0].upper()}{rest[1:]} {lead[0].lower()}{lead[1:]}."


DAMAGES: dict[str, Edit] = {
    "number": other_number,
    "date": other_date,
    "entity": other_name,
    "negation": negated,
}
HARMLESS: dict[str, Edit] = {
    "paraphrase": paraphrased,
    "rounding": rounded,
    "unit": converted,
    "clause order": reordered,
}
