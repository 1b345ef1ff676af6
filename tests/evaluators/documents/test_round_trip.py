"""The same report in four forms says the same and cites the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dream_evaluators.documents import open_document
from dream_evaluators.report import parse_report
from tests.evaluators.documents import manuscript


def said(body: bytes) -> list[tuple[str, str, tuple[str, ...]]]:
    report = parse_report(open_document(body).text)
    return [
        (s.kind.value, s.claim, tuple(c.canonical_url for c in s.citations))
        for s in report.statements
    ]


EXPECTED_FIRST = ("sentence", "Cars grew by 5 % in 2024.", ("https://notes.test/cars",))


@pytest.mark.parametrize(
    "form", [manuscript.as_html, manuscript.as_docx, manuscript.as_pdf], ids=["html", "docx", "pdf"]
)
def test_a_form_gives_the_statements_and_addresses_of_the_markdown(
    form: Callable[[], bytes],
) -> None:
    expected = said(manuscript.as_markdown().encode())
    assert len(expected) == 8
    assert expected[0] == EXPECTED_FIRST
    assert said(form()) == expected


@pytest.mark.parametrize(
    ("form", "name"),
    [
        (manuscript.as_html, "html"),
        (manuscript.as_docx, "docx"),
        (manuscript.as_pdf, "pdf"),
        (lambda: manuscript.as_markdown().encode(), "markdown"),
    ],
)
def test_the_format_is_told_by_content_alone(form: Callable[[], bytes], name: str) -> None:
    assert open_document(form()).format == name


@pytest.mark.parametrize("form", [manuscript.as_html, manuscript.as_docx, manuscript.as_pdf])
def test_anchors_point_at_what_they_name(form: Callable[[], bytes]) -> None:
    document = open_document(form())
    sections = [anchor for anchor in document.anchors if anchor.kind == "section"]
    assert [anchor.label for anchor in sections] == ["Transport in 2024", "Freight", "References"]
    for anchor in sections:
        assert document.text[anchor.start :].lstrip("# ").startswith(anchor.label)
    assert document.title == "Transport"
    assert [a.start for a in document.anchors] == sorted(a.start for a in document.anchors)
