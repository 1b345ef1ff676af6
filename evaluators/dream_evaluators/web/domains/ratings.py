"""Imported ratings and registry overrides: what other raters and the user say of a name."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dream_evaluators.clock import parse_day
from dream_evaluators.errors import BadInput
from dream_evaluators.hashing import content_id
from dream_evaluators.model.authority import Rating
from dream_evaluators.web.domains.fold import Refusal, fold
from dream_evaluators.web.domains.registry import Entry, parse_entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

IMPORT_WEIGHT = 0.7  # against our prior: the lists' own consensus tops out at rho .64-.75
DISAGREEMENT = 30.0  # points between prior and ratings from which the answer is flagged
MAX_CHARACTERS = 50_000_000
_NAME_COLUMNS = ("domain", "site", "host", "url", "website", "source", "name")
_VALUE_COLUMNS = ("score", "rating", "value", "pc1", "reliability", "credibility", "trust")


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingList:
    """One imported list on our scale.

    Attributes:
        name: What the list calls itself.
        date: ISO date of its edition.
        values: Host without `www.` -> 0-100.
        skipped: Rows that named no host or no number.
    """

    name: str
    date: str
    values: Mapping[str, float] = field(repr=False)
    skipped: int = 0

    @property
    def version(self) -> str:
        """Identity of name, date and values."""
        return content_id(self.name, self.date, sorted(self.values.items()))


@dataclass(frozen=True, slots=True)
class Ratings:
    """Imported lists, searched by host and then by each parent down to the registrable domain."""

    lists: tuple[RatingList, ...] = ()

    @property
    def version(self) -> str:
        """Identity of all lists."""
        return content_id([item.version for item in self.lists])

    def of(self, host: str, registrable: str) -> tuple[Rating, ...]:
        """Ratings of a host, at most one a list, in the order of the lists."""
        found = ((item, _nearest(item.values, host, registrable)) for item in self.lists)
        return tuple(
            Rating(list_name=item.name, value=value, date=item.date)
            for item, value in found
            if value is not None
        )


def _nearest(values: Mapping[str, float], host: str, registrable: str) -> float | None:
    name = host.removeprefix("www.")
    while len(name) >= len(registrable) and name:
        if name in values:
            return values[name]
        name = name.partition(".")[2]
    return None


def blend(prior: float | None, ratings: tuple[Rating, ...]) -> tuple[float, float]:
    """Mix our prior with the mean of at least one rating.

    Returns:
        The score (0-100) and how many points the two stand apart (0 without a prior).
    """
    mean = sum(rating.value for rating in ratings) / len(ratings)
    if prior is None:
        return mean, 0.0
    return IMPORT_WEIGHT * mean + (1 - IMPORT_WEIGHT) * prior, abs(mean - prior)


def parse_ratings(
    text: str, *, name: str, date: str, scale: tuple[float, float] | None = None
) -> RatingList:
    """Read a list from CSV, TSV or JSON.

    CSV and TSV need a header with a domain and a score column. JSON is an object of domain to
    number, a list of objects with those fields, or an object whose `ratings` is either, with an
    optional `scale: [worst, best]`.

    Args:
        text: The file.
        name: What to call the list.
        date: ISO date of its edition; ratings are shown dated.
        scale: Worst and best value of the list; worst may be the larger number.

    Raises:
        BadInput: Not readable, no scale, a value outside the scale, no usable row.
    """
    if len(text) > MAX_CHARACTERS:
        raise BadInput(f"the list has more than {MAX_CHARACTERS} characters: send a smaller one")
    _check_day(date)
    body = text.lstrip("\ufeff \n\r\t")
    if body.startswith(("{", "[")):
        pairs, own_scale = _from_json(body)
    else:
        pairs, own_scale = _from_table(body), None
    scale = scale or own_scale
    if scale is None:
        raise BadInput("say what the worst and the best value of the list are: scale (worst, best)")
    return _rescaled(pairs, name, date, scale)


def _check_day(date: str) -> None:
    try:
        parse_day(date)
    except ValueError:
        raise BadInput(f"the date of a list is YYYY-MM-DD, not {date!r}") from None


def _rescaled(
    pairs: Iterable[tuple[object, object]], name: str, date: str, scale: tuple[float, float]
) -> RatingList:
    worst, best = scale
    if not math.isfinite(worst) or not math.isfinite(best) or worst == best:
        raise BadInput("the worst and the best value of a scale are two different finite numbers")
    values: dict[str, float] = {}
    skipped = 0
    for raw_host, raw_value in pairs:
        host, value = _host_of(raw_host), _number_of(raw_value)
        if not host or value is None:
            skipped += 1
            continue
        points = (value - worst) / (best - worst) * 100
        if not -1e-6 <= points <= 100 + 1e-6:
            raise BadInput(f"{host}: {value} is outside the scale {worst} to {best}")
        values.setdefault(host, min(100.0, max(0.0, points)))
    if not values:
        raise BadInput("no row has both a domain and a number")
    return RatingList(name=name, date=date, values=values, skipped=skipped)


def _host_of(raw: object) -> str:
    found = fold(raw) if isinstance(raw, str) else Refusal("type")
    if isinstance(found, Refusal) or found.is_ip or "." not in found.host:
        return ""
    return found.host.removeprefix("www.")


def _number_of(raw: object) -> float | None:
    if isinstance(raw, bool) or not isinstance(raw, (str, int, float)):
        return None
    try:
        value = float(raw)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def _from_json(text: str) -> tuple[list[tuple[object, object]], tuple[float, float] | None]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"the list is not readable JSON: {error}") from None
    scale = None
    if isinstance(data, dict) and "ratings" in data:
        bounds = data.get("scale")
        numbers = [_number_of(item) for item in bounds] if isinstance(bounds, list) else []
        if len(numbers) == 2 and numbers[0] is not None and numbers[1] is not None:
            scale = (numbers[0], numbers[1])
        data = data["ratings"]
    if isinstance(data, dict):
        return list(data.items()), scale
    if isinstance(data, list):
        return [_pair(row) for row in data if isinstance(row, dict)], scale
    raise BadInput("the list has no ratings: an object of domain to number, or a list of objects")


def _pair(row: dict[str, object]) -> tuple[object, object]:
    lowered = {key.strip().lower(): value for key, value in row.items()}
    host = next((lowered[key] for key in _NAME_COLUMNS if key in lowered), None)
    return host, next((lowered[key] for key in _VALUE_COLUMNS if key in lowered), None)


def _from_table(text: str) -> list[tuple[object, object]]:
    header = text.partition("\n")[0]
    delimiter = max("\t,;", key=header.count)
    columns = [cell.strip().strip('"').lower() for cell in header.split(delimiter)]
    host_at = next((columns.index(key) for key in _NAME_COLUMNS if key in columns), -1)
    value_at = next((columns.index(key) for key in _VALUE_COLUMNS if key in columns), -1)
    if host_at < 0 or value_at < 0:
        raise BadInput("the first line must name a column `domain` and a column `score`")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))[1:]
    except csv.Error as error:
        raise BadInput(f"the list is not readable as a table: {error}") from None
    width = max(host_at, value_at)
    return [(row[host_at], row[value_at]) if len(row) > width else (None, None) for row in rows]


def parse_overrides(text: str) -> list[Entry]:
    """Read a user's own registry: lines of `name TAB class TAB offset TAB country TAB publisher`.

    All but name and class may be missing; `#` starts a comment. Names and classes are those of
    the shipped files.

    Raises:
        BadInput: A line without a class, an unknown class, an offset beyond its bounds.
    """
    entries = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, *rest = [cell.strip() for cell in line.split("\t")]
        if not rest:
            raise BadInput(f"line {number}: a name, a tab and a class are needed")
        try:
            entries.append(parse_entry([name.lower(), *rest[1:]], rest[0], "user"))
        except ValueError as error:
            raise BadInput(f"line {number}: {error}") from None
    return entries
