from __future__ import annotations

import codecs

import pytest

from dream_evaluators.errors import ReportUnreadable
from dream_evaluators.report import decode_report
from dream_evaluators.report.decoding import SIZE_CAP


@pytest.mark.parametrize(
    "body",
    [
        "Grüße 报告".encode(),
        codecs.BOM_UTF8 + "Grüße 报告".encode(),
        codecs.BOM_UTF16_LE + "Grüße 报告".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "Grüße 报告".encode("utf-16-be"),
        codecs.BOM_UTF32_LE + "Grüße 报告".encode("utf-32-le"),
    ],
)
def test_a_report_is_decoded_by_its_mark_and_loses_it(body: bytes) -> None:
    assert decode_report(body) == "Grüße 报告"


def test_an_old_encoding_is_guessed() -> None:
    text = "Die Größe der Anlagen übertraf die Erwartungen für das Jahr; später fiel sie. " * 5
    assert decode_report(text.encode("cp1252")) == text


def test_lone_surrogates_are_replaced() -> None:
    assert "\ufffd" in decode_report(codecs.BOM_UTF16_LE + b"a\x00\x00\xd8b\x00")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "empty"),
        (b" \n\t", "empty"),
        (b"%PDF-1.7\0\0\1", "binary"),
        (b"a" * (SIZE_CAP + 1), "limit"),
    ],
    ids=["empty", "blank", "binary", "large"],
)
def test_what_is_no_text_is_refused_with_what_to_do(body: bytes, words: str) -> None:
    with pytest.raises(ReportUnreadable, match=words):
        decode_report(body)


def test_bytes_in_no_encoding_are_refused() -> None:
    with pytest.raises(ReportUnreadable):
        decode_report(bytes(range(128, 256)) * 3 + b"\xff\xfe\xfd" * 50 + bytes(range(1, 9)) * 40)
