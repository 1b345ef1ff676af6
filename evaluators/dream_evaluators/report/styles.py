"""Which marks count: a citation style must be the report's before lone digits are citations."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from dream_evaluators.report.labels import expand, goes_down, to_superscript
from dream_evaluators.report.lookup import Lookup
from dream_evaluators.report.marks import Mark, MarkKind

ESTABLISHED = 3  # occurrences that make a style, where no list vouches for it; our choice


@dataclass(frozen=True, slots=True)
class Styles:
    """What the marks of a whole report say about how it cites."""

    brackets: int
    glued: int
    strong_authors: int
    sentence_pairs: bool  # "[41-23]" is document 41, sentence 23
    has_list: bool

    @classmethod
    def of(cls, marks: list[Mark], lookup: Lookup) -> Styles:
        """Count the marks of a report."""
        kinds = Counter(m.kind for m in marks)
        numeric = [m for m in marks if m.kind is MarkKind.LABEL and m.alone]
        return cls(
            brackets=kinds[MarkKind.LABEL]
            + sum(1 for m in marks if m.kind is MarkKind.LINK and m.labels),
            glued=kinds[MarkKind.GLUED],
            strong_authors=sum(1 for m in marks if m.kind is MarkKind.AUTHOR_YEAR and not m.alone),
            sentence_pairs=any(goes_down(m.labels[0]) for m in numeric),
            has_list=bool(lookup.labels),
        )


def accept(text: str, marks: list[Mark], styles: Styles, lookup: Lookup) -> list[Mark]:
    """Return the marks that count, with the labels of numeric ones written out."""
    kept = []
    for mark in marks:
        rule = _RULES.get(mark.kind)
        if rule is None or rule(text, mark, styles, lookup):
            kept.append(mark)
        elif text.startswith("<", mark.start):  # "10<sup>6</sup>" is shown as 10⁶
            mark.kind, mark.lifted = MarkKind.DISPLAY, False
            mark.title = to_superscript(",".join(mark.labels))
            kept.append(mark)
    return kept


def _label(text: str, mark: Mark, styles: Styles, lookup: Lookup) -> bool:
    if not mark.alone and not re.fullmatch(r"\d{1,4}\s?[,–-].*", mark.labels[0]):
        return True
    known = lookup.labels
    if mark.labels[0] not in known:
        mark.labels = expand(mark.labels[0], sentence_style=styles.sentence_pairs)
    if not mark.labels:
        return False
    resolved = [label for label in mark.labels if label in known or lookup.hint(label)]
    if len(mark.labels) == 1:
        label = mark.labels[0]
        if resolved:
            return True
        before = text[max(0, mark.start - 3) : mark.start]
        return label != "0" and len(label) < 4 and not _INDEXED.search(before)
    return bool(resolved) or (not styles.has_list and styles.brackets > 1)


_INDEXED = re.compile(r"(?:^|[\s(=+*])[A-Za-z]\d?$|_$")  # "a[3]" is an index


def _glued(text: str, mark: Mark, styles: Styles, lookup: Lookup) -> bool:
    if styles.brackets >= styles.glued:
        return False
    known = all(label in lookup.labels for label in mark.labels)
    return known or styles.glued >= ESTABLISHED


_UNIT_WORD = re.compile(r"(?:^|[\s(/·*×])[A-Za-zµμΩχρσλτ]{1,3}$|[\d)⁺⁻₀-₉⁰-⁹]$|^$|[\s(]$")


def _superscript(text: str, mark: Mark, styles: Styles, lookup: Lookup) -> bool:
    if mark.labels and not mark.labels[0].isdigit():
        mark.labels = expand(mark.labels[0])
    if len(mark.labels) == 1 and mark.labels[0] not in lookup.labels:
        mark.labels = tuple(mark.labels[0])  # "¹²" may be 1 and 2
    if not mark.labels or not all(label in lookup.labels for label in mark.labels):
        return False
    following = text[mark.end : mark.end + 1]
    before = text[max(0, mark.start - 12) : mark.start]
    return not following.isalnum() and following not in ("⁺", "⁻") and not _UNIT_WORD.search(before)


def _author_year(text: str, mark: Mark, styles: Styles, lookup: Lookup) -> bool:
    if not mark.alone or any(lookup.author_year(label) for label in mark.labels):
        return True
    return mark.lifted and styles.strong_authors >= ESTABLISHED and "," in mark.labels[0]


_RULES = {
    MarkKind.LABEL: _label,
    MarkKind.GLUED: _glued,
    MarkKind.SUPERSCRIPT: _superscript,
    MarkKind.AUTHOR_YEAR: _author_year,
}
