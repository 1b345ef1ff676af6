"""From a statement as written to the claim a judge reads: markers and markup taken out."""

from __future__ import annotations

import re
from collections.abc import Callable

from dream_evaluators.report.blocks import split_cells
from dream_evaluators.report.marks import Mark, MarkKind

_EMPHASIS = re.compile(
    r"\*{1,3}|~~|(?<![\w/])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![\w/])|(?<!\w)={2}(?=\S)|(?<=\S)={2}(?!\w)"
)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_LIST_MARKER = re.compile(
    r"(?:[\s>]|[-*+•◦▪‣·–—○●■►➢✓✔→↳](?=\s)|\d{1,3}\\?[.)．](?=\s)|\d{1,3}、|\[[ "
    r"xX]\](?=\s)|[①-⑳]|[（(]\d{1,3}[)）]|[a-z]\)(?=\s))*"
)
_EMPTY_BRACKETS = re.compile(r"\s?[(（\[【]\s*[,;，；、.\s]*[)）\]】]")
_SPACE_BEFORE = re.compile(r" (?=[,.;:!?)\]，。；：！？）】、](?:\s|$|[)\]\"”’）】]))")
_REPEATED = re.compile(r"([,;，；])(?:\s*[,;，；])+|[,;，；]\s*(?=[.。])")
_PRIVATE = re.compile("[\ue000-\uf8ff\u200b-\u200f\u2060\ufeff\ufffc]")
_LABEL_LEFT = re.compile(
    r"(?:^|\s)(?:Sources?|来源|來源|出典|Quelle|Fuente|Fonte)\s?[:：]\s*[.。]?$", re.I
)
# Characters of code and addresses that would read as markup, while the rest is cleaned.
_MARKUP = "*_~=\\&"
_PROTECTED = {ord(character): 0xFDD0 + i for i, character in enumerate(_MARKUP)}
_RESTORED = {0xFDD0 + i: character for i, character in enumerate(_MARKUP)}
_ENTITIES = {"&nbsp;": " ", "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'"}
_ENTITY = re.compile("|".join(_ENTITIES))


def claim_text(text: str, start: int, end: int, marks: list[Mark], *, row: bool = False) -> str:
    """Return the claim of `text[start:end]`, whose marks are given in order.

    Args:
        text: The whole report.
        start: Where the statement starts.
        end: Where it ends.
        marks: The marks that lie in it.
        row: It is a table row: its cells are joined by " | ".
    """
    raw = _without_marks(text, start, end, marks)
    if row:
        cells = [clean(cell, tidy=bool(marks)) for cell in split_cells(raw)]
        return " | ".join(cell for cell in cells if cell)
    claim = _body(raw, tidy=bool(marks))
    if not re.search(r"\w", claim):  # nothing but markers: what is written is all there is
        claim = _body(text[start:end], tidy=False)
    return claim


def _body(raw: str, *, tidy: bool) -> str:
    marker = _LIST_MARKER.match(raw)
    return clean(raw[marker.end() :] if marker else raw, tidy=tidy)


def _without_marks(text: str, start: int, end: int, marks: list[Mark]) -> str:
    pieces: list[str] = []
    at = start
    for mark in marks:
        if mark.end <= at:
            continue
        lifted = mark.lifted and mark.cites
        first = max(at, mark.lift_start if lifted else mark.start)
        last = min(end, mark.lift_end if lifted else mark.end)
        if first > end:
            break
        pieces.append(text[at:first])
        pieces.append(_shown(text, mark, lifted=lifted))
        at = max(at, last)
    pieces.append(text[at:end])
    return "".join(pieces)


def _shown(text: str, mark: Mark, *, lifted: bool) -> str:
    if mark.kind is MarkKind.CODE:
        return text[mark.start : mark.end].strip("`").strip().translate(_PROTECTED)
    if mark.kind is MarkKind.DISPLAY:
        return mark.title
    if mark.kept and not lifted:
        return text[mark.kept[0] : mark.kept[1]]
    if mark.kind in (MarkKind.URL, MarkKind.AUTHOR_YEAR) and not lifted:
        return text[mark.start : mark.end].translate(_PROTECTED)
    return (
        " "
        if mark.kind is MarkKind.TAG and text[mark.start : mark.start + 3].lower() == "<br"
        else ""
    )


def clean(raw: str, *, tidy: bool = True) -> str:
    """Take emphasis, escapes, entities and double spaces out of a text.

    With `tidy`, also what is left where markers stood: empty brackets, repeated commas, spaces
    before punctuation.
    """
    text = raw
    for triggers, pattern, replacement in _CLEANING:
        if any(trigger in text for trigger in triggers):
            text = pattern.sub(replacement, text)
    if not text.isascii():
        text = _PRIVATE.sub("", text)
    text = " ".join(text.split())
    if tidy:
        text = _tidied(text)
    return text if text.isascii() else text.translate(_RESTORED)


def _tidied(text: str) -> str:
    text = " ".join(_EMPTY_BRACKETS.sub("", text).split())
    text = _REPEATED.sub(r"\1", _SPACE_BEFORE.sub("", text))
    return _LABEL_LEFT.sub("", text).strip() if text[-2:-1] in ":：" or text[-1:] in ":：" else text


# Most claims hold none of these characters: looking for them first saves most of the time.
_CLEANING: tuple[tuple[str, re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    ("\\", _ESCAPE, lambda found: found.group(1).translate(_PROTECTED)),
    ("*_~=", _EMPHASIS, ""),
    ("&", _ENTITY, lambda found: _ENTITIES[found.group()]),
)
