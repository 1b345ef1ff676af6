"""The words of a text as terms that can be compared: folded, stemmed, CJK as character pairs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

# Scripts written without blanks between words, and Hangul, whose particles stick to the word.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff"
)
_ASCII_WORD = re.compile(r"\d+(?:[.,]\d+)+|[a-z0-9]+")
_WORD = re.compile(rf"\d+(?:[.,]\d+)+|[{UNSPACED}]+|[^\W_{UNSPACED}]+")
_UNSPACED_RUN = re.compile(rf"[{UNSPACED}]")
_ACCENTS = re.compile("[\u0300-\u036f]+")


def word_set(text: str) -> frozenset[str]:
    """Read a set of words written with blanks between them."""
    return frozenset(text.split())


STOPWORDS = word_set(
    """
    a about above after again all also although am among an and any are as at be because been before
    being below between both but by can could did do does doing done down during each either else
    ever every few for from further had has have having he her here hers him his how however i if in
    into is it its itself just may me might mine more most much must my neither no nor not of off on
    once one only onto or other our ours out over own per rather s same shall she should since so
    some such t than that the their theirs them then there therefore these they this those though
    through thus to too toward towards under until up upon us very via was we were what when where
    whether which while who whom whose why will with within without would yet you your yours
    """
)

# Longest first; what is left must keep three letters. Our own table: it joins the inflections of a
# word and its commonest derivations, and errs on the side of joining.
_SUFFIXES = (
    ("isations", ""), ("izations", ""), ("isation", ""), ("ization", ""), ("fulness", ""),
    ("iveness", ""), ("ational", ""), ("ements", ""), ("ities", ""), ("ement", ""), ("ments", ""),
    ("ation", ""), ("ition", ""), ("ative", ""), ("ingly", ""), ("ating", ""), ("ators", ""),
    ("ment", ""), ("ness", ""), ("ator", ""), ("ated", ""), ("ates", ""), ("ally", ""),
    ("edly", ""), ("ions", ""), ("ical", ""), ("ity", ""), ("ing", ""), ("ies", "y"), ("ied", "y"),
    ("ily", "y"), ("ion", ""), ("ive", ""), ("ate", ""), ("ers", ""), ("ors", ""), ("ian", ""),
    ("al", ""), ("ic", ""), ("ed", ""), ("er", ""), ("or", ""), ("ly", ""), ("es", ""),
)  # fmt: skip
_BY_ENDING: dict[str, tuple[tuple[str, str], ...]] = {
    letter: tuple(rule for rule in _SUFFIXES if rule[0][-1] == letter)
    for letter in {suffix[-1] for suffix, _ in _SUFFIXES}
}
_DOUBLES = word_set("bb dd gg mm nn pp rr tt")


def fold(text: str) -> str:
    """Lower the case, apply NFKC, drop Latin accents, and write n't as its own word `not`."""
    if not text.isascii():
        parted = unicodedata.normalize("NFKD", text)
        text = unicodedata.normalize("NFC", _ACCENTS.sub("", parted)).replace("’", "'")
    return text.lower().replace("n't", " not")


def words(text: str) -> Iterator[str]:
    """Yield the words of a text in order, folded; a run of CJK yields its character pairs."""
    folded = fold(text)
    if folded.isascii():
        for word in _ASCII_WORD.findall(folded):
            yield word.replace(",", "") if "," in word else word
        return
    for word in _WORD.findall(folded):
        if _UNSPACED_RUN.match(word) is None:
            yield word.replace(",", "") if "," in word else word
        elif len(word) == 1:
            yield word
        else:
            yield from map("".join, pairwise(word))


def stem(word: str) -> str:
    """Cut a folded English word to the part its relatives share; other words stay as they are."""
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("s") and not word.endswith(("ss", "us", "is", "ies")):
        word = word[:-1]
    for suffix, ending in _BY_ENDING.get(word[-1], ()):
        if len(word) - len(suffix) >= 3 and word.endswith(suffix):
            word = word[: -len(suffix)] + ending
            break
    if len(word) > 3 and word[-2:] in _DOUBLES:
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] in "ey" else word


def content_terms(text: str, limit: int = 400) -> tuple[str, ...]:
    """Give the distinct stems of a text that carry content, in order, at most `limit` of them.

    A text of nothing but stopwords yields those.
    """
    stems: dict[str, None] = {}
    spare: dict[str, None] = {}
    for word in words(text):
        target = spare if word in STOPWORDS else stems
        if len(target) < limit:
            target[stem(word)] = None
    return tuple(stems or spare)
