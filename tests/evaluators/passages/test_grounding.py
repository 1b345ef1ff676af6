"""Finding a quote in a source."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.passages import ground
from dream_evaluators.passages.folding import fold_text

PAGE = (
    "The harbour office[3] was opened in 1874 — by the “old” mayor, who didn’t stay.\n"
    "A very ﬁne ef-\nfi\u00adciency gain of 3.5\u00a0% was seen in the co-operative’s first year. "
    "Critics said the plan was not a success and would never pay for itself. "
    "The ferry carried 1300 passengers on its first day in service."
)


def found(quote: str, text: str = PAGE) -> str:
    result = ground(quote, text)
    assert result.found, result
    return text[result.start : result.end]


def test_a_verbatim_quote_is_exact() -> None:
    result = ground("The ferry carried 1300 passengers", PAGE)
    assert result.how == "exact"
    assert PAGE[result.start : result.end] == "The ferry carried 1300 passengers"


@pytest.mark.parametrize(
    ("quote", "place"),
    [
        ("The harbour office was opened", "The harbour office[3] was opened"),
        ('1874 - by the "old" mayor', "1874 — by the “old” mayor"),
        ("who didn't stay", "who didn’t stay"),
        ("fine efficiency gain", "ﬁne ef-\nfi\u00adciency gain"),
        ("gain of 3.5 % was", "gain of 3.5\u00a0% was"),
        ("the cooperative's first year", "the co-operative’s first year"),
        ("“the ferry carried 1300 passengers.”", "The ferry carried 1300 passengers"),
        ("stay. A very", "stay.\nA very"),
        ("...critics said the plan...", "Critics said the plan"),
    ],
)
def test_typography_does_not_make_a_quote_false(quote: str, place: str) -> None:
    assert found(quote) == place
    assert ground(quote, PAGE).how == "folded"


def test_accents_width_and_line_breaks_in_chinese_are_folded() -> None:
    assert found("Cafe Munchen", "Im Café München war es") == "Café München"
    assert found("Café", "Cafe\u0301 X") == "Cafe\u0301"
    assert found("港口于1874年开放", "据说港口\n于１８７４年开放。") == "港口\n于１８７４年开放"


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("300", "It carried 1300 people."),
        ("13", "It carried 1300 people."),
        ("arm", "The farmer left."),
        ("A quote that is nowhere in the source at all", PAGE),
        ("", PAGE),
        ("“…”", PAGE),
        ("anything", ""),
        ("x" * 5000, PAGE),
    ],
)
def test_what_is_not_there_is_absent(quote: str, text: str) -> None:
    result = ground(quote, text)
    assert not result.found
    assert result.how == "absent"
    assert result.note


def test_a_misprint_is_fuzzy_and_says_so() -> None:
    quote = "Critics sad the plan was not a success and would never pay for itself."
    result = ground(quote, PAGE)
    assert result.found
    assert result.how == "fuzzy"
    assert PAGE[result.start : result.end].startswith("Critics said the plan")


def test_a_line_number_inside_is_forgiven() -> None:
    text = "Critics said the plan was not a success 12 and would never pay for itself in time."
    quote = "Critics said the plan was not a success and would never pay for itself in time"
    assert ground(quote, text).how == "fuzzy"


@pytest.mark.parametrize(
    ("quote", "word"),
    [
        ("The ferry carried 1800 passengers on its first day in service.", "numbers"),
        (
            "Critics said the plan was a success and would never pay for itself. "
            "The ferry carried 1300 passengers",
            "negation",
        ),
    ],
)
def test_a_near_quote_with_another_number_or_without_not_is_absent(quote: str, word: str) -> None:
    result = ground(quote, PAGE)
    assert not result.found
    assert word in result.note
    assert result.end > result.start


def test_fragments_in_order_and_close_together_are_found() -> None:
    quote = "The ferry carried 1300 passengers ... in service"
    assert found(quote) == "The ferry carried 1300 passengers on its first day in service"
    assert found("The ferry […] in service").startswith("The ferry")


def test_an_ellipsis_that_drops_a_negation_is_not_verified() -> None:
    result = ground("the plan was … a success", PAGE)
    assert not result.found
    assert "negation" in result.note
    assert PAGE[result.start : result.end] == "the plan was not a success"


def test_a_negation_in_a_whole_omitted_sentence_is_no_matter() -> None:
    text = "The plan was bold. It was not cheap. The town built it in a year."
    assert ground("The plan was bold. … The town built it", text).found


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("built it … plan was bold", "The plan was bold. The town built it."),
        ("The plan … the end came", "The plan. " + "Filler words. " * 60 + "So the end came."),
    ],
)
def test_fragments_out_of_order_or_far_apart_are_not_verified(quote: str, text: str) -> None:
    result = ground(quote, text)
    assert not result.found
    assert "order" in result.note


def test_a_fragment_that_is_nowhere_spoils_the_quote() -> None:
    assert "fragment" in ground("The ferry carried … a million llamas", PAGE).note


def test_a_later_place_of_the_first_fragment_may_be_the_right_one() -> None:
    text = "The plan failed. " + "Filler words. " * 60 + "The plan of the mayor was bold."
    assert found("The plan … was bold", text) == "The plan of the mayor was bold"


characters = st.sampled_from(list("aB1 .\n-“”’…—é中ﬁ\u00ad[3]\u00a0"))


@given(st.text(alphabet=characters, max_size=200))
def test_every_folded_character_has_a_place_in_the_original(text: str) -> None:
    folded = fold_text(text)
    places = [folded.span(at, at + 1) for at in range(len(folded.text))]
    assert all(0 <= start <= end <= len(text) for start, end in places)
    assert all(a[0] <= b[0] for a, b in pairwise(places))


@given(st.text(alphabet=characters, max_size=200), st.data())
def test_a_piece_cut_at_word_borders_is_found(text: str, data: st.DataObject) -> None:
    words = text.split(" ")
    start = data.draw(st.integers(0, len(words) - 1))
    quote = " ".join(words[start : start + 4])
    result = ground(quote, text)
    if any(c.isalnum() for c in quote) and "…" not in quote:
        assert result.found or "negation" in result.note


UNITS = [".", "a-\n", " ", "é", "中", "([", "--", "- ", "1,", "... ", "ab … ", "ﷺ", "ab cd ", "\n-"]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("size", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_long_text_of_anything_takes_bounded_time(unit: str, size: int) -> None:
    text = unit * (size // len(unit))
    start = time.process_time()
    ground("a quote of some length with 1, and 中文 in it", text)
    ground(text, "ab cd and a page of words that is short")
    ground("ab … cd … xyz", text)
    assert time.process_time() - start < 40 * size / 1_000_000
