"""Where the sentences of a source begin and end: a linear scan, with offsets, CJK included."""

from __future__ import annotations

import re

# A terminator, what may close behind it, and then room; CJK terminators need no room. A line break
# ends a sentence too, unless the line is only wrapped (see `_wrapped`).
_CANDIDATE = re.compile(r"[.!?…][.!?…\"'”’»)\]]{0,8}(?=\s)|[。！？｡][。！？｡”’」』）》\]]{0,8}|\n")
_SPACE_AHEAD = re.compile(r"[ \t\r\f\v\u00a0\u3000]*")
_LAST_WORD = re.compile(r"[^\s(\[\"“‘]{1,24}\Z")

# Our choice: a passage is read by a person or paid for by the token, so no sentence is longer.
MAX_SENTENCE = 600
# A line this long that ends in mid-sentence was wrapped by a typesetter; a shorter one is an item.
WRAPPED_LINE = 40

_TITLES = "mr mrs ms dr prof st sr jr gen col lt sgt capt rev hon pres gov sen rep supt"
_LATIN = "vs etc al e.g i.e cf ca approx ed eds vol no nos pp p fig figs eq sec ch ref refs"
_FIRMS = "inc ltd co corp dept univ assn bros est"
_MONTHS = "jan feb mar apr jun jul aug sep sept oct nov dec"
ABBREVIATIONS = frozenset(f"{_TITLES} {_LATIN} {_FIRMS} {_MONTHS}".split())


def split_sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Split a text into sentences, in time linear in its length.

    Returns:
        Spans `(start, end)` in characters, in order, not overlapping, none empty or with blanks
        at an edge, none longer than MAX_SENTENCE; together they hold every character of the text
        that is not blank.
    """
    spans: list[tuple[int, int]] = []
    start = line = 0
    for found in _CANDIDATE.finditer(text):
        if found.group() == "\n":
            ends = not _wrapped(text, line, found.start())
            line = found.end()
        else:
            ends = _ends_sentence(text, found)
        if ends:
            _add(spans, text, start, found.end())
            start = found.end()
    _add(spans, text, start, len(text))
    return tuple(spans)


def _wrapped(text: str, line: int, end: int) -> bool:
    """Tell whether the line `text[line:end]` runs on into the next one."""
    following = text[end + 1 : end + 2]
    if not following.islower() or end - line < WRAPPED_LINE:
        return False
    return text[end - 1] not in ".!?:;。！？"


def _ends_sentence(text: str, found: re.Match[str]) -> bool:
    """Tell whether a terminator ends its sentence: no abbreviation, no initial, no lower case."""
    if found.group()[0] != ".":
        return True
    ahead = _SPACE_AHEAD.match(text, found.end())
    following = text[ahead.end() : ahead.end() + 1] if ahead is not None else ""
    if following.islower():
        return False
    word = _LAST_WORD.search(text, max(0, found.start() - 24), found.start())
    if word is None or found.group() != ".":
        return True
    return not _abbreviates(word.group())


def _abbreviates(word: str) -> bool:
    """Tell whether a full stop behind this word belongs to the word."""
    if word.lower() in ABBREVIATIONS:
        return True
    letter = word.rpartition(".")[2]
    return len(letter) == 1 and letter.isupper() and letter.isascii()


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    """Append `text[start:end]` without the blanks at its edges, in pieces where it is too long."""
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return
    start += len(piece) - len(piece.lstrip())
    end = start + len(stripped)
    while end - start > MAX_SENTENCE:
        cut = _cut(text, start)
        spans.append((start, start + len(text[start:cut].rstrip())))
        while text[cut].isspace():
            cut += 1
        start = cut
    spans.append((start, end))


def _cut(text: str, start: int) -> int:
    """Find where to cut an overlong sentence: at the last blank of its second half, if any."""
    limit = start + MAX_SENTENCE
    for position in range(limit, start + MAX_SENTENCE // 2, -1):
        if text[position].isspace():
            return position
    return limit
