"""dream-mcp claims and authority: what can be said of a report or an address at once."""

from __future__ import annotations

import argparse
from typing import Any

from dream_mcp.commands.session import Session, write_whole
from dream_mcp.intake import Handed, open_report
from dream_mcp.present import (
    authority_card,
    citation_card,
    finding_cards,
    reference_card,
    statement_card,
    stats_card,
)


def register_claims(commands: Any) -> None:
    """Describe the command that lists statements."""
    parser = commands.add_parser("claims", help="list a report's statements and citations")
    parser.add_argument("report", help="the report file")
    parser.add_argument("--json", action="store_true", help="the tool's structured content")
    parser.add_argument("--html", default="", metavar="FILE", help="write a coloured view")
    parser.set_defaults(handler=claims)


async def claims(session: Session, options: argparse.Namespace) -> int:
    """List statements, their citations, and what the parser finds."""
    path = str(session.roots.admit(options.report))
    opened = await open_report(session.driver, session.roots, Handed(report_path=path))
    report = await session.driver.parse(opened.report)
    if options.html:
        from dream_evaluators.report.view import render_view  # noqa: PLC0415 - start-up

        write_whole(options.html, render_view(report).encode("utf-8", "replace"))
        session.say(options.html)
        return 0
    if options.json:
        session.say_json(
            {
                "report_id": report.id,
                "statements": [statement_card(s) for s in report.statements],
                "references": [reference_card(r) for r in report.references],
                "dangling": [citation_card(c) for c in report.dangling],
                "orphans": [reference_card(r) for r in report.orphans],
                "stats": stats_card(report),
            }
        )
        return 0
    for statement in report.statements:
        session.say(f"{statement.id} [{statement.state.value}] {statement.claim}")
        for citation in statement.citations:
            target = citation.url or "no address"
            session.say(f"    {citation.marker}  {citation.status.value}  {target}")
    for finding in finding_cards(report.findings):
        session.say(f"{finding['severity']}: {finding['message']}")
    session.note(", ".join(f"{count} {name}" for name, count in stats_card(report).items()))
    return 0


def register_authority(commands: Any) -> None:
    """Describe the command that rates addresses."""
    parser = commands.add_parser("authority", help="rate the domain authority of addresses")
    parser.add_argument("urls", nargs="+", metavar="URL")
    parser.add_argument("--topic", default="", help="what they are cited for")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(handler=authority)


async def authority(session: Session, options: argparse.Namespace) -> int:
    """Rate addresses, with the steps of the reasoning."""
    scorer = await session.driver.authority()
    found = [scorer.score(url, topic=options.topic) for url in options.urls]
    if options.json:
        session.say_json({"results": [authority_card(a) for a in found]})
        return 0
    for a in found:
        score = "unknown" if a.score is None else f"{a.score:.0f} ({a.band})"
        session.say(f"{score}  {a.source_class}  {a.url}")
        for step in a.basis:
            session.say(f"    {step.rule}: {step.value}")
    return 0
