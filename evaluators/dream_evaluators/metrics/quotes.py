"""Quotes that a judge gives: where they stand in the source, and whether they carry the numbers."""

from __future__ import annotations

import re
from dataclasses import replace

from dream_evaluators.judges.lexical import missing_numbers
from dream_evaluators.judges.lexical.language import language_of
from dream_evaluators.model.source import Source
from dream_evaluators.passages import Grounding, ground
from dream_evaluators.prompts.answers import ClaimVerdict

# A figure in any notation: digits, perhaps in groups of three, perhaps with a decimal part.
_GROUPED = re.compile(r"[.,\u00a0\u202f ](?=\d{3}(?!\d))")
_FIGURE = re.compile(r"\d+(?:[.,\u00a0\u202f ]\d{3})*(?:[.,]\d+)?")
AROUND = 300  # characters beside a quote that count as its evidence: its own sentence, mostly


def find_quote(quote: str, source: Source) -> Grounding:
    """Find a quote in what a reader of the page would see.

    Returns:
        Where it stands, with offsets into `source.text`; not found when only hidden text has it.
    """
    if not quote.strip():
        return Grounding(found=False, start=0, end=0, how="absent", note="nothing is quoted")
    visible = [block for block in source.blocks if not block.hidden]
    if len(visible) == len(source.blocks):
        return ground(quote, source.text)
    found = ground(quote, source.visible_text)
    if not found.found:
        return found
    # Back from the visible text, in which blocks follow each other with one line break between.
    edges: list[tuple[int, int]] = []
    at = 0
    for block in visible:
        edges.append((at, block.start))
        at += block.end - block.start + 1
    return replace(found, start=_back(found.start, edges), end=_back(found.end - 1, edges) + 1)


def in_title(quote: str, source: Source) -> bool:
    """Whether a quote is taken from the source's title, which stands above its text."""
    return bool(quote.strip()) and ground(quote, source.title).found


def _back(place: int, edges: list[tuple[int, int]]) -> int:
    at, start = next(edge for edge in reversed(edges) if edge[0] <= place)
    return start + place - at


def number_problem(verdict: ClaimVerdict, source: Source) -> str:
    """Tell which number of a supported part stands neither by its quote nor anywhere in the source.

    Sums and conversions fall under this too: asked again, a judge can quote what they are made of;
    if it cannot, nobody knows whether the number is right.
    """
    for fact in verdict.facts:
        if fact.relation != "supported" or not missing_numbers(
            fact.fact, _evidence(fact.quote, source)
        ):
            continue
        if missing := lacking_numbers(fact.fact, source):
            return (
                f"The part {fact.fact!r} is called supported, but {missing[0]!r} is nowhere in the "
                "source. If the source says it in other words, write the part in those words."
            )
    return ""


def lacking_numbers(claim: str, source: Source) -> tuple[str, ...]:
    """Numbers of a claim that neither title nor visible text of a source has, as it writes them.

    A number without a unit is there where its digits are, whatever the source counts with them. In
    another language the same holds for all: nobody's units are known in every language, and "1,840
    metres" of a Thai page is written in Thai.
    """
    told = f"{source.title}\n{source.visible_text}"
    missing = missing_numbers(claim, told)
    if not missing:
        return ()
    digits, foreign = _digits(told), language_of(claim) != language_of(told)
    return tuple(
        number
        for number in missing
        if not (foreign or _FIGURE.fullmatch(number)) or not _digits(number) <= digits
    )


def _digits(text: str) -> set[str]:
    """The figures of a text without what groups their digits; 1.5 is not 15."""
    return {_GROUPED.sub("", each).replace(",", ".") for each in _FIGURE.findall(text)}


def _evidence(quote: str, source: Source) -> str:
    text = source.visible_text
    found = ground(quote, text)
    return text[max(0, found.start - AROUND) : found.end + AROUND] if found.found else quote
