"""Bytes are decoded as a browser would, and better where browsers trust a wrong label."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.web.encoding import codec_of, decode

GERMAN = "Die Größe der Fläche beträgt größtenteils über zwölf Quadratmeter, öfter auch mehr. " * 6
RUSSIAN = "Экономический рост в прошлом году составил около трёх процентов, сообщили власти. " * 6
CHINESE = "中国经济增长去年达到百分之五，政府表示今年的目标与去年相同。" * 10
JAPANESE = (
    "日本の経済成長率は昨年およそ二パーセントでした。政府は今年も同じ目標を掲げています。" * 8
)
KOREAN = "한국 경제 성장률은 작년에 약 이 퍼센트였다. 정부는 올해도 같은 목표를 세웠다. " * 8


def meta(label: str, text: str) -> str:
    return f"<html><head><meta charset='{label}'></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize(
    ("body", "charset", "expected"),
    [
        (GERMAN.encode(), "", GERMAN),
        (GERMAN.encode("cp1252"), "iso-8859-1", GERMAN),
        (GERMAN.encode("cp1252"), "", GERMAN),
        (GERMAN.encode("utf-8-sig"), "iso-8859-1", GERMAN),
        (GERMAN.encode(), "iso-8859-1", GERMAN),
        ("€ “quotes”".encode("cp1252"), "ISO-8859-1", "€ “quotes”"),
        (GERMAN.encode("utf-16"), "", GERMAN),
        (GERMAN.encode("utf-16-le"), "", GERMAN),
        (GERMAN.encode("utf-16-be"), "", GERMAN),
        (GERMAN.encode("utf-32"), "", GERMAN),
        (RUSSIAN.encode("cp1251"), "windows-1251", RUSSIAN),
        (RUSSIAN.encode("koi8-r"), "koi8-r", RUSSIAN),
        (RUSSIAN.encode("cp1251"), "", RUSSIAN),
        (CHINESE.encode("gb18030"), "gb2312", CHINESE),
        (CHINESE.encode("gb2312"), "", CHINESE),
        (CHINESE.encode("big5", "ignore"), "big5", CHINESE.encode("big5", "ignore").decode("big5")),
        (JAPANESE.encode("cp932"), "Shift_JIS", JAPANESE),
        (JAPANESE.encode("euc-jp"), "x-euc-jp", JAPANESE),
        (JAPANESE.encode("iso2022_jp"), "iso-2022-jp", JAPANESE),
        (KOREAN.encode("cp949"), "ks_c_5601-1987", KOREAN),
        ("สวัสดี".encode("cp874"), "tis-620", "สวัสดี"),
        ("İstanbul ışığı".encode("cp1254"), "iso-8859-9", "İstanbul ışığı"),
        (b"plain", "no-such-charset", "plain"),
        (b"", "utf-8", ""),
        ("cut € off".encode()[:-5], "", "cut "),
    ],
)
def test_a_body_is_decoded_by_header_or_by_what_it_is(
    body: bytes, charset: str, expected: str
) -> None:
    assert decode(body, charset)[0] == expected


@pytest.mark.parametrize(
    ("label", "codec", "text"),
    [
        ("gb2312", "gb18030", CHINESE),
        ("GBK", "gb18030", CHINESE),
        ("iso-8859-1", "cp1252", "naïve “quoted” €"),
        ("windows-1251", "cp1251", RUSSIAN),
        ("shift_jis", "cp932", JAPANESE),
        ("euc-kr", "cp949", KOREAN),
        ("iso-2022-jp", "iso2022_jp", JAPANESE),
    ],
)
def test_a_declaration_in_the_page_is_mapped_like_one_in_the_header(
    label: str, codec: str, text: str
) -> None:
    assert text in decode(meta(label, text).encode(codec))[0]


def test_a_declaration_of_utf16_in_readable_bytes_means_utf8() -> None:
    assert "Größe" in decode(meta("utf-16", "Größe").encode())[0]


def test_a_late_declaration_is_still_found() -> None:
    page = "<head>" + "<!-- long -->" * 400 + "<meta charset=gb2312></head>" + CHINESE
    assert CHINESE in decode(page.encode("gb18030"))[0]


def test_an_xml_declaration_counts() -> None:
    page = f"<?xml version='1.0' encoding='windows-1251'?><a>{RUSSIAN}</a>"
    assert RUSSIAN in decode(page.encode("cp1251"))[0]


def test_a_wrong_declaration_gives_way_to_what_fits() -> None:
    text, codec = decode(meta("utf-8", RUSSIAN * 3).encode("cp1251"))
    assert RUSSIAN in text
    assert codec != "utf-8"


@pytest.mark.parametrize("label", ["zip", "rot13", "hex", "utf-7", "base64", "\0", "é", "x" * 500])
def test_labels_that_are_no_web_encodings_are_not_run(label: str) -> None:
    assert codec_of(label) == ""


@given(st.binary(max_size=300), st.sampled_from(["", "utf-8", "utf-16", "gbk", "nonsense"]))
def test_any_bytes_are_decoded_to_something(body: bytes, charset: str) -> None:
    text, codec = decode(body, charset)
    assert isinstance(text, str)
    assert codec
