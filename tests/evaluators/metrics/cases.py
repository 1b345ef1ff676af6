"""What the metric tests share: a shelf of sources, a context, and a judge's script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dream_evaluators.clock import FixedClock
from dream_evaluators.judge import Judge, Pending
from dream_evaluators.ledger import Ledger
from dream_evaluators.metrics import Context, Effort, Metric, MetricResult
from dream_evaluators.model.authority import Authority
from dream_evaluators.model.report import CitationStatus, Report, Statement, StatementState
from dream_evaluators.model.source import Outcome, Source
from dream_evaluators.web.reader import SourceReader
from tests.conftest import NOW
from tests.strategies import (
    claim_answer,
    make_answer,
    make_citation,
    make_source,
    make_statement,
)

EVALUATION = "e"

TEXT = "The plant opened in 2019. It employs 240 people. Sales rose in May."
A, B, C, D = (f"https://{name}.test/" for name in "abcd")
FULL = claim_answer(("opened", "supported", "opened in 2019"))
PARTIAL = claim_answer(("opened", "supported", "opened in 2019"), ("why", "absent", ""))
AGAINST = claim_answer(("sales fell", "contradicted", "Sales rose in May"))
SILENT = claim_answer(("else", "absent", ""))
UNGROUNDED = claim_answer(("opened", "supported", "opened in 1919"))


def page(url: str, **more: Any) -> Source:
    return make_source(more.pop("text", TEXT), url, **more)


def gone(url: str) -> Source:
    return page(url, text="", outcome=Outcome.NOT_FOUND, reason="404.")


def blocked(url: str) -> Source:
    return page(url, text="", outcome=Outcome.FORBIDDEN, reason="403.")


def plain(number: int, state: StatementState, **more: Any) -> Statement:
    return make_statement(number, f"Statement {number}.", (), state=state, **more)


def unresolvable(number: int) -> Statement:
    dangling = (make_citation(status=CitationStatus.DANGLING),)
    return make_statement(
        number, f"Statement {number}.", citations=dangling, state=StatementState.CITED_UNRESOLVABLE
    )


class Table:
    """Authorities by address; an address that is not in it belongs to an unknown publisher."""

    version = "table-1"

    def __init__(self, table: Mapping[str, Authority] | None = None) -> None:
        self.table = table or {}

    def score(self, url: str, *, topic: str = "", title: str = "") -> Authority:
        return self.table.get(url, Authority(url=url, source_class="unknown", host=url))


async def make_context(
    ledger: Ledger, report: Report, sources: Sequence[Source] = (), **more: Any
) -> Context:
    """A context that reads these sources and, beyond them, nothing."""
    for source in sources:
        snapshot = await ledger.sources.add(source)
        await ledger.sources.pin(EVALUATION, source.canonical_url, snapshot)
    reader = SourceReader(ledger, EVALUATION, FixedClock(NOW))
    settings: dict[str, Any] = {
        "judge": Judge(ledger, "agent"),
        "authority": Table(),
        "effort": Effort.FULL,
        **more,
    }
    return Context(report=report, read=reader.read, **settings)


async def judged(metric: Metric, context: Context, script: Mapping[str, str]) -> MetricResult:
    """Run a metric as an agent would: answer what is asked from the script, and run it again.

    The script gives the JSON answer to a claim, to be given each time the claim is asked about;
    claims that are not in it stay open, and are then folded as pending.
    """
    ledger = context.judge.ledger
    for _ in range(4):
        try:
            return await metric(context)
        except Pending as pending:
            known = [item for item in pending.items if item.inputs["claim"] in script]
            await ledger.answers.record(
                [make_answer(i, answer=script[i.inputs["claim"]]) for i in known]
            )
            if len(known) < len(pending.items):
                context = replace(context, provisional=True)
    raise AssertionError("asked more often than anything may be asked")
