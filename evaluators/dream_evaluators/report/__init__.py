"""Reading reports: which sentence says what, and what it cites. Deterministic, no model."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dream_evaluators.model.report import Report, SourceHint
from dream_evaluators.report.decoding import decode_report

# What a stored reading was made with: raised whenever the same text may be read differently.
PARSER_VERSION = "1"

__all__ = ["PARSER_VERSION", "decode_report", "parse_report"]


def parse_report(
    text: str,
    *,
    sources: Sequence[SourceHint] = (),
    format: str = "markdown",
    allow: Collection[str] = (),
) -> Report:
    """Read a report into blocks, statements, citations, references and findings.

    Never raises, whatever the text; time and memory are linear in its length.

    Args:
        text: The report, Markdown or plain text.
        sources: What the caller knows of markers that the text alone cannot resolve; when given,
            citations of anything else are a finding.
        format: What the text was made from: markdown, text, html, pdf, docx; only recorded.
        allow: Hosts (`host`, `host:port` or a network) that are sources although they look like
            placeholders, such as those of an intranet.

    Returns:
        The report; `report.text` is `text`, and every span in it counts its code points.
    """
    # The patterns of the parser cost 60 ms to compile: paid by the first report, not at start-up.
    from dream_evaluators.report import parsing  # noqa: PLC0415

    return parsing.read_report(text, sources, format, allow)
