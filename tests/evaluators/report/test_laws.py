"""Laws that hold for every text, and time that grows with its length only."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dream_evaluators.model.report import Report
from dream_evaluators.report import parse_report
from dream_evaluators.report.sentences import boundaries

PIECES = [
    "[1]",
    "[^2]",
    "[1, 2]",
    "[",
    "]",
    "](",
    "(",
    ")",
    "![",
    "[a](https://h.test/x)",
    "https://h.test/a_(b)",
    "`",
    "```\n",
    "$",
    "<think>",
    "</think>",
    '<cite index="1-2">',
    "</cite>",
    "【1†s】",
    "【",
    "】",
    "\ue200cite\ue202turn0view1\ue201",
    "\ue200",
    "| a | b |\n",
    "|--|--|\n",
    "# ",
    "- ",
    "1. ",
    "> ",
    "---\n",
    "\n",
    "\n\n",
    "  \n",
    "\r\n",
    "\r",
    "Source: ",
    "## References\n\n",
    "[1] https://h.test/1\n",
    "[2]: https://h.test/2\n",
    "(Smith et al., 2020)",
    "10.5555/x.1 ",
    "arXiv:2501.00001 ",
    "Sales rose by 5 %. ",
    "收入增长。",
    "¹",
    "word.1 ",
    "Dr. A. ",
    "“",
    "”",
    "\\",
    "&amp;",
    "**",
    "__",
    "\u2028",
    "\ud800",
    "\x00",
    "…",
    "Total | 5 |\n",
    "from 4 to 6, a 90% increase ",
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=60).map("".join)


def check(report: Report) -> None:
    text = report.text
    end = 0
    for block in report.blocks:
        assert end <= block.start < block.end <= len(text)
        end = block.end
    end = 0
    for statement in report.statements:
        assert end <= statement.start < statement.end <= len(text)
        assert text[statement.start : statement.end] == statement.text
        end = statement.end
        for citation in statement.citations:
            assert text[citation.start : citation.end] == citation.marker
            assert statement.start <= citation.start or citation.scope == "paragraph"
    assert len({s.id for s in report.statements}) == len(report.statements)
    for reference in report.references:
        assert 0 <= reference.start < reference.end <= len(text)
    for finding in report.findings:
        assert 0 <= finding.start <= finding.end <= len(text)


@given(texts)
@settings(max_examples=300)
def test_spans_hold_and_nothing_raises(text: str) -> None:
    report = parse_report(text)
    assert report.text == text
    check(report)
    assert parse_report(text) == report


@given(texts)
def test_every_cited_address_is_a_source_not_markup(text: str) -> None:
    for citation in parse_report(text).citations:
        assert "\n" not in citation.url
        assert not citation.url or citation.canonical_url == citation.canonical_url.strip()


@given(st.text(alphabet='ab .!?。”")(A1', max_size=80))
def test_sentence_boundaries_grow_and_stay_inside(text: str) -> None:
    ends = boundaries(text)
    assert ends == sorted(set(ends))
    assert all(0 < end < len(text) for end in ends)


FLOODS = [
    "![",
    "[",
    "(",
    "*",
    "|",
    "`",
    "``a`",
    '"',
    "“",
    "> ",
    "](",
    "[](",
    "[a](http://x",
    "<a ",
    '<cite index="',
    "【",
    "\ue200",
    "\ue200cite\ue202",
    "$a",
    "1. ",
    "a. ",
    "A. ",
    "10.1234/",
    "(2020 ",
    "(Smith et al., 2020; ",
    "```\n",
    "<think>",
    "<!--",
    "$$\n",
    "\\",
    "https://a",
    "http://a.b/c)",
    "[1",
    "[[",
    "[^",
    "Source: ",
    "“a. ",
    "from 1 to 2, a ",
    "et al. (",
    "_a ",
    "&",
    "(Source: ",
    "[![a](b)](c)",
]


# Inputs that make a careless pattern try every way to read a repeated part.
TRAPS = [
    "(" + "see " * 28 + "x [1] ",
    "(ref: " + "ref. " * 22 + "q [1] ",
    "\ue200cite" + "\ue202a" * 60,
    "[a](x" + " " * 3_000 + "y) ",
    "(Aa, Bb, Cc, Dd and Ee of the of the & 20 2020x ",
    "（" + "来源：" * 12 + "x [1] ",
    "http://h.test/" + "(" * 1_000 + " ",
    "10.1234/" + ".pdf/full" * 30 + " ",
    "https://web.archive.org/web/2020/" * 20 + "http://h.test ",
    "# " + "references " * 7 + "x\n\n",
    "|" + " a |" * 500 + "\n",
]


@pytest.mark.parametrize("unit", FLOODS + TRAPS)
def test_hostile_floods_take_time_in_proportion_to_their_length(unit: str) -> None:
    def cost(size: int) -> float:
        text = (unit * (size // len(unit) + 1))[:size]
        started = time.process_time()
        parse_report(text)
        return time.process_time() - started

    # Quadratic work would make 8 times the text cost 64 times as much; 5 absorbs a noisy machine.
    small = max(min(cost(20_000) for _ in range(3)), 0.01)
    assert any(cost(160_000) < 5 * 8 * small for _ in range(3))


def test_a_mark_or_a_list_of_references_without_end_is_read_in_time() -> None:
    """One mark of 16,000 parts, or 10,000 entries: each once cost the square of its number."""

    def cost(text: str) -> float:
        started = time.process_time()
        parse_report(text)
        return time.process_time() - started

    def mark(parts: int) -> str:
        return "Rain fell. " + "¹," * parts

    def entries(count: int) -> str:
        listed = "".join(f"[{n}] Title: https://h.test/{n}\n" for n in range(count))
        return "Rain fell [1].\n\n## References\n\n" + listed

    for make in (mark, entries):
        small = max(min(cost(make(2_000)) for _ in range(3)), 0.01)
        assert any(cost(make(10_000)) < 3 * 5 * small for _ in range(3))


def test_a_mixed_hostile_text_is_read() -> None:
    chooser = random.Random(7)  # noqa: S311 - no secret
    check(parse_report("".join(chooser.choice(PIECES) for _ in range(20_000))))


@pytest.mark.slow
def test_a_report_of_ten_megabytes_costs_a_thousand_times_one_of_ten_kilobytes() -> None:
    paragraph = (
        "Sales rose by 5 % in 2024 ([Bank](https://h.test/a)). Costs fell [1, 2]. "
        "Nobody knew why.\n\n"
    )
    small, large = paragraph * 110, paragraph * 11_000
    started = time.process_time()
    parse_report(small)
    one = time.process_time() - started
    parse_report(large)
    assert time.process_time() - started - one < 300 * one
