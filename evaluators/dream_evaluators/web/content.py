"""What was read from one body: the record, and how labelled pieces become text with offsets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from dream_evaluators.model.source import Outcome, SourceBlock
from dream_evaluators.web.outcomes import PageSignals

_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """One body as read. `text` holds everything, blocks joined by newlines; nothing is dropped.

    `outcome` is None unless the content itself decides (encrypted, no text layer, undecodable,
    unsupported type, parse failed). Dates are ISO (`YYYY-MM-DD` or a prefix of it).
    """

    text: str = ""
    blocks: tuple[SourceBlock, ...] = ()
    title: str = ""
    publisher: str = ""
    language: str = ""
    published: str = ""
    published_from: str = ""  # json-ld, meta, microdata, url, time, text, feed, jats, pdf ...
    modified: str = ""
    canonical: str = ""  # absolute address the page names as its own
    identifier: str = ""  # "doi:…", "arxiv:…", "pmid:…"
    flags: tuple[str, ...] = ()  # see docs/accuracy.md, "Extraction"
    signals: PageSignals = field(default_factory=PageSignals)
    outcome: Outcome | None = None
    reason: str = ""  # the evidence for `outcome`, one sentence


@dataclass(slots=True, kw_only=True)
class Piece:
    """One stretch of text before it has its place: already cleaned, without newline at the ends."""

    text: str
    kind: str = "paragraph"
    main: bool = True
    hidden: bool = False
    collapsed: bool = False
    level: int = 0
    page: int = 0
    header: str = ""


def assemble(pieces: Iterable[Piece]) -> tuple[str, tuple[SourceBlock, ...]]:
    """Join pieces by newlines and give each its character offsets."""
    texts: list[str] = []
    blocks: list[SourceBlock] = []
    position = 0
    for piece in pieces:
        end = position + len(piece.text)
        blocks.append(
            SourceBlock(
                start=position,
                end=end,
                kind=piece.kind,
                main=piece.main,
                hidden=piece.hidden,
                collapsed=piece.collapsed,
                level=piece.level,
                page=piece.page,
                header=piece.header,
            )
        )
        texts.append(piece.text)
        position = end + 1
    return "\n".join(texts), tuple(blocks)


def count_words(text: str) -> int:
    """Count Latin words plus CJK characters."""
    if text.isascii():
        return len(text.split())
    characters = len(_CJK.findall(text))
    return characters + len(_CJK.sub(" ", text).split())


def main_text(extract: Extract) -> str:
    """Return the main content that a reader of the page sees, its blocks joined by newlines."""
    return "\n".join(
        extract.text[block.start : block.end]
        for block in extract.blocks
        if block.main and not block.hidden
    )
