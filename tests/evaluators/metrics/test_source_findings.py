"""Retractions, age, and one text under many addresses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dream_evaluators.hashing import text_id
from dream_evaluators.metrics.source_findings import Cited, source_findings
from dream_evaluators.model.finding import Severity
from dream_evaluators.model.report import Report
from dream_evaluators.model.source import Outcome, Source
from dream_evaluators.report import parse_report

TEXT = " ".join(f"word{n} stands here and says thing{n % 7}" for n in range(200))


def report_of(*claims: str) -> Report:
    lines = [f"{claim} ([s{n}](https://s{n}.test/page))." for n, claim in enumerate(claims)]
    return parse_report("\n\n".join(lines))


def cited(report: Report, *sources: Source) -> list[Cited]:
    citations = [s.citations[0] for s in report.statements]
    return [Cited(c, s) for c, s in zip(citations, sources, strict=True)]


def source(text: str = "Some text.", **more: object) -> Source:
    made = Source(
        url="https://s0.test/page", outcome=Outcome.OK, text=text, content_hash=text_id(text)
    )
    return replace(made, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("flag", "severity"),
    [
        ("retracted", Severity.HIGH),
        ("retraction_notice", Severity.HIGH),
        ("expression_of_concern", Severity.MEDIUM),
    ],
)
def test_what_a_registry_says_of_a_paper_is_a_finding(flag: str, severity: Severity) -> None:
    report = report_of("Rain fell on 12 days")
    found = source_findings(report, cited(report, source(flags=(flag,), title="A paper")))
    assert [(f.kind, f.severity) for f in found] == [("retracted_source", severity)]
    assert "A paper" in found[0].message


def test_a_corrected_paper_is_none() -> None:
    report = report_of("Rain fell on 12 days")
    assert source_findings(report, cited(report, source(flags=("corrected",)))) == ()


@pytest.mark.parametrize(
    ("claim", "published", "how", "stale"),
    [
        ("Sales rose to 5 million in 2025", "2023-04-01", "json-ld", True),
        ("Sales rose to 5 million in 2023", "2023-04-01", "json-ld", False),
        ("Sales rose to 5 million in 2022", "2023-04-01", "meta", False),
        ("Sales will rise to 5 million by 2030", "2023-04-01", "json-ld", False),
        ("Sales are forecast at 5 million for 2030", "2023-04-01", "json-ld", False),
        ("Sales rose to 2,025 units", "2023-04-01", "json-ld", False),
        ("Sales rose to 5 million in 2025", "2023-04-01", "text", False),
        ("Sales rose to 5 million in 2025", "", "", False),
    ],
)
def test_a_source_older_than_what_it_is_cited_for_is_stale(
    claim: str, published: str, how: str, stale: bool
) -> None:
    report = report_of(claim)
    found = source_findings(report, cited(report, source(published=published, published_from=how)))
    assert [f.kind for f in found] == (["stale_source"] if stale else [])


def test_one_text_under_several_addresses_is_one_witness() -> None:
    report = report_of("Rain fell on 12 days", "Snow fell on 3 days", "Hail fell once in 2020")
    other = " ".join(f"different{n} words make another page{n % 5}" for n in range(200))
    found = source_findings(
        report, cited(report, source(TEXT), source(TEXT + " Read more."), source(other))
    )
    assert [f.kind for f in found] == ["not_independent"]
    assert found[0].message.startswith("2 cited addresses")


def test_short_or_unread_pages_are_never_compared() -> None:
    report = report_of("Rain fell on 12 days", "Snow fell on 3 days")
    unread = source(TEXT, outcome=Outcome.FORBIDDEN)
    assert (
        source_findings(report, cited(report, source("Cookie wall."), source("Cookie wall."))) == ()
    )
    assert source_findings(report, cited(report, unread, unread)) == ()


@pytest.mark.parametrize(
    ("given", "found", "identifier", "mismatch"),
    [
        (
            "Heat pumps in cold climates: a trial",
            "Sleep of migrating birds over seas",
            "doi:1",
            True,
        ),
        ("Heat pumps in cold climates: a trial", "Heat Pumps in Cold Climates", "doi:1", False),
        ("Heat pumps in cold climates: a trial", "Sleep of migrating birds over seas", "", False),
        ("Smith 2020", "Sleep of migrating birds over seas", "doi:1", False),
    ],
)
def test_an_identifier_of_another_work_is_told(
    given: str, found: str, identifier: str, mismatch: bool
) -> None:
    report = parse_report(f"Rain fell on 12 days ([{given}](https://doi.org/10.5555/rain.1)).")
    made = source_findings(report, cited(report, source(title=found, identifier=identifier)))
    assert [f.kind for f in made] == (["title_mismatch"] if mismatch else [])
