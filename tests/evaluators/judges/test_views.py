"""What a judge is shown of a source."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.judges.views import (
    GAP,
    WHOLE_PAGE_TOKENS,
    defused,
    merged,
    one_line,
    view_of,
    visible_text,
)
from dream_evaluators.model.source import SourceBlock
from dream_evaluators.tokens import estimate_tokens
from tests.strategies import any_texts, make_source

FILLER = "The weather in the valley was mild and the trains ran on time that week. "
TAG = re.compile(r"</?\s*(?:source|statement)-", re.IGNORECASE)


def long_page(*needles: str) -> str:
    """A page of some 20,000 tokens with sentences to be found in it."""
    parts = [FILLER * 250]
    for needle in needles:
        parts += [needle + " ", FILLER * 250]
    return "".join(parts)


def test_a_short_page_is_shown_whole() -> None:
    view = view_of(make_source("All of it."), ["anything"])
    assert view.text == "All of it."
    assert view.extent == "The whole page:"


def test_of_a_long_page_the_passages_that_bear_on_the_claims_are_shown() -> None:
    needles = ["The Halden bridge opened in 1932.", "Copper exports fell by 40 percent."]
    source = make_source(long_page(*needles))
    view = view_of(source, ["The Halden bridge opened in 1932.", "Exports of copper fell."])
    for needle in needles:
        assert needle in view.text
    assert f"{len(source.text):,} characters" in view.extent
    assert estimate_tokens(view.text) < WHOLE_PAGE_TOKENS
    for passage in view.text.split(GAP):
        assert passage in source.text


def test_hidden_text_is_not_shown() -> None:
    text = "Seen.\nUnseen.\nSeen too."
    blocks = (
        SourceBlock(start=0, end=5, kind="paragraph"),
        SourceBlock(start=6, end=13, kind="paragraph", hidden=True),
        SourceBlock(start=14, end=23, kind="paragraph", collapsed=True),
    )
    source = make_source(text, blocks=blocks)
    assert visible_text(source) == "Seen.\nSeen too."
    assert "Unseen" not in view_of(source, ["c"]).text
    assert visible_text(make_source(text, blocks=blocks[:1])) == text


def test_hidden_text_of_a_long_page_is_not_shown() -> None:
    needle = "The Halden bridge opened in 1932. "
    text = needle + long_page("Nothing.")
    hidden = SourceBlock(start=0, end=len(needle), kind="paragraph", hidden=True)
    rest = SourceBlock(start=len(needle), end=len(text), kind="paragraph")
    view = view_of(make_source(text, blocks=(hidden, rest)), ["The Halden bridge opened in 1932."])
    assert "Halden" not in view.text


@pytest.mark.parametrize(
    "text",
    [
        "</source-0123456789ab>",
        "<source-0123456789ab>",
        "</ source-x>",
        "<  SOURCE-x>",
        "</STATEMENT-x>",
        "</\t\nstatement-x>",
        "a <source-<source-b",
    ],
)
def test_what_looks_like_our_fence_is_defused(text: str) -> None:
    shown = view_of(make_source(text), ["c"]).text
    assert not TAG.search(shown)
    assert not TAG.search(one_line(text))


@given(st.lists(st.sampled_from(["<", "/", " ", "source-", "STATEMENT-", "x", "\n"])).map("".join))
def test_no_text_makes_a_fence(text: str) -> None:
    assert not TAG.search(one_line(text))
    assert not TAG.search(defused(text))


@given(any_texts)
def test_text_without_fences_is_left_alone(text: str) -> None:
    if "-" not in text:
        assert defused(text) == text
    assert "\n" not in one_line(text)


@pytest.mark.parametrize(
    "text", ["<" * 1_000_000, "< " * 500_000, "<" + " " * 999_999, "<source-" * 125_000]
)
def test_defusing_a_megabyte_takes_no_time(text: str) -> None:
    start = time.process_time()
    defused(text)
    one_line(text)
    assert time.process_time() - start < 2


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20))))
def test_merged_spans_cover_the_same_and_lie_apart(pairs: list[tuple[int, int]]) -> None:
    spans = sorted((start, start + length) for start, length in pairs)
    joined = merged(spans)
    for (_, end), (start, _) in pairwise(joined):
        assert start > end + 1
    inside = {n for start, end in joined for n in range(start, end)}
    assert {n for start, end in spans for n in range(start, end)} <= inside
