"""Content identity."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.hashing import HASH_PREFIX, canonical_json, content_id, text_id
from tests.strategies import any_texts, json_values


@given(st.dictionaries(any_texts, json_values, max_size=5))
def test_key_order_does_not_change_an_id(value: dict[str, object]) -> None:
    turned = dict(reversed(list(value.items())))
    assert content_id(value) == content_id(turned)
    assert canonical_json(value) == canonical_json(turned)


@given(any_texts, any_texts)
def test_parts_do_not_run_together(first: str, second: str) -> None:
    assert content_id(first, second) != content_id(first + second)
    assert content_id(first, second) != content_id([first, second])


@given(json_values, json_values)
def test_values_that_differ_have_different_ids(first: object, second: object) -> None:
    assert (content_id(first) == content_id(second)) == (
        canonical_json(first) == canonical_json(second)
    )


@given(any_texts)
def test_an_id_is_tagged_and_35_characters_long(text: str) -> None:
    for made in (text_id(text), content_id(text)):
        assert made.startswith(HASH_PREFIX)
        assert len(made) == 35
    assert text_id(text) != content_id(text)


def test_ids_never_change_between_versions() -> None:
    # What is stored anywhere is found by these: a change here orphans every ledger and pack.
    assert text_id("") == "b2:cae66941d9efbd404e4d88758ea67670"
    assert (
        content_id({"b": 1, "a": [True, None, 1.5, "é"]}) == "b2:dc0ee9bce2099205479c556de184ebd3"
    )


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        content_id({"deep": [value]})
