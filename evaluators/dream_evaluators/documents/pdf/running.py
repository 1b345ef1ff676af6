"""Headers, footers and page numbers: lines at the edges that pages have in common."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from dream_evaluators.documents.pdf.geometry import Line

EDGE = 0.1  # of a page's height, at its top and foot, in which running lines stand
SHARE = 0.4  # of the pages that must have a line; left and right pages may differ
_NUMBERS = re.compile(r"\d{1,9}|\b[ivxlc]{1,7}\b")


def find_running(pages: Sequence[tuple[list[Line], float]]) -> dict[int, str]:
    """Find the running lines of a document.

    Args:
        pages: The lines and the height of every page.

    Returns:
        The lines by `id`, each with its text without numbers: "" for a page number alone.
    """
    found: dict[str, list[tuple[int, Line]]] = defaultdict(list)
    for number, (lines, height) in enumerate(pages):
        for line in lines:
            if line.top > height * (1 - EDGE) or line.bottom < height * EDGE:
                found[_numberless(line.text)].append((number, line))
    least = max(2, round(SHARE * len(pages)))
    running: dict[int, str] = {}
    for text, placed in found.items():
        kept = _counted(placed) if _is_page_number(text) else _same_place(placed)
        if len({number for number, _ in kept}) >= least:
            running.update((id(line), "" if _is_page_number(text) else text) for _, line in kept)
    return running


def _numberless(text: str) -> str:
    return " ".join(_NUMBERS.sub("#", text).split())


def _is_page_number(text: str) -> bool:
    """Whether a line, its numbers written as "#", only counts pages: "- # -", "Page # of #"."""
    rest = re.sub(r"[\W#]|\b(?:page|seite|pagina|página|of|von|de|p|di)\b", "", text.lower())
    return "#" in text and not re.sub(r"[第页頁共ページ]", "", rest)


def _counted(placed: list[tuple[int, Line]]) -> list[tuple[int, Line]]:
    """Keep the numbers that grow by one with every page."""
    offsets: Counter[int] = Counter()
    numbered = []
    for page, line in placed:
        number = _first_number(line.text)
        if number is not None:
            offsets[number - page] += 1
            numbered.append((page, line, number - page))
    if not offsets:
        return []
    usual = offsets.most_common(1)[0][0]
    return [(page, line) for page, line, offset in numbered if offset == usual]


def _first_number(text: str) -> int | None:
    found = re.search(r"\d{1,9}", text)
    if found:
        return int(found.group())
    roman = re.fullmatch(r"\W*([ivxlc]{1,7})\W*", text)
    return _roman(roman.group(1)) if roman else None


def _roman(text: str) -> int:
    values = [{"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}[letter] for letter in text]
    return sum(-value if value < max(values[at:]) else value for at, value in enumerate(values))


def _same_place(placed: list[tuple[int, Line]]) -> list[tuple[int, Line]]:
    """Keep the lines that stand at the height where most of them do."""
    heights = Counter(round(line.bottom / 4) for _, line in placed)
    usual = heights.most_common(1)[0][0]
    return [(page, line) for page, line in placed if abs(line.bottom / 4 - usual) <= 1.5]
