"""Telling formats apart, and saying what to do about those that are not read."""

from __future__ import annotations

import pytest

from dream_evaluators.documents import open_document
from dream_evaluators.documents.formats import MEMBERS_CAP
from dream_evaluators.documents.opening import BODY_CAP
from dream_evaluators.errors import ReportUnreadable
from tests.evaluators.documents.docx_files import make_zip

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500


@pytest.mark.parametrize(
    ("body", "name", "media_type", "format"),
    [
        (b"# Title\n\nText.", "", "", "markdown"),
        (b"Plain words only.", "", "", "text"),
        (b"Plain words only.", "report.md", "", "markdown"),
        (b"Plain words only.", "", "text/markdown; charset=utf-8", "markdown"),
        (b"<p>One.</p><p>Two.</p>", "", "", "html"),
        (b"<p>One.", "saved.HTM", "", "html"),
        (b"<p>One.", "", "text/html; charset=utf-8", "html"),
        (b"No tag in it.", "odd.html", "", "text"),
        (b"<!DOCTYPE html><p>x", "report.md", "", "html"),
        (b"<!-- saved --><html><body>x", "", "", "html"),
        (b'<div align="center">\n\n# Title\n\n</div> </div>', "", "", "markdown"),
        (b'<p align="center">a</p><p>b</p>', "README.md", "", "markdown"),
        (b"\xef\xbb\xbf<html><p>x</html>", "", "", "html"),
        ("<html><p>Größe".encode("utf-16"), "", "", "html"),
        (b"2 < 3 and [1] says so.", "", "", "text"),
    ],
)
def test_content_decides_before_name_and_type(
    body: bytes, name: str, media_type: str, format: str
) -> None:
    assert open_document(body, name=name, media_type=media_type).format == format


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "empty"),
        (b" \n\t ", "empty"),
        (b"\x89PNG\r\n\x1a\n\0\0", "PNG image"),
        (b"\xff\xd8\xff\xe0\0\x10", "JPEG"),
        (b"{\\rtf1 text}", "RTF"),
        (b"\x1f\x8b\x08\0\0", "compressed"),
        (b"Rar!\x1a\x07\0", "archive"),
        (OLE, r"\.docx"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        (make_zip({"mimetype": "x", "content.xml": "<a/>"}), "OpenDocument"),
        (make_zip({"META-INF/container.xml": "<a/>"}), "EPUB"),
        (make_zip({"Index/Document.iwa": "x"}), "Pages"),
        (make_zip({"xl/workbook.xml": "<a/>"}), "Excel"),
        (make_zip({"ppt/presentation.xml": "<a/>"}), "PowerPoint"),
        (make_zip({"report.md": "# x"}), "ZIP archive"),
        (b"PK\x03\x04 and nothing more", "damaged ZIP"),
        (b"\0\1\2\3 binary", "binary"),
    ],
)
def test_a_file_that_is_not_read_says_what_it_is(body: bytes, says: str) -> None:
    with pytest.raises(ReportUnreadable, match=says):
        open_document(body)


def test_limits_on_size_and_members_are_told() -> None:
    with pytest.raises(ReportUnreadable, match="limit"):
        open_document(b"x" * (BODY_CAP + 1))
    many = make_zip({f"{number}": "" for number in range(MEMBERS_CAP + 1)})
    with pytest.raises(ReportUnreadable, match="archive"):
        open_document(many)


def test_text_that_only_begins_like_an_image_is_text() -> None:
    assert open_document(b"BM is the ticker of a company. RIFF is not.").format == "text"


def test_a_page_saved_as_one_message_is_read() -> None:
    message = (
        b"From: <Saved by a browser>\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n'
        b"--b\r\nContent-Type: image/png\r\n\r\nx\r\n"
        b"--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        b"<html><p>Cars grew by 5 =25 in 2024 <a href=3D'https://a.test/1'>1</a>.</p></html>\r\n--b--"
    )
    document = open_document(message)
    assert document.format == "html"
    assert document.text == "Cars grew by 5 % in 2024 [1](https://a.test/1).\n"


def test_a_saved_message_without_a_page_is_refused() -> None:
    message = (
        b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n"
        b"--b\r\nContent-Type: image/png\r\n\r\nx\r\n--b--"
    )
    with pytest.raises(ReportUnreadable, match="no HTML"):
        open_document(message)


def test_the_name_of_a_zip_that_only_has_word_parts_is_docx() -> None:
    body = make_zip({"[Content_Types].xml": "<a/>", "word/other.xml": "<a/>"})
    with pytest.raises(ReportUnreadable, match="main part"):
        open_document(body)
