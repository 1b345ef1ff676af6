"""Sets of words, written as rows of text that a reader can scan."""

from __future__ import annotations


def words(row: str) -> frozenset[str]:
    """Return the set of words in a row."""
    return frozenset(row.split())
