"""A page that shows a report with its statements coloured by state: self-contained, no scripts."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from dream_evaluators.model.report import Citation, Report, Statement, StatementState

# State -> (background, what the legend calls it). Judged states come from the scorecard.
COLOURS: dict[str, tuple[str, str]] = {
    "cited": ("#dcefdc", "cited"),
    "cited_unresolvable": ("#fbe3c0", "cited, no address behind it"),
    "uncited": ("#f8d7da", "factual, not cited"),
    "not_factual": ("transparent", "not factual"),
    "supported": ("#b7e4c0", "supported by its source"),
    "contradicted": ("#f1a1a8", "contradicted by its source"),
    "unsupported": ("#f9d3a5", "not found in its source"),
    "unknown": ("#e2e3e5", "could not be judged"),
}
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}"
    "main{white-space:pre-wrap;overflow-wrap:anywhere}span[id]{border-radius:3px}"
    ".legend span{padding:0 .4rem;margin-right:.6rem;border-radius:3px}"
    "aside{border-top:1px solid #999;margin-top:2rem}li{overflow-wrap:anywhere}"
)


def render_view(report: Report, states: Mapping[str, str] | None = None) -> str:
    """Return an HTML page of the report.

    Everything that comes from the report is escaped; its markup is shown, not run. Addresses
    become links only when they are http or https.

    Args:
        report: The report.
        states: Statement id to a key of `COLOURS`, where a judgement is known; else its own state.
    """
    judged = states or {}
    shown = {s.id: _known(judged.get(s.id, str(s.state))) for s in report.statements}
    return (
        "<!doctype html><html><head><meta charset='utf-8'>"
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; "
        "style-src 'unsafe-inline'\">"
        f"<title>{escape(report.title or 'Report')}</title>"
        f"<style>{_STYLE}{_rules()}</style></head><body>"
        f"<p class='legend'>{_legend(set(shown.values()))}</p><main>{_body(report, shown)}</main>"
        f"{_findings(report)}</body></html>"
    )


def _known(state: str) -> str:
    return state if state in COLOURS else StatementState.NOT_FACTUAL.value


def _rules() -> str:
    return "".join(f".{name}{{background:{colour}}}" for name, (colour, _) in COLOURS.items())


def _legend(present: set[str]) -> str:
    return "".join(
        f"<span class='{name}'>{escape(meaning)}</span>"
        for name, (_, meaning) in COLOURS.items()
        if name in present
    )


def _body(report: Report, shown: Mapping[str, str]) -> str:
    pieces: list[str] = []
    at = 0
    for statement in report.statements:
        if statement.start < at:
            continue
        pieces.append(escape(report.text[at : statement.start]))
        pieces.append(
            f"<span id='{escape(statement.id)}' class='{shown[statement.id]}' "
            f"title='{escape(_tooltip(statement))}'>{_linked(statement)}</span>"
        )
        at = statement.end
    pieces.append(escape(report.text[at:]))
    return "".join(pieces)


def _tooltip(statement: Statement) -> str:
    sources = ", ".join(c.url or c.label for c in statement.citations[:5])
    return f"{statement.id}: {statement.state}{' · ' + sources if sources else ''}"


def _linked(statement: Statement) -> str:
    """The statement's text with its markers as links."""
    pieces: list[str] = []
    at = statement.start
    for citation in statement.citations:
        if citation.start < at or citation.end > statement.end:
            continue
        pieces.append(
            escape(statement.text[at - statement.start : citation.start - statement.start])
        )
        pieces.append(_marker(citation))
        at = citation.end
    pieces.append(escape(statement.text[at - statement.start :]))
    return "".join(pieces)


def _marker(citation: Citation) -> str:
    text = escape(citation.marker)
    if not citation.url.lower().startswith(("http://", "https://")):
        return text
    return f"<a href='{escape(citation.url)}' rel='noopener noreferrer nofollow'>{text}</a>"


def _findings(report: Report) -> str:
    if not report.findings:
        return ""
    rows = "".join(
        f"<li><b>{escape(f.severity)}</b> {escape(f.kind)}: {escape(f.message)}"
        + (
            f" <a href='#{escape(f.statement_id)}'>{escape(f.statement_id)}</a>"
            if f.statement_id
            else ""
        )
        + "</li>"
        for f in report.findings
    )
    return f"<aside><h2>Findings</h2><ul>{rows}</ul></aside>"
