"""Author-year citations: "(Smith et al., 2023; Lee & Park 2020)" and "Smith et al. (2023)"."""

from __future__ import annotations

import re

from dream_evaluators.report.context import InlineContext
from dream_evaluators.report.marks import Mark, MarkKind
from dream_evaluators.report.vocabulary import words

_PARTICLE = r"(?:(?:van|von|de|der|den|del|della|la|le|di|da|du|el|al|bin|ter|ten)[ -]){0,3}"
_NAME = rf"{_PARTICLE}[A-ZÀ-ÞĀ-ŽА-Я][\w'’-]{{1,30}}"
_GROUP = rf"{_NAME}(?:,? (?:[A-Z]\.[ -]?){{1,3}})?"
_LEAD = r"(?:(?:see|cf\.?|e\.g\.,?|also|in|reviewed in|as in|after|following|参见|见),? ){0,2}"
_YEAR = r"(?P<year>(?:19|20)\d\d)[a-z]?"
_PIECE = re.compile(
    rf"{_LEAD}(?P<names>(?P<first>{_NAME})(?P<rest>(?:,? (?:and|&|und|et|y|e) "
    rf"{_GROUP}|, {_GROUP}){{0,4}}"
    rf"(?P<etal>,? (?:et al\.?|and colleagues|u\. ?a\.|等))?| [^\W\d_a-z][\w&'’-]{{1,"
    rf"30}}(?: (?:[^\W\d_a-z][\w&'’-]{{1,30}}|of|and|for|the|&)){{0,5}})?)(?P<comma>,"
    rf")? {_YEAR}(?P<more>(?:, ?(?:19|20)\d\d[a-z]?){{0,4}}(?:[,:] ?(?:pp?\. "
    rf"?)?[\d–-]{{1,12}})?)"
)
_NOT_NAMES = words(
    "january february march april may june july august september october november "
    "december jan feb mar apr jun jul aug sep sept "
    "oct nov dec q1 q2 q3 q4 h1 h2 fy spring summer autumn fall winter since until "
    "from in by as of through between early late mid "
    "version updated accessed published released founded established retrieved "
    "effective launched the a an circa about around"
)
# Nothing nested: a link or a bracket inside is read for itself.
_HELD = re.compile(r"[(（]([^()（）\[\]\n]{4,400})[)）]")
_BEFORE = re.compile(rf"({_NAME}(?: (?:and|&) {_NAME})? et al\.?,?)\s?$")


def parenthesis(context: InlineContext, at: int) -> Mark | None:
    """Read "(Smith et al., 2023; Lee 2020)"; None when no piece names an author and a year."""
    held = _HELD.match(context.text, at, context.end)
    if not held:
        return None
    labels: list[str] = []
    strong = False
    for piece in re.split(r"[;；]\s?", held.group(1)):
        found = _PIECE.match(piece.strip())
        if not found or found.group("first").lower() in _NOT_NAMES:
            continue
        labels.append(f"{found.group('names')}{found.group('comma') or ''} {found.group('year')}")
        strong = strong or bool(found.group("etal")) or _is_pair(found.group("rest") or "")
    if not labels:
        return None
    strong = strong or len(labels) > 1
    return Mark(MarkKind.AUTHOR_YEAR, at, held.end(), labels=tuple(labels), alone=not strong)


def _is_pair(rest: str) -> bool:
    return bool(re.match(r",? (?:and|&|und) [^\W\d_a-z][\w'’-]+$", rest))


def narrative(context: InlineContext, at: int) -> Mark | None:
    """Read the "(2023)" of "Smith et al. (2023)"; the mark is the year's bracket alone."""
    opening = context.text.find("(", at, at + 4)
    found = re.compile(r"\(((?:19|20)\d\d)[a-z]?(?:[,:;][^()\n]{0,40})?\)").match(
        context.text, opening, context.end
    )
    name = _BEFORE.search(context.text[max(context.start, opening - 90) : opening])
    if not found or not name:
        return None
    label = f"{name.group(1).rstrip(',')} {found.group(1)}"
    # Alone: the year is prose, it counts only when an entry answers to it.
    return Mark(
        MarkKind.AUTHOR_YEAR, opening, found.end(), labels=(label,), alone=True, lifted=False
    )


def surname_year(label: str) -> tuple[str, str]:
    """Return the first author's surname in lower case and the year of a label."""
    found = re.search(r"(?:19|20)\d\d", label)
    words = re.findall(r"[\w'’-]+", label)
    particles = {
        "van",
        "von",
        "de",
        "der",
        "den",
        "del",
        "della",
        "la",
        "le",
        "di",
        "da",
        "du",
        "el",
        "al",
        "bin",
        "ter",
        "ten",
    }
    name = next((w for w in words if w.lower() not in particles), "")
    return name.lower(), found.group() if found else ""
