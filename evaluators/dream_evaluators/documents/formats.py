"""Telling what a file is: by its content first, by its name and declared type where both may be."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO

from dream_evaluators.errors import ReportUnreadable

_ADVICE = "Export the report as Markdown, HTML, PDF or DOCX and send that."
# What begins a file of a kind that cannot be read: magic bytes, and what to call it.
_REFUSED = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "an image, audio or video file"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"BM", "a bitmap image"),
    (b"\0\0\0\x18ftyp", "a HEIC image or a video"),
    (b"\0\0\0 ftyp", "a HEIC image or a video"),
    (b"{\\rtf", "an RTF document"),
    (b"\x1f\x8b", "a compressed file"),
    (b"Rar!", "an archive"),
    (b"7z\xbc\xaf", "an archive"),
    (b"BZh", "a compressed file"),
    (b"\xfd7zXZ", "a compressed file"),
    (b"\x28\xb5\x2f\xfd", "a compressed file"),
    (b"SQLite format 3", "a database"),
    (b"%!PS", "a PostScript file"),
    (b"\x7fELF", "a program"),
)
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # OLE: Word before 2007, and encrypted documents
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
# Members that tell what a ZIP file is, and what to call it; the first that is there decides.
_PACKAGES = (
    ("word/document.xml", "docx"),
    ("xl/workbook.xml", "an Excel workbook"),
    ("ppt/presentation.xml", "a PowerPoint presentation"),
    ("META-INF/container.xml", "an EPUB book"),
    ("Index/Document.iwa", "a Pages document"),
    ("Index.zip", "a Pages document"),
    ("content.xml", "an OpenDocument file (.odt)"),
)
MEMBERS_CAP = 5_000  # files in one package; our choice, Word writes fewer than 50
_HTML_DOCUMENT = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--[^>]{0,500}-->\s*){0,9}"
    rb"(?:<!doctype html|<html|<head|<body)",
    re.IGNORECASE,
)
_HTML_FRAGMENT = re.compile(
    rb"\s*<(?:h[1-6]|p|div|article|section|main|table|ul|ol)\b[^<>]{0,500}>", re.IGNORECASE
)
_CLOSING_TAG = re.compile(rb"</(?:h[1-6]|p|div|li|td|article|section)>", re.IGNORECASE)
_MAIL = re.compile(rb"(?:From|Snapshot-Content-Location|Subject|MIME-Version|Date):[^\n]{0,300}\n")
_MARKDOWN = re.compile(
    rb"^#{1,6}[ \t]+\S|\]\((?:https?:|#)|^\|[ :|-]{3,200}\|[ \t\r]*$|\[\^[\w-]{1,20}\]|\*\*\S|^```"
    rb"|^[ \t]{0,3}[-*+][ \t]+\S",
    re.MULTILINE,
)
_NAMES = {
    ".md": "markdown", ".markdown": "markdown", ".mdx": "markdown", ".qmd": "markdown",
    ".html": "html", ".htm": "html", ".xhtml": "html", ".mhtml": "html", ".mht": "html",
}  # fmt: skip
_TYPES = {"text/markdown": "markdown", "text/html": "html", "application/xhtml+xml": "html"}
HEAD = 64 * 1024  # bytes of a text that are looked at


def tell_format(body: bytes, name: str = "", media_type: str = "") -> str:
    """Tell how a body is to be opened: markdown, text, html, pdf or docx.

    Args:
        body: The whole file.
        name: Of the file, for its ending; "" when unknown.
        media_type: As declared by whoever sent it; parameters are ignored.

    Raises:
        ReportUnreadable: Empty, or of a kind that is not read; the text says what to send instead.
    """
    if not body.strip():
        raise ReportUnreadable("The report is empty.")
    head = body[:1_024]
    if b"%PDF-" in head and not _HTML_DOCUMENT.match(body[:HEAD]):
        return "pdf"
    if body.startswith(b"PK\x03\x04"):
        return _package(body)
    if body.startswith(_COMPOUND):
        raise ReportUnreadable(_compound(body))
    for magic, what in _REFUSED:
        if body.startswith(magic) and (b"\0" in head or magic in (b"{\\rtf", b"%!PS")):
            raise ReportUnreadable(f"The file is {what}, not a report that can be read. {_ADVICE}")
    return _told(body[:HEAD], name, media_type)


def _told(head: bytes, name: str, media_type: str) -> str:
    """Tell Markdown, HTML and plain text apart."""
    plain = head.lstrip(b"\xef\xbb\xbf").replace(b"\0", b"")  # UTF-16 of ASCII reads without zeros
    if _HTML_DOCUMENT.match(plain.lstrip(b"\xff\xfe")) or is_mail(plain):
        return "html"
    suffix = re.search(r"\.[a-z]{2,8}$", name.strip().lower())
    told = _NAMES.get(suffix.group() if suffix else "", "") or _TYPES.get(
        media_type.partition(";")[0].strip().lower(), ""
    )
    if told == "markdown":
        return told
    fragment = _HTML_FRAGMENT.match(plain) and len(_CLOSING_TAG.findall(plain)) > 1
    if told == "html" and b"<" in plain:
        return told
    if _MARKDOWN.search(plain):
        return "markdown"
    return "html" if fragment else "text"


def is_mail(head: bytes) -> bool:
    """Whether a file is a page saved as one message (MHTML): headers, then parts."""
    return _MAIL.match(head) is not None and b"multipart/related" in head[:4_000].lower()


def _package(body: bytes) -> str:
    try:
        with zipfile.ZipFile(BytesIO(body)) as package:
            names = package.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise ReportUnreadable(
            f"The file is a damaged ZIP or DOCX ({error}). Send it again, or export it as Markdown."
        ) from error
    if len(names) > MEMBERS_CAP:
        raise ReportUnreadable(f"The file holds {len(names):,} files: an archive. {_ADVICE}")
    present = frozenset(names)
    for member, what in _PACKAGES:
        if member in present:
            if what == "docx":
                return what
            raise ReportUnreadable(f"The file is {what}, which is not read. {_ADVICE}")
    if "[Content_Types].xml" in present and any(name.startswith("word/") for name in names):
        return "docx"
    raise ReportUnreadable(f"The file is a ZIP archive. Send the report in it. {_ADVICE}")


def _compound(body: bytes) -> str:
    if _ENCRYPTED_PACKAGE in body:
        return "The document is encrypted. Save it without a password and send it again."
    return (
        "The file is a Word document of the format before 2007 (.doc), which is not read. "
        "Save it as .docx and send that."
    )
