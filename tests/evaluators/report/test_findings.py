from __future__ import annotations

import pytest

from dream_evaluators.model.finding import Severity
from dream_evaluators.model.report import SourceHint
from dream_evaluators.report import parse_report
from dream_evaluators.report.consistency import find_inconsistencies
from dream_evaluators.report.quantities import read_quantities


def kinds(text: str, **options: object) -> list[str]:
    return [f.kind for f in parse_report(text, **options).findings]  # type: ignore[arg-type]


def test_a_marker_that_names_no_entry_is_found_once_with_its_places() -> None:
    report = parse_report(
        "Sales rose [7]. Costs fell [7]. Prices held [1].\n\n[1]: https://h.test/1\n"
    )
    (finding,) = report.findings
    assert (finding.kind, finding.severity) == ("dangling_marker", Severity.HIGH)
    assert "2 places" in finding.message
    assert report.text[finding.start : finding.end] == finding.text == "[7]"
    assert finding.statement_id == "s0.1"


def test_a_report_without_a_list_has_one_finding_for_all_its_markers() -> None:
    (finding,) = parse_report("Sales rose [7]. Costs fell [8].").findings
    assert (finding.kind, finding.severity) == ("dangling_marker", Severity.MEDIUM)
    assert "2 markers" in finding.message


def test_entries_nobody_uses_and_entries_twice_are_found() -> None:
    text = (
        "Sales rose [1]. Costs fell [2].\n\n## Sources\n\n[1] https://h.test/1\n[2] "
        "https://www.h.test/1/\n[3] https://h.test/3\n"
    )
    assert kinds(text) == ["duplicate_reference", "orphan_reference"]


def test_numbers_without_a_source_are_found_unless_their_paragraph_has_one() -> None:
    text = (
        "Sales rose 12 %. Costs fell to 3.5 million [1].\n\nPrices rose 40 %. In 2024 "
        "things held.\n\n[1]: https://h.test/1\n"
    )
    report = parse_report(text)
    assert [(f.kind, f.search_query) for f in report.findings] == [
        ("uncited_claim", "Prices rose 40 %.")
    ]


def test_what_the_agent_never_retrieved_is_found_when_sources_are_given() -> None:
    text = "Sales rose [a](https://h.test/1). Costs fell [b](http://www.h.test/2/)."
    hints = [SourceHint(marker="", url="https://h.test/2")]
    assert kinds(text) == []
    (finding,) = parse_report(text, sources=hints).findings
    assert (finding.kind, finding.url) == ("cited_not_retrieved", "https://h.test/1")


INCONSISTENT = [
    ("Sales rose from 40 to 60, a 25% increase [1].", "change_off"),
    ("Sales fell from $4.0 billion to $2.0 billion, a 10% decline.", "change_off"),
    ("The programme ran from 2023 to 2019 in all regions.", "dates_out_of_order"),
    ("| Item | Value |\n|--|--|\n| A | 10 |\n| B | 20 |\n| Total | 40 |\n", "total_off"),
    (
        "The northern plant produced 40 tonnes of refined copper.\n\nThe northern "
        "plant produced 60 tonnes of refined copper.",
        "two_values",
    ),
    (
        "The northern plant earned $4 million selling refined copper.\n\nThe northern "
        "plant earned $4 billion selling refined copper.",
        "unit_changes",
    ),
]


@pytest.mark.parametrize(("text", "kind"), INCONSISTENT)
def test_numbers_that_cannot_all_be_right_are_found(text: str, kind: str) -> None:
    assert kind in kinds(text)


CONSISTENT = [
    "Sales rose from 40 to 60, a 50% increase.",
    "Sales rose from 4 to 6 million, a 50% increase.",
    "The share rose from 40% to 60%, a 20% increase in points.",
    "Shares fell from 60 to 40, a 33% decline.",
    "It rose from 0 to 60, a 5% increase.",
    "The programme ran from 2019 to 2023 in all regions.",
    "| Item | Value |\n|--|--|\n| A | 10 |\n| B | 20 |\n| Total | 30 |\n",
    "| Item | Value |\n|--|--|\n| A | 10% |\n| B | 20 t |\n| Total | 40 |\n",
    "| Item | Value |\n|--|--|\n| A | low |\n| B | 20 |\n| Total | 40 |\n",
    "| Item | Value |\n|--|--|\n| Total | 40 |\n\nText here.\n\n| Total | 5 |\n",
    "The northern plant produced 40 tonnes of copper in 2022.\n\nThe northern "
    "plant produced 60 tonnes of copper in 2023.",
    "The northern plant produced refined copper in 2022.\n\nThe northern plant "
    "produced refined copper in 2023.",
    "The northern plant sold $4 of refined copper today.\n\nThe northern plant "
    "sold 5% of refined copper today.",
    "- Best Buy: 699 dollars in the store today there\n- Best Buy: 599 dollars in "
    "the store today there",
]


@pytest.mark.parametrize("text", CONSISTENT)
def test_numbers_that_can_be_right_are_not_found(text: str) -> None:
    assert not {
        "change_off",
        "dates_out_of_order",
        "total_off",
        "two_values",
        "unit_changes",
    } & set(kinds(text))


def test_a_kind_that_is_off_is_not_reported() -> None:
    report = parse_report("The programme ran from 2023 to 2019 in all regions.")
    assert list(find_inconsistencies(report, frozenset())) == []


def test_quantities_carry_scale_sign_and_unit() -> None:
    found = read_quantities("-4.5 million, $1,200, 12 percent, 2024, 3万")
    assert [(q.total, q.unit) for q in found] == [
        (-4.5e6, ""),
        (1200.0, "$"),
        (12.0, "%"),
        (2024.0, ""),
        (30000.0, ""),
    ]
    assert [q.is_year for q in found] == [False, False, False, True, False]


def test_findings_come_in_the_order_of_the_text() -> None:
    report = parse_report(
        "Sales rose 12 %.\n\nCosts [fell](https://example.com/x) [9].\n\n## "
        "Sources\n\n[1] https://h.test/1\n"
    )
    assert [f.start for f in report.findings] == sorted(f.start for f in report.findings)
    assert {f.kind for f in report.findings} == {
        "uncited_claim",
        "placeholder_link",
        "dangling_marker",
        "orphan_reference",
    }
