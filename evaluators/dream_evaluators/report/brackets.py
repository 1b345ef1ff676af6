"""Bracket pairs of a stretch of text, in one pass: what makes link scanning linear."""

from __future__ import annotations

import re

_SQUARE = re.compile(r"[\[\]\n]")
_ROUND = re.compile(r"[()\n]")
LINK_TEXT_CAP = 1_000  # characters; our choice, longer "link texts" are stray brackets


def square_pairs(text: str, start: int, end: int) -> dict[int, int]:
    r"""Map every `[` of `text[start:end]` to its `]`.

    Escapes are ignored on purpose: writers escape one bracket of a pair (`[[2405.01234\] SMOL`)
    as often as both (`\[39\]`). Only when a `](` would find no partner is a pair that an escaped
    `]` took given back to it.
    """
    pairs: dict[int, int] = {}
    opened: list[int] = []
    taken_by_escape: list[int] = []
    for found in _SQUARE.finditer(text, start, end):
        at = found.start()
        character = text[at]
        if character == "[":
            opened.append(at)
        elif character == "]":
            if opened:
                opening = opened.pop()
                pairs[opening] = at
                if text[at - 1] == "\\":
                    taken_by_escape.append(opening)
            elif text.startswith("](", at) and taken_by_escape:
                pairs[taken_by_escape.pop()] = at
        else:
            taken_by_escape.clear()
    return {a: b for a, b in pairs.items() if b - a <= LINK_TEXT_CAP}


def round_pairs(text: str, start: int, end: int) -> dict[int, int]:
    """Map every `(` of `text[start:end]` to its `)` on the same line."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for found in _ROUND.finditer(text, start, end):
        character = found.group()
        if character == "(":
            opened.append(found.start())
        elif character == ")":
            if opened:
                pairs[opened.pop()] = found.start()
        else:
            opened.clear()
    return pairs
