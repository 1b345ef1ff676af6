"""Names, negations, opposites, quotations, languages."""

from __future__ import annotations

import pytest

from dream_evaluators.judges.lexical.language import language_of
from dream_evaluators.judges.lexical.wording import (
    OPPOSITES,
    debunks,
    name_pairs,
    name_stems,
    negated,
    opposites,
    quotations,
)
from dream_evaluators.passages.terms import content_terms, words


def test_names_are_capitalised_words_behind_the_first_and_codes_anywhere() -> None:
    assert [name for name, _ in name_stems("Yesterday the Oder Museum bought an A320")] == [
        "Oder", "Museum", "A320",
    ]  # fmt: skip
    assert [name for name, _ in name_stems("NASA said The sky is blue")] == ["NASA"]
    assert name_stems("nothing here") == ()


def test_words_that_form_a_name_are_paired_across_function_words_only() -> None:
    pairs = name_pairs("Mayor Ingrid Holt, Vance and the Bank of England met")
    assert ("ingrid", "holt") in pairs
    assert ("bank", "england") in pairs
    assert ("holt", "vanc") not in pairs
    assert name_pairs("nothing Here at all") == frozenset()


def test_a_negation_is_found_in_full_and_in_short_form() -> None:
    assert negated(list(words("It isn’t here")))
    assert negated(list(words("They lacked funds")))
    assert not negated(list(words("It is here")))


def test_an_opposite_counts_only_where_the_word_itself_is_absent() -> None:
    claim = content_terms("Prices increased in the north")
    assert opposites(claim, frozenset(content_terms("prices decreased in the north"))) == 1
    assert opposites(claim, frozenset(content_terms("increases, then decreases, north"))) == 0


def test_opposites_go_both_ways() -> None:
    assert all(one in OPPOSITES[other] for one, others in OPPOSITES.items() for other in others)


def test_only_quotations_of_three_words_and_more_are_looked_up() -> None:
    text = 'The "grand" mayor said “we will build it here” and «nous allons le faire».'
    assert quotations(text) == ("we will build it here", "nous allons le faire")


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("Fact check: no, the moon is not cheese", "It is said ...", True),
        ("Moon", "Ten myths about the moon", True),
        ("Moon", "The moon is far. " * 60 + "a hoax", False),
    ],
)
def test_a_page_that_refutes_says_so_at_its_head(title: str, text: str, expected: bool) -> None:
    assert debunks(title, text) is expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The harbour of the town was opened by the mayor", "english"),
        ("Der Hafen der Stadt wurde von dem Bürgermeister eröffnet", "latin"),
        ("Le port de la ville est ouvert dans le sud", "latin"),
        ("港口于1874年开放", "unspaced"),
        ("Порт города открыт", "other"),
        ("Ferry Museum Harbour 1874", "english"),
        ("", "english"),
    ],
)
def test_the_kind_of_language_is_told(text: str, language: str) -> None:
    assert language_of(text) == language
