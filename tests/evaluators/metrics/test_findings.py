"""What the verdicts mean for the author."""

from __future__ import annotations

import pytest

from dream_evaluators.metrics.citation_findings import SUSPICIONS, citation_findings
from dream_evaluators.metrics.verdicts import fold
from dream_evaluators.model.finding import Finding, Severity
from dream_evaluators.model.score import EvidenceQuote, Label, PairVerdict, SubFact
from tests.strategies import FACTS, OTHER_PAGE, PAGE, make_pair, make_report, make_statement

STATEMENT = make_statement(1, "Sales fell to 3 million in May.", [PAGE, OTHER_PAGE])
EVIDENCE = EvidenceQuote(quote="Sales rose in May", start=0, end=17)
AGENT = {"judge": "agent:m"}
OFFLINE = {"judge": "offline:1"}


def of(*pairs: PairVerdict) -> tuple[Finding, ...]:
    return citation_findings(make_report(STATEMENT), [fold(STATEMENT, pairs, 1.0)])


def test_a_contradiction_quotes_the_source_and_says_how_to_mend_it() -> None:
    fact = SubFact(fact="sales fell", relation="contradicted", evidence=EVIDENCE)
    other = SubFact(fact="in May", relation="supported", evidence=None)
    (finding,) = of(make_pair(Label.CONTRADICT, facts=(other, fact), reason="Up.", **AGENT))
    assert (finding.kind, finding.severity) == ("contradicted", Severity.HIGH)
    assert finding.quote == "Sales rose in May"
    assert "sales fell" in finding.message
    assert "in May." not in finding.message
    assert "“Sales rose in May”" in finding.fix
    assert (finding.statement_id, finding.start, finding.end, finding.text) == (
        STATEMENT.id,
        STATEMENT.start,
        STATEMENT.end,
        STATEMENT.text,
    )


def test_a_source_that_contradicts_is_named_also_beside_one_that_supports() -> None:
    findings = of(
        make_pair(Label.FULL_SUPPORT, **AGENT), make_pair(Label.CONTRADICT, OTHER_PAGE, **AGENT)
    )
    assert [(f.kind, f.url, f.fix) for f in findings] == [("contradicted", OTHER_PAGE, "")]


def test_a_dead_link_weighs_more_when_nothing_else_is_cited() -> None:
    (alone,) = of(make_pair(Label.SOURCE_DEAD, reason="404."))
    assert (alone.kind, alone.severity) == ("dead_source", Severity.HIGH)
    assert "404." in alone.message
    assert alone.search_query == STATEMENT.claim
    (beside,) = of(make_pair(Label.SOURCE_DEAD), make_pair(Label.FULL_SUPPORT, OTHER_PAGE, **AGENT))
    assert beside.severity is Severity.MEDIUM
    assert "Remove the dead citation" in beside.fix


def test_a_source_that_was_read_and_is_silent_is_a_finding() -> None:
    (finding,) = of(make_pair(Label.UNVERIFIABLE, reason="It is about cats.", **AGENT))
    assert (finding.kind, finding.severity) == ("unsupported", Severity.HIGH)
    assert "about cats" in finding.message


def test_partial_support_names_what_is_missing() -> None:
    (finding,) = of(
        make_pair(Label.UNVERIFIABLE, OTHER_PAGE, **AGENT),
        make_pair(Label.PARTIAL_SUPPORT, facts=FACTS[Label.PARTIAL_SUPPORT], **AGENT),
    )
    assert (finding.kind, finding.severity) == ("partly_unsupported", Severity.MEDIUM)
    assert "another part" in finding.message
    assert finding.url == PAGE


@pytest.mark.parametrize(
    "label",
    [
        Label.FULL_SUPPORT,
        Label.SOURCE_UNKNOWN,
        Label.PENDING,
        Label.JUDGE_FAILED,
    ],
)
def test_what_is_no_fault_of_the_report_is_no_finding(label: Label) -> None:
    assert of(make_pair(label, **AGENT)) == ()


def test_a_page_with_text_for_machines_only_is_pointed_out() -> None:
    pair = make_pair(Label.FULL_SUPPORT, flags=("hidden_text", "camouflaged_text"), **AGENT)
    (finding,) = of(pair)
    assert (finding.kind, finding.severity) == ("camouflaged_text", Severity.LOW)


def test_a_page_that_speaks_to_machines_is_pointed_out() -> None:
    findings = of(make_pair(Label.FULL_SUPPORT, flags=("instruction_like_text",), **AGENT))
    assert [(f.kind, f.severity) for f in findings] == [("instruction_like_text", Severity.MEDIUM)]


@pytest.mark.parametrize("flag", list(SUSPICIONS))
def test_the_offline_judge_raises_a_suspicion_when_every_source_lacks_it(flag: str) -> None:
    kind, severity, _ = SUSPICIONS[flag]
    first = make_pair(Label.NEEDS_REVIEW, flags=(flag,), reason="No 3.", **OFFLINE)
    lacking = make_pair(Label.NEEDS_REVIEW, OTHER_PAGE, flags=(flag,), **OFFLINE)
    having = make_pair(Label.NEEDS_REVIEW, OTHER_PAGE, **OFFLINE)
    assert of(first, having) == ()
    (finding,) = of(first, lacking)
    assert (finding.kind, finding.severity, finding.url) == (kind, severity, PAGE)
    assert "No 3." in finding.message


def test_the_offline_judge_never_calls_a_statement_unsupported() -> None:
    (finding,) = of(make_pair(Label.UNVERIFIABLE, reason="Few words.", **OFFLINE))
    assert (finding.kind, finding.severity) == ("possibly_unsupported", Severity.LOW)
    assert of(make_pair(Label.NEEDS_REVIEW, **OFFLINE)) == ()


def test_at_most_one_suspicion_is_raised_a_statement() -> None:
    pair = make_pair(Label.UNVERIFIABLE, flags=tuple(SUSPICIONS), **OFFLINE)
    assert len(of(pair)) == 1


def test_findings_come_in_the_order_of_the_report() -> None:
    statements = [make_statement(n, f"Claim {n}.") for n in range(3)]
    verdicts = [fold(s, [make_pair(Label.SOURCE_DEAD)], 1.0) for s in statements]
    findings = citation_findings(make_report(*statements), verdicts)
    assert [f.statement_id for f in findings] == [s.id for s in statements]
