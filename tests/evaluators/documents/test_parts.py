"""Joining the parts of a report: what was one sentence is one again, what was two blocks stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.documents import join_parts
from dream_evaluators.report import parse_report
from tests.evaluators.documents.manuscript import as_markdown


@pytest.mark.parametrize(
    ("before", "after", "joined"),
    [
        ("Cars grew by", "5 % in 2024.", "Cars grew by 5 % in 2024."),
        ("Cars grew by ", "5 % in 2024.", "Cars grew by 5 % in 2024."),
        ("Cars grew.", "Buses fell.", "Cars grew.\n\nBuses fell."),
        ("Cars grew.\n", "Buses fell.", "Cars grew.\n\nBuses fell."),
        ("Cars grew.\n\n", "Buses fell.", "Cars grew.\n\nBuses fell."),
        ("Cars grew", "[3] in 2024.", "Cars grew [3] in 2024."),
        ("Cars grew.", "[3] Buses fell.", "Cars grew.[3] Buses fell."),
        ("It was 3.", "5 % in 2024.", "It was 3.5 % in 2024."),
        ("In 20", "24 cars grew.", "In 2024 cars grew."),
        ("The market. A mar", "ket grew.", "The market. A market grew."),
        ("see the car", "s that grew", "see the cars that grew"),
        ("价格上", "涨了。", "价格上涨了。"),
        ("(https://a.te", "st/x)", "(https://a.test/x)"),
        ("[t](https://a.test/", "x) said.", "[t](https://a.test/x) said."),
        ("https://a.test/x", "https://b.test/y", "https://a.test/x\nhttps://b.test/y"),
        ("see https:", "//a.test/x now", "see https://a.test/x now"),
        ("[t]", "(https://a.test/x)", "[t](https://a.test/x)"),
        ("[t](https://a.test/?a=", "2) said", "[t](https://a.test/?a=2) said"),
        ("(see https://a.test/x)", "and more of it", "(see https://a.test/x) and more of it"),
        ("Cars grew.[^", "1] Buses fell.", "Cars grew.[^1] Buses fell."),
        ("Cars (and", ") grew", "Cars (and) grew"),
        ("see [source]", "**Next** is", "see [source]\n\n**Next** is"),
        ("Text.", "# Heading", "Text.\n\n# Heading"),
        ("## Heading", "Text begins.", "## Heading\n\nText begins."),
        ("**Heading**", "Text begins.", "**Heading**\n\nText begins."),
        ("The market.\n\n## The mar", "ket grew", "The market.\n\n## The market grew"),
        ("#", "Heading", "# Heading"),
        ("- a", "- b", "- a\n- b"),
        ("Text:", "- b", "Text:\n\n- b"),
        ("- one and", "two of it", "- one and two of it"),
        ("1. a", "2. b", "1. a\n2. b"),
        ("-", "item", "- item"),
        ("| a | b |", "| c | d |", "| a | b |\n| c | d |"),
        ("| a | b |", "Text.", "| a | b |\n\nText."),
        ("| a | b |\n| c |", "d |", "| a | b |\n| c |d |"),
        ("| a | b", "c |", "| a | bc |"),
        ("[1] https://a.test/1", "[2] https://b.test/2",
         "[1] https://a.test/1\n[2] https://b.test/2"),
        ("Text.", "> Quote", "Text.\n\n> Quote"),
        ("```\ncode", "more\n```", "```\ncode\nmore\n```"),
        ("```\ncode\n", "more\n```", "```\ncode\nmore\n```"),
        ("```\ncode\n```", "Text.", "```\ncode\n```\n\nText."),
    ],
)  # fmt: skip
def test_a_seam_is_what_the_text_needs(before: str, after: str, joined: str) -> None:
    assert join_parts([before, after]) == joined


def test_no_parts_and_blank_parts_give_nothing() -> None:
    assert join_parts([]) == ""
    assert join_parts(["", " \n", "\t"]) == ""
    assert join_parts(["", "Cars grew.", "\n"]) == "Cars grew."


@given(st.integers(min_value=1, max_value=len(as_markdown()) - 1))
def test_a_report_cut_anywhere_says_the_same(cut: int) -> None:
    text = as_markdown()
    whole, joined = parse_report(text), parse_report(join_parts([text[:cut], text[cut:]]))
    line = text[text.rfind("\n", 0, cut) + 1 : cut]
    if line.startswith(("#", "|")) and text[cut] not in "\n":  # nobody could tell
        return
    # Of a word that occurs once, nobody could tell that it was cut: blanks may differ.
    said = [[s.claim.replace(" ", "") for s in r.statements] for r in (joined, whole)]
    assert said[0] == said[1]


@given(st.lists(st.text(alphabet="ab #|-*`\n[1].(价é", max_size=40), max_size=5))
def test_parts_are_all_there_in_their_order(texts: list[str]) -> None:
    joined = join_parts(texts)
    at = 0
    for text in texts:
        if text.strip():
            found = joined.find(text, at)
            assert found >= 0
            assert not joined[at:found].strip()
            at = found + len(text)


def test_a_megabyte_in_parts_is_joined_in_linear_time() -> None:
    part = "word `` [x](" * 9_000
    assert len(join_parts([part] * 10)) >= 10 * len(part)
