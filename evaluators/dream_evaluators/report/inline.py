"""The inline scanner: finds every mark of a block, linear in the length of the text.

What can start a mark is searched for over the whole text at the speed of the regex engine, family
by family; the handlers then read from those places only, in order, and never twice.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Container

from dream_evaluators.report import tags
from dream_evaluators.report.authors import narrative, parenthesis
from dream_evaluators.report.context import InlineContext
from dream_evaluators.report.labels import from_superscript
from dream_evaluators.report.links import bracket
from dream_evaluators.report.marks import Mark, MarkKind
from dream_evaluators.urls import clean_raw, find_doi, identifier_url, trim_bare

_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"|\[\]{}^\u3000-\u301f\uff08-\uff0c]{1,2000}", re.I)
_HOSTED = re.compile(
    r"(?:(?:dx\.)?doi\.org/10\.\d|arxiv\.org/(?:abs|pdf|html)/)[^\s<>\"|\[\]{}]{1,300}", re.I
)
_DOI_HEAD = re.compile(r"(?:\bDOIs?\s{0,2}[:：]?\s{0,2}|\bdoi\s{0,2}[:：]?\s{0,2})$", re.I)
_ARXIV = re.compile(
    r"arxiv\s{0,2}[:：]?\s{0,2}(?:preprint\s)?(?:arxiv:)?(?:\d{4}\.\d{4,5}(?:v\d{1,"
    r"2})?|[a-z-]{2,10}/\d{7})(?![\d])",
    re.I,
)
_PUBMED = re.compile(
    r"(?:PMID|PubMed ID)\s{0,2}[:：]?\s{0,2}\d{4,9}(?!\d)|(?:PMCID\s{0,2}[:：]?\s{0,"
    r"2})?PMC\d{4,9}(?!\d)",
    re.I,
)
_MATH = re.compile(r"\$(?=[^\s$])[^$\n]{1,300}?(?<=[^\s\\])\$(?!\d)")
_GLUED = r"(?<=[^\W\d_][.!?,;)”\"’»。，；！？])\d{1,3}(?:[,，]\s?\d{1,3}){0,6}(?=\s|$|[|。，])"
_GLUED_YEAR = r"(?<=\b(?:19|20)\d\d\.)\d{1,3}(?=\s+[A-ZÀ-Þ]|\s*$)"
_GLUED_PERCENT = r"(?<=[%)][.,;])\d{1,3}(?:,\s?\d{1,3}){0,6}(?=\s|$)"
_NO_NOTE = re.compile(
    r"(?:\b(?:no|fig|figs|vol|sec|ch|pp?|eq|art|nr|v|ver|vs|approx|ca|para|tab|ex|"
    r"cap|al|op|st|item|step|part|rev|ed|pt|bd|abs|abb|núm|num|pág|pag)\.)$",
    re.I,
)


def _code(context: InlineContext, at: int) -> Mark | None:
    end = context.ticks.get(at)
    return Mark(MarkKind.CODE, at, end, lifted=False) if end is not None else None


def _math(context: InlineContext, at: int) -> Mark | None:
    found = _MATH.match(context.text, at, context.end)
    if not found or "](" in found.group() or "http" in found.group():
        return None
    return Mark(MarkKind.CODE, at, found.end(), lifted=False)


def _url(context: InlineContext, at: int) -> Mark | None:
    found = _URL.match(context.text, at, context.end) or _HOSTED.match(
        context.text, at, context.end
    )
    if not found:
        return None
    raw = trim_bare(found.group())
    if len(raw) < 10:
        return None
    url = clean_raw(raw)
    address = url if url[:4].lower() == "http" else "https://" + url
    return Mark(MarkKind.URL, at, at + len(raw), url=address, lifted=False)


def _doi(context: InlineContext, at: int) -> Mark | None:
    text = context.text
    doi = find_doi(text[at : min(context.end, at + 320)])
    if not doi or (at > context.start and (text[at - 1].isalnum() or text[at - 1] in "/.=")):
        return None
    head = _DOI_HEAD.search(text[max(context.start, at - 12) : at])
    start = at - len(head.group()) if head else at
    return Mark(MarkKind.URL, start, at + len(doi), url=identifier_url(doi), lifted=False)


def _identifier(pattern: re.Pattern[str]) -> Callable[[InlineContext, int], Mark | None]:
    def read(context: InlineContext, at: int) -> Mark | None:
        found = pattern.match(context.text, at, context.end)
        if not found or (at > context.start and context.text[at - 1].isalnum()):
            return None
        compact = re.sub(
            r"(?i)preprint\s|(?<=arxiv)\s+(?=\d)|：",
            lambda m: "" if "p" in m.group().lower() else ":",
            found.group(),
        )
        url = identifier_url(compact)
        return Mark(MarkKind.URL, at, found.end(), url=url, lifted=False) if url else None

    return read


def _superscript(context: InlineContext, at: int) -> Mark | None:
    found = re.compile(r"[⁰¹²³⁴-⁹](?:[⁻˒᠂,⁾]?[⁰¹²³⁴-⁹]){0,60}").match(context.text, at, context.end)
    labels = from_superscript(found.group()) if found else ()
    if not found or not labels:
        return None
    return Mark(MarkKind.SUPERSCRIPT, at, found.end(), labels=labels)


def _glued(context: InlineContext, at: int) -> Mark | None:
    found = re.compile(r"\d{1,3}(?:[,，]\s?\d{1,3}){0,60}").match(context.text, at, context.end)
    before = context.text[max(context.start, at - 8) : at]
    if not found or _NO_NOTE.search(before):
        return None
    end = found.end()
    return Mark(
        MarkKind.GLUED, at, end, labels=tuple(re.findall(r"\d+", found.group())), alone=True
    )


# Family: what starts it, and what reads from there.
_FAMILIES: tuple[tuple[re.Pattern[str], Callable[[InlineContext, int], Mark | None]], ...] = (
    # A flood of opening brackets opens nothing: only its last ones can be a marker.
    (re.compile(r"\[(?!\[\[\[|!\[!\[)"), bracket),
    (re.compile(r"[【［〔]"), tags.lenticular),
    (re.compile(r"`+"), _code),
    (re.compile(r"\$"), _math),
    (re.compile(r"<(?=[A-Za-z/])|\((?=cite index)"), tags.angle),
    (re.compile("\ue200(?!\ue200)"), tags.private_use),
    (re.compile(r"(?:file)?cite(?=[\ue200-\ue206]?turn\d)"), tags.bare_turns),
    (re.compile(r":contentReference"), tags.oai_reference),
    (re.compile(r"http"), _url),
    (re.compile(r"HTTP|Http"), _url),
    (re.compile(r"www\."), _url),
    (re.compile(r"(?:dx\.)?doi\.org/10"), _url),
    (re.compile(r"arxiv\.org/"), _url),
    (re.compile(r"10\.(?=\d{4,9}(?:\.\d{1,9})?/)"), _doi),
    (re.compile(r"[aA][rR][xX]iv|ARXIV"), _identifier(_ARXIV)),
    (re.compile(r"PMID|PMC\d|PMCID|PubMed ID"), _identifier(_PUBMED)),
    (re.compile(r"[⁰¹²³⁴-⁹]"), _superscript),
    (re.compile(_GLUED), _glued),
    (re.compile(_GLUED_YEAR), _glued),
    (re.compile(_GLUED_PERCENT), _glued),
    (re.compile(r"[(（](?=[^()（）\n]{0,200}?(?:19|20)\d\d)"), parenthesis),
    (re.compile(r"(?<=et al)\.?,? ?\((?=(?:19|20)\d\d)"), narrative),
)


class InlineScanner:
    """Finds the marks of any stretch of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.defined: Container[str] = frozenset()  # labels of entries, once they are known
        triggers = [
            (found.start(), family)
            for family, (pattern, _) in enumerate(_FAMILIES)
            for found in pattern.finditer(text)
        ]
        triggers.sort()
        self._positions = [t[0] for t in triggers]
        self._families = [t[1] for t in triggers]

    def scan(self, start: int, end: int) -> list[Mark]:
        """Return the marks of `text[start:end]` in order; they do not overlap."""
        first = bisect_left(self._positions, start)
        context = InlineContext(self._text, start, end, self.defined)
        marks: list[Mark] = []
        cursor = start
        for index in range(first, len(self._positions)):
            at = self._positions[index]
            if at >= end:
                break
            if at < cursor:
                continue
            mark = _FAMILIES[self._families[index]][1](context, at)
            if mark is not None and mark.start >= cursor and mark.end > mark.start:
                marks.append(mark)
                cursor = mark.end
        return marks
