"""PDF files of our own making: lines of text at places, links over them, two fonts."""

from __future__ import annotations

from dataclasses import dataclass, field

WIDTH, HEIGHT = 612.0, 792.0
ADVANCE = 0.6  # Courier: every character is 0.6 of its size wide


@dataclass
class Page:
    """One page; y counts from the foot."""

    shown: list[bytes] = field(default_factory=list)
    links: list[tuple[tuple[float, float, float, float], str]] = field(default_factory=list)
    image: bool = False

    def text(self, x: float, y: float, text: str, *, size: float = 10, bold: bool = False) -> float:
        """Show a text and return where it ends."""
        written = text.encode("cp1252").replace(b"\\", rb"\\")
        written = written.replace(b"(", rb"\(").replace(b")", rb"\)")
        font = b"F2" if bold else b"F1"
        self.shown.append(b"BT /%s %g Tf %g %g Td (%s) Tj ET" % (font, size, x, y, written))
        return x + len(text) * size * ADVANCE

    def link(self, x: float, y: float, end: float, target: str, *, size: float = 10) -> None:
        """Lay a link over a stretch: an address, or a place in the file.

        A place is "page:y", or "act page:y" for a jump by an action; "quads " before an address
        writes quad points too.
        """
        self.links.append(((x, y - 0.2 * size, end, y + 0.8 * size), target))


def make_pdf(pages: list[Page], *, title: str = "", encrypted: bool = False) -> bytes:
    """Write a PDF 1.4 file."""
    objects = [b"", b"", _font(b"Courier"), _font(b"Courier-Bold"), _PIXEL]
    numbers = [
        len(objects) + 1 + sum(2 + len(p.links) for p in pages[:i]) for i in range(len(pages))
    ]
    for page, number in zip(pages, numbers, strict=True):
        content = b"\n".join(page.shown)
        if page.image:
            content += b" q 500 0 0 700 50 50 cm /I1 Do Q"
        annotations = b" ".join(b"%d 0 R" % (number + 2 + i) for i in range(len(page.links)))
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %g %g]/Resources<</Font<</F1 3 0 R/F2 4 0 R>>"
            b"/XObject<</I1 5 0 R>>>>/Contents %d 0 R/Annots[%s]>>"
            % (WIDTH, HEIGHT, number + 1, annotations)
        )
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(content), content))
        objects.extend(_annotation(box, target, numbers) for box, target in page.links)
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    objects[0] = b"<</Type/Catalog/Pages 2 0 R>>"
    objects[1] = b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, len(pages))
    trailer = b"/Root 1 0 R"
    if title:
        objects.append(b"<</Title(%s)>>" % title.encode("ascii"))
        trailer += b"/Info %d 0 R" % len(objects)
    if encrypted:
        trailer += b"/Encrypt<</Filter/Standard/V 1/R 2/P -44/O<%s>/U<%s>>>/ID[<%s><%s>]" % (
            b"41" * 32,
            b"42" * 32,
            b"43" * 16,
            b"43" * 16,
        )
    return write_objects(objects, trailer)


def _font(name: bytes) -> bytes:
    return b"<</Type/Font/Subtype/Type1/BaseFont/%s/Encoding/WinAnsiEncoding>>" % name


_PIXEL = (
    b"<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8"
    b"/Length 1>>stream\n\x80\nendstream"
)


def _annotation(box: tuple[float, float, float, float], target: str, pages: list[int]) -> bytes:
    head = b"<</Type/Annot/Subtype/Link/Border[0 0 0]/Rect[%g %g %g %g]" % box
    if target.startswith("quads "):  # a box over all of it, a quad over each line
        target = target.removeprefix("quads ")
        left, bottom, right, top = box
        quad = (left, top, right, top, left, bottom, right, bottom)
        head = head.replace(b"/Rect[", b"/QuadPoints[" + b"%g " * 8 % quad + b"]/Rect[")
    form = b"/A<</S/GoTo/D[%d 0 R/XYZ 0 %s 0]>>>>"
    if not target.startswith("act "):
        form = b"/Dest[%d 0 R/XYZ 0 %s 0]>>"
    page, colon, height = target.removeprefix("act ").partition(":")
    if page.isdigit() and colon:
        return head + form % (pages[int(page)], height.encode())
    escaped = target.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode()
    return head + b"/A<</S/URI/URI(%s)>>>>" % escaped


def write_objects(objects: list[bytes], trailer: bytes) -> bytes:
    """Write objects, numbered from 1, with their table."""
    out = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d%s>>\nstartxref\n%d\n%%%%EOF\n"
        % (size, table, size, trailer, len(out))
    )
