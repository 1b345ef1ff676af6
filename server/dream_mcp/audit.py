"""An audited draft against the one before it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .cards import ChangedCard

if TYPE_CHECKING:
    from dream_evaluators.model.finding import Finding
    from dream_evaluators.model.report import Report
    from dream_evaluators.run import EvaluationRequest

    from .drive import Driver

AUDITED = ("CA", "CF", "DA")
SHOWN = 20
EXCERPT = 200


async def changes(
    driver: Driver,
    previous: str,
    new: Report,
    request: EvaluationRequest,
    findings: Sequence[Finding],
) -> ChangedCard:
    """Compare a draft with the one before it, statement by statement and finding by finding.

    The earlier findings are those of the same audit of the earlier draft; when that was never
    run, only what the parser finds is compared.

    Args:
        driver: Reads both drafts.
        previous: The earlier draft's report id.
        new: The present draft.
        request: The audit of the present draft.
        findings: What it found.

    Raises:
        BadInput: The earlier draft was never opened here.
    """
    old = await driver.parse(await driver.ledger.reports.get(previous))
    before = {s.claim: s.id for s in old.statements}
    after = {s.claim: s.id for s in new.statements}
    same = replace(request, report_id=previous)
    earlier = await driver.find(same)
    known = earlier.scorecard.findings if earlier and earlier.scorecard else old.findings
    return {
        "added": _excerpts(claim for claim in after if claim not in before),
        "removed": _excerpts(claim for claim in before if claim not in after),
        "kept": sum(1 for claim in after if claim in before),
        "fixed_findings": _differing(known, findings),
        "new_findings": _differing(findings, known),
    }


def _excerpts(claims: Iterable[str]) -> list[str]:
    return [claim[:EXCERPT] for claim in claims][:SHOWN]


def _differing(these: Sequence[Finding], those: Sequence[Finding]) -> list[str]:
    """What is in the first list and not in the second, told by kind, text and address."""
    known = {(f.kind, f.text, f.url) for f in those}
    left = [f for f in these if (f.kind, f.text, f.url) not in known]
    return [f"{f.severity.value} {f.kind}: {f.text or f.message}"[:EXCERPT] for f in left[:SHOWN]]
