"""Tools on a report itself: open it, list its statements and citations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from dream_mcp.cards import ClaimsCard, ReferenceCard, ReportCard, StatementCard
from dream_mcp.intake import Handed
from dream_mcp.intake import open_report as take_in
from dream_mcp.paging import PAGE_TOKENS, page
from dream_mcp.present import (
    citation_card,
    reference_card,
    report_card,
    statement_card,
    stats_card,
)
from dream_mcp.strict import StrictTool
from dream_mcp.tools.parameters import EMPTY, Query, ReportId, ReportPath, ReportText, Sources
from dream_mcp.tools.results import app_of, result

if TYPE_CHECKING:
    from dream_evaluators.model.report import Reference, Statement

ROWS = 100  # references shown with the first page
REFERENCE_TOKENS = 1_500
FEW = 10  # dangling markers and orphans shown; stats counts them all


def open_report_tool() -> StrictTool:
    """Make the tool that opens a report."""
    return StrictTool.of(
        open_report,
        title="Open a report",
        description="Open a research report for evaluation, once, and get its report_id. Reads "
        "every citation form that research agents write and counts statements, citations, "
        "dangling markers and orphan references. Give the text as report, or report_path "
        "(Markdown, text, HTML, PDF with its links, DOCX), or url; long texts in parts with "
        "append_to. All other tools then take report_id.",
        reads_only=False,
    )


async def open_report(
    ctx: Context[Any, Any],
    report: ReportText = "",
    report_path: ReportPath = "",
    url: Annotated[str, Field(description="Fetch the report from this address.")] = "",
    query: Query = "",
    sources: Sources = EMPTY,
    append_to: Annotated[
        str, Field(description="report_id of the parts before this one, for a report in parts.")
    ] = "",
) -> Annotated[CallToolResult, ReportCard]:
    """Open a report."""
    app = app_of(ctx)
    handed = Handed(
        report=report,
        report_path=report_path,
        url=url,
        query=query,
        sources=sources,
        append_to=append_to,
    )
    opened = await take_in(app.driver, app.roots, handed)
    card = report_card(await app.driver.parse(opened.report))
    stats = card["stats"]
    text = (
        f"Opened {opened.id}: {card['words']} words, {stats['statements']} statements, "
        f"{stats['factual']} factual, {stats['cited']} cited, {stats['uncited']} uncited, "
        f"{stats['dangling']} dangling markers, {stats['unique_urls']} addresses."
    )
    return result(card, text)


def extract_claims_tool() -> StrictTool:
    """Make the tool that lists statements."""
    return StrictTool.of(
        extract_claims,
        title="List claims and citations",
        description="List the claims of a report with their citations: every sentence, list item "
        "and table row with its place in the text, its state (cited, cited_unresolvable, uncited, "
        "not_factual) and the addresses it cites; also references, dangling markers and orphans. "
        "Deterministic, no model. Page with cursor.",
        open_world=False,
        large=True,
    )


def _statement(statement: Statement, _: int) -> StatementCard:
    return statement_card(statement)


def _reference(reference: Reference, _: int) -> ReferenceCard:
    return reference_card(reference)


async def extract_claims(
    ctx: Context[Any, Any],
    report_id: ReportId = "",
    report: ReportText = "",
    report_path: ReportPath = "",
    cursor: Annotated[str, Field(description="next_cursor of the page before.")] = "",
    limit: Annotated[int, Field(ge=1, le=500, description="Statements a page.")] = 50,
) -> Annotated[CallToolResult, ClaimsCard]:
    """List statements."""
    app = app_of(ctx)
    handed = Handed(report_id=report_id, report=report, report_path=report_path)
    opened = await take_in(app.driver, app.roots, handed)
    parts = await app.driver.parse(opened.report)
    # References come with the first page, as many as fit.
    rest = 0 if cursor else REFERENCE_TOKENS
    shown = page(parts.statements, cursor, limit, _statement, PAGE_TOKENS - rest)
    listed = page(parts.references if rest else (), "", ROWS, _reference, rest)
    first = not cursor
    card: ClaimsCard = {
        "report_id": opened.id,
        "statements": shown.cards,
        "references": listed.cards,
        "dangling": [citation_card(c) for c in parts.dangling[:FEW] if first],
        "orphans": [reference_card(r) for r in parts.orphans[:FEW] if first],
        "stats": stats_card(parts),
    }
    if shown.next_cursor:
        card["next_cursor"] = shown.next_cursor
    lines = [
        f"{s.id} [{s.state.value}] {s.claim[:200]}"
        + "".join(f" <{c.url or c.marker}>" for c in s.citations)
        for s in shown.rows
    ]
    more = f"\nMore: cursor={shown.next_cursor}" if shown.next_cursor else ""
    return result(card, "\n".join(lines) + more)
