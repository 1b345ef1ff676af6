"""From the bytes of a report in any format to its document."""

from __future__ import annotations

from collections.abc import Callable

from dream_evaluators.documents.document import Document
from dream_evaluators.documents.formats import tell_format
from dream_evaluators.errors import ReportUnreadable
from dream_evaluators.report import decode_report

BODY_CAP = 50 * 1024 * 1024  # bytes of a file; our choice, PDFs with many figures reach 30 MB
TEXT_CAP = 20 * 1024 * 1024  # characters of its text; as for plain reports


def open_document(body: bytes, *, name: str = "", media_type: str = "") -> Document:
    """Open a report: Markdown, plain text, HTML, PDF or DOCX.

    Synchronous. PDF and DOCX can take a minute and PDFium is native code that is not thread-safe:
    servers use `open_document_safely`.

    Args:
        body: The whole file, at most 50 MB; texts at most 20 MB.
        name: Of the file; its ending decides where the content does not.
        media_type: As declared by the sender.

    Raises:
        ReportUnreadable: Empty, too large, encrypted, scanned, damaged, or of another kind.
    """
    return read_as(body, checked_format(body, name, media_type))


def checked_format(body: bytes, name: str, media_type: str) -> str:
    """Tell the format of a body that is not too large.

    Raises:
        ReportUnreadable: Too large, empty, or of a kind that is not read.
    """
    if len(body) > BODY_CAP:
        raise ReportUnreadable(
            f"The file has {len(body):,} bytes; the limit is {BODY_CAP:,}. "
            "Export the report as Markdown, or send it in parts."
        )
    return tell_format(body, name, media_type)


def read_as(body: bytes, format: str) -> Document:
    """Read a body of a known format.

    Raises:
        ReportUnreadable: It cannot be read, or its text is too long.
    """
    try:
        document = _READERS[format](body)
    except (MemoryError, RecursionError) as error:
        raise ReportUnreadable(
            f"The {format} file is too complex to be read. Export the report as Markdown."
        ) from error
    if len(document.text) > TEXT_CAP:
        raise ReportUnreadable(
            f"The report has {len(document.text):,} characters; the limit is {TEXT_CAP:,}. "
            "Send it in parts."
        )
    return document


def _read_html(body: bytes) -> Document:
    from dream_evaluators.documents.html import read_html  # noqa: PLC0415 - start-up
    from dream_evaluators.documents.mail import unpack_page  # noqa: PLC0415 - start-up

    return read_html(unpack_page(body))


def _read_pdf(body: bytes) -> Document:
    from dream_evaluators.documents.pdf import read_pdf  # noqa: PLC0415 - start-up

    return read_pdf(body)


def _read_docx(body: bytes) -> Document:
    from dream_evaluators.documents.docx import read_docx  # noqa: PLC0415 - start-up

    return read_docx(body)


_READERS: dict[str, Callable[[bytes], Document]] = {
    "markdown": lambda body: Document(decode_report(body), "markdown"),
    "text": lambda body: Document(decode_report(body), "text"),
    "html": _read_html,
    "pdf": _read_pdf,
    "docx": _read_docx,
}
