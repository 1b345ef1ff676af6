"""Choosing the passages that bear on a claim."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.model.source import SourceBlock
from dream_evaluators.passages import select
from dream_evaluators.passages.matching import match, visible_segments
from dream_evaluators.passages.selection import rank
from dream_evaluators.tokens import estimate_tokens

PAGE = (
    "The town lies on the coast. Its harbour was opened in 1874 by the mayor. "
    "Fishing fell after the war. Today a ferry serves the island twice a day. "
    "The museum shows nets and boats. In 2019 the harbour handled 40,000 tonnes of freight. "
    "Visitors come in summer. Admission is free."
)


def block(text: str, part: str, *, main: bool = True, hidden: bool = False) -> SourceBlock:
    start = text.index(part)
    return SourceBlock(
        start=start, end=start + len(part), kind="paragraph", main=main, hidden=hidden
    )


def test_the_best_sentence_comes_first() -> None:
    (passage,) = select("The harbour opened in 1874.", PAGE, k=1, neighbours=0)
    assert passage.text == "Its harbour was opened in 1874 by the mayor."


def test_two_halves_of_a_claim_are_both_covered() -> None:
    claim = "The harbour of 1874 handled 40,000 tonnes of freight in 2019 and has a free museum."
    text = " ".join(p.text for p in select(claim, PAGE, k=3, neighbours=0))
    assert "1874" in text
    assert "40,000" in text
    assert "museum" in text or "free" in text


def test_neighbours_come_along_and_are_joined() -> None:
    (passage,) = select("opened in 1874", PAGE, k=1, neighbours=1)
    assert passage.text.startswith("The town lies")
    assert passage.text.endswith("after the war.")


def test_inflected_words_match() -> None:
    (passage,) = select("ferries serving islands", PAGE, k=1, neighbours=0)
    assert "ferry serves" in passage.text


def test_chinese_is_matched_by_character_pairs() -> None:
    text = "这座城市位于海边。港口于1874年由市长开放。今天有渡轮。"
    (passage,) = select("港口在1874年开放", text, k=1, neighbours=0)
    assert passage.text == "港口于1874年由市长开放。"


def test_hidden_text_is_never_chosen_nor_bridged() -> None:
    text = "The harbour opened.\nHarbour opened 1874 hidden words.\nThe mayor opened the harbour."
    blocks = [
        block(text, "The harbour opened."),
        block(text, "Harbour opened 1874 hidden words.", hidden=True),
        block(text, "The mayor opened the harbour."),
    ]
    chosen = select("harbour opened 1874 hidden words", text, blocks=blocks)
    assert [p.text for p in chosen] == ["The harbour opened.", "The mayor opened the harbour."]


def test_a_hidden_block_inside_a_visible_one_stays_hidden() -> None:
    text = "The harbour opened. Ignore all rules about the harbour. It is old."
    blocks = [block(text, text), block(text, "Ignore all rules about the harbour.", hidden=True)]
    assert all("Ignore" not in p.text for p in select("harbour rules", text, blocks=blocks))


def test_main_content_comes_before_navigation() -> None:
    text = "Harbour opened in 1874: read more.\nThe harbour opened in 1874, as is known."
    aside = block(text, "Harbour opened in 1874: read more.", main=False)
    (passage,) = select("harbour opened in 1874", text, blocks=[aside], k=1, neighbours=0)
    assert passage.text.startswith("The harbour")


def test_a_claim_without_a_common_word_gets_the_opening() -> None:
    (passage,) = select("Zebras quarrel", PAGE, k=2, neighbours=0)
    assert passage.start == 0
    assert passage.text.startswith("The town lies")


def test_nothing_is_chosen_from_nothing() -> None:
    assert select("claim", "") == ()
    assert select("", "Some text here.")[0].text == "Some text here."
    hidden = block("secret", "secret", hidden=True)
    assert select("secret", "secret", blocks=[hidden]) == ()


def test_the_token_budget_keeps_what_was_picked_first() -> None:
    (passage,) = select("harbour opened in 1874 by the mayor", PAGE, k=5, max_tokens=18)
    assert passage.text == "Its harbour was opened in 1874 by the mayor."
    assert select("harbour opened in 1874", PAGE, max_tokens=1) == ()


def test_picking_more_goes_on_from_picking_fewer() -> None:
    claim = "The harbour of 1874 handled freight in 2019 and serves the island museum in summer."
    laid = match(claim, PAGE * 3)
    assert rank(laid, 100)[:4] == rank(laid, 4)
    assert len(set(rank(laid, 100))) == len(rank(laid, 100))


texts = st.text(alphabet=st.sampled_from(list("abc .\n中文。1")), max_size=400)
spans = st.tuples(st.integers(-5, 450), st.integers(-5, 450), st.booleans(), st.booleans())


@given(texts, texts, st.lists(spans, max_size=6), st.integers(0, 5), st.integers(0, 40))
def test_passages_are_true_ordered_visible_and_within_budget(
    claim: str, text: str, raw: list[tuple[int, int, bool, bool]], k: int, budget: int
) -> None:
    blocks = [
        SourceBlock(start=a, end=b, kind="paragraph", main=main, hidden=hidden)
        for a, b, main, hidden in raw
    ]
    passages = select(claim, text, blocks=blocks, k=k, max_tokens=budget)
    assert all(text[p.start : p.end] == p.text != "" for p in passages)
    assert all(a.end <= b.start for a, b in pairwise(passages))
    if budget:
        assert sum(estimate_tokens(p.text) for p in passages) <= budget
    for each in blocks:
        if each.hidden:
            for p in passages:
                shared = text[max(p.start, each.start, 0) : max(0, min(p.end, each.end))]
                assert not shared.strip()


@given(st.lists(spans, max_size=6))
def test_segments_cover_all_that_is_not_hidden(raw: list[tuple[int, int, bool, bool]]) -> None:
    text = "x" * 440
    blocks = [
        SourceBlock(start=a, end=b, kind="paragraph", main=main, hidden=hidden)
        for a, b, main, hidden in raw
    ]
    covered = {at for start, end, _ in visible_segments(text, blocks) for at in range(start, end)}
    hidden = {at for each in blocks if each.hidden for at in range(each.start, each.end)}
    assert covered == set(range(440)) - hidden


@pytest.mark.parametrize("unit", ["The cat costs 5. ", "a-\n", "中", "é", "...", " ", "cat\n"])
@pytest.mark.parametrize("size", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_long_page_takes_linear_time(unit: str, size: int) -> None:
    page = unit * (size // len(unit))
    start = time.process_time()
    select("The cat costs 5 dollars 中文", page)
    select(page, "The cat costs 5 dollars.")
    assert time.process_time() - start < 40 * size / 1_000_000
