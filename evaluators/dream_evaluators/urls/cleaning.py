"""Cleaning an address as a report writes it: escapes, trailing punctuation, text fragments."""

from __future__ import annotations

import re
from urllib.parse import unquote

FRAGMENT_DIRECTIVE = ":~:"
# Markdown lets every ASCII punctuation character be escaped; writers escape these.
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_TRAILING = ".,;:!?\"'`*|…，。、；：！？“”‘’」』】》〉·"
_CLOSERS = {")": "(", "]": "[", "}": "{", "）": "（", ">": "<"}
_ENTITY = re.compile(r"&(?:amp|#38|#x26);")
# CJK ideographs, kana, hangul: letters that may stand in a path, or belong to the prose after it.
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_GLUED_CJK = re.compile(rf"(?<=[A-Za-z0-9])[{_CJK}]")
# Full-width punctuation is never part of an address that people write.
_WIDE_STOP = re.compile(
    r"[\u3000-\u301f\uff01-\uff0c\uff0e\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65“”‘’«»]"
)


def unescape(text: str) -> str:
    """Remove Markdown backslash escapes and the HTML entity of `&`."""
    if "\\" in text:
        text = _ESCAPE.sub(r"\1", text)
    return _ENTITY.sub("&", text) if "&" in text else text


def trim_bare(raw: str) -> str:
    """Cut what follows an address in running text.

    Sentence punctuation, closing brackets without their opening, full-width punctuation and CJK
    prose glued to an ASCII path go; balanced parentheses stay. Escapes are left as they are, so
    the result is a prefix of `raw`.
    """
    stop = _WIDE_STOP.search(raw)
    if stop:
        raw = raw[: stop.start()]
    glued = _GLUED_CJK.search(raw)
    if glued:
        raw = raw[: glued.start()]
    return _trim_end(raw)


def _trim_end(raw: str) -> str:
    surplus = {c: raw.count(c) - raw.count(o) for c, o in _CLOSERS.items() if c in raw}
    end = len(raw)
    while end:
        last = raw[end - 1]
        if surplus.get(last, 0) > 0:
            surplus[last] -= 1
        elif last not in _TRAILING and last != "\\":
            break
        end -= 1
    return raw[:end]


def clean_raw(url: str) -> str:
    """Clean an address as written: outer space and `<>`, escapes, trailing punctuation.

    Inner raw spaces stay: they belong to the address as far as anybody can tell.
    """
    url, before = unescape(_unwrapped(url)), ""
    # What was hidden behind a bracket or a space may be trailing punctuation in its turn.
    while url != before:
        before, url = url, _trim_end(_unwrapped(url)).strip()
    return url


def _unwrapped(url: str) -> str:
    url = url.strip()
    return url[1:-1].strip() if url.startswith("<") and url.endswith(">") else url


def text_fragment(url: str) -> tuple[str, str]:
    """Split off a text fragment (`#:~:text=…`).

    Returns:
        The address without the directive (a plain fragment stays), and the text it expects on the
        page: the pieces joined by " … ", "" when there is none.
    """
    at = url.find(FRAGMENT_DIRECTIVE)
    if at < 0:
        return url, ""
    return url[:at].rstrip("#"), _expected(url[at + len(FRAGMENT_DIRECTIVE) :])


def _expected(directive: str) -> str:
    quotes: list[str] = []
    for part in re.split(r"&(?=text=)", directive):
        if not part.startswith("text="):
            continue
        # prefix-,start,end,-suffix: context on both sides is no part of the quote.
        pieces = [p.strip() for p in part[len("text=") :].split(",")]
        kept = [p for p in pieces if p and not p.endswith("-") and not p.startswith("-")]
        quotes.extend(unquote(p) for p in kept)
    return " … ".join(quotes)
