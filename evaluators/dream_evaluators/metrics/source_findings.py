"""What the cited sources themselves give away: retractions, age, one text under many addresses."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dream_evaluators.model.finding import Finding, Severity
from dream_evaluators.model.report import Citation, Report, Statement
from dream_evaluators.model.source import Source


class Cited(NamedTuple):
    """One cited address and its source as read."""

    citation: Citation
    source: Source


RETRACTIONS = {
    "retracted": ("has been retracted", Severity.HIGH),
    "retraction_notice": ("is itself a notice of retraction", Severity.HIGH),
    "partly_retracted": ("has been retracted in part", Severity.MEDIUM),
    "expression_of_concern": ("stands under an expression of concern", Severity.MEDIUM),
}
YEAR = re.compile(r"(?<![\d.,/-])(?:19|20)\d\d(?![\d/]|[.,]\d|-\d\d\d)")
# A source may well speak of a year to come; then its age says nothing.
FORECAST = re.compile(
    r"\b(?:by|until|forecast|expect|project|predict|plan|target|goal|will|would|could|may|aim|"
    r"estimate|outlook|scenario|commit|pledge|due|upcoming|future|schedul)\w*|预计|预测|计划|目标|将",
    re.IGNORECASE,
)
# Two titles of one work share most of their longer words, also when one is cut or translated in
# part; two works on one topic share some (our choice).
SAME_TITLE = 0.25
FEWEST_TITLE_WORDS = 4
SHINGLE = 8  # words
# Texts that share this much of their shingles are one text with other trimmings (our choice).
SAME_TEXT = 0.8
FEWEST_SHINGLES = 30
SAMPLED = 4  # one shingle of so many is compared: enough at these lengths, and linear


def source_findings(report: Report, cited: Sequence[Cited]) -> tuple[Finding, ...]:
    """List what the sources give away, in the order of the report."""
    places = _places(report)
    found = [
        *(f for c in cited for f in _retracted(c, places)),
        *(f for c in cited for f in _stale(c, places)),
        *(f for c in cited for f in _other_title(c, places)),
        *_not_independent(cited, places),
    ]
    return tuple(sorted(found, key=lambda finding: finding.start))


def _places(report: Report) -> dict[str, list[Statement]]:
    """The statements that cite each address."""
    places: dict[str, list[Statement]] = {}
    for statement in report.statements:
        for url in dict.fromkeys(c.canonical_url for c in statement.resolved):
            places.setdefault(url, []).append(statement)
    return places


def _retracted(cited: Cited, places: dict[str, list[Statement]]) -> Iterator[Finding]:
    for flag in cited.source.flags:
        if flag in RETRACTIONS:
            what, severity = RETRACTIONS[flag]
            yield _finding(
                "retracted_source",
                severity,
                f"{_name(cited)} {what}, says the publisher.",
                "Cite work that still stands, or say that this was withdrawn.",
                cited,
                places[cited.citation.canonical_url][0],
            )


def _other_title(cited: Cited, places: dict[str, list[Statement]]) -> Iterator[Finding]:
    """An identifier that exists, but is another work's than the one the report names.

    Only for papers, whose titles a registry or the page's own record tells: the titles of ordinary
    pages differ from how people call them.
    """
    given, found = cited.citation.title, cited.source.title
    if not cited.source.identifier or not cited.source.readable:
        return
    words = [re.findall(r"\w{3,}", title.lower()) for title in (given, found)]
    if min(len(w) for w in words) < FEWEST_TITLE_WORDS:
        return
    shared = len(set(words[0]) & set(words[1])) / min(len(set(w)) for w in words)
    if shared < SAME_TITLE:
        yield _finding(
            "title_mismatch",
            Severity.MEDIUM,
            f"The address leads to “{found}”, not to “{given}”.",
            "Check the identifier; cite the work that was meant.",
            cited,
            places[cited.citation.canonical_url][0],
        )


def _stale(cited: Cited, places: dict[str, list[Statement]]) -> Iterator[Finding]:
    """A source published before the year that a statement reports on."""
    published = cited.source.published[:4]
    if not published.isdigit() or cited.source.published_from in {"url", "text"}:
        return
    for statement in places[cited.citation.canonical_url]:
        years = [int(year) for year in YEAR.findall(statement.claim)]
        alone = len({c.canonical_url for c in statement.resolved}) == 1
        if years and alone and int(published) < max(years) and not FORECAST.search(statement.claim):
            yield _finding(
                "stale_source",
                Severity.LOW,
                f"{_name(cited)} was published in {published}, before the year it is cited for.",
                "Check the date, or cite a source from after the fact.",
                cited,
                statement,
            )


def _not_independent(
    cited: Sequence[Cited], places: dict[str, list[Statement]]
) -> Iterator[Finding]:
    """Addresses that carry one text: several citations, one witness."""
    groups: list[tuple[frozenset[int], list[Cited]]] = []
    for c in cited:
        shingles = _shingles(c.source)
        if len(shingles) < FEWEST_SHINGLES // SAMPLED:
            continue
        for known, members in groups:
            if len(known & shingles) >= SAME_TEXT * len(known | shingles):
                members.append(c)
                break
        else:
            groups.append((shingles, [c]))
    for _, members in groups:
        if len(members) > 1:
            first = members[0]
            others = ", ".join(m.citation.url for m in members[1:])
            yield _finding(
                "not_independent",
                Severity.MEDIUM,
                f"{len(members)} cited addresses carry the same text; also at: {others}",
                "Count them as one source; find one that reports independently.",
                first,
                places[first.citation.canonical_url][0],
            )


def _shingles(source: Source) -> frozenset[int]:
    """Hashes of a sample of the word sequences of a source's main text."""
    if not source.readable:
        return frozenset()
    main = [source.text[b.start : b.end] for b in source.blocks if b.main and not b.hidden]
    words = re.findall(r"\w+", (" ".join(main) or source.text).lower())
    # Python salts the hashes of strings but not of numbers: the same in every process.
    codes = [zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in words]
    hashes = (hash(tuple(codes[i : i + SHINGLE])) for i in range(len(codes) - SHINGLE + 1))
    return frozenset(h for h in hashes if h % SAMPLED == 0)


def _name(cited: Cited) -> str:
    return cited.source.title or cited.citation.title or cited.citation.url


def _finding(
    kind: str, severity: Severity, message: str, fix: str, cited: Cited, statement: Statement
) -> Finding:
    return Finding(
        kind=kind,
        severity=severity,
        message=message,
        fix=fix,
        statement_id=statement.id,
        start=statement.start,
        end=statement.end,
        text=statement.text,
        url=cited.citation.url,
    )
