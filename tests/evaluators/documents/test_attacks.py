"""Hostile files: refused or read within bounds, never hanging, never taking the caller down."""

from __future__ import annotations

import os
import sys
import time
import zipfile
from contextlib import suppress
from io import BytesIO

import anyio
import pytest

from dream_evaluators.documents import (
    Document,
    confinement,
    open_document,
    open_document_safely,
    opening,
)
from dream_evaluators.errors import ReportUnreadable
from tests.evaluators.documents import manuscript
from tests.evaluators.documents.docx_files import make_docx, make_zip, paragraph
from tests.evaluators.documents.pdf_files import Page, make_pdf

DOCUMENT = "word/document.xml"
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def with_main(xml: str | bytes) -> bytes:
    return make_docx(parts={DOCUMENT: xml})


LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(10))
    + f"]><w:document {W}><w:body><w:p><w:r><w:t>&k;</w:t></w:r></w:p></w:body></w:document>"
)
EXTERNAL = (
    '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    f"<w:document {W}><w:body><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>"
)


@pytest.mark.parametrize("xml", [LAUGHS, EXTERNAL, LAUGHS.encode("utf-16")])
def test_document_types_are_refused_before_any_entity(xml: str | bytes) -> None:
    with pytest.raises(ReportUnreadable, match="document type"):
        open_document(with_main(xml))


def test_unknown_entities_and_broken_xml_are_damage() -> None:
    for xml in ("<a>&nothing;</a>", "<a><b></a>", "not xml", "", "\x00"):
        with pytest.raises(ReportUnreadable, match="damaged"):
            open_document(with_main(xml))


def test_a_zip_bomb_is_not_unpacked() -> None:
    bomb = f"<w:document {W}><w:body>" + " " * 30_000_000
    with pytest.raises(ReportUnreadable, match="unpacks to"):
        open_document(with_main(bomb))


def test_a_size_that_lies_is_not_believed() -> None:
    body = make_docx(paragraph("text " * 1_000), compression=zipfile.ZIP_DEFLATED)
    size = len(zipfile.ZipFile(BytesIO(body)).read(DOCUMENT))
    lying = body.replace(size.to_bytes(4, "little"), (50).to_bytes(4, "little"))
    assert lying != body
    with pytest.raises(ReportUnreadable, match="damaged"):
        open_document(lying)


@pytest.mark.parametrize(
    "target", ["../../../../etc/passwd", "/etc/passwd", "..\\..\\x", "file:///etc/passwd", "."]
)
def test_paths_out_of_the_package_lead_nowhere(target: str) -> None:
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="a" Type="x/officeDocument" Target="{target}"/></Relationships>'
    )
    body = make_docx(paragraph("inside"), parts={"_rels/.rels": rels, "../evil": "x"})
    assert open_document(body).text == "inside\n"


def test_an_encrypted_member_is_refused() -> None:
    body = bytearray(make_docx(paragraph("x")))
    at = 0
    while (at := body.find(b"PK\x01\x02", at)) >= 0:  # the flag in every directory entry
        body[at + 8] |= 1
        at += 4
    with pytest.raises(ReportUnreadable, match="encrypted"):
        open_document(bytes(body))


def test_nesting_beyond_reason_is_refused() -> None:
    deep = f"<w:document {W}><w:body>" + "<w:sdt>" * 5_000 + "</w:sdt>" * 5_000
    with pytest.raises(ReportUnreadable, match="nested"):
        open_document(with_main(deep + "</w:body></w:document>"))


def test_text_boxes_in_text_boxes_are_read_in_linear_time() -> None:
    inner = "<w:p><w:r><w:t>deepest</w:t></w:r></w:p>"
    for _ in range(35):
        inner = (
            f"<w:p><w:r><w:drawing><w:txbxContent>{inner}</w:txbxContent></w:drawing></w:r></w:p>"
        )
    started = time.process_time()
    assert open_document(make_docx(inner)).text == "deepest\n"
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 200_000,
        "<b>" * 300_000,
        "<p " + "a=1 " * 250_000 + ">x",
        "<ul><li>" * 100_000,
    ],
)
def test_a_megabyte_of_nested_html_is_refused_at_once(html: str) -> None:
    started = time.process_time()
    with pytest.raises(ReportUnreadable, match="no readable HTML"):
        open_document(b"<html>" + html.encode())
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "html",
    [
        "<p>" * 300_000 + "x",
        "<" * 1_000_000 + "x",
        "<a href='#x'>1</a>" * 50_000,
        "<li id=x>x" * 100_000,
        "<!--" * 250_000,
        "<table><tr><td>x" * 20,
        "&amp;" * 200_000,
        "<p>" + "word " * 200_000,
    ],
)
def test_a_megabyte_of_flat_html_is_read_in_bounded_time(html: str) -> None:
    started = time.process_time()
    with suppress(ReportUnreadable):
        open_document(b"<html><p>start</p>" + html.encode())
    assert time.process_time() - started < 10


@pytest.mark.anyio
async def test_everything_opens_off_the_event_loop_too() -> None:
    for form in (manuscript.as_html(), manuscript.as_docx(), manuscript.as_pdf(), b"# Text"):
        assert await open_document_safely(form) == open_document(form)


@pytest.mark.anyio
async def test_errors_come_back_from_the_process_with_their_text() -> None:
    with pytest.raises(ReportUnreadable, match="damaged"):
        await open_document_safely(b"%PDF-1.4 nothing")
    with pytest.raises(ReportUnreadable, match="document type"):
        await open_document_safely(with_main(LAUGHS))
    with pytest.raises(ReportUnreadable, match="empty"):
        await open_document_safely(b"")


@pytest.mark.anyio
async def test_a_large_page_is_read_in_a_process() -> None:
    html = b"<html>" + b"<p>x</p>" * 50_000
    assert (await open_document_safely(html)).text.count("x") == 50_000


def test_memory_is_limited_only_where_it_is_not_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource", reason="limits on memory are not Windows's")
    limits = []
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limit: limits.append(limit))
    for soft in (resource.RLIM_INFINITY, confinement.MEMORY + 1, confinement.MEMORY):
        monkeypatch.setattr(resource, "getrlimit", lambda kind, soft=soft: (soft, soft))
        assert confinement.read_confined(b"# Text", "markdown").text == "# Text"
    assert [limit[0] for limit in limits] == [confinement.MEMORY] * 2


def test_without_limits_on_memory_reading_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    assert confinement.read_confined(b"# Text", "markdown").text == "# Text"


@pytest.mark.parametrize("error", [MemoryError, RecursionError])
def test_what_is_too_complex_is_refused(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: bytes) -> Document:
        raise error

    monkeypatch.setitem(opening._READERS, "text", fail)
    with pytest.raises(ReportUnreadable, match="too complex"):
        open_document(b"text")


def test_a_text_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "TEXT_CAP", 3)
    with pytest.raises(ReportUnreadable, match="limit is 3"):
        open_document(b"text")


def hang(body: bytes, format: str) -> None:
    time.sleep(60)


def die(body: bytes, format: str) -> None:
    os._exit(1)


@pytest.mark.anyio
async def test_a_reader_that_hangs_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confinement, "SECONDS", 0.5)
    monkeypatch.setattr(confinement, "read_confined", hang)
    with anyio.fail_after(20):
        with pytest.raises(ReportUnreadable, match="longer than"):
            await open_document_safely(b"%PDF-1.4")


@pytest.mark.anyio
async def test_a_reader_that_dies_takes_nobody_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confinement, "read_confined", die)
    with pytest.raises(ReportUnreadable, match="broke down"):
        await open_document_safely(b"%PDF-1.4")


@pytest.mark.slow
def test_pdf_files_changed_at_random_places_never_raise_anything_else() -> None:
    import random

    page = Page()
    end = page.text(60, 740, "Cars grew by 5 % in 2024 [1].")
    page.link(60, 740, end, "0:640")
    page.text(60, 630, "[1] https://a.test/1")
    whole = make_pdf([page, page])
    chance = random.Random(7)  # noqa: S311 - reproducible
    for _ in range(300):
        body = bytearray(whole)
        for _ in range(chance.randrange(1, 8)):
            body[chance.randrange(len(body))] = chance.randrange(256)
        try:
            open_document(bytes(body))
        except ReportUnreadable:
            continue


def test_a_zip_of_other_things_is_not_opened() -> None:
    with pytest.raises(ReportUnreadable, match="ZIP archive"):
        open_document(make_zip({"../../x": "y"}))
