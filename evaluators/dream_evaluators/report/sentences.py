"""Sentence boundaries, in any mix of scripts, on text whose citation markers were taken out."""

from __future__ import annotations

import re

from dream_evaluators.report.vocabulary import words

_CANDIDATE = re.compile(
    r"(?P<stop>[.!?…]+|[。！？｡؟।॥]+)(?P<close>[\"'”’»」』）)\]*_~⁰¹²³⁴-⁹]*)(?P<space>\s*)"
)
_NEVER = words(
    """
    mr mrs ms dr prof sen rep gov gen lt col capt sgt st ft mt fig figs eq eqs sec ch vol pp p
    art approx ca cf e.g i.e eg ie vs v al ed eds dept univ assn hon rev sr sra srta dra z.b bzw
    resp ver rs op cit d.h u.a s.o usw vgl nr bd hrsg ebd evtl ggf inkl zzgl p.ej pág núm av n.º
    m mm mme mlle art tab ex viz incl excl est max min avg tel no nos т.е т.д г гг др им ул
    """
)
_MAYBE = words(
    """
    inc ltd co corp llc plc jr etc u.s u.k e.u u.n d.c a.m p.m ph.d b.a m.s m.a m.b.a j.d b.s
    u.s.a calif va mo ave blvd yrs yr hrs mins n.s et.al ibid jan feb mar apr jun jul aug sep
    sept oct nov dec est s.a l.p bros
    """
)
_MONTHS = words("jan feb mar apr jun jul aug sep sept oct nov dec")
_NUMBERED = words("no nos p pp v ch art sec vol fig figs eq eqs nr tab bd pág núm max min est")
_STARTERS = words(
    """
    the a an it this that these those he she they we i in on at by for however but and so
    because if when while after before both there as its their our his her with from to of
    despite although according since under during among between over such some many most all
    each no not results analysts others
    """
)
_ACRONYM = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")
_BRAND = re.compile(r"[a-z]{1,2}[A-Z]")
_WORD = re.compile(r"[\w'’-]+")
_TO_WORD_START = re.compile(r"[^\s(\[“\"'—–/]*")  # read backwards
_OPENERS = "\"'“‘«([（【「『*_#>~-–—¿¡ \t"
_SAID = re.compile(r"(?:说|說|他|她|道|并|並|的|等|然后|然後|接着|接著|之后|之後|と|という|は|が)")
_PAIRS = (("(", ")"), ("“", "”"), ("（", "）"), ("「", "」"))
BALANCE_CAP = 600  # characters: an unclosed bracket or quote holds a sentence together no longer


def boundaries(text: str) -> list[int]:
    """Return where sentences end: offsets just behind the terminator and what closes with it.

    The end of the text is not among them. Linear in the length of the text.
    """
    ends: list[int] = []
    start = 0
    for found in _CANDIDATE.finditer(text):
        if found.end() >= len(text):
            break
        if _is_boundary(text, start, found):
            end = found.end("close")
            ends.append(end)
            start = end
    return ends


def _is_boundary(text: str, start: int, found: re.Match[str]) -> bool:
    stop = found.group("stop")
    if stop[0] in "。！？｡؟।॥":
        return _wide(text, start, found)
    following = text[found.end() : found.end() + 40].lstrip(_OPENERS)
    first = following[:1]
    if not found.group("space") and not (
        _is_cjk(first) and text[found.end() : found.end() + 1] == first
    ):
        return False
    ends = _full_stop(text, start, found, following) if stop == "." else not first.islower()
    return ends and not _is_open(text, start, found)


def _wide(text: str, start: int, found: re.Match[str]) -> bool:
    close = found.group("close")
    if close and close[0] in "”’」』" and _SAID.match(text, found.end()):
        return False
    return not _is_open(text, start, found)


def _full_stop(text: str, start: int, found: re.Match[str], following: str) -> bool:
    first = following[:1]
    if first.islower() and not _BRAND.match(following):
        return False
    backwards = text[max(start, found.start() - 40) : found.start()][::-1]
    tail = _TO_WORD_START.match(backwards)
    word = tail.group()[::-1] if tail else ""
    lowered = word.lower()
    if found.group("close"):
        return True
    if lowered in _NEVER:
        return (
            lowered in _NUMBERED
            and lowered not in ("p", "v", "st")
            and not first.isdigit()
            and not first.isupper()
        )
    if lowered in _MAYBE or _ACRONYM.fullmatch(word):
        return _after_abbreviation(lowered, following)
    if len(word) == 1 and word.isalpha() and word.isupper():
        return _after_initial(text, start, found, following)
    if not word.isdigit():
        return True
    # "1. Title": the number of a list, not a sentence.
    lead = text[start : min(found.start(), start + 12)]
    return bool(lead.strip(_OPENERS + word)) or found.start() - start > len(lead)


def _after_abbreviation(word: str, following: str) -> bool:
    if word in _MONTHS or following[:1].isdigit():
        return False
    first = _WORD.match(following)
    if word == "etc":
        return True
    return first is not None and first.group().lower() in _STARTERS and first.group()[0].isupper()


def _after_initial(text: str, start: int, found: re.Match[str], following: str) -> bool:
    """In "J. K. Rowling", "E. coli": an initial; "vitamin C. The": the end of a sentence."""
    before = text[max(start, found.start() - 24) : found.start() - 1].rstrip()
    first = _WORD.match(following)
    starts = first is not None and first.group().lower() in _STARTERS
    return starts and bool(before) and not re.search(r"(?:\b[A-Z]\.|\band|&|,)$", before)


def _is_open(text: str, start: int, found: re.Match[str]) -> bool:
    """Whether the candidate stands inside a bracket or quote that closes further on."""
    end = found.end("close")
    if end - start > BALANCE_CAP:
        return False
    piece = text[start:end]
    for opening, closing in _PAIRS:
        if opening in piece and piece.count(opening) > piece.count(closing):
            return text.find(closing, end, end + BALANCE_CAP) >= 0
    return piece.count('"') % 2 == 1 and '"' not in found.group("close")


def _is_cjk(character: str) -> bool:
    return "\u3040" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7af"
