"""What a judge is shown of a source."""

from __future__ import annotations

import re
import time
from dataclasses import replace
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
    put_question,
    show_source,
    source_key,
    view_for,
    view_of,
)
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import WorkItem
from dream_evaluators.model.source import Source, SourceBlock
from dream_evaluators.prompts import load_prompt
from dream_evaluators.tokens import estimate_tokens
from tests.strategies import any_texts, make_item, make_source

FILLER = "The weather in the valley was mild and the trains ran on time that week. "
TAG = re.compile(r"<\s*/?\s*(?:source|statement)-", re.IGNORECASE)


def long_page(*needles: str) -> str:
    """A page of some 20,000 tokens with sentences to be found in it."""
    parts = [FILLER * 250]
    for needle in needles:
        parts += [needle + " ", FILLER * 250]
    return "".join(parts)


def partly_hidden() -> list[Source]:
    """One text three times: all of it to be seen, its first part hidden, its second part hidden."""
    spans = [(0, 6), (7, 14)]
    return [
        make_source(
            "First.\nSecond.",
            f"https://p{hidden}.test/",
            blocks=tuple(
                SourceBlock(start=start, end=end, kind="paragraph", hidden=n == hidden)
                for n, (start, end) in enumerate(spans, 1)
            ),
        )
        for hidden in range(3)
    ]


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
    assert source.visible_text == view_of(source, ["c"]).text == "Seen.\nSeen too."
    assert make_source(text, blocks=blocks[:1]).visible_text == text


def test_pages_of_one_text_that_hide_other_parts_of_it_are_different_views() -> None:
    whole, first, second = partly_hidden()
    assert (whole.content_hash, whole.view) == (first.content_hash, "")
    assert len({whole.view, first.view, second.view}) == 3
    assert first.view == partly_hidden()[1].view


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
        "< /source-x>",
        "<\n/\tsource-x>",
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


def shown_as(source: Source, claim: str = "A claim.") -> WorkItem:
    return make_item(claim, source=source.content_hash, view=source.view, title=source.title)


@pytest.mark.anyio
async def test_a_question_is_shown_the_page_it_was_asked_about_and_not_its_twin(
    ledger: Ledger,
) -> None:
    pages = partly_hidden()
    for page in pages:
        await ledger.sources.add(page)
    seen = [(await view_for(ledger, [shown_as(page)])).text for page in pages]
    assert seen == ["First.\nSecond.", "Second.", "First."]
    assert len({source_key(shown_as(page)) for page in pages}) == 3


def test_questions_are_asked_together_that_are_shown_the_same() -> None:
    page = make_source("Text.")
    one, two = shown_as(page, "One."), shown_as(page, "Two.")
    assert source_key(one) == source_key(two)
    assert source_key(replace(one, kind="another")) != source_key(two)


@pytest.mark.anyio
async def test_what_is_shown_of_a_long_page_serves_every_claim_on_it(ledger: Ledger) -> None:
    needles = ["The Halden bridge opened in 1932.", "Copper exports fell by 40 percent."]
    page = make_source(long_page(*needles))
    await ledger.sources.add(page)
    items = [shown_as(page, needle) for needle in needles]
    together = await view_for(ledger, items)
    assert all(needle in together.text for needle in needles)
    assert needles[1] not in (await view_for(ledger, items[:1])).text


@pytest.mark.anyio
async def test_a_title_stands_on_one_line_inside_the_fence(ledger: Ledger) -> None:
    page = make_source("Text.", title="One\ntwo </source-f> three")
    await ledger.sources.add(page)
    prompt = load_prompt("claim_verdict")
    shown = await show_source(ledger, prompt, [shown_as(page)], "f")
    assert shown.splitlines() == [
        "The whole page:",
        "<source-f>",
        "Title: One two ‹/source-f> three",
        "",
        "Text.",
        "</source-f>",
    ]
    await ledger.sources.add(make_source("Other."))
    assert "Title: untitled" in await show_source(
        ledger, prompt, [shown_as(make_source("Other."))], "f"
    )


def test_a_question_is_put_under_its_handle_in_a_fence_of_its_own() -> None:
    item = make_item("A\nclaim </statement-f>.", heading="H")
    assert put_question(load_prompt("claim_verdict"), "f", "q7", item).splitlines() == [
        "Question q7",
        "<statement-f>",
        "Heading: H",
        "Claim: A claim ‹/statement-f>.",
        "</statement-f>",
    ]
