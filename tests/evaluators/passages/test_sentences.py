"""Sentences of source text."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.passages import split_sentences
from dream_evaluators.passages.sentences import MAX_SENTENCE


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One here. Two there! Three?", ["One here.", "Two there!", "Three?"]),
        ("Dr. Vale met Mr. Oum. They left.", ["Dr. Vale met Mr. Oum.", "They left."]),
        ("The U.S. port grew. It is big.", ["The U.S. port grew.", "It is big."]),
        ("It rose 3.5 percent. Then fell.", ["It rose 3.5 percent.", "Then fell."]),
        ("J. R. Holt wrote it. He won.", ["J. R. Holt wrote it.", "He won."]),
        ('She said "Stop." Then she left.', ['She said "Stop."', "Then she left."]),
        ("He was late (again.) We left.", ["He was late (again.)", "We left."]),
        ("approx. twelve ships came.", ["approx. twelve ships came."]),
        ("Is it v. good? Yes...  Really.", ["Is it v. good?", "Yes...", "Really."]),
        ("港口开放了。第二年关闭！为什么？", ["港口开放了。", "第二年关闭！", "为什么？"]),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ("港は開いた。2021年に閉じた。", ["港は開いた。", "2021年に閉じた。"]),
        ("Heading\nFirst item\nSecond item", ["Heading", "First item", "Second item"]),
        ("  padded.  \n\n  lines  ", ["padded.", "lines"]),
    ],
)
def test_a_text_is_cut_where_a_reader_would_cut_it(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_line_wrapped_in_mid_sentence_is_not_cut() -> None:
    text = "The harbour office of the old town was opened by\nthe mayor in spring. It rained."
    assert sentences(text)[0].endswith("the mayor in spring.")


def test_a_short_line_before_a_lower_case_one_is_an_item_of_its_own() -> None:
    assert sentences("apples\noranges") == ["apples", "oranges"]


def test_text_without_a_stop_is_cut_at_blanks_into_bounded_pieces() -> None:
    text = "word " * 1000
    pieces = sentences(text)
    assert all(len(piece) <= MAX_SENTENCE and piece.endswith("word") for piece in pieces)
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")


def test_text_without_a_blank_is_cut_all_the_same() -> None:
    assert [len(piece) for piece in sentences("x" * 1500)] == [600, 600, 300]


@given(st.text(alphabet=st.sampled_from(list('aB .!?\n\t"”。！中9-…Mr')), max_size=2500))
def test_spans_are_ordered_trimmed_bounded_and_lose_nothing(text: str) -> None:
    spans = split_sentences(text)
    assert all(0 < end - start <= MAX_SENTENCE for start, end in spans)
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    kept = "".join(text[start:end] for start, end in spans)
    assert "".join(kept.split()) == "".join(text.split())


@pytest.mark.parametrize("unit", [".", "\n", "a-\n", ". ", " ", "…", "A.", "。", "x"])
@pytest.mark.parametrize("size", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_long_text_of_anything_takes_linear_time(unit: str, size: int) -> None:
    text = unit * (size // len(unit))
    start = time.process_time()
    split_sentences(text)
    assert time.process_time() - start < 20 * size / 1_000_000
