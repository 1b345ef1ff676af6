"""Reading one page through PDFium: its glyphs with their boxes, and its link annotations.

PDFium is native code and not thread-safe: servers read PDFs in a process only.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from dream_evaluators.documents import inline
from dream_evaluators.documents.pdf.geometry import Glyph, Line, Link

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

GLYPH_CAP = 200_000  # of one page
LINK_CAP = 2_000  # of one page
CELL_GAP = 0.8  # of the font's height: a wider gap parts columns or cells
BOLD_WEIGHT = 600  # from here on a font is bold (OpenType usWeightClass)
_HYPHENS = ("\x02", "\ufffe", "\u00ad")  # PDFium's marks for a hyphen at a line's end
LINE_HYPHEN = "\u00ad"
_URL_BYTES = 8_192


def read_page(document: PdfDocument, number: int) -> tuple[list[Line], float]:
    """Read the lines of a page in the order in which the file shows them.

    Returns:
        The lines with their links, and the page's height in points.

    Raises:
        PdfiumError: The page cannot be loaded.
    """
    page = document[number]
    try:
        lines = _lines(page, number)
        _lay_links(lines, _links(document, page))
        return lines, float(page.get_height())
    finally:
        page.close()


def _lines(page: PdfPage, number: int) -> list[Line]:
    textpage = page.get_textpage()
    try:
        lines = []
        for glyphs in _merged(_segments(_glyphs(textpage))):
            line = Line(glyphs, number)
            line.measure()
            line.bold = _is_bold(textpage, glyphs)
            lines.append(line)
        return lines
    finally:
        textpage.close()


def _glyphs(textpage: object) -> list[Glyph]:
    """Read all characters; a line's end is a line feed without a place."""
    import pypdfium2.raw as raw  # noqa: PLC0415 - start-up

    box = raw.FS_RECTF()
    place = ctypes.byref(box)
    found: list[Glyph] = []
    for index in range(min(raw.FPDFText_CountChars(textpage), GLYPH_CAP)):
        code = raw.FPDFText_GetUnicode(textpage, index)
        if code in (10, 13):
            found.append(Glyph("\n", 0, 0, 0, 0))
            continue
        char = chr(code) if 0 < code < 0x110000 else "\ufffd"
        char = LINE_HYPHEN if char in _HYPHENS else char
        if char != LINE_HYPHEN and not inline.visible(char):
            continue
        if not raw.FPDFText_GetLooseCharBox(textpage, index, place):
            box.left = box.bottom = box.right = box.top = 0
        low, high = min(box.bottom, box.top), max(box.bottom, box.top)
        found.append(Glyph(char, box.left, low, box.right, high, index))
    return found


def _segments(glyphs: list[Glyph]) -> list[list[Glyph]]:
    """Cut the stream of glyphs where a line ends, jumps, or leaves a wide gap."""
    segments: list[list[Glyph]] = []
    last: Glyph | None = None  # the newest glyph with a shape
    for glyph in glyphs:
        if glyph.char == "\n":
            last = None
            continue
        blank = glyph.char.isspace()
        if last is None or (not blank and _is_apart(last, glyph)):
            if blank:
                continue
            segments.append([glyph])
        else:
            segments[-1].append(glyph)
        if not blank and (glyph.top > glyph.bottom or last is None):
            last = glyph
    return segments


def _is_apart(last: Glyph, glyph: Glyph) -> bool:
    height = max(last.top - last.bottom, glyph.top - glyph.bottom)
    if height <= 0 or glyph.top <= glyph.bottom:
        return False
    middle = (glyph.top + glyph.bottom) / 2
    if not last.bottom - 0.3 * height <= middle <= last.top + 0.3 * height:
        return True
    gap = glyph.left - last.right
    return gap > CELL_GAP * height or gap < -2.5 * height


def _merged(segments: list[list[Glyph]]) -> list[list[Glyph]]:
    """Put segments together that stand beside each other: a superscript may have parted them."""
    merged: list[list[Glyph]] = []
    for glyphs in segments:
        if merged and _continues(merged[-1], glyphs):
            before = merged[-1]
            height = max(before[-1].top - before[-1].bottom, glyphs[0].top - glyphs[0].bottom)
            if glyphs[0].left - _inked(before).right > 0.15 * height:
                edge = _inked(before)
                before.append(Glyph(" ", edge.right, edge.bottom, edge.right, edge.top))
            before.extend(glyphs)
        else:
            merged.append(glyphs)
    return merged


def _inked(glyphs: list[Glyph]) -> Glyph:
    return next((g for g in reversed(glyphs) if not g.char.isspace()), glyphs[-1])


def _continues(before: list[Glyph], after: list[Glyph]) -> bool:
    edge, first = _inked(before), after[0]
    heights = sorted((edge.top - edge.bottom, first.top - first.bottom))
    overlap = min(edge.top, first.top) - max(edge.bottom, first.bottom)
    gap = first.left - edge.right
    near = -0.2 * heights[1] <= gap <= (0.6 if heights[0] > 0.9 * heights[1] else 0.5) * heights[1]
    return near and overlap > 0.5 * heights[0]


def _is_bold(textpage: object, glyphs: list[Glyph]) -> bool:
    """Whether a line is bold from its first to its last letter, by its fonts' weight or name."""
    letters = [glyph.index for glyph in glyphs if glyph.char.isalnum() and glyph.index >= 0]
    if not letters:
        return False
    looked_at = {letters[0], letters[len(letters) // 2], letters[-1]}
    return all(_has_bold_font(textpage, index) for index in looked_at)


def _has_bold_font(textpage: object, index: int) -> bool:
    import pypdfium2.raw as raw  # noqa: PLC0415 - start-up

    if raw.FPDFText_GetFontWeight(textpage, index) >= BOLD_WEIGHT:
        return True
    buffer, flags = ctypes.create_string_buffer(256), ctypes.c_int()
    length = raw.FPDFText_GetFontInfo(textpage, index, buffer, 256, ctypes.byref(flags))
    return 0 < length <= 256 and b"bold" in buffer.value.lower()


# --- links ----------------------------------------------------------------------------------------


def _links(document: PdfDocument, page: PdfPage) -> list[Link]:
    """Read the link annotations that lead to an address or to a place in the file."""
    import pypdfium2.raw as raw  # noqa: PLC0415 - start-up

    links: list[Link] = []
    position, handle = ctypes.c_int(0), raw.FPDF_LINK()
    for _ in range(LINK_CAP):
        if not raw.FPDFLink_Enumerate(page, ctypes.byref(position), ctypes.byref(handle)):
            break
        target = _target(document, handle)
        if target is not None:
            links.extend(
                Link(*box, url=target[0], page=target[1], height=target[2])
                for box in _boxes(handle)
            )
    return links


def _boxes(handle: object) -> list[tuple[float, float, float, float]]:
    """Return (left, bottom, right, top) of each line that a link lies over."""
    import pypdfium2.raw as raw  # noqa: PLC0415 - start-up

    boxes = []
    quad = raw.FS_QUADPOINTSF()
    for number in range(min(100, raw.FPDFLink_CountQuadPoints(handle))):
        if raw.FPDFLink_GetQuadPoints(handle, number, ctypes.byref(quad)):
            xs, ys = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            boxes.append((min(xs), min(ys), max(xs), max(ys)))
    rect = raw.FS_RECTF()
    if not boxes and raw.FPDFLink_GetAnnotRect(handle, ctypes.byref(rect)):
        low, high = sorted((rect.bottom, rect.top))
        boxes.append((rect.left, low, rect.right, high))
    return boxes


def _target(document: PdfDocument, handle: object) -> tuple[str, int, float] | None:
    """Return (address, page, height) of where a link leads, None for nowhere we can name."""
    import pypdfium2.raw as raw  # noqa: PLC0415 - start-up

    action = raw.FPDFLink_GetAction(handle)
    kind = raw.FPDFAction_GetType(action) if action else 0
    if kind == raw.PDFACTION_URI:
        buffer = ctypes.create_string_buffer(_URL_BYTES)
        length = raw.FPDFAction_GetURIPath(document, action, buffer, _URL_BYTES)
        url = buffer.value.decode("utf-8", "replace") if 0 < length <= _URL_BYTES else ""
        url = inline.address(url)
        return (url, -1, -1.0) if url else None
    place = raw.FPDFLink_GetDest(document, handle)
    if not place and kind == raw.PDFACTION_GOTO:
        place = raw.FPDFAction_GetDest(document, action)
    number = raw.FPDFDest_GetDestPageIndex(document, place) if place else -1
    return ("", number, _height(place)) if number >= 0 else None


def _height(place: object) -> float:
    import pypdfium2.raw as raw  # noqa: PLC0415 - start-up

    has = [ctypes.c_int() for _ in range(3)]
    at = [ctypes.c_float() for _ in range(3)]
    known, values = map(ctypes.byref, has), map(ctypes.byref, at)
    found = raw.FPDFDest_GetLocationInPage(place, *known, *values)
    return float(at[1].value) if found and has[1].value else -1.0


def _lay_links(lines: list[Line], links: list[Link]) -> None:
    """Give every glyph its link, and links over pictures to the line beside them."""
    for link in links:
        covered = False
        for line in lines:
            if line.top < link.bottom or line.bottom > link.top:
                continue
            for glyph in line.glyphs:
                middle = (glyph.left + glyph.right) / 2, (glyph.bottom + glyph.top) / 2
                if link.covers(*middle) and not glyph.char.isspace():
                    glyph.link, covered = link, True
        if not covered and link.url and lines:
            _nearest(lines, link).lone.append(link)


def _nearest(lines: list[Line], link: Link) -> Line:
    """Return the line that ends nearest before a link, on its height if there is one."""
    height = (link.top + link.bottom) / 2

    def distance(line: Line) -> float:
        apart = abs((line.top + line.bottom) / 2 - height)
        return 10 * apart + abs(line.right - link.left)

    return min(lines, key=distance)
