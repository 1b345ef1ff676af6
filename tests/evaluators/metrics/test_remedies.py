"""What mends a statement without support: the nearest wording, a better source of the report."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dream_evaluators.injection import ORDERS
from dream_evaluators.judges.offline import offline_judge
from dream_evaluators.ledger import Ledger
from dream_evaluators.metrics.citations import citations
from dream_evaluators.metrics.remedies import nearest
from dream_evaluators.model.finding import Finding
from dream_evaluators.model.source import Source
from tests.evaluators.metrics.cases import A, B, gone, judged, make_context, page
from tests.strategies import claim_answer, make_report, make_statement

pytestmark = pytest.mark.anyio
FILLER = "The harbour office keeps the records of every ship that ever came in. " * 12
CLAIM = "The Halden bridge opened in 1932 and spans 503 metres."
NEAR = "The Halden bridge opened in May 1932 after six years of work."
OTHER = "Tides turn twice a day."
SILENT = claim_answer(("spans 503 metres", "absent", ""))
PARTLY = claim_answer(
    ("opened in 1932", "supported", "opened in May 1932"), ("503 metres", "absent", "")
)
FULL = claim_answer(("tides", "supported", "Tides turn twice a day"))


async def found(ledger: Ledger, first: Source, second: Source, reply: str) -> dict[str, Finding]:
    report = make_report(make_statement(1, CLAIM, [A]), make_statement(2, OTHER, [B]))
    context = await make_context(ledger, report, [first, second])
    result = await judged(citations, context, {CLAIM: reply, OTHER: FULL})
    return {finding.kind: finding for finding in result.findings}


async def test_the_nearest_wording_of_the_source_is_shown(ledger: Ledger) -> None:
    first = page(A, text=f"{FILLER}{NEAR} {FILLER}")
    finding = (await found(ledger, first, page(B, text=OTHER), SILENT))["unsupported"]
    assert finding.quote == NEAR
    assert f"keep to what this one says: “{NEAR}”" in finding.fix
    assert "Not found anywhere in it: 503 metres." in finding.message


async def test_a_missing_number_is_named_beside_the_missing_part(ledger: Ledger) -> None:
    first = page(A, text=f"{FILLER}{NEAR} {FILLER}")
    finding = (await found(ledger, first, page(B, text=OTHER), PARTLY))["partly_unsupported"]
    assert finding.message.endswith(
        "Not found there: 503 metres. Not found anywhere in it: 503 metres."
    )
    assert "opened in May 1932" in finding.quote


async def test_a_source_of_the_report_that_says_it_is_named(ledger: Ledger) -> None:
    better = page(B, text=f"{OTHER} {FILLER}{CLAIM} {FILLER}")
    finding = (await found(ledger, page(A, text=FILLER), better, SILENT))["unsupported"]
    assert f"cite that: {B}" in finding.fix
    assert "spans 503 metres" in finding.fix
    assert finding.quote == ""


async def test_also_for_a_dead_link(ledger: Ledger) -> None:
    better = page(B, text=f"{OTHER} {FILLER}{CLAIM} {FILLER}")
    assert B in (await found(ledger, gone(A), better, SILENT))["dead_source"].fix


async def test_a_page_that_gives_orders_is_never_recommended(ledger: Ledger) -> None:
    better = page(B, text=f"{OTHER} {FILLER}{CLAIM} {FILLER}")
    flagged = replace(better, flags=(ORDERS,))
    assert B not in (await found(ledger, page(A, text=FILLER), flagged, SILENT))["unsupported"].fix


async def test_without_anything_near_the_advice_is_plain(ledger: Ledger) -> None:
    first, second = page(A, text="Cats sleep."), page(B, text=OTHER)
    finding = (await found(ledger, first, second, SILENT))["unsupported"]
    assert (finding.fix, finding.quote) == (
        "Cite a source that says it, or take the sentence out.",
        "",
    )


async def test_the_offline_judge_gives_no_such_hints(ledger: Ledger) -> None:
    report = make_report(make_statement(1, CLAIM, [A]), make_statement(2, OTHER, [B]))
    sources = [page(A, text=FILLER), page(B, text=f"{OTHER} {FILLER}{CLAIM} {FILLER}")]
    context = await make_context(ledger, report, sources, judge=offline_judge(ledger))
    assert not any(B in finding.fix for finding in (await citations(context)).findings)


def test_what_is_hidden_is_never_the_nearest() -> None:
    assert nearest(CLAIM, page(A, text="")) == ""
    assert nearest(CLAIM, page(A, text=NEAR)) == NEAR
