"""Putting the parts of a report together again: a sentence cut between two becomes whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Lines that begin a block of their own: heading, row, quote, fence, rule, list item.
_BLOCK_LINE = re.compile(
    r"[ \t]{0,8}(?:#{1,6}[ \t]|\||>|`{3}|~{3}|(?:[-*_][ \t]*){3,}$|[-*+•][ \t]+\S"
    r"|\d{1,3}[.)][ \t]+\S)"
)
_LABEL_LINE = re.compile(r"[ \t]{0,3}\[\^?[\w.:-]{1,40}\](?:[:：]|[ \t])")
_ITEM_LINE = re.compile(r"[ \t]{0,16}(?:[-*+•]|\d{1,3}[.)])[ \t]")
_CLOSED_LINE = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]|\||(?:[-*_][ \t]*){3,}$|`{3}|~{3})")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
# A sentence that has ended, with the markers, quotes and emphasis that may follow its stop.
_ENDED = re.compile(
    r"[.!?。！？…:：;；](?:[\"'”’»」』)）\]*_]|\[\^?[\w,;– -]{1,40}\]|\]\([^\s()]{1,300}\)|\s)*$"
)
CJK = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]")
_LAST_WORD = re.compile(r"\w+$")
_FIRST_WORD = re.compile(r"\w+")
_WORDS = re.compile(r"\w+")
# Words that need not occur twice in a report to be known as words.
_COMMON = frozenset(
    "the of and to in a is for that on with as by from at are was were an be it this which or not"
    " has have had its their than more into about also between most these"
    " der die das und in von zu mit den des im für auf ist ein eine nicht"
    " de la le les des et en du un une que pour dans sur par est"
    " el los las y del por con para una se es o do da em os um uma não com"
    " di il che e per non dei della".split()
)
_NEAR = 400  # characters beside the cut that are looked at
_ROW = 4_000  # characters before the cut in which the last two lines lie
_ADDRESS_TAIL = re.compile(r"(?:\]\(|https?:/{0,2}|www\.)(?P<rest>[^\s<>]{0,400})$")
_NEW_ENTRY = re.compile(r"[\[<]|https?:|\*\*|[A-Z][a-z]+[ ,.]")
_LONE_LETTER = re.compile(r"(?![aio])[a-z]")  # no word, so half of one
# A marker whose text is still to come: the cut is behind it.
_LONE_MARKER = re.compile(r"[ \t]{0,16}(?:#{1,6}|[-*+•]|\d{1,3}[.)]|\||>)$")
_BOLD_LINE = re.compile(r"[ \t]{0,3}\*\*[^*]{1,160}\*\*:?$")


def join_parts(texts: Sequence[str]) -> str:
    """Join the parts of one report, in order.

    A cut inside a paragraph leaves no trace: blanks at the cut are kept where there are any, and
    where a sender trimmed them, the words beside the cut decide whether it went through a word.
    A cut between blocks gives a blank line, between rows or items of one list a line break.

    Args:
        texts: The parts; blank ones are skipped.

    Returns:
        The whole text; linear in its length.
    """
    parts = [text for text in texts if text.strip()]
    known: frozenset[str] | None = None
    pieces: list[str] = []
    in_code = False
    for index, part in enumerate(parts):
        if index:
            if known is None:
                known = frozenset(word.lower() for text in parts for word in _inner_words(text))
            pieces.append(_seam(parts[index - 1], part, known, in_code=in_code))
        pieces.append(part)
        in_code = _leaves_code_open(part, in_code=in_code)
    return "".join(pieces)


def _inner_words(text: str) -> list[str]:
    """Return a part's words without the first and last, which may be halves."""
    return _WORDS.findall(text.strip())[1:-1]


def _leaves_code_open(part: str, *, in_code: bool) -> bool:
    fence = "`" if in_code else ""
    for line in part.splitlines():
        if found := _FENCE.match(line):
            mark = found.group(1)[0]
            fence = "" if mark == fence else fence or mark
    return bool(fence)


def _seam(before: str, after: str, known: frozenset[str], *, in_code: bool) -> str:
    """Return what belongs between two parts."""
    edge = before[len(before.rstrip()) :] + after[: len(after) - len(after.lstrip())]
    if edge.count("\n") > 1:
        return ""
    if in_code:
        return "" if edge else "\n"
    lines = before.rstrip()[-_ROW:].split("\n")
    first = after.lstrip("\n").partition("\n")[0][:_NEAR]
    if not edge and _closes_link(before[-_NEAR:], after[:_NEAR]):
        return ""
    whole = not edge and not _is_known(lines[-1], first, known)
    block = _between_blocks(lines, first, trimmed=whole)
    if block:
        return block[edge.count("\n") :]
    if "\n" in edge:
        return "\n" if _ENDED.search(before[-_NEAR:]) else ""
    if edge or _is_open_row(lines):
        return ""
    return _trimmed(lines[-1], before, after, known)


def _trimmed(last: str, before: str, after: str, known: frozenset[str]) -> str:
    """Return what a sender has trimmed at a cut inside a block."""
    if _LONE_MARKER.match(last):
        return " "
    if _is_open_address(before[-_NEAR:]):
        return "\n" if _NEW_ENTRY.match(after) else ""
    if _ENDED.search(before[-_NEAR:]):
        return _after_sentence(before, after)
    if before[-1] in ")]" and after.startswith("**") and last.count("**") % 2 == 0:
        return "\n\n"
    return _inside_sentence(before[-_NEAR:], after[:_NEAR], known)


def _between_blocks(lines: list[str], first: str, *, trimmed: bool) -> str:
    """Return the line breaks between two blocks, "" where the cut may lie inside one.

    Args:
        lines: The last lines before the cut.
        first: The first line after it.
        trimmed: There is no blank at the cut, and the words beside it make no longer one.
    """
    last = lines[-1]
    if _LONE_MARKER.match(last):
        return ""
    if last.lstrip().startswith("|"):
        whole = last.endswith("|") and not _is_open_row(lines)
        return ("\n" if first.lstrip().startswith("|") else "\n\n") if whole and trimmed else ""
    if _ITEM_LINE.match(first) and _BLOCK_LINE.match(first):
        return "\n" if _ITEM_LINE.match(last) else "\n\n"
    if _BLOCK_LINE.match(first) or (
        trimmed and not first[:1].islower() and (_CLOSED_LINE.match(last) or _BOLD_LINE.match(last))
    ):
        return "\n\n"
    if _LABEL_LINE.match(first) and _LABEL_LINE.match(last):
        return "\n"
    return ""


def _is_open_row(lines: list[str]) -> bool:
    """Whether the last line is a table row that has not all its cells yet."""
    last = lines[-1].strip()
    if not last.startswith("|"):
        return False
    above = lines[-2].strip() if len(lines) > 1 else ""
    return not last.endswith("|") or (above.startswith("|") and last.count("|") < above.count("|"))


def _is_open_address(before: str) -> bool:
    """Whether a text ends inside an address: no parenthesis has closed it."""
    tail = _ADDRESS_TAIL.search(before)
    if tail is None or tail.group() == "](":
        return False
    return tail["rest"].count(")") <= tail["rest"].count("(")


def _closes_link(before: str, after: str) -> bool:
    """Whether a cut went through a link: between text and address, or inside the address."""
    if before.endswith("]") and after.startswith("("):
        return True
    tail = _ADDRESS_TAIL.search(before)
    linked = tail is not None and tail.group().startswith("](") and _is_open_address(before)
    return linked and re.match(r"[^\s()]*\)", after) is not None


def _after_sentence(before: str, after: str) -> str:
    """Return the gap after a sentence that is whole: a new paragraph unless it reads on."""
    if re.search(r"\d[.:]$", before) and after[:1].isdigit():
        return ""  # a number was cut: "3." and "5 %"
    if re.match(r"\[\^?\d|[.,;:!?)\]]|[*_]{1,3}(?:\s|$)", after):
        return ""
    return " " if after[:1].islower() else "\n\n"


def _inside_sentence(before: str, after: str, known: frozenset[str]) -> str:
    """Return "" where the cut went through a word or a number, a space elsewhere."""
    if CJK.match(before[-1]) or CJK.match(after[0]):
        return ""
    left, right = _LAST_WORD.search(before), _FIRST_WORD.match(after)
    if left is None or right is None:
        return "" if after[0] in ".,;:!?)]}%”’/" or before[-1] in "([{“$€£-/^" else " "
    if left.group().isdigit() and right.group().isdigit():
        return ""
    halves = _LONE_LETTER.fullmatch(left.group()) or _LONE_LETTER.fullmatch(right.group())
    if halves or _is_known(before, after, known):
        return ""
    if left.group()[-1].isdigit() != right.group()[0].isdigit():
        return " "
    words = {left.group().lower(), right.group().lower()}
    return "" if words.isdisjoint(known) and words.isdisjoint(_COMMON) else " "


def _is_known(before: str, after: str, known: frozenset[str]) -> bool:
    """Whether the letters beside a cut make a word that the report has elsewhere."""
    left, right = _LAST_WORD.search(before[-_NEAR:]), _FIRST_WORD.match(after)
    if left is None or right is None:
        return False
    word = (left[0] + right[0]).lower()
    return word in known or word in _COMMON
