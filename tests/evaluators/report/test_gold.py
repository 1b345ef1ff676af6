"""The hand-checked reports of the project's library, and the cases of other tools' public bugs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dream_evaluators.model.report import CitationStatus, Report, SourceHint, StatementState
from dream_evaluators.report import parse_report
from dream_evaluators.urls import canonicalise, find_doi, is_redirector, unwrap

SHARED = Path(__file__).parents[4] / "shared"
GOLD = SHARED / "data" / "gold" / "reports.dev.json"
CASES = SHARED / "data" / "cases" / "cases.dev.jsonl"


def _gold() -> list[dict[str, Any]]:
    return json.loads(GOLD.read_text("utf-8"))["cases"] if GOLD.exists() else []


def _bare(text: str) -> str:
    return text.rstrip(".。 )")


needs_gold = pytest.mark.skipif(not GOLD.exists(), reason="the project's library is not here")
needs_cases = pytest.mark.skipif(not CASES.exists(), reason="the project's library is not here")


@needs_gold
@pytest.mark.parametrize("case", _gold(), ids=lambda case: case["id"])
def test_a_gold_report_is_read_exactly(case: dict[str, Any]) -> None:
    report = parse_report(case["text"])
    pairs = {_bare(p["text"]): {canonicalise(u) for u in p["urls"]} for p in case["pairs"]}
    found = {
        _bare(s.text): {c.canonical_url for c in s.citations if c.canonical_url}
        for s in report.statements
    }
    assert {text: found.get(text) for text in pairs} == pairs
    assert {text for text, urls in found.items() if urls} <= set(pairs)
    assert {c.label for c in report.dangling} == set(case["dangling"])
    assert {r.labels[0] if r.labels else r.url for r in report.orphans} == set(case["orphan_refs"])
    assert _labels(report) == {k: canonicalise(v) for k, v in case["refs"].items()}


def _labels(report: Report) -> dict[str, str]:
    return {label: r.canonical_url for r in report.references for label in r.labels}


@needs_gold
def test_uncited_claims_of_the_gold_reports_are_found_and_few_others() -> None:
    hits = extra = missed = 0
    for case in _gold():
        report = parse_report(case["text"])
        uncited = [s for s in report.statements if s.state is StatementState.UNCITED]
        gold = [(u["start"], u["end"]) for u in case["uncited_factual"]]
        for start, end in gold:
            if any(s.start < end and start < s.end and abs(s.end - end) < 4 for s in uncited):
                hits += 1
            else:
                missed += 1
        extra += sum(1 for s in uncited if not any(s.start < e and b < s.end for b, e in gold))
    assert hits / (hits + missed) >= 0.95
    assert hits / (hits + extra) >= 0.95


def _case(identity: str) -> dict[str, Any]:
    for line in CASES.read_text("utf-8").splitlines():
        case: dict[str, Any] = json.loads(line)
        if case["id"] == identity:
            return case["minimal_input"]  # type: ignore[no-any-return]
    pytest.fail(f"{identity} is not among the cases")


def _report(identity: str, **options: Any) -> Report:
    return parse_report(_case(identity)["report_md"], **options)


@needs_cases
def test_rp_01_a_doi_ends_before_the_bracket_of_its_link() -> None:
    assert [c.url for c in _report("RP-01").citations] == ["https://doi.org/10.5555/exmp-77-12"]


@needs_cases
def test_rp_02_parentheses_belong_to_the_address() -> None:
    ends = [c.url.rsplit("/", 1)[1] for c in _report("RP-02").citations]
    assert ends == ["Alpha_(beta)", "Gamma_(delta)", "Eps_(zeta)_x", "Eta_(theta)"]


@needs_cases
def test_rp_03_sentence_punctuation_does_not() -> None:
    assert [c.url[-2:] for c in _report("RP-03").citations] == ["/a", "/b", "/c", "/d"]


@needs_cases
def test_rp_05_full_width_punctuation_does_not_either() -> None:
    report = _report("RP-05")
    assert [c.url.rsplit("/", 1)[1] for c in report.citations] == ["guide", "docs", "foo"]
    assert "另见" in report.statements[0].claim
    assert "続き" in report.statements[-1].claim


@needs_cases
def test_rp_07_private_use_markers_are_citations_that_wait_for_a_map() -> None:
    report = _report("RP-07")
    assert report.statements[0].claim == "Trade routes shifted north."
    assert [c.status for c in report.citations] == [CitationStatus.OPAQUE] * 2
    assert [f.kind for f in report.findings] == ["opaque_marker"]
    hint = SourceHint(marker="turn0search3", url="https://example.org/3")
    assert _report("RP-07", sources=[hint]).citations[0].status is CitationStatus.RESOLVED


@needs_cases
def test_rp_08_lenticular_markers_are_recognised_and_dangle() -> None:
    report = _report("RP-08")
    assert [c.label for c in report.citations] == ["1", "5"]
    assert [c.label for c in report.dangling] == ["5"]


@needs_cases
def test_rp_11_invented_addresses_are_no_sources() -> None:
    report = _report("RP-11")
    assert [c.status for c in report.citations] == [CitationStatus.PLACEHOLDER]
    assert "placeholder_link" in {f.kind for f in report.findings}


@needs_cases
def test_rp_12_a_doi_keeps_its_own_brackets() -> None:
    dois = [
        find_doi(c.canonical_url.replace("%3C", "<").replace("%3E", ">"))
        for c in parse_report(_case("RP-12")["text"]).citations
    ]
    assert dois == [
        "10.5555/ocean.2011.02.03.07(qw)",
        "10.5555/(sici)1000-0000(19950606)4:1<9::aid-y2>3.0.co;2-q",
    ]


@needs_cases
def test_un_01_variants_of_one_address_are_one() -> None:
    assert len({canonicalise(u) for u in _case("UN-01")["urls"]}) == 1


@needs_cases
def test_un_03_a_search_vendors_redirect_is_known_as_one() -> None:
    assert is_redirector(_case("UN-03")["url"])


@needs_cases
def test_un_05_an_archive_is_not_the_site_it_keeps() -> None:
    kept, book = (unwrap(u) for u in _case("UN-05")["urls"])
    assert (kept.url, kept.via, kept.snapshot) == (
        "https://nih.gov/a",
        "web.archive.org",
        "2020-01-01",
    )
    assert (book.url, book.via) == ("https://archive.org/details/bookid", "")
