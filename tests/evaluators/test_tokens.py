"""The token estimate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.tokens import estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("é", 2),
        ("汉字", 3),
        ("abcd汉", 3),
        ("\x7f", 1),
    ],
)
def test_the_estimate_is_a_quarter_of_ascii_and_more_of_the_rest(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(max_size=200), st.text(max_size=200))
def test_texts_together_cost_no_more_than_one_by_one(first: str, second: str) -> None:
    together = estimate_tokens(first + second)
    assert max(estimate_tokens(first), estimate_tokens(second)) <= together
    assert together <= estimate_tokens(first) + estimate_tokens(second)
