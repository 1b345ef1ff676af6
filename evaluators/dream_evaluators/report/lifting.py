"""Taking citation markers out of a stretch of text, and finding the way back to its offsets."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

from dream_evaluators.report.marks import Mark, MarkKind
from dream_evaluators.report.vocabulary import SOURCE_LABEL

PLACEHOLDER = "\ufffc"  # stands for code, math and addresses while sentences are cut

_GAP = re.compile(r"[\s,;、，；/|&·•+]{0,8}(?:and\s|und\s|和|及|与)?\s{0,2}")
_OPENING = re.compile(
    rf"[(（\[【]\s*(?:(?:{SOURCE_LABEL.pattern}){{1,4}}(?:[^()\[\]（）]{{0,80}}[,，:：]\s*)?)?$",
    re.I,
)
_CLOSING = re.compile(r"\s*[)）\]】]")
_INLINE_LABEL = re.compile(
    rf"(?:^|(?<=[.!?。！？”\")\s|—–-]))\s*{SOURCE_LABEL.pattern}(?<=[:：*_\s])$", re.I
)
_TERMINAL_BEFORE = re.compile(r"[.!?。！？…][\"'”’」』)）\]*_]*\s*[—–-]?\s*$")
_CITING = frozenset({MarkKind.LINK, MarkKind.URL})


def group_marks(text: str, start: int, end: int, marks: list[Mark]) -> None:
    """Widen marks over the brackets, labels and commas that hold nothing but marks."""
    citing = [m for m in marks if m.cites]
    group: list[Mark] = []
    for mark in citing:
        if group and not _adjacent(text, group[-1], mark):
            _widen(text, start, end, group)
            group = []
        group.append(mark)
    if group:
        _widen(text, start, end, group)


def _adjacent(text: str, left: Mark, right: Mark) -> bool:
    gap = text[left.end : right.start]
    return len(gap) <= 16 and _GAP.fullmatch(gap) is not None and not re.search(r"\.\s", gap)


def _widen(text: str, start: int, end: int, group: list[Mark]) -> None:
    first, last = group[0], group[-1]
    before = text[max(start, first.start - 120) : first.start]
    origin = first.start - len(before)
    opening = _OPENING.search(before)
    closing = _CLOSING.match(text, last.end, min(end, last.end + 4))
    label = _INLINE_LABEL.search(before) if first.kind in _CITING or first.lifted else None
    if opening and closing:
        lead, stop = opening.start(), closing.end()
    elif label and label.group().strip() and _ends(text, end, last):
        lead, stop = label.start(), last.end
    elif all(m.lifted for m in group) or (
        _TERMINAL_BEFORE.search(before) and _ends(text, end, last)
    ):
        lead, stop = len(before), last.end
    else:
        _lift_runs(group)
        return
    if text.startswith(".", stop) and stop < end and _TERMINAL_BEFORE.search(before[:lead]):
        stop += 1  # the stop of a sentence of markers: "It rose. Sources: [1]."
    _lift(group, origin + lead, stop)


def _ends(text: str, end: int, last: Mark) -> bool:
    """Whether nothing but punctuation, or for an address a new sentence, follows a group."""
    rest = text[last.end : min(end, last.end + 12)]
    if not rest.strip(" \t.。;；*_)）"):
        return True
    return last.kind is MarkKind.URL and bool(re.match(r"[.;]?\s+[A-Z\u4e00-\u9fff]", rest))


def _lift(group: list[Mark], start: int, end: int) -> None:
    group[0].lift_start, group[-1].lift_end = start, end
    for left, right in pairwise(group):
        left.lift_end = right.lift_start
    for mark in group:
        mark.lifted = True


def _lift_runs(group: list[Mark]) -> None:
    for left, right in pairwise(group):
        if left.lifted and right.lifted:
            left.lift_end = right.lift_start


@dataclass(slots=True)
class Lifted:
    """`text` without markers; piece i starts at `starts[i]` in it and at `origins[i]` before."""

    text: str
    starts: list[int]
    origins: list[int]

    def origin(self, position: int) -> int:
        """Return where a character of the lifted text stands in the report."""
        index = bisect_right(self.starts, position) - 1
        return self.origins[index] + position - self.starts[index]


class _Builder:
    def __init__(self, text: str) -> None:
        self._text = text
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._origins: list[int] = []
        self._length = 0

    def keep(self, start: int, end: int) -> None:
        if end > start:
            self.put(self._text[start:end], start)

    def put(self, piece: str, origin: int) -> None:
        self._pieces.append(piece)
        self._starts.append(self._length)
        self._origins.append(origin)
        self._length += len(piece)

    def done(self) -> Lifted:
        return Lifted("".join(self._pieces), self._starts or [0], self._origins or [0])


def lift(text: str, start: int, end: int, marks: list[Mark]) -> Lifted:
    """Return `text[start:end]` with its marks taken out or replaced by one placeholder."""
    builder = _Builder(text)
    at = start
    for mark in marks:
        if mark.end <= at:  # inside what an earlier group of marks lifted
            continue
        first, last = max(mark.lift_start, at), min(mark.lift_end, end)
        if not (mark.lifted and mark.cites):
            first, last = max(mark.start, at), mark.end
        builder.keep(at, first)
        if mark.kind in (MarkKind.CODE, MarkKind.DISPLAY) or (
            mark.kind is MarkKind.URL and not mark.lifted
        ):
            builder.put(PLACEHOLDER, mark.start)
        elif mark.kept and (not mark.lifted or mark.kind is MarkKind.TAG):
            builder.keep(*mark.kept)
        at = max(at, last)
    builder.keep(at, end)
    return builder.done()
