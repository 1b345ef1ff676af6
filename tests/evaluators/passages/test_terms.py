"""Words as comparable terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.passages.terms import content_terms, fold, stem, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("regulations", "regulated"),
        ("increases", "increasing"),
        ("studies", "study"),
        ("stopped", "stopping"),
        ("government", "governments"),
        ("nationally", "national"),
        ("company", "companies"),
    ],
)
def test_relatives_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["is", "bus", "gas", "2021", "a320", "naïve", "class"])
def test_short_foreign_and_mixed_words_stay(word: str) -> None:
    assert stem(word) == word


def test_words_are_folded_and_numbers_keep_their_value() -> None:
    text = "The CAFÉ isn’t open; 1,200 guests at 3.5"
    assert list(words(text)) == [
        "the", "cafe", "is", "not", "open", "1200", "guests", "at", "3.5",
    ]  # fmt: skip
    assert list(words("12,345 ÜBER")) == ["12345", "uber"]


def test_unspaced_scripts_yield_character_pairs() -> None:
    assert list(words("2023年港口大")) == ["2023", "年港", "港口", "口大"]
    assert list(words("の A")) == ["の", "a"]


def test_content_terms_leave_stopwords_out_unless_there_is_nothing_else() -> None:
    assert content_terms("The port of the town is the port") == ("port", "town")
    assert content_terms("It is what it is") == ("it", "is", "what")
    assert content_terms("...") == ()


def test_content_terms_are_bounded() -> None:
    assert len(content_terms(" ".join(f"w{n}" for n in range(1000)), limit=50)) == 50


@given(st.text(max_size=300))
def test_folding_twice_changes_nothing_that_words_read(text: str) -> None:
    once = fold(text)
    assert list(words(once)) == list(words(fold(once)))
