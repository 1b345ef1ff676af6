"""Pages of a list, by an opaque cursor: so many rows, and never more than a model likes to read."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from dream_evaluators.errors import BadInput
from dream_evaluators.tokens import estimate_tokens

Row = TypeVar("Row")
Card = TypeVar("Card")

# Hosts warn at 10,000 tokens a result and cut at 25,000; the rest of a result needs room too.
PAGE_TOKENS = 5_500


@dataclass(frozen=True)
class Page(Generic[Row, Card]):
    """One page: its rows as cards, and the rows themselves; `next_cursor` is "" at the end."""

    cards: list[Card]
    rows: Sequence[Row]
    next_cursor: str


def page(
    rows: Sequence[Row],
    cursor: str,
    limit: int,
    make: Callable[[Row, int], Card],
    max_tokens: int = PAGE_TOKENS,
) -> Page[Row, Card]:
    """Cut a page.

    Args:
        rows: All of them.
        cursor: `next_cursor` of the page before, "" for the first.
        limit: Rows at most.
        make: Turns a row and its number (from 1) into what is shown.
        max_tokens: Stop before this many tokens, estimated; at least one row is given.

    Raises:
        BadInput: The cursor is none that was handed out.
    """
    start = _start(cursor)
    cards: list[Card] = []
    tokens = 0
    for row in rows[start : start + limit]:
        card = make(row, start + len(cards) + 1)
        tokens += estimate_tokens(json.dumps(card, ensure_ascii=False))
        if cards and tokens > max_tokens:
            break
        cards.append(card)
    end = start + len(cards)
    return Page(cards, rows[start:end], f"at:{end}" if end < len(rows) else "")


def _start(cursor: str) -> int:
    if not cursor:
        return 0
    number = cursor.removeprefix("at:")
    if number == cursor or not (number.isascii() and number.isdigit() and len(number) < 10):
        raise BadInput(f"cursor {cursor[:40]!r} is no cursor; use next_cursor as returned.")
    return int(number)
