"""Tools that evaluate a report and read evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import Field

from dream_evaluators.render import to_summary
from dream_mcp.audit import AUDITED, changes
from dream_mcp.cards import AuditCard, EvaluationCard
from dream_mcp.intake import Ask, Handed, Opened, make_request, open_packed, read_pack_file
from dream_mcp.intake import open_report as take_in
from dream_mcp.paging import page
from dream_mcp.present import (
    evaluation_card,
    finding_card,
    statement_verdict_card,
    stats_card,
    summary_card,
)
from dream_mcp.rungs import Caps
from dream_mcp.sampling import ask_host, lending_client
from dream_mcp.strict import StrictTool
from dream_mcp.tools.parameters import (
    EMPTY,
    EvaluationId,
    JudgeName,
    Query,
    ReportId,
    ReportPath,
    ReportText,
    WaitSeconds,
)
from dream_mcp.tools.results import app_of, heartbeat, linked, result

if TYPE_CHECKING:
    from dream_evaluators.web.packs import Pack
    from dream_mcp.app import App
    from dream_mcp.drive import Evaluation

FINDINGS_SHOWN = 30
FINDING_TOKENS = 3_000
Detail = Literal["summary", "findings", "statements", "sources", "probes", "verdicts"]


def evaluate_report_tool() -> StrictTool:
    """Make the tool that evaluates a report."""
    return StrictTool.of(
        evaluate_report,
        title="Evaluate a report",
        description="Evaluate a deep-research report by DREAM: citation integrity (CI), its "
        "accuracy (CA) and faithfulness (CF), domain authority (DA), 0-100 each with interval, "
        "bounds and findings. Checks what the cited pages say about each cited sentence. With "
        "judge='agent' you judge: the reply has work_orders to answer with submit_answers. "
        "Asking twice returns the same evaluation and costs nothing; fresh=true reads the pages "
        "again. Returns within wait_seconds; then poll get_evaluation.",
        reads_only=False,
        large=True,
    )


async def evaluate_report(
    ctx: Context[Any, Any],
    report_id: ReportId = "",
    report: ReportText = "",
    report_path: ReportPath = "",
    query: Query = "",
    protocol_id: Annotated[str, Field(description="A protocol to evaluate by.")] = "",
    metrics: Annotated[
        list[str], Field(description="Scores wanted: CI, CA, CF, DA. Empty: all.")
    ] = EMPTY,
    judge: JudgeName = "auto",
    effort: Annotated[
        Literal["", "quick", "standard", "full"],
        Field(description="Cited statements judged: quick 25, standard 60, full all."),
    ] = "",
    samples: Annotated[
        int,
        Field(
            ge=1,
            le=9,
            description="How often each question is put to the judge, to see its spread.",
        ),
    ] = 1,
    as_of: Annotated[str, Field(description="Date (YYYY-MM-DD) to judge as of.")] = "",
    evidence_pack: Annotated[
        str, Field(description="Path of an evidence pack: its pages replace the network.")
    ] = "",
    offline: Annotated[bool, Field(description="Ask the network for nothing.")] = False,
    fresh: Annotated[bool, Field(description="Start anew instead of resuming.")] = False,
    max_usd: Annotated[float, Field(ge=0, description="Spend no more; 0: no cap.")] = 0,
    max_calls: Annotated[int, Field(ge=0, description="Call a model no more often.")] = 0,
    max_seconds: Annotated[float, Field(ge=0, description="Run no longer; 0: no cap.")] = 0,
    wait_seconds: WaitSeconds = 45,
) -> Annotated[CallToolResult, EvaluationCard] | InputRequiredResult:
    """Evaluate a report."""
    app = app_of(ctx)
    pack = await read_pack_file(app.roots, evidence_pack) if evidence_pack else None
    opened = await _report(app, report_id, report, report_path, query, pack)
    ask = Ask(
        query=query,
        protocol_id=protocol_id,
        metrics=metrics,
        judge=judge,
        client=lending_client(ctx),
        effort=effort,
        samples=samples,
        as_of=as_of,
        offline=offline,
    )
    request = await make_request(app.driver, opened, ask, pack)
    evaluation = await app.driver.start(request, opened.report, pack, fresh=fresh)
    beat = heartbeat(ctx, wait_seconds)
    caps = Caps(max_usd=max_usd, max_calls=max_calls)
    view = await app.work(evaluation, wait_seconds, beat, max_seconds, caps)
    asked = await ask_host(ctx, app, view, wait_seconds)
    if isinstance(asked, InputRequiredResult):
        return asked
    return _evaluated(await _card(app, asked), asked)


def get_evaluation_tool() -> StrictTool:
    """Make the tool that reads an evaluation."""
    return StrictTool.of(
        get_evaluation,
        title="Read an evaluation",
        description="Read an evaluation: its status, scores and worst findings; wait for one that "
        "runs (wait_seconds up to 45). detail opens the numbers: findings, statements (each "
        "sampled sentence with the verdict and quote of every source), sources. Also resumes an "
        "evaluation that was interrupted.",
        reads_only=False,
        large=True,
    )


async def get_evaluation(
    ctx: Context[Any, Any],
    evaluation_id: EvaluationId,
    wait_seconds: WaitSeconds = 0,
    detail: Annotated[Detail, Field(description="What to open.")] = "summary",
    cursor: Annotated[str, Field(description="next_cursor of the page before.")] = "",
    limit: Annotated[int, Field(ge=1, le=100, description="Rows a page.")] = 20,
) -> Annotated[CallToolResult, EvaluationCard] | InputRequiredResult:
    """Read an evaluation."""
    app = app_of(ctx)
    view = await app.driver.get(evaluation_id)
    folded = view.status.value == "needs_work" and not view.open_questions
    if folded or view.status.value in {"running", "failed"}:
        view = await app.work(view.id, wait_seconds, heartbeat(ctx, wait_seconds))
    asked = await ask_host(ctx, app, view, wait_seconds) if lending_client(ctx) else view
    if isinstance(asked, InputRequiredResult):
        return asked
    view, card = asked, await _card(app, asked)
    text = _open_detail(card, view, detail, cursor, limit)
    return result(card, text) if text else _evaluated(card, view)


def audit_report_tool() -> StrictTool:
    """Make the tool that audits a draft."""
    return StrictTool.of(
        audit_report,
        title="Audit a draft",
        description="Audit a draft report before you hand it in: dead links, dangling citation "
        "markers, placeholder links, weak sources, uncited numbers, numbers and quotes that the "
        "cited page lacks, each with its sentence and the fix. Needs no model. After mending, "
        "audit again with previous_report_id to see what changed.",
        reads_only=False,
        large=True,
    )


async def audit_report(
    ctx: Context[Any, Any],
    report_id: ReportId = "",
    report: ReportText = "",
    report_path: ReportPath = "",
    previous_report_id: Annotated[str, Field(description="The draft before this one.")] = "",
    check_links: Annotated[bool, Field(description="Read the cited pages.")] = True,
    judge: JudgeName = "offline",
    wait_seconds: WaitSeconds = 30,
) -> Annotated[CallToolResult, AuditCard] | InputRequiredResult:
    """Audit a draft."""
    app = app_of(ctx)
    handed = Handed(report_id=report_id, report=report, report_path=report_path)
    opened = await take_in(app.driver, app.roots, handed)
    ask = Ask(
        metrics=AUDITED,
        judge=judge,
        client=lending_client(ctx),
        effort="full",
        check_links=check_links,
    )
    request = await make_request(app.driver, opened, ask)
    evaluation = await app.driver.start(request, opened.report)
    view = await app.work(evaluation, wait_seconds, heartbeat(ctx, wait_seconds))
    asked = await ask_host(ctx, app, view, wait_seconds)
    if isinstance(asked, InputRequiredResult):
        return asked
    view = asked
    parts = await app.driver.parse(opened.report)
    findings = view.scorecard.findings if view.scorecard else parts.findings
    card: dict[str, Any] = {
        **await _card(app, view),
        "findings": page(findings, "", FINDINGS_SHOWN, finding_card, FINDING_TOKENS).cards,
        "stats": stats_card(parts),
    }
    if previous_report_id:
        card["changed"] = await changes(app.driver, previous_report_id, parts, request, findings)
    return _evaluated(card, view)


async def _card(app: App, view: Evaluation) -> EvaluationCard:
    orders, waiting = await app.driver.orders.write_out(view.id)
    card = evaluation_card(view, orders[:1], waiting)
    if app.driver.warnings:
        card["warnings"] = list(app.driver.warnings)
    return card


def _evaluated(card: Any, view: Evaluation) -> CallToolResult:
    lines = [f"Evaluation {view.id}: {view.status.value}."]
    if view.message:
        lines.append(view.message)
    if view.scorecard:
        lines.append(to_summary(view.scorecard))
    lines += [order["prompt"] for order in card.get("work_orders", [])]
    lines.append(f"Next: {card['next']}")
    uri = f"dream://evaluations/{view.id}"
    return linked(card, "\n".join(lines), uri, "The whole evaluation")


def _open_detail(
    card: EvaluationCard, view: Evaluation, detail: Detail, cursor: str, limit: int
) -> str:
    """Add the page asked for to the card and return it as text; "" for the summary."""
    scorecard = view.scorecard
    if detail == "summary" or scorecard is None:
        return ""
    card["top_findings"] = []
    if detail == "findings":
        found = page(scorecard.findings, cursor, limit, finding_card)
        card["findings"] = found.cards
        text = "\n".join(f"{f['id']} {f['severity']} {f['message']}" for f in found.cards)
        following = found.next_cursor
    elif detail == "sources":
        read = page(scorecard.sources, cursor, limit, lambda source, _: summary_card(source))
        card["sources"] = read.cards
        text = "\n".join(f"{s.url}: {s.state} ({s.outcome}), {s.source_class}" for s in read.rows)
        following = read.next_cursor
    else:
        judged = page(
            scorecard.verdicts, cursor, limit, lambda verdict, _: statement_verdict_card(verdict)
        )
        card["statements"] = judged.cards
        text = "\n".join(f"{v.statement_id}: {v.label.value}. {v.reason}" for v in judged.rows)
        following = judged.next_cursor
    if following:
        card["next_cursor"] = following
    return text or f"No {detail} in this evaluation."


async def _report(
    app: App, report_id: str, report: str, report_path: str, query: str, pack: Pack | None
) -> Opened:
    """Open the report; a pack that holds just one report may stand for it."""
    if pack and len(pack.reports) == 1 and not (report_id or report or report_path):
        return await open_packed(app.driver, pack)
    handed = Handed(report_id=report_id, report=report, report_path=report_path, query=query)
    return await take_in(app.driver, app.roots, handed)
