"""A finding: one thing about a report that its author should look at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding matters to a reader who trusts the report."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to look at: where, what, and what to do about it.

    `start` and `end` are character offsets into the report's text; `text` is that stretch.
    """

    kind: str  # "dangling_marker", "dead_source", "contradicted" ...: see docs/findings.md
    severity: Severity
    message: str  # what is wrong, in one or two sentences
    fix: str = ""  # what to do about it
    statement_id: str = ""
    start: int = 0
    end: int = 0
    text: str = ""
    url: str = ""
    quote: str = ""  # the passage of the source that shows it
    search_query: str = ""  # what to search for to mend it
