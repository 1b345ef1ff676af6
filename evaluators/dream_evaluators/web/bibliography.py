"""Reference lists of a source: its words about other texts, which prove nothing it says itself."""

from __future__ import annotations

import re

from dream_evaluators.web.content import Piece

_HEADING = re.compile(
    r"^(?:(?:\d{1,2}|[IVX]{1,4})[.)]?\s{0,3})?(?:references(?: cited| and notes)?|bibliography"
    r"|works cited|literature cited|notes and references|references and further reading"
    r"|sources and references|literaturverzeichnis|literatur|einzelnachweise|quellenverzeichnis"
    r"|références|bibliographie|références bibliographiques|referencias|bibliografía|bibliografia"
    r"|riferimenti|referências|referenties|参考文献|參考文獻|参考资料|참고문헌|список литературы"
    r"|литература)\s?:?$",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"\b(?:19|20)\d\d[a-z]?\b|https?://|\bpp?\.\s?\d|\bvol\."
    r"|\b(?:doi|et al|isbn|retrieved|accessed)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^(?:\[\d{1,4}\]|\d{1,4}[.)]|\^)\s")
SHARE = 0.6  # of the blocks below the heading that must look like entries


def is_entry(text: str) -> bool:
    """Whether a block reads like an entry of a reference list."""
    return _ENTRY.search(text[:2_000]) is not None or _NUMBERED.match(text) is not None


def heads_bibliography(text: str) -> bool:
    """Whether a line is the heading of a reference list, in one of ten languages."""
    return len(text) < 60 and _HEADING.match(text.strip(" #*=\t")) is not None


def mark_bibliography(pieces: list[Piece]) -> None:
    """Label the reference lists among the pieces: kind `bibliography`, not main.

    A list begins at a heading that names it and ends at the next heading or at a run of text
    that no longer reads like entries.
    """
    position = 0
    while position < len(pieces):
        if heads_bibliography(pieces[position].text):
            end = _end_of_list(pieces, position)
            for piece in pieces[position:end]:
                piece.kind, piece.main = "bibliography", False
            position = max(end, position + 1)
        else:
            position += 1


def _end_of_list(pieces: list[Piece], start: int) -> int:
    """Find where a reference list ends; `start` itself if what follows is none."""
    end = start + 1
    misses = entries = 0
    for index in range(start + 1, len(pieces)):
        piece = pieces[index]
        if piece.kind == "heading" or misses >= 3:
            break
        if is_entry(piece.text):
            entries, misses, end = entries + 1, 0, index + 1
        else:
            misses += 1
    return end if entries and entries >= SHARE * (end - start - 1) else start
