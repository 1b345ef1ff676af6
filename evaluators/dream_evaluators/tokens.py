"""How many tokens a text costs a language model, estimated without a tokenizer."""

from __future__ import annotations

import math

# Our choice: four ASCII characters a token holds within 10 % for English prose on current models;
# other scripts cost more than one token a character.
ASCII_PER_TOKEN = 4
TOKENS_PER_OTHER = 1.2


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: ceil(ASCII characters / 4 + 1.2 x other characters)."""
    other = sum(1 for character in text if ord(character) > 127) if not text.isascii() else 0
    return math.ceil((len(text) - other) / ASCII_PER_TOKEN + TOKENS_PER_OTHER * other)
