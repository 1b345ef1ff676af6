"""PDF files of our own making: the smallest that a reader accepts."""

from __future__ import annotations

from tests.evaluators.documents.pdf_files import write_objects


def make_pdf(
    pages: list[list[str]], *, info: dict[str, str] | None = None, image: bool = False
) -> bytes:
    """Write a PDF 1.4 file: a page for each list of lines, and an image on each if wanted."""
    objects: list[bytes] = [b"", b"", _FONT]
    kids = [_page(objects, lines, image=image) for lines in pages]
    objects[0] = b"<</Type/Catalog/Pages 2 0 R>>"
    objects[1] = b"<</Type/Pages/Kids[%s]/Count %d>>" % (b" ".join(kids), len(kids))
    trailer = b"/Root 1 0 R"
    if info:
        objects.append(b"<<%s>>" % b"".join(f"/{k}({v})".encode() for k, v in info.items()))
        trailer += b"/Info %d 0 R" % len(objects)
    return write_objects(objects, trailer)


_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
_PIXEL = (
    b"<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8"
    b"/Length 1>>stream\n\x80\nendstream"
)


def _page(objects: list[bytes], lines: list[str], *, image: bool) -> bytes:
    shown = b"".join(b"(%s) Tj T* " % _escaped(line) for line in lines)
    content = b"BT /F1 11 Tf 14 TL 50 760 Td " + shown + b"ET"
    resources = b"/Font<</F1 3 0 R>>"
    if image:
        objects.append(_PIXEL)
        content += b" q 500 0 0 700 50 50 cm /I1 Do Q"
        resources += b"/XObject<</I1 %d 0 R>>" % len(objects)
    objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(content), content))
    objects.append(
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<<%s>>/Contents %d 0 R>>"
        % (resources, len(objects))
    )
    return b"%d 0 R" % len(objects)


def _escaped(line: str) -> bytes:
    encoded = line.encode("cp1252")
    return encoded.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
