"""The body of a DOCX: paragraphs, lists, tables and notes to Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from dream_evaluators.documents import inline
from dream_evaluators.documents.document import Document
from dream_evaluators.documents.docx.package import Package
from dream_evaluators.documents.docx.runs import Citing, ParagraphReader, ParagraphText
from dream_evaluators.documents.docx.styles import (
    Style,
    numbering_of,
    read_numbering,
    read_styles,
    value,
    whole,
)
from dream_evaluators.documents.writing import BlockWriter
from dream_evaluators.errors import ReportUnreadable

BOLD_CAP = 160  # characters: a longer paragraph in bold is no heading
SPAN_CAP = 60  # columns that one cell may reach over
_WRAPPERS = frozenset(
    "w-sdt w-sdtContent w-customXml w-ins w-moveTo w-smartTag mc-AlternateContent".split()
)


def read_docx(body: bytes) -> Document:
    """Read a DOCX: accepted changes, no comments, no hidden text; notes as `[^1]`.

    Raises:
        ReportUnreadable: Damaged, encrypted, unpacking beyond reason, or without text.
    """
    package = Package(body)
    main = package.main()
    tree = package.tree(main)
    found = tree.find("w-body") if tree is not None else None
    reader = _Body(package, main, found if found is not None else Element("w-body"))
    document = reader.read()
    if not document.text.strip():
        raise ReportUnreadable(
            "The document holds no text. If it is a scan, send its text as Markdown."
        )
    return document


class _Body:
    """Reads one document; `_writer` gets what is read."""

    def __init__(self, package: Package, main: str, body: Element) -> None:
        self._package = package
        self._main = main
        self._body = body
        self._styles = read_styles(package.tree(package.related(main, "styles")))
        self._writer = BlockWriter()
        self._code: list[str] = []
        self._notes: dict[tuple[str, str], str] = {}  # (kind, id) -> label, in order of citation
        self._counts: Counter[str] = Counter()  # notes of each kind
        self._markers: dict[int, str] = {}  # of paragraphs in lists
        self._places: dict[str, Element] = {}  # bookmarks, and the paragraphs they stand in
        self._labels: dict[int, str] = {}  # given to paragraphs that are cited
        self._look_ahead()
        self._reader = self._make_reader(main)

    def _look_ahead(self) -> None:
        """Count the lists and find the bookmarks: a citation comes before its entry."""
        numbering = read_numbering(
            self._package.tree(self._package.related(self._main, "numbering"))
        )
        for paragraph in self._body.iter("w-p"):
            style, properties = self._style(paragraph), paragraph.find("w-pPr")
            listed = numbering_of(properties, style.numbering)
            if listed is not None:
                self._markers[id(paragraph)] = numbering.marker(*listed)
            for mark in paragraph.iter("w-bookmarkStart"):
                self._places.setdefault(mark.get("w-name", ""), paragraph)

    def _make_reader(self, part: str) -> ParagraphReader:
        links = self._package.links(part)
        return ParagraphReader(Citing(self._styles, links, self._bookmark, self._note))

    def _style(self, paragraph: Element) -> Style:
        return self._styles.get(value(paragraph, "w-pPr/w-pStyle"), Style())

    def _bookmark(self, name: str, number: str) -> str:
        """Return the marker of a number that leads to a paragraph; label that if it needs it."""
        paragraph = self._places.get(name)
        if paragraph is None or self._style(paragraph).form == "heading":
            return ""
        shown = self._markers.get(id(paragraph), "") or "".join(
            part.text or "" for part in paragraph.iter("w-t")
        )
        if re.match(rf"\s*[\[(]?{number}(?:[\])]|[.):\s])", shown):
            return f"[{number}]"
        label = self._labels.setdefault(id(paragraph), f"fn{number}")
        return f"[^{label}]"

    def _note(self, kind: str, identity: str) -> str:
        label = self._notes.get((kind, identity))
        if label is None:
            self._counts[kind] += 1
            # Not the bare number: a numbered list of sources may use it too.
            label = f"{'fn' if kind == 'footnote' else 'en'}{self._counts[kind]}"
            self._notes[kind, identity] = label
        return f"[^{label}]"

    def read(self) -> Document:
        """Read the body, then the notes that it cites."""
        self._blocks(self._body)
        self._end_code()
        for kind in ("footnote", "endnote"):
            self._write_notes(kind)
        return self._writer.document("docx", self._title())

    def _title(self) -> str:
        tree = self._package.tree(self._package.related("", "core-properties"))
        return (tree.findtext("dc-title") or "") if tree is not None else ""

    def _write_notes(self, kind: str) -> None:
        part = self._package.related(self._main, f"{kind}s")
        tree = self._package.tree(part) if part else None
        if tree is None or not any(found == kind for found, _ in self._notes):
            return
        self._reader = self._make_reader(part)
        texts = {
            note.get("w-id", ""): " ".join(self._texts(note)) for note in tree.iterfind(f"w-{kind}")
        }
        for (found, identity), label in list(self._notes.items()):
            if found == kind:
                self._writer.item(f"[^{label}]:", texts.get(identity, "") or "(no text)")

    # --- blocks -----------------------------------------------------------------------------------

    def _blocks(self, parent: Element) -> None:
        for child in parent:
            if child.tag == "w-p":
                self._paragraph(child)
            elif child.tag == "w-tbl":
                self._end_code()
                self._table(child)
            elif child.tag in _WRAPPERS:
                chosen = child.find("mc-Choice")
                self._blocks(chosen if chosen is not None else child)

    def _paragraph(self, paragraph: Element) -> None:
        style = self._style(paragraph)
        said = self._reader.read(paragraph)
        if style.form == "contents":
            return
        if style.form == "code":
            self._code.append("\n".join(_code_lines(paragraph)))
            return
        self._end_code()
        text = inline.tidy(said.text)
        if style.form == "heading" and text:
            self._writer.heading(style.level, text)
        elif text:
            self._write(paragraph, style, said, text)
        for box in said.boxes:
            self._blocks(box)

    def _write(self, paragraph: Element, style: Style, said: ParagraphText, text: str) -> None:
        label = self._labels.get(id(paragraph))
        marker = f"[^{label}]:" if label else self._markers.get(id(paragraph), "")
        if marker:
            listed = numbering_of(paragraph.find("w-pPr"), style.numbering)
            self._writer.item(marker, text, listed[1] if listed and not label else 0)
        elif style.form == "quote":
            self._writer.paragraph(text, lead="> ")
        elif said.bold and len(text) <= BOLD_CAP and not {"*", "\n"}.intersection(text):
            self._writer.verbatim(f"**{text}**")
        else:
            self._writer.paragraph(text)

    def _end_code(self) -> None:
        if self._code:
            self._writer.verbatim(inline.fence("\n".join(self._code)))
            self._code.clear()

    # --- tables -----------------------------------------------------------------------------------

    def _table(self, table: Element) -> None:
        rows = list(_inside(table, "w-tr"))
        cells = [cell for row in rows for cell in _inside(row, "w-tc")]
        if len(cells) == 1 or self._is_layout(cells):
            for cell in cells:
                self._blocks(cell)
            self._end_code()
            return
        written = [self._row(row) for row in rows]
        self._writer.table(written, header=len(rows) > 1 and _has_header(table, rows[0]))

    def _is_layout(self, cells: list[Element]) -> bool:
        """Whether a table only places what stands in it: it holds headings or tables."""
        return any(
            cell.find("w-tbl") is not None
            or any(self._style(p).form == "heading" for p in cell.iterfind("w-p"))
            for cell in cells
        )

    def _row(self, row: Element) -> list[str]:
        texts: list[str] = []
        for cell in _inside(row, "w-tc"):
            texts.append("; ".join(self._texts(cell)))
            span = whole(value(cell, "w-tcPr/w-gridSpan"), 1)
            texts.extend([""] * (min(span, SPAN_CAP) - 1))
        return texts

    def _texts(self, parent: Element) -> list[str]:
        """Return the texts of all paragraphs below an element."""
        texts = (
            inline.tidy(self._reader.read(p).text).replace("\n", " ") for p in parent.iter("w-p")
        )
        return [text for text in texts if text]


def _inside(parent: Element, tag: str) -> Iterator[Element]:
    """Yield the rows or cells of a table, those in content controls too."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _inside(child, tag)


def _has_header(table: Element, first: Element) -> bool:
    """Whether the first row names the columns: it says so, or the table's look does."""
    if first.find("w-trPr/w-tblHeader") is not None:
        return True
    look = table.find("w-tblPr/w-tblLook")
    if look is None:
        return False
    if (flag := look.get("w-firstRow")) is not None:
        return flag in ("1", "true", "on")
    bits = look.get("w-val", "")
    return bool(re.fullmatch(r"[0-9A-Fa-f]{1,8}", bits) and int(bits, 16) & 0x20)


def _code_lines(paragraph: Element) -> list[str]:
    lines = [""]
    for part in paragraph.iter():
        if part.tag == "w-t":
            lines[-1] += inline.visible(part.text or "")
        elif part.tag == "w-tab":
            lines[-1] += "\t"
        elif part.tag in ("w-br", "w-cr"):
            lines.append("")
    return lines
