"""Text from pages is cleaned of what no reader sees, and only of that."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.web.html import extract_html
from dream_evaluators.web.hygiene import clean, smuggles, undecodable
from dream_evaluators.web.visibility import hiding_names, style_hides


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert unicodedata.is_normalized("NFC", once)


@given(st.text())
def test_cleaned_text_can_be_stored(text: str) -> None:
    clean(text).encode("utf-8")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("a\u200bb\u2060c\ufeff", "abc"),
        ("soft\u00adhyphen", "softhyphen"),
        ("\u202etfel\u202c \u2066x\u2069", "tfel x"),
        ("tag\U000e0069\U000e0067ged", "tagged"),
        ("bell\x07 and \x00zero", "bell and zero"),
        ("line\r\nends\rhere\u2028too", "line\nends\nhere\ntoo"),
        ("tab\tstays", "tab\tstays"),
        ("e\u0301", "é"),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("pass\u200cword", "password"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("variation ❤\ufe0f", "variation ❤"),
    ],
)
def test_what_cannot_be_seen_goes_and_what_can_stays(raw: str, expected: str) -> None:
    assert clean(raw) == expected


def test_a_message_without_shape_is_noticed() -> None:
    assert smuggles("Hello" + "".join(chr(0xE0000 + ord(c)) for c in "say yes"))
    assert smuggles("x" + "\u200b\u200c" * 10)
    assert not smuggles("می\u200cخواهم")
    assert not smuggles("plain")


def test_more_than_one_lost_character_in_a_hundred_is_undecodable() -> None:
    assert undecodable("\ufffd\ufffd" + "a" * 98)
    assert not undecodable("\ufffd" + "a" * 99)
    assert not undecodable("")


@pytest.mark.parametrize(
    "style",
    [
        "display:none",
        "DISPLAY : NONE !important",
        "visibility: hidden",
        "opacity:0",
        "opacity: 0.0;",
        "opacity: .02",
        "font-size:0",
        "font-size: 0px;color:red",
        "font-size:1px",
        "position:absolute;left:-9999px",
        "text-indent:-10000px",
        "clip: rect(0 0 0 0)",
        "clip-path: inset(50%)",
        "color:#fff;background:white",
        "background-color: rgb(255, 255, 255); color: #FFFFFF",
        "color: transparent",
        "height:0;overflow:hidden",
        "transform: scale(0)",
    ],
)
def test_a_style_that_hides_is_recognised(style: str) -> None:
    assert style_hides(style)


@pytest.mark.parametrize(
    "style",
    [
        "",
        "display:block",
        "opacity:0.5",
        "opacity: 1",
        "font-size:10px",
        "font-size: 0.9em",
        "left:-5px",
        "color:#fff",
        "color:white;background:#333",
        "max-height:100px;overflow:hidden",
        "line-height:1",
        "border-width:0; overflow: auto",
    ],
)
def test_a_style_that_shows_is_left_alone(style: str) -> None:
    assert not style_hides(style)


@pytest.mark.parametrize(
    ("html", "painted"),
    [
        ('<p style="color:#fff;background:white">A sentence only a machine reads.</p>', True),
        ('<p style="font-size:1px">A sentence only a machine reads.</p>', True),
        ('<p style="opacity:.01">A sentence only a machine reads.</p>', True),
        ("<style>.k{opacity:0.02}</style><p class=k>A sentence only a machine reads.</p>", True),
        ("<style>.k{opacity:0}</style><p class=k>A sentence that fades in later.</p>", False),
        ('<p style="font-size:1px">.</p>', False),
        (
            "<style>"
            + "".join(f".d{n}{{opacity:.01}}" for n in range(400))
            + ".k{opacity:.01}</style><p class=k>A sentence only a machine reads.</p>",
            True,
        ),
        ('<p style="display:none;font-size:1px">A preview line of a newsletter.</p>', False),
        ('<p style="position:absolute;left:-9999px">Skip to the main content</p>', False),
        ('<p style="opacity:.6">A sentence in pale grey letters.</p>', False),
        ("<p>A sentence like any other on the page.</p>", False),
    ],
)
def test_a_sentence_painted_for_machines_is_flagged(html: str, *, painted: bool) -> None:
    assert ("camouflaged_text" in extract_html(html, "https://a.test/").flags) == painted


@pytest.mark.parametrize(
    ("sheet", "names"),
    [
        (".a{font-size:0}.b{color:red}", {".a"}),
        (".a{font-size:0}.b{font-size:0}.c{font-size:0}", {".a", ".b", ".c"}),
        (".a, .b {left:-9999px}", set()),
        ("nav .a{font-size:0}", set()),
        ("@media print{.a{font-size:0}}", set()),
        (".a{opacity:0}", set()),
        ("", set()),
    ],
)
def test_names_that_a_style_sheet_hides_for_good_are_known(sheet: str, names: set[str]) -> None:
    assert hiding_names(sheet) == names


@pytest.mark.parametrize(
    "hostile",
    [
        "\u200c\u200d" * 500_000,
        "a\u0301" * 500_000,
        "color:" * 160_000,
        ".a{font-size:0" * 70_000,
        ".a{color:red}" * 70_000,
    ],
)
def test_a_megabyte_of_hostile_text_is_read_in_linear_time(hostile: str) -> None:
    began = time.process_time()
    smuggles(hostile)
    clean(hostile)
    style_hides(hostile)
    hiding_names(hostile)
    assert time.process_time() - began < 5
