"""Mutated bodies of every type are read or given up, and what is read fits its blocks."""

from __future__ import annotations

import random

import pytest

from dream_evaluators.web.extract import kind_of, read
from tests.evaluators.web.source_seeds import CHARSETS, SEEDS, mutate


@pytest.mark.parametrize("number", range(len(SEEDS)))
def test_a_mutated_body_is_read_or_given_up(number: int) -> None:
    media_type, seed = SEEDS[number]
    chance = random.Random(number)  # noqa: S311 - reproducible, not secret
    read_at_all = 0
    for _ in range(60):
        body = mutate(seed, chance)[:20_000]
        kind = kind_of(body, media_type)
        if kind == "unsupported":
            continue
        page = read(body, kind, chance.choice(CHARSETS), "https://a.test/")
        assert "\n".join(page.text[b.start : b.end] for b in page.blocks) == page.text
        page.text.encode()
        read_at_all += page.outcome is None
    assert read_at_all or media_type == "application/pdf"
