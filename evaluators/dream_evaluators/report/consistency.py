"""Numbers of a report that cannot all be right, found without a model.

Precision before recall: every kind here was read on real reports (`bench/citations.py` prints what
fires); a kind that is not right nine times out of ten is off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dream_evaluators.model.finding import Finding, Severity
from dream_evaluators.model.report import BlockKind, Report, Statement, StatementKind
from dream_evaluators.report.blocks import split_cells
from dream_evaluators.report.claims import clean
from dream_evaluators.report.quantities import Quantity, read_quantities
from dream_evaluators.report.vocabulary import words

# Which kinds are reported; the others are measured by the bench only.
ENABLED = frozenset({"change_off", "dates_out_of_order", "total_off", "two_values", "unit_changes"})

_N = r"[$€£¥]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[$€£¥]?\d+(?:\.\d+)?"
_SCALE = r"(?:\s?(?:thousand|million|billion|trillion|bn|mn|%|percent))?"
_CHANGE = re.compile(
    rf"\bfrom (?:about |around |approximately |roughly |nearly |over |"
    rf"~)?(?P<a>(?:{_N}){_SCALE})(?: [a-z]{{2,12}}){{0,2}}(?: in (?:19|20)\d\d)? to "
    rf"(?:about |around |approximately |roughly |nearly |over |"
    rf"~)?(?P<b>(?:{_N}){_SCALE})"
    rf"(?: [a-z]{{2,12}}){{0,2}}(?: (?:in|by) (?:19|20)\d\d)?,?\s?\(?(?:an? |up |"
    rf"down |or )?(?:about |around |approximately |roughly |nearly |"
    rf"~)?(?P<sign>[+−-])?(?P<p>\d+(?:\.\d+)?)\s?(?:%|percent) "
    r"(?P<word>increase|rise|growth|gain|jump|surge|decrease|decline|drop|fall|reduction|cut)",
)
_SPAN = re.compile(
    r"\b(?:from|between) (?P<a>(?:19|20)\d\d) (?:to|and|until|through) (?P<b>(?:19|"
    r"20)\d\d)\b(?!\s?(?:BCE?|%|[a-z]{1,3}\b\.))"
)
_TOTAL = re.compile(
    r"(?:grand |overall )?totals?|sum|合计|合計|总计|總計|总和|gesamt|summe|suma", re.I
)
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]+")
_STOP = words(
    "the a an of in to and for with by on at from is was were are as it its this "
    "that or be has have had about around approximately roughly nearly over more "
    "than"
)
_SCALE_WORDS = words("thousand million billion trillion percent bn mn k m b")
MIN_CONTENT_WORDS = 5  # that two sentences must share to be the same sentence


def find_inconsistencies(report: Report, enabled: frozenset[str] = ENABLED) -> Iterator[Finding]:
    """Yield the inconsistencies of the enabled kinds."""
    for rule in (_changes, _dates, _totals, _repeated):
        for finding in rule(report):
            if finding.kind in enabled:
                yield finding


def _finding(kind: str, statement: Statement, message: str, quote: str = "") -> Finding:
    return Finding(
        kind=kind,
        severity=Severity.MEDIUM,
        statement_id=statement.id,
        start=statement.start,
        end=statement.end,
        text=statement.text[:200],
        message=message,
        fix="Check the numbers against the source and correct the wrong one.",
        quote=quote,
    )


def _changes(report: Report) -> Iterator[Finding]:
    """In "from 40 to 60, a 25% increase": the change that the two values make."""
    for statement in report.statements:
        if "from" not in statement.claim:
            continue
        for found in _CHANGE.finditer(statement.claim):
            before, after = (
                read_quantities(found.group("a"))[0],
                read_quantities(found.group("b"))[0],
            )
            stated = float(found.group("p"))
            if not _fits(before, after, stated):
                actual = 100 * abs(after.total - before.total) / abs(before.total)
                yield _finding(
                    "change_off",
                    statement,
                    f"From {found.group('a')} to {found.group('b')} is a change of {actual:.0f} %, "
                    f"not {stated:g} %.",
                )


def _fits(before: Quantity, after: Quantity, stated: float) -> bool:
    first, second = before.total, after.total
    if before.scale != after.scale and before.scale == 1:
        first = before.value * after.scale  # "from 4 to 6 million"
    if first == 0 or before.is_year or after.is_year:
        return True
    points = abs(second - first)
    ratios = [100 * points / first, 100 * points / second if second else 0.0]
    if "%" in (before.unit, after.unit):
        ratios.append(points)
    # The values are rounded: half of their last digit moves the change.
    slack = max(1.5, 0.06 * max(ratios))
    return any(abs(ratio - stated) <= slack for ratio in ratios)


def _dates(report: Report) -> Iterator[Finding]:
    for statement in report.statements:
        found = _SPAN.search(statement.claim)
        if found and int(found.group("a")) > int(found.group("b")):
            yield _finding(
                "dates_out_of_order",
                statement,
                f"The span {found.group('a')} to {found.group('b')} runs backwards.",
            )


# --- totals of tables -----------------------------------------------------------------------------


def _totals(report: Report) -> Iterator[Finding]:
    rows: list[tuple[Statement, list[str]]] = []
    paragraph = -2
    for statement in report.statements:
        if statement.kind is not StatementKind.TABLE_ROW:
            rows = []
            continue
        if not _same_table(report, paragraph, statement.paragraph):
            rows = []
        paragraph = statement.paragraph
        cells = [clean(c) for c in split_cells(statement.text)]
        if cells and _TOTAL.fullmatch(cells[0].strip(" :：")) and len(rows) >= 2:
            yield from _check_total(statement, cells, [r[1] for r in rows])
            rows = []
        else:
            rows.append((statement, cells))


def _same_table(report: Report, earlier: int, later: int) -> bool:
    between = report.blocks[max(earlier, 0) : later]
    return earlier >= 0 and all(b.kind is BlockKind.TABLE_ROW for b in between)


def _check_total(
    statement: Statement, total: list[str], rows: list[list[str]]
) -> Iterator[Finding]:
    for column in range(1, len(total)):
        stated = _lone(total[column])
        parts = [_lone(row[column]) if column < len(row) else None for row in rows]
        numbers = [p for p in parts if p is not None]
        if stated is None or len(numbers) != len(rows):
            continue
        if {(p.unit, p.scale) for p in numbers} != {(stated.unit, stated.scale)}:
            continue
        added = sum(p.value for p in numbers)
        if abs(added - stated.value) > max(0.02 * abs(stated.value), 0.06 * len(numbers), 1.0):
            yield _finding(
                "total_off",
                statement,
                f"The column adds up to {added:g}, the total says {stated.value:g}.",
            )


def _lone(cell: str) -> Quantity | None:
    """The quantity of a cell that holds nothing else."""
    found = read_quantities(cell)
    if len(found) != 1:
        return None
    rest = (cell[: found[0].start] + cell[found[0].end :]).strip(" ~≈*+")
    return found[0] if not rest else None


# --- the same sentence with two values ------------------------------------------------------------


def _repeated(report: Report) -> Iterator[Finding]:
    first: dict[tuple[str, ...], Statement] = {}
    for statement in report.statements:
        if statement.kind is not StatementKind.SENTENCE or not _DIGIT.search(statement.claim):
            continue
        key = _content(statement.claim)
        if len(key) < MIN_CONTENT_WORDS:
            continue
        earlier = first.setdefault(key, statement)
        if earlier is not statement:
            yield from _compare(earlier, statement)


def _content(claim: str) -> tuple[str, ...]:
    words = (w.lower() for w in _WORD.findall(claim))
    return tuple(sorted({w for w in words if w not in _STOP and w not in _SCALE_WORDS}))


def _compare(earlier: Statement, later: Statement) -> Iterator[Finding]:
    one, two = read_quantities(earlier.claim), read_quantities(later.claim)
    if len(one) != len(two):
        return
    differing = [
        (a, b) for a, b in zip(one, two, strict=True) if (a.total, a.unit) != (b.total, b.unit)
    ]
    if len(differing) != 1 or differing[0][0].is_year or differing[0][1].is_year:
        return
    a, b = differing[0]
    same_digits = a.value == b.value and a.unit == b.unit
    kind = "unit_changes" if same_digits else "two_values"
    if not same_digits and a.unit != b.unit:
        return
    yield _finding(
        kind,
        later,
        f"{earlier.id} says {earlier.claim[a.start : a.end]!r} where this says "
        f"{later.claim[b.start : b.end]!r}.",
        quote=earlier.claim,
    )
