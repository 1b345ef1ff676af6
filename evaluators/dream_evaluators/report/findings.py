"""What a report's author should look at, found without any model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from dream_evaluators.injection import ORDERS, instructs
from dream_evaluators.model.finding import Finding, Severity
from dream_evaluators.model.report import (
    Citation,
    CitationStatus,
    Reference,
    Report,
    SourceHint,
    Statement,
    StatementKind,
    StatementState,
)
from dream_evaluators.report.consistency import find_inconsistencies
from dream_evaluators.urls import canonicalise

QUERY_WORDS = 12  # words of a claim that make a search query; our choice
EXCERPT = 200  # characters of a finding's text

# A number worth a source: a percentage, an amount, a decimal, or two digits that are no year.
_NUMBER = re.compile(
    r"\d\s?[%％‰]|[$€£¥₹]\s?\d|\d[.,]\d|\b(?!(?:19|20)\d\d\b)\d{2,}\b|"
    r"\d\s?(?:million|billion|trillion|万|亿|億|percent)",
    re.I,
)
# What stands between blank lines, whatever it is: a comment is no statement, and may give orders.
_PASSAGE = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")


def find_findings(report: Report, sources: Sequence[SourceHint] = ()) -> tuple[Finding, ...]:
    """Collect the findings of a report that need no model, in the order of the text.

    Args:
        report: The report without findings.
        sources: What the agent retrieved; when given, what it cites besides is a finding.
    """
    found: list[Finding] = []
    rules = (_dangling, _placeholders, _opaque, _orphans, _uncited, _duplicates, _instructions)
    for rule in rules:
        found.extend(rule(report))
    found.extend(_not_retrieved(report, sources))
    found.extend(find_inconsistencies(report))
    found.sort(key=lambda finding: (finding.start, finding.kind))
    return tuple(found)


def _citations(report: Report) -> Iterator[tuple[Statement, Citation]]:
    for statement in report.statements:
        for citation in statement.citations:
            yield statement, citation


def _found(
    kind: str,
    severity: Severity,
    place: tuple[Statement, Citation],
    message: str,
    fix: str,
    url: str = "",
) -> Finding:
    statement, citation = place
    return Finding(
        kind=kind,
        severity=severity,
        message=message,
        fix=fix,
        statement_id=statement.id,
        start=citation.start,
        end=citation.end,
        text=citation.marker[:EXCERPT],
        url=url,
    )


def _dangling(report: Report) -> Iterator[Finding]:
    places = [(s, c) for s, c in _citations(report) if c.status is CitationStatus.DANGLING]
    if not places:
        return
    counts = Counter(c.label for _, c in places)
    if not report.references:
        message = (
            f"The report has no reference list: {len(counts)} markers "
            f"({len(places)} places) name no source."
        )
        fix = "Add the list of sources that the markers number."
        yield _found("dangling_marker", Severity.MEDIUM, places[0], message, fix)
        return
    seen: set[str] = set()
    for place in places:
        label = place[1].label
        if label not in seen:
            seen.add(label)
            times = f" ({counts[label]} places)" if counts[label] > 1 else ""
            message = f"No entry of the reference list is labelled {label!r}{times}."
            fix = "Add the entry, or correct the marker."
            yield _found("dangling_marker", Severity.HIGH, place, message, fix)


def _placeholders(report: Report) -> Iterator[Finding]:
    seen: set[str] = set()
    for place in _citations(report):
        citation = place[1]
        if citation.status is not CitationStatus.PLACEHOLDER or citation.canonical_url in seen:
            continue
        seen.add(citation.canonical_url)
        message = f"The address {citation.url or citation.marker!r} is a placeholder, no source."
        fix = "Cite the page that the statement was taken from, or drop the statement."
        yield _found("placeholder_link", Severity.HIGH, place, message, fix, citation.url)


def _opaque(report: Report) -> Iterator[Finding]:
    places = [(s, c) for s, c in _citations(report) if c.status is CitationStatus.OPAQUE]
    if places:
        message = (
            f"{len(places)} markers are a chat product's own; no source map was given for them."
        )
        fix = "Give `sources` (marker to address), or export the report with its links."
        yield _found("opaque_marker", Severity.LOW, places[0], message, fix)


def _entry(kind: str, report: Report, reference: Reference, message: str, fix: str) -> Finding:
    return Finding(
        kind=kind,
        severity=Severity.LOW,
        message=message,
        fix=fix,
        start=reference.start,
        end=reference.end,
        text=report.text[reference.start : reference.end][:EXCERPT],
        url=reference.url,
    )


def _orphans(report: Report) -> Iterator[Finding]:
    for reference in report.orphans:
        name = reference.title or reference.url or report.text[reference.start : reference.end]
        message = f"Nothing in the text cites this entry: {name[:EXCERPT]}"
        fix = "Cite it where it is used, or take it off the list."
        yield _entry("orphan_reference", report, reference, message, fix)


def _uncited(report: Report) -> Iterator[Finding]:
    """Statements with a number that no citation covers, not even that of their paragraph."""
    for statement in report.statements:
        if statement.state is not StatementState.UNCITED or statement.inherited:
            continue
        if statement.kind is StatementKind.TABLE_ROW or not _NUMBER.search(statement.claim):
            continue
        yield Finding(
            kind="uncited_claim",
            severity=Severity.MEDIUM,
            statement_id=statement.id,
            start=statement.start,
            end=statement.end,
            text=statement.text[:EXCERPT],
            message="A number without a source.",
            fix="Cite the source of the number.",
            search_query=" ".join(statement.claim.split()[:QUERY_WORDS])[:EXCERPT],
        )


def _duplicates(report: Report) -> Iterator[Finding]:
    first: dict[str, Reference] = {}
    for reference in report.references:
        if not reference.canonical_url or not reference.labels:
            continue
        earlier = first.setdefault(reference.canonical_url, reference)
        if earlier is reference or earlier.labels == reference.labels:
            continue
        message = f"Entries {earlier.labels[0]} and {reference.labels[0]} are the same source."
        yield _entry("duplicate_reference", report, reference, message, "Keep one entry.")


def _instructions(report: Report) -> Iterator[Finding]:
    """Passages that speak to whoever judges the report; the whole text where none does alone."""
    if not instructs(report.text):
        return
    passages = [each.span() for each in _PASSAGE.finditer(report.text)]
    told = [span for span in passages if instructs(report.text[slice(*span)])]
    for start, end in told or [(0, len(report.text))]:
        yield Finding(
            kind=ORDERS,
            severity=Severity.MEDIUM,
            message="This passage is addressed to an AI system; it was treated as quoted text.",
            fix="Take it out: readers do not need it, and judges do not follow it.",
            start=start,
            end=end,
            text=report.text[start:end][:EXCERPT],
        )


def _not_retrieved(report: Report, sources: Sequence[SourceHint]) -> Iterator[Finding]:
    retrieved = {canonicalise(hint.url) for hint in sources if hint.url}
    if not retrieved:
        return
    seen: set[str] = set()
    for place in _citations(report):
        citation = place[1]
        address = citation.canonical_url
        if (
            citation.status is not CitationStatus.RESOLVED
            or address in seen
            or address in retrieved
        ):
            continue
        seen.add(address)
        message = "The agent cites an address that is not among the sources it retrieved."
        fix = "Check that the address exists and says this."
        yield _found("cited_not_retrieved", Severity.HIGH, place, message, fix, citation.url)
