"""dream-mcp audit: a draft's faults, with their fixes, without any model."""

from __future__ import annotations

import argparse
from typing import Any

from dream_evaluators.render import score_line, severity_counts
from dream_mcp.audit import AUDITED, changes
from dream_mcp.commands.session import Session
from dream_mcp.intake import Ask, Handed, make_request, open_report
from dream_mcp.present import evaluation_card, finding_cards, stats_card
from dream_mcp.settings import JUDGES

FOUND, CLEAN = 1, 0


def register(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser("audit", help="find a draft's faults, no model needed")
    parser.add_argument("report", help="the draft")
    parser.add_argument("--previous", default="", help="report_id of the draft before this one")
    parser.add_argument("--no-links", action="store_true", help="do not read the cited pages")
    parser.add_argument("--judge", default="offline", choices=JUDGES)
    parser.add_argument("--json", action="store_true", help="the tool's structured content")
    parser.set_defaults(handler=audit)


async def audit(session: Session, options: argparse.Namespace) -> int:
    """Print the findings; exit code 1 when any is of high severity."""
    driver = session.driver
    path = str(session.roots.admit(options.report))
    opened = await open_report(driver, session.roots, Handed(report_path=path))
    ask = Ask(metrics=AUDITED, judge=options.judge, effort="full", check_links=not options.no_links)
    request = await make_request(driver, opened, ask)
    view = await driver.settle(await driver.start(request, opened.report))
    report = await driver.parse(opened.report)
    card = view.scorecard
    findings = card.findings if card else report.findings
    changed = (
        await changes(driver, options.previous, report, request, findings)
        if options.previous
        else None
    )
    if options.json:
        orders, waiting = await driver.orders.write_out(view.id)
        result: dict[str, Any] = {
            **evaluation_card(view, orders[:1], waiting),
            "findings": finding_cards(findings),
            "stats": stats_card(report),
        }
        session.say_json(result | ({"changed": changed} if changed else {}))
    else:
        for finding in finding_cards(findings):
            session.say(f"{finding['severity']:6} {finding['kind']}: {finding['message']}")
            session.say(f"       {finding.get('text', '')}\n       fix: {finding.get('fix', '')}")
        for score in card.scores.values() if card else ():
            session.say(score_line(score))
        for kind in ("fixed_findings", "new_findings"):
            for line in changed[kind] if changed else ():
                session.say(f"{kind.removesuffix('_findings')}: {line}")
    session.note(f"report_id {opened.id}; audit the next draft with --previous {opened.id}")
    return FOUND if severity_counts(findings)["high"] else CLEAN
