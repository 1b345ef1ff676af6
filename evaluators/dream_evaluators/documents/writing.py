"""Writing blocks one after another, with the anchors of sections and pages."""

from __future__ import annotations

from dream_evaluators.documents.document import Anchor, AnchorKind, Document, DocumentFormat
from dream_evaluators.documents.inline import cell, collapse, protect_start

TITLE_CAP = 300  # characters
LABEL_CAP = 120  # characters of a section's label
_BREAK = "  \n"  # Markdown's line break that is meant
DEPTH_CAP = 8  # of nested lists: deeper ones are written as this deep


class BlockWriter:
    """Collects blocks; items and rows that follow each other stand on lines without a gap."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._last = ""  # the form of the newest block
        self._anchors: list[Anchor] = []

    def _add(self, block: str, form: str) -> int:
        """Append a block and return where it begins."""
        close = form == self._last and form.startswith(("item", "row"))
        gap = "" if not self._pieces else "\n" if close else "\n\n"
        self._pieces += [gap, block]
        start = self._length + len(gap)
        self._length = start + len(block)
        self._last = form
        return start

    def anchor(self, start: int, kind: AnchorKind, label: str) -> None:
        """Note where a page or section begins."""
        self._anchors.append(Anchor(start, kind, collapse(label).strip()[:LABEL_CAP]))

    def __len__(self) -> int:
        return self._length

    def heading(self, level: int, text: str) -> int:
        """Write a heading, level 1 to 6, and return where it begins; a blank one is left out."""
        text = collapse(text).strip()
        if not text:
            return self._length
        start = self._add(f"{'#' * min(6, max(1, level))} {text}", "heading")
        self.anchor(start, "section", text)
        return start

    def paragraph(self, text: str, *, lead: str = "") -> int:
        """Write a paragraph and return where it begins; a blank one is left out.

        Args:
            text: Its lines; blank lines in it are closed up.
            lead: What stands before the text as markup: a quote's `> `, an item's indent.
        """
        lines = [line.strip() for line in text.split("\n")]
        lines = [line for line in lines if line]
        if not lines:
            return self._length
        lines[0] = protect_start(lines[0])
        return self._add(_BREAK.join(lead + line for line in lines), "paragraph")

    def item(self, marker: str, text: str, depth: int = 0) -> int:
        """Write a list item on lines of its own and return where it begins.

        Args:
            marker: "-", "3." or the label of an entry ("[3]", "[^3]:").
            text: Its lines; the later ones are indented.
            depth: Of nesting, from 0.
        """
        indent = "  " * min(depth, DEPTH_CAP)
        lines = [line.strip() for line in text.split("\n")]
        body = f"{_BREAK}{indent}  ".join(line for line in lines if line)
        if not body:
            return self._length
        return self._add(f"{indent}{marker} {body}", f"item {marker[:1] if '[' in marker else ''}")

    def table(self, rows: list[list[str]], *, header: bool) -> int:
        """Write a table and return where it begins; with `header` its first row names columns."""
        rows = [row for row in rows if any(text.strip() for text in row)]
        width = max(map(len, rows), default=0)
        self._last = ""
        start = self._length
        for number, row in enumerate(rows):
            cells = [cell(text) for text in row] + [""] * (width - len(row))
            begin = self._add(f"| {' | '.join(cells)} |", "row")
            start = start if number else begin
            if number == 0 and header:
                self._add("|" + " --- |" * width, "row")
        return start

    def verbatim(self, block: str) -> int:
        """Write a block as it is (code, a comment) and return where it begins."""
        return self._add(block, "verbatim") if block.strip() else self._length

    def document(self, format: DocumentFormat, title: str = "") -> Document:
        """Finish the text."""
        text = "".join(self._pieces)
        anchors = tuple(sorted(self._anchors, key=lambda anchor: anchor.start))
        return Document(
            text=text + "\n" if text else "",
            format=format,
            title=collapse(title).strip()[:TITLE_CAP],
            anchors=anchors,
        )
