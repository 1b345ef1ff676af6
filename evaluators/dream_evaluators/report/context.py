"""What the inline scanner knows of the block it reads."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, field
from functools import cached_property

from dream_evaluators.report.brackets import round_pairs, square_pairs

_TICKS = re.compile("`+")


@dataclass
class InlineContext:
    """A stretch `text[start:end]` and its bracket pairs, found when first asked for."""

    text: str
    start: int
    end: int
    defined: Container[str] = field(default_factory=frozenset)  # labels that some entry has

    @cached_property
    def squares(self) -> dict[int, int]:
        """Positions of `[` to those of their `]`."""
        return square_pairs(self.text, self.start, self.end)

    @cached_property
    def rounds(self) -> dict[int, int]:
        """Positions of `(` to those of their `)` on the same line."""
        return round_pairs(self.text, self.start, self.end)

    @cached_property
    def last_round(self) -> int:
        """Position of the last `)`, -1 without one: nothing behind it can be a destination."""
        return self.text.rfind(")", self.start, self.end)

    @cached_property
    def ticks(self) -> dict[int, int]:
        """Where a code span opens to where it ends: the next run of as many backticks."""
        runs = [found.span() for found in _TICKS.finditer(self.text, self.start, self.end)]
        spans: dict[int, int] = {}
        nearest: dict[int, int] = {}
        for start, end in reversed(runs):
            closing = nearest.get(end - start)
            if closing is not None:
                spans[start] = closing
            nearest[end - start] = end
        return spans
