"""PDF to text, page by page. PDFium is native code and not thread-safe: only in a process."""

from __future__ import annotations

import re
import time
from collections import Counter
from typing import TYPE_CHECKING

from dream_evaluators.injection import ORDERS, instructs
from dream_evaluators.model.source import Outcome
from dream_evaluators.web.bibliography import heads_bibliography, mark_bibliography
from dream_evaluators.web.content import Extract, Piece, assemble, count_words
from dream_evaluators.web.dates import plausible, read_date
from dream_evaluators.web.hygiene import clean, undecodable
from dream_evaluators.web.outcomes import PageSignals

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

MAX_PAGES = 300
MAX_SECONDS = 12.0  # after which the pages read so far are the text
SCANNED = 50  # characters a page: below it, on average, there is no text layer
PAGE_CHARS = 200_000  # of one page
_LINE_HYPHEN = re.compile("[\ufffe\ufffd\x02]\\s*")  # PDFium's mark for a hyphen at a line's end
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_]{2})-\n(?=[a-zà-ÿ]{2})")
_PARAGRAPH_END = re.compile(r"[.!?:;。！？]['\"”’)\]]?$")
_NUMBERED_ENTRY = re.compile(r"^\[\d{1,4}\]\s")
_PDF_DATE = re.compile(r"^D:(\d{4})(\d\d)?(\d\d)?")
_NUMBERED_HEADING = re.compile(
    r"^(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,4}\.|[A-Z]\.)\s+[A-Z][^.]{2,70}$"
)


def read_pdf(body: bytes) -> Extract:
    """Read the text layer of a PDF: at most 300 pages, at most 12 seconds."""
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        document = PdfDocument(body)
    except PdfiumError as error:
        return _unopened(str(error))
    try:
        return _read(document)
    finally:
        document.close()


def _unopened(message: str) -> Extract:
    if "password" in message.lower() or "security" in message.lower():
        return Extract(outcome=Outcome.ENCRYPTED, reason="the PDF asks for a password")
    return Extract(outcome=Outcome.PARSE_FAILED, reason=f"not a readable PDF: {message[:100]}")


def _read(document: PdfDocument) -> Extract:
    pages, flags = _page_texts(document)
    characters = sum(len(page) for page in pages)
    if characters < SCANNED * max(1, len(pages)) and _has_images(document):
        return Extract(
            outcome=Outcome.NO_TEXT_LAYER,
            reason=f"{characters} characters on {len(pages)} pages of images",
        )
    running = running_lines(pages)
    pieces = [
        piece for number, page in enumerate(pages, 1) for piece in paragraphs(page, number, running)
    ]
    if not pieces:
        return Extract(outcome=Outcome.NO_TEXT, reason="the PDF holds neither text nor images")
    mark_bibliography(pieces)
    text, blocks = assemble(pieces)
    if instructs(text):
        flags.append(ORDERS)
    about = document.get_metadata_dict(skip_empty=True)
    published = _date(about.get("CreationDate", ""))
    lost = undecodable(text)
    return Extract(
        text=text,
        blocks=blocks,
        title=" ".join(clean(about.get("Title", "")).split())[:500],
        published=published,
        published_from="pdf" if published else "",
        modified=_date(about.get("ModDate", "")),
        flags=tuple(flags),
        signals=PageSignals(words=count_words(text), text_start=text[:2_000]),
        outcome=Outcome.UNDECODABLE if lost else None,
        reason="over 1 % of the characters have no meaning" if lost else "",
    )


def _page_texts(document: PdfDocument) -> tuple[list[str], list[str]]:
    """Read pages until the end, the page cap or the time-out; what was cut is flagged."""
    from pypdfium2 import PdfiumError

    deadline = time.monotonic() + MAX_SECONDS
    pages: list[str] = []
    flags: list[str] = []
    for number in range(min(len(document), MAX_PAGES)):
        if time.monotonic() > deadline:
            break
        try:
            page = document[number]
            textpage = page.get_textpage()
            pages.append(textpage.get_text_range()[:PAGE_CHARS])
            textpage.close()
            page.close()
        except PdfiumError:
            pages.append("")
            flags = ["unreadable_pages"]
    if len(pages) < len(document):
        flags.append("truncated")
    return pages, flags


def _has_images(document: PdfDocument) -> bool:
    """Whether one of the first pages holds an image."""
    from pypdfium2 import PdfiumError
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    for number in range(min(len(document), 3)):
        try:
            page = document[number]
            found = next(iter(page.get_objects(filter=[FPDF_PAGEOBJ_IMAGE], max_depth=3)), None)
            page.close()
        except PdfiumError:
            continue
        if found:
            return True
    return False


def running_lines(pages: list[str]) -> frozenset[str]:
    """Find the first and last lines that pages have in common, whatever number is in them."""
    found: Counter[str] = Counter()
    for page in pages:
        lines = [line for line in page.splitlines() if line.strip()]
        found.update({_numberless(line) for line in (*lines[:2], *lines[-2:])})
    least = max(3, len(pages) // 3)
    return frozenset(line for line, count in found.items() if count >= least and line)


def _numberless(line: str) -> str:
    return " ".join(re.sub(r"\d{1,9}", "", line).split())


def paragraphs(page: str, number: int, running: frozenset[str] = frozenset()) -> list[Piece]:
    """Split a page into paragraphs; words broken at a line's end are joined.

    Args:
        page: The text of the page, with its line breaks.
        number: Of the page, from 1.
        running: Headers and footers of all pages without their numbers, see `running_lines`.
    """
    text = _BROKEN_WORD.sub("", clean(_LINE_HYPHEN.sub("", page.replace("\r\n", "\n"))))
    lines = [" ".join(line.split()) for line in text.split("\n")]
    longest = max(map(len, lines))
    pieces: list[Piece] = []
    open_lines: list[str] = []

    def close() -> None:
        if open_lines:
            pieces.append(Piece(text=" ".join(open_lines), page=number))
            open_lines.clear()

    for line in lines:
        if kind := _lone(line, running):
            close()
            pieces.append(Piece(text=line, kind=kind, main=kind == "heading", page=number))
        elif line:
            if _NUMBERED_ENTRY.match(line):
                close()
            open_lines.append(line)
        if not line or _ends_paragraph(line, longest):
            close()
    close()
    return pieces


def _lone(line: str, running: frozenset[str]) -> str:
    """Name the kind of a line that stands alone, "" if it is part of a paragraph."""
    if line and _numberless(line) in running:
        return "running_line"
    return "heading" if _NUMBERED_HEADING.match(line) or heads_bibliography(line) else ""


def _ends_paragraph(line: str, longest: int) -> bool:
    """Whether a line is so short that the paragraph ends with it."""
    short = len(line) < 0.7 * longest and _PARAGRAPH_END.search(line) is not None
    return short or len(line) < 0.4 * longest


def _date(value: str) -> str:
    """Read a PDF date (`D:YYYYMMDD…`, ISO 32000 7.9.4) or any other."""
    if match := _PDF_DATE.match(value):
        value = "-".join(part for part in match.groups() if part)
    found = read_date(value)
    return found if plausible(found) else ""
