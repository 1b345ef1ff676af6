"""Dates as pages write them, read to ISO days."""

from __future__ import annotations

import re
from datetime import date

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero gennaio janeiro januari",
            "february feb februar février fevrier febrero febbraio fevereiro februari",
            "march mar märz maerz mars marzo março maart",
            "april apr avril abril aprile",
            "may mai mayo maggio maio mei",
            "june jun juni juin junio giugno junho",
            "july jul juli juillet julio luglio julho",
            "august aug août aout agosto augustus",
            "september sep sept septembre septiembre settembre setembro",
            "october oct oktober okt octobre octubre ottobre outubro",
            "november nov novembre noviembre novembro",
            "december dec dezember dez décembre decembre diciembre dicembre dezembro",
        ),
        start=1,
    )
    for name in names.split()
}
_WORD = r"[^\W\d_]{3,10}"
_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_ISO_MONTH = re.compile(r"^((?:19|20)\d\d)[-/](\d{2})$")
_YEAR = re.compile(r"^((?:19|20)\d\d)$")
_COMPACT = re.compile(r"^((?:19|20)\d\d)(\d\d)(\d\d)(?:\D|T|\d{6}|$)")
_MONTH_FIRST = re.compile(
    rf"\b({_WORD})\.?\s{{1,3}}(\d{{1,2}})(?:st|nd|rd|th)?,?\s{{1,3}}((?:19|20)\d\d)\b"
)
_DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.|er)?(?:\s{{1,3}}|-)(?:de\s|of\s)?({_WORD})\.?,?(?:\s{{1,3}}|-)(?:de\s)?((?:19|20)\d\d)\b"
)
_CJK = re.compile(r"((?:19|20)\d\d)\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]")
_DOTTED = re.compile(r"(?<!\d)(\d{1,2})\.(\d{1,2})\.((?:19|20)\d\d)(?!\d)")
_SLASHED = re.compile(r"(?<!\d)(\d{1,2})/(\d{1,2})/((?:19|20)\d\d)(?!\d)")
_IN_PATH = re.compile(
    r"/((?:19|20)\d\d)[-/](\d{1,2})[-/](\d{1,2})(?=[/-]|$)|[/-]((?:20)\d\d)(\d\d)(\d\d)(?=[/.-]|$)"
)
FIRST_YEAR = 1990  # the web's own; an earlier date in page metadata is an error or the subject's
TEXT_CAP = 200  # characters in which a date is looked for


def day(year: str | int, month: str | int, day_of_month: str | int) -> str:
    """Write a date as ISO, "" if there is no such day."""
    try:
        return date(int(year), int(month), int(day_of_month)).isoformat()
    except ValueError:
        return ""


def _named(name: str) -> int:
    return _MONTHS.get(name.lower(), 0)


def read_date(text: str) -> str:
    """Find the first date in a short text.

    Returns:
        `YYYY-MM-DD`, or `YYYY-MM` or `YYYY` where the whole text is no more than that, or "".
        `03/04/2021` is read only where one of the two numbers cannot be a month.
    """
    text = text.strip()[:TEXT_CAP]
    if match := _ISO.search(text) or _CJK.search(text) or _COMPACT.search(text):
        return day(*match.groups()[:3])
    if match := _MONTH_FIRST.search(text):
        return day(match[3], _named(match[1]), match[2])
    if match := _DAY_FIRST.search(text):
        return day(match[3], _named(match[2]), match[1])
    if match := _DOTTED.search(text):
        return day(match[3], match[2], match[1])
    return _slashed(text) or _partial(text)


def _slashed(text: str) -> str:
    match = _SLASHED.search(text)
    if match is None:
        return ""
    first, second = int(match[1]), int(match[2])
    if first > 12:
        return day(match[3], second, first)
    return day(match[3], first, second) if second > 12 or first == second else ""


def _partial(text: str) -> str:
    if match := _ISO_MONTH.match(text):
        return text.replace("/", "-") if 1 <= int(match[2]) <= 12 else ""
    return text if _YEAR.match(text) else ""


def date_in_url(url: str) -> str:
    """Read the day that an address carries in its path (`/2024/05/12/`), "" if none."""
    path = url.partition("?")[0].partition("#")[0]
    match = _IN_PATH.search(path)
    return day(*[group for group in match.groups() if group]) if match else ""


def plausible(iso: str, *, latest: str = "") -> bool:
    """Whether a date can be a page's own: not before the web, not after `latest` (ISO) if given."""
    return bool(iso) and int(iso[:4]) >= FIRST_YEAR and not (latest and iso > latest)
