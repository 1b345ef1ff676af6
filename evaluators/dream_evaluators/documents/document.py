"""The records of an opened document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AnchorKind = Literal["page", "section"]
DocumentFormat = Literal["markdown", "text", "html", "pdf", "docx"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a page or section begins: `text[start:]` is its text and what follows it."""

    start: int  # offset in code points of the document's text
    kind: AnchorKind
    label: str  # number of the page from "1", or the heading without markup


@dataclass(frozen=True, slots=True)
class Document:
    """A report as opened: Markdown-like text, and where in the original it stood."""

    text: str
    format: DocumentFormat
    title: str = ""  # what the file says of itself, at most 300 characters
    anchors: tuple[Anchor, ...] = ()  # in order of `start`; none for Markdown and plain text
