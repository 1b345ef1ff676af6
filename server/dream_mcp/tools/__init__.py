"""The tools, as a table: what hosts list."""

from __future__ import annotations

from collections.abc import Callable

from dream_mcp.strict import StrictTool
from dream_mcp.tools import evaluations, fetching, orders, reports, sources

TOOLS: tuple[Callable[[], StrictTool], ...] = (
    reports.open_report_tool,
    reports.extract_claims_tool,
    evaluations.audit_report_tool,
    evaluations.evaluate_report_tool,
    evaluations.get_evaluation_tool,
    orders.get_work_orders_tool,
    orders.submit_answers_tool,
    sources.check_citation_tool,
    sources.score_domain_authority_tool,
    fetching.fetch_source_tool,
)
