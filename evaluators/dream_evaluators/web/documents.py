"""Plain text, JSON and tables of values to labelled text."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable

from dream_evaluators.injection import ORDERS, instructs
from dream_evaluators.web.bibliography import heads_bibliography, mark_bibliography
from dream_evaluators.web.content import Extract, Piece, assemble, count_words
from dream_evaluators.web.hygiene import clean, smuggles
from dream_evaluators.web.outcomes import PageSignals

_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_MARKDOWN_HEADING = re.compile(r"^(#{1,6})\s+(.{1,300}?)\s*#*$")
MAX_JSON_LINES = 200_000
MAX_ROWS = 100_000


def from_pieces(pieces: list[Piece], *, title: str = "", flags: Iterable[str] = ()) -> Extract:
    """Finish a text that has no page around it: reference lists, warnings, offsets."""
    mark_bibliography(pieces)
    found = list(flags)
    text, blocks = assemble(pieces)
    if instructs(text):
        found.append(ORDERS)
    start = text[:2_000]
    signals = PageSignals(title=title, words=count_words(text), text_start=start)
    return Extract(text=text, blocks=blocks, title=title, flags=tuple(found), signals=signals)


def read_text(text: str) -> Extract:
    """Read plain text or Markdown: blocks end at blank lines, lines stay as they are."""
    pieces: list[Piece] = []
    for chunk in _BLANK_LINES.split(clean(text)):
        if chunk.strip():
            pieces.extend(_chunk(chunk.strip("\n")))
    title = next((piece.text for piece in pieces if piece.kind == "heading"), "")
    flags = ["invisible_characters"] if smuggles(text) else []
    return from_pieces(pieces, title=title[:500], flags=flags)


def _chunk(chunk: str) -> list[Piece]:
    """Read one chunk; a heading on its first line stands alone."""
    first, _, rest = chunk.partition("\n")
    match = _MARKDOWN_HEADING.match(first)
    if match is not None:
        heading = Piece(text=match[2], kind="heading", level=len(match[1]))
    elif heads_bibliography(first):
        heading = Piece(text=first, kind="heading")
    else:
        return [Piece(text=chunk)]
    return [heading, *([Piece(text=rest)] if rest.strip() else [])]


def read_json(text: str) -> Extract:
    """Read JSON into `key: value` lines, a block an object; text that is no JSON is plain text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return read_text(text)
    pieces = [Piece(text=line, kind="record") for line in _lines(value)]
    flags = ["truncated"] if len(pieces) >= MAX_JSON_LINES else []
    return from_pieces(pieces, flags=flags)


def _lines(value: object) -> list[str]:
    """Flatten a JSON value without recursion; a line holds one scalar with its path of keys."""
    lines: list[str] = []
    stack: list[tuple[str, object]] = [("", value)]
    while stack and len(lines) < MAX_JSON_LINES:
        path, node = stack.pop()
        if isinstance(node, dict):
            stack.extend(
                (f"{path}.{key}" if path else key, child) for key, child in reversed(node.items())
            )
        elif isinstance(node, list):
            stack.extend((path, child) for child in reversed(node))
        else:
            lines.append(_line(path, node))
    return [line for line in lines if line]


def _line(path: str, value: object) -> str:
    written = value if isinstance(value, str) else json.dumps(value)
    return " ".join(clean(f"{path[-200:]}: {written}" if path else written).split())


def read_csv(text: str) -> Extract:
    """Read separated values into rows with their header; `,`, `;`, tab and `|` are recognised."""
    cleaned = clean(text)
    head = cleaned[:4_000].partition("\n")[0]
    delimiter = max(",;\t|", key=head.count)
    reader = csv.reader(io.StringIO(cleaned), delimiter=delimiter)
    pieces: list[Piece] = []
    try:
        for row in reader:
            line = " | ".join(" ".join(cell.split()) for cell in row)
            if not line.strip(" |"):
                continue
            header = pieces[0].text if pieces else ""
            pieces.append(
                Piece(text=line, kind="table_row" if pieces else "table_header", header=header)
            )
            if len(pieces) >= MAX_ROWS:
                return from_pieces(pieces, flags=["truncated"])
    except csv.Error:
        return read_text(text)
    return from_pieces(pieces)
