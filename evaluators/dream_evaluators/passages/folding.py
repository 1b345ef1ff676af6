"""A text folded for quote search, and the way back from its offsets to those of the original."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

_CJK = "\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3"
# Everything that folding changes, by kind; whatever matches none of these keeps its length.
# All repeats are bounded, so hostile text costs linear time.
_CHANGES = re.compile(
    rf"""
      (?P<hyphen> (?<=[^\W\d_]) [-\u00ad\u2010\u2011] (?:[ \t\r]{{0,8}}\n\s{{0,40}})? (?=[^\W\d_]))
    | (?P<mark> \s? \[ (?:\d{{1,3}}|[a-z]|note\ \d{{1,3}}|citation\ needed) \])
    | (?P<dash> \s{{0,8}} (?: [\u2012-\u2015\u2212\ufe58\uff0d] | --{{1,3}} | (?<=\s)-(?=\s) )
                \s{{0,8}})
    | (?P<wrap> (?<=[{_CJK}]) \s{{1,40}} (?=[{_CJK}]))
    | (?P<blank> \s{{2,}} | [^\S ])
    | (?P<other> [A-Za-z][\u0300-\u036f]{{1,8}} | [^\x20-\x7e{_CJK}])
    """,
    re.VERBOSE,
)
_REPLACEMENTS = {"hyphen": "", "mark": "", "dash": "-", "wrap": "", "blank": " "}
_QUOTES = dict.fromkeys(map(ord, "“”„‟«»「」『』〝〞"), '"') | dict.fromkeys(
    map(ord, "‘’‚‛′`´"), "'"
)
_COMBINING = range(0x0300, 0x0370)


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A folded text with its map: piece i starts at `folded[i]` and stood at `original[i]`.

    Even pieces are as they were but for case, odd ones were changed.
    """

    text: str
    folded: list[int]
    original: list[int]
    length: int  # of the original, characters

    def origin(self, position: int) -> int:
        """Give the offset in the original of the folded character at `position`."""
        at = bisect_right(self.folded, position) - 1
        beyond = self.original[at + 1] if at + 1 < len(self.original) else self.length
        return min(self.original[at] + position - self.folded[at], beyond)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Give the original's span of the folded `text[start:end]`, which must not be empty."""
        at = bisect_right(self.folded, end - 1) - 1
        # Odd pieces are the changed ones: of those the whole original belongs to the quote.
        last = self.original[at + 1] if at % 2 else self.origin(end - 1) + 1
        return self.origin(start), min(last, self.length)


def fold_text(text: str) -> FoldedText:
    """Fold case, Unicode forms, accents, ligatures, blanks, quotes, dashes and hyphenation.

    A hyphen between letters vanishes, at a line's end or not: both spellings of a hyphenated word
    then agree. Reference marks such as `[3]` vanish too.
    """
    parts: list[str] = []
    folded: list[int] = [0]
    original: list[int] = [0]
    characters: dict[str, str] = {}
    length = last = 0
    for found in _CHANGES.finditer(text):
        plain = text[last : found.start()].lower()
        value = _REPLACEMENTS.get(found.lastgroup or "")
        if value is None:
            value = characters.get(found.group())
        if value is None:
            value = characters[found.group()] = _fold_character(found.group())
        parts += (plain, value)
        folded.append(length + len(plain))
        original.append(found.start())
        length += len(plain) + len(value)
        folded.append(length)
        original.append(found.end())
        last = found.end()
    parts.append(text[last:].lower())
    return FoldedText("".join(parts), folded, original, len(text))


def _fold_character(character: str) -> str:
    """Fold one character outside ASCII or a letter with its accents; invisible ones vanish."""
    character = character.translate(_QUOTES)
    if unicodedata.category(character[0]) in ("Cf", "Cc", "Co", "Cn"):
        return ""
    parted = unicodedata.normalize("NFKD", character).lower()
    kept = "".join(c for c in parted if ord(c) not in _COMBINING)
    return unicodedata.normalize("NFC", kept.translate(_QUOTES))
