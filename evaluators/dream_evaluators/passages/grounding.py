"""Whether a quote stands in a source, and where: exactly, folded, in fragments, or nearly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from dream_evaluators.passages.folding import FoldedText, fold_text

How = Literal["exact", "folded", "fuzzy", "absent"]

FUZZY_SCORE = 95.0  # rapidfuzz points (0-100) below which a likeness is no quote
MAX_FUZZY = 2000  # characters of a quote that are worth a fuzzy search
MIN_FUZZY = 20  # a shorter quote is near to too much
MAX_OMISSION = 400  # characters an ellipsis may stand for
MAX_STARTS = 40  # places at which a fragmented or fuzzy quote is tried
EXTRA_NUMBERS = 2  # line or page numbers that may stand inside a fuzzy match

OMITTED_NEGATION = "the omitted words change the meaning: they hold a negation"

_ELLIPSIS = re.compile(r"\s*[\[(]?(?:\.{3,8}|(?:\. ){2,7}\.)[\])]?\s*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_FOLDED_WORD = re.compile(r"[^\W_]{3,}")
NEGATION = re.compile(
    r"n't\b|\b(?:not|no|never|none|nor|neither|without|cannot|hardly|fail(?:s|ed)?|denie[sd]|false|"
    r"nicht|kein\w{0,3}|nie|ohne|ne|pas|jamais|sans|sin|nunca|jamas|nao|sem|non|mai)\b|[不没沒無无非未ない]"
)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？]")


@dataclass(frozen=True, slots=True)
class Grounding:
    """Where a quote stands in a source.

    `text[start:end]` of the source is the place; 0, 0 where there is none. A quote that was located
    but says something else than its place does (an omitted "not", another number) has `found`
    False, `how` "absent", its place, and the reason in `note`.
    """

    found: bool
    start: int = 0
    end: int = 0
    how: How = "absent"
    note: str = ""


def ground(quote: str, text: str) -> Grounding:
    """Look for a quote in a source's text, in time bounded by a small multiple of its length.

    Tried in this order: the quote as it is; both folded (see `fold_text`); its fragments between
    ellipses, which must stand in order, close together, and omit no negation; a rapidfuzz
    alignment of at least 95 that carries the same numbers and negations.
    """
    quote = quote.strip()
    start = _bounded_find(text, quote, 0)
    if quote and start >= 0:
        return Grounding(True, start, start + len(quote), "exact")
    wanted = _trim(fold_text(quote).text)
    if not wanted:
        return Grounding(False, note="the quote is empty")
    page = fold_text(text)
    start = _bounded_find(page.text, wanted, 0)
    if start >= 0:
        return Grounding(True, *page.span(start, start + len(wanted)), "folded")
    fragments = [trimmed for part in _ELLIPSIS.split(wanted) if (trimmed := _trim(part))]
    if len(fragments) > 1:
        return _ground_fragments(fragments, page)
    return _ground_fuzzy(wanted, page)


def _trim(folded: str) -> str:
    """Drop what a judge puts around a quote: quotation marks, ellipses, a final stop."""
    return folded.strip(" \"'.,;:")


def _bounded_find(text: str, wanted: str, start: int, limit: int | None = None) -> int:
    """Find a string that neither begins nor ends inside a word or a number; -1 if there is none."""
    if not wanted:
        return -1
    for _ in range(1000):
        at = text.find(wanted, start, limit)
        if at < 0 or not (_glued(text, at) or _glued(text, at + len(wanted))):
            return at
        start = at + 1
    return -1


def _glued(text: str, at: int) -> bool:
    """Tell whether the border before `text[at]` lies inside an ASCII word or a number."""
    pair = text[max(0, at - 1) : at + 1]
    return at > 0 and len(pair) == 2 and pair.isascii() and pair.isalnum()


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    """Yield the places of a string, at most MAX_STARTS of them."""
    start = -1
    for _ in range(MAX_STARTS):
        start = _bounded_find(text, wanted, start + 1)
        if start < 0:
            return
        yield start


def _ground_fragments(fragments: list[str], page: FoldedText) -> Grounding:
    """Look for fragments in order, with at most MAX_OMISSION characters between two."""
    spoiled = None
    for start in _occurrences(page.text, fragments[0]):
        places = _chain(fragments, page.text, start)
        if not places:
            continue
        span = page.span(places[0][0], places[-1][1])
        omitted = [page.text[a[1] : b[0]] for a, b in pairwise(places)]
        if not any(_drops_negation(piece) for piece in omitted):
            return Grounding(True, *span, "folded", "fragments joined by ellipses")
        spoiled = spoiled or Grounding(False, *span, "absent", OMITTED_NEGATION)
    if spoiled is not None:
        return spoiled
    if all(_bounded_find(page.text, fragment, 0) >= 0 for fragment in fragments):
        return Grounding(False, note="the fragments stand out of order or far apart")
    return Grounding(False, note="a fragment is not in the source")


def _chain(fragments: list[str], text: str, start: int) -> list[tuple[int, int]]:
    """Follow the fragments from one place of the first; empty where the chain breaks."""
    places = [(start, start + len(fragments[0]))]
    for fragment in fragments[1:]:
        end = places[-1][1]
        at = _bounded_find(text, fragment, end, end + MAX_OMISSION + len(fragment))
        if at < 0:
            return []
        places.append((at, at + len(fragment)))
    return places


def _drops_negation(omitted: str) -> bool:
    """Tell whether an omission takes a negation out of a sentence that the quote goes on using."""
    ends = [found.end() for found in _SENTENCE_END.finditer(omitted)]
    if not ends:
        return NEGATION.search(omitted) is not None
    return any(NEGATION.search(part) for part in (omitted[: ends[0]], omitted[ends[-1] :]))


def _ground_fuzzy(wanted: str, page: FoldedText) -> Grounding:
    """Align the quote around the places of its rarest words."""
    from rapidfuzz import fuzz  # noqa: PLC0415 - start-up

    if not MIN_FUZZY <= len(wanted) <= MAX_FUZZY:
        return Grounding(False, note="not in the source")
    best, place = 0.0, (0, 0)
    for low, high in _windows(wanted, page.text):
        window = page.text[low:high]
        found = fuzz.partial_ratio_alignment(wanted, window, score_cutoff=FUZZY_SCORE)
        if found is not None and found.score > best:
            best, place = found.score, (low + found.dest_start, low + found.dest_end)
    if not best:
        return Grounding(False, note="not in the source")
    start, end = _whole_words(page.text, *place)
    difference = _difference(wanted, page.text[start:end])
    span = page.span(start, end)
    if difference:
        return Grounding(False, *span, "absent", difference)
    return Grounding(True, *span, "fuzzy", f"alignment {best:.0f}")


def _windows(wanted: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield stretches around the quote's rarest words: a 95 % match keeps most of its words."""
    words = {found.group(): found.start() for found in _FOLDED_WORD.finditer(wanted)}
    counts = {word: text.count(word) for word in list(words)[:60]}
    rare = sorted((count, word) for word, count in counts.items() if count)[:4]
    room = len(wanted) // 10 + 20
    for _, word in rare:
        for at in _occurrences(text, word):
            start = at - words[word]
            yield max(0, start - room), start + len(wanted) + room


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a span to the borders of the words it cuts."""
    while _glued(text, start):
        start -= 1
    while _glued(text, end):
        end += 1
    return start, end


def _difference(wanted: str, place: str) -> str:
    """Say what a near match gets wrong that no misprint explains, "" if nothing."""
    numbers, there = _NUMBER.findall(wanted), _NUMBER.findall(place)
    remaining = iter(there)
    in_order = all(number in remaining for number in numbers)
    if not in_order or len(there) - len(numbers) > EXTRA_NUMBERS:
        return "the nearest passage has other numbers"
    if len(NEGATION.findall(wanted)) != len(NEGATION.findall(place)):
        return "the nearest passage differs in a negation"
    return ""
