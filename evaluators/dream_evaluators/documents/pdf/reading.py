"""From the bytes of a PDF to its Markdown."""

from __future__ import annotations

import re
import time
from collections.abc import Container
from typing import TYPE_CHECKING

from dream_evaluators.documents import inline
from dream_evaluators.documents.document import Document
from dream_evaluators.documents.pdf.entries import Entries
from dream_evaluators.documents.pdf.geometry import Line, Run
from dream_evaluators.documents.pdf.order import in_reading_order
from dream_evaluators.documents.pdf.pages import LINE_HYPHEN, read_page
from dream_evaluators.documents.pdf.paragraphs import BULLETS, Paragraph, Reflow, joined, vocabulary
from dream_evaluators.documents.pdf.running import find_running
from dream_evaluators.documents.pdf.tables import Table, find_tables, whole_lines
from dream_evaluators.documents.writing import BlockWriter
from dream_evaluators.errors import ReportUnreadable
from dream_evaluators.report.labels import to_superscript

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

PAGE_CAP = 1_000  # our choice; the longest report seen would fill 300
SECONDS = 50.0  # for all pages
SCANNED = 50  # characters a page: below it, on average, there is no text layer
BOLD_CAP = 160  # characters: a longer paragraph in bold is no heading
_BULLET = re.compile(rf"[{re.escape(BULLETS)}\uf0b7\uf0a7]\s+")
_ORDINAL = re.compile(r"(\d{1,3}[.)]|\[\d{1,4}\])\s+(?=\S)")
_DEPTHS = {"◦": 1, "○": 1, "▪": 2, "■": 2}
_ENTRY_LABEL = re.compile(r"[\[(]?\d{1,4}[\]).]{0,2}\s{0,3}")
_BACK = re.compile(r"[\s↩↑⤴⏎^︎]+")  # the arrow that leads from a note back to the text
_NUMBER = re.compile(r"[\[(]?(\d{1,4})[\])]?")


def read_pdf(body: bytes) -> Document:
    """Read a PDF: paragraphs in reading order, links as links, anchors of pages.

    Raises:
        ReportUnreadable: Damaged, encrypted, scanned, or too long.
    """
    from pypdfium2 import PdfDocument, PdfiumError  # noqa: PLC0415 - start-up

    try:
        document = PdfDocument(body)
    except PdfiumError as error:
        raise ReportUnreadable(_unopened(str(error))) from error
    try:
        pages = _pages(document)
        title = str(document.get_metadata_dict(skip_empty=True).get("Title", ""))
    finally:
        document.close()
    return _Writing(pages).document(title)


def _unopened(message: str) -> str:
    if "password" in message.lower() or "security" in message.lower():
        return "The PDF asks for a password. Save it without one and send it again."
    return f"The PDF is damaged ({message[:100]}). Send it again, or export it as Markdown."


def _pages(document: PdfDocument) -> list[tuple[list[Line], float]]:
    """Read all pages; half a report would be judged as if it were whole, so it is none."""
    from pypdfium2 import PdfiumError  # noqa: PLC0415 - start-up

    if len(document) > PAGE_CAP:
        raise ReportUnreadable(
            f"The PDF has {len(document):,} pages; the limit is {PAGE_CAP:,}. Send it in parts."
        )
    deadline = time.monotonic() + SECONDS
    pages = []
    for number in range(len(document)):
        if time.monotonic() > deadline:
            raise ReportUnreadable(
                f"Reading the PDF took longer than {SECONDS:g} s. Send it in parts."
            )
        try:
            lines, height = read_page(document, number)
        except PdfiumError as error:
            raise ReportUnreadable(
                f"Page {number + 1} of the PDF is damaged. Export the report again."
            ) from error
        pages.append((in_reading_order(lines), height))
    characters = sum(len(line.text) for lines, _ in pages for line in lines)
    if characters < SCANNED * max(1, len(pages)) and (_has_images(document) or not characters):
        raise ReportUnreadable(
            "The PDF holds pictures of pages, and no text. Run text recognition (OCR) over it, "
            "or send the report as Markdown."
        )
    return pages


def _has_images(document: PdfDocument) -> bool:
    """Whether one of the first pages holds an image."""
    from pypdfium2 import PdfiumError  # noqa: PLC0415 - start-up
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE  # noqa: PLC0415 - start-up

    for number in range(min(len(document), 3)):
        try:
            page = document[number]
            if next(iter(page.get_objects(filter=[FPDF_PAGEOBJ_IMAGE], max_depth=3)), None):
                return True
        except PdfiumError:
            continue
    return False


class _Writing:
    """Writes the pages of one document."""

    def __init__(self, pages: list[tuple[list[Line], float]]) -> None:
        self._running = find_running(pages) if len(pages) > 1 else {}
        self._pages = [
            [line for line in lines if id(line) not in self._running] for lines, _ in pages
        ]
        self._words = vocabulary([line for page in self._pages for line in page])
        text, tables = _without_tables(self._pages)
        self._reflow = Reflow(text, tables)
        self._entries = Entries(text, self._reflow)
        self._writer = BlockWriter()
        self._page = -1  # the newest page with an anchor

    def document(self, title: str) -> Document:
        """Write everything."""
        repeated = sorted({text for text in self._running.values() if text})
        if repeated:
            self._writer.verbatim(
                inline.comment(f"On most pages (numbers as #): {' | '.join(repeated)}")
            )
        for paragraph in self._reflow.paragraphs():
            self._write(paragraph)
        return self._writer.document("pdf", title)

    def _write(self, paragraph: Paragraph) -> None:
        if paragraph.table is not None:
            self._write_table(paragraph.table)
            return
        parts = self._parts(paragraph.lines, paragraph.breaks)
        text = "".join(part for _, part in parts).strip()
        if not text:
            return
        start = self._block(paragraph, text)
        lead = len(self._writer) - start - len(text)  # a marker before it, or an escape
        offset = start + max(0, lead)
        for number, (page, part) in enumerate(parts):
            if page > self._page:
                self._page = page
                self._writer.anchor(offset if number else start, "page", str(page + 1))
            offset += len(part)

    def _block(self, paragraph: Paragraph, text: str) -> int:
        """Write a paragraph as what it is and return where it begins."""
        if label := self._entries.given.get(id(paragraph.lines[0])):
            return self._writer.item(f"[{label}]:", _ENTRY_LABEL.sub("", text, count=1))
        if paragraph.level:
            return self._writer.heading(paragraph.level, text)
        if bullet := _BULLET.match(text):
            depth = _DEPTHS.get(text[0], 0)
            return self._writer.item("-", text[bullet.end() :], depth)
        if paragraph.bold and len(text) <= BOLD_CAP and "*" not in text and "](" not in text:
            return self._writer.verbatim(f"**{text}**")
        if ordinal := _ORDINAL.match(text):
            return self._writer.item(ordinal.group(1), text[ordinal.end() :])
        return self._writer.paragraph(text)

    # --- inside paragraphs ------------------------------------------------------------------------

    def _write_table(self, table: Table) -> None:
        rows = [
            ["".join(part for _, part in self._parts(cell)) for cell in row] for row in table.rows
        ]
        start = self._writer.table(rows, header=table.header)
        page = table.rows[0][0][0].page
        if page > self._page:
            self._page = page
            self._writer.anchor(start, "page", str(page + 1))

    def _parts(self, lines: list[Line], breaks: Container[int] = ()) -> list[tuple[int, str]]:
        """Return (page, Markdown) of the stretches of some lines; a link is never cut."""
        pieces = joined(lines, self._words, breaks)
        runs = [(page, run) for page, runs in pieces for run in runs]
        parts: list[tuple[int, str]] = []
        written: list[str] = []
        for page, run in _merged(runs):
            markdown = self._run(run, written)
            written.append(markdown)
            parts.append((page, markdown))
        return parts

    def _run(self, run: Run, before: list[str]) -> str:
        if run.text == "\n":
            return "\n"
        text = inline.escape(inline.collapse(_hyphenated(run.text)))
        if run.link is not None and run.link.url:
            return inline.link(text, run.link.url)
        if run.link is not None and _BACK.fullmatch(text):
            return ""
        number = _NUMBER.fullmatch(text.strip())
        if run.link is not None and number:
            label = self._entries.label(run.link, number.group(1))
            if label:
                bare = label.isdigit() and inline.is_in_brackets("".join(before[-6:]))
                return label if bare else f"[{label}]"
        digits = re.sub(r"[,\s–-]", "", text)
        if run.raised and digits.isdecimal() and digits.isascii():
            return to_superscript(text).replace(",", "˒")
        return text


def _without_tables(pages: list[list[Line]]) -> tuple[list[Line], dict[int, list[Table]]]:
    """Part text from tables.

    Returns:
        The lines of the text, and the tables by the number of the line that they stand before.
    """
    text: list[Line] = []
    tables: dict[int, list[Table]] = {}
    for lines in pages:
        at = 0
        for table in find_tables(lines):
            text.extend(whole_lines(lines[at : table.start]))
            tables.setdefault(len(text), []).append(table)
            at = table.end
        text.extend(whole_lines(lines[at:]))
    return text, tables


def _merged(runs: list[tuple[int, Run]]) -> list[tuple[int, Run]]:
    """Put the runs of a link together again that lines or quads have cut."""
    merged: list[tuple[int, Run]] = []
    for page, run in runs:
        last = merged[-1][1] if merged else None
        lines = run.text == "\n" or (last is not None and last.text == "\n")
        if (
            last is not None
            and not lines
            and last.raised == run.raised
            and _target(last) == _target(run)
        ):
            merged[-1] = (merged[-1][0], Run(last.text + run.text, last.link, last.raised))
            # Text without links may begin a page: its own part keeps the place.
            if run.link is None and page != merged[-1][0]:
                merged[-1] = (merged[-1][0], last)
                merged.append((page, run))
        else:
            merged.append((page, run))
    return merged


def _hyphenated(text: str) -> str:
    """Write the hyphen at a line's end, and drop those that only allow a break."""
    text = text.rstrip(LINE_HYPHEN) + "-" if text.endswith(LINE_HYPHEN) else text
    return text.replace(LINE_HYPHEN, "")


def _target(run: Run) -> tuple[str, int, float]:
    link = run.link
    return (link.url, link.page, link.height) if link is not None else ("", -1, -1.0)
