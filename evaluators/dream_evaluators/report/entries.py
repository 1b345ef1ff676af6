"""One entry of a reference list: its labels, its address, its title."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dream_evaluators.report.claims import clean
from dream_evaluators.report.labels import from_superscript
from dream_evaluators.report.marks import Mark, MarkKind

TITLE_CAP = 300  # characters kept of an entry's title; our choice


@dataclass(slots=True)
class Entry:
    """An entry under construction: `text[start:end]`."""

    start: int
    end: int
    labels: list[str] = field(default_factory=list)
    url: str = ""
    title: str = ""
    depth: int = 0  # nesting of its list item
    explicit: bool = False  # it began with a label or a list marker
    list_number: int = 0


_LEAD = re.compile(r"(?:[\s>]|[-*+•◦·–—](?=\s)|\*\*|__|<a\s[^<>]{0,80}></a>|<a\s[^<>]{0,80}/>)*")
_BRACKET = re.compile(
    r"\\?\[\^?\\?\[?([\w.@:-]{1,40}|[A-Z][\w ]{1,30})\^?\\?\]?\\?\](?!\()\s?[:：.]?(?:\*\*|__)?"
)
_WIDE = re.compile(r"[【［〔](\d{1,4})(?:†[^】］〕]{0,40})?[】］〕]\s?[:：.]?")
_IN_LINK = re.compile(r"\[(\d{1,4})\\?\.\s{0,3}")
_LINKED = re.compile(r"\[\\?[\[(]?\^?(\d{1,4})\\?[\])]?\\?\](?=\()")
_ORDINAL = re.compile(r"(\d{1,4})\\?[.)、．:](?=\s|[^\d\s])(?:\*\*|__)?\s*|[（(](\d{1,3})[)）]\s*")
_CODE = re.compile(r"([A-Z]{1,3}-?\d{1,4})(?:\*\*|__)?\s?[:：.—–-]\s")
_BARE_NUMBER = re.compile(r"(\d{1,3})[ \t]+(?=[A-Z\"“])")
_CIRCLED = re.compile(r"[①-⑳]")
_SUPERSCRIPT = re.compile(
    r"[⁰¹²³⁴-⁹]{1,3}(?=[\s\w\[])|\^(\d{1,3})\^?(?=\s)|<sup>\[?(\d{1,3})\]?</sup>"
)


def read_labels(text: str, start: int, end: int) -> tuple[list[str], int]:
    """Read the labels an entry starts with.

    Returns:
        The labels, and where the rest of the entry starts.
    """
    at = _skip(text, start, end)
    ordinal, after = _ordinal(text, at, end)
    labels, rest = _bracketed(text, after, end)
    if labels or not ordinal:
        return labels, rest
    return [ordinal], after


def _skip(text: str, at: int, end: int) -> int:
    found = _LEAD.match(text, at, end)
    return found.end() if found else at


def _ordinal(text: str, at: int, end: int) -> tuple[str, int]:
    found = _ORDINAL.match(text, at, end)
    if found:
        number = found.group(1) or found.group(2)
        return number.lstrip("0") or "0", found.end()
    code = _CODE.match(text, at, end)
    if code:
        return code.group(1), code.end()
    bare = _BARE_NUMBER.match(text, at, end) if text[at - 1 : at] in ("", "\n") else None
    if bare:
        return bare.group(1), bare.end()
    circled = _CIRCLED.match(text, at, end)
    if circled:
        return str(ord(circled.group()) - ord("①") + 1), circled.end()
    found = _SUPERSCRIPT.match(text, at, end)
    if found:
        plain = from_superscript(found.group())
        return found.group(1) or found.group(2) or (plain[0] if plain else ""), found.end()
    return "", at


def _bracketed(text: str, at: int, end: int) -> tuple[list[str], int]:
    labels: list[str] = []
    while len(labels) < 40:
        at = _skip(text, at, end)
        found = _BRACKET.match(text, at, end) or _WIDE.match(text, at, end)
        if found and _is_label(found.group(1), found.group(), text, found.end()):
            labels.append(_plain(found.group(1)))
            at = found.end()
            continue
        found = _LINKED.match(text, at, end) or _IN_LINK.match(text, at, end)
        if found:
            labels.append(_plain(found.group(1)))
        break
    return labels, at


def _is_label(label: str, written: str, text: str, after: int) -> bool:
    """A number always; a word when a caret, a colon or its form says so."""
    if label.isdigit():
        return True
    if "^" in written or written.rstrip("*_ ").endswith((":", "：")):
        return True
    return bool(
        re.fullmatch(
            r"[A-Za-z]{1,4}[-_ ]?\d{1,4}[a-z]?|\d{1,3}_\d{1,3}|[A-Za-z][\w:+.-]{1,36}\d{2,4}[a-z]?",
            label,
        )
    ) and (text[after - 1].isspace() or text[after : after + 1] == "")


def _plain(label: str) -> str:
    return label.lstrip("0") or "0" if label.isdigit() else label


def best_address(marks: list[Mark]) -> Mark | None:
    """Return the mark whose address an entry is about: the first address, then an identifier."""
    addressed = [m for m in marks if m.url and m.kind in (MarkKind.LINK, MarkKind.URL)]
    return addressed[0] if addressed else None


_ACCESS = re.compile(
    r"[,，.;]?\s*(?:accessed|retrieved|accessed on|last accessed|檢索日期|访问时间为?|访问日期|"
    r"訪問日期|abgerufen am|consulté le|consultado|acesso em)[:：]?\s?.{0,40}$",
    re.I,
)


def entry_title(text: str, start: int, end: int, marks: list[Mark]) -> str:
    """Return what an entry says besides labels and addresses."""
    pieces: list[str] = []
    at = start
    for mark in marks:
        if mark.start >= end:
            break
        if mark.end <= start or not (mark.url or mark.kind in (MarkKind.LABEL, MarkKind.TAG)):
            continue
        pieces.append(text[at : max(at, mark.start)])
        if mark.kept and not re.match(r"\W*(?:https?:|www\.|\d{1,4}\W*$)", mark.title):
            pieces.append(re.sub(r"^\d{1,4}\.\s", "", mark.title))
        at = max(at, mark.end)
    pieces.append(text[at:end])
    title = _ACCESS.sub("", clean(" ".join(pieces))).strip(' -–—:：,，;|.[]()<>"“”')
    return title[:TITLE_CAP]
