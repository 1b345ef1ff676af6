"""Statements: sentences, list items and table rows with the marks that belong to each."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from dream_evaluators.model.report import BlockKind, Scope, StatementKind
from dream_evaluators.report.blocks import Span
from dream_evaluators.report.lifting import PLACEHOLDER, group_marks, lift
from dream_evaluators.report.marks import Mark
from dream_evaluators.report.sentences import boundaries
from dream_evaluators.report.vocabulary import SOURCE_LINE

PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.QUOTE, BlockKind.TABLE_ROW})
WRAP_COLUMN = 130  # characters: a report whose lines all end before it is wrapped by hand
SOURCE_LINE_WORDS = 14  # words a "Source: …" line may hold besides its address

# How Markdown and HTML end a line on purpose.
_HARD_BREAKS = ("  ", "\\", "<br>", "<br/>", "<br />")
_WORDS = re.compile(r"\w")
_SCOPES = {
    StatementKind.SENTENCE: Scope.SENTENCE,
    StatementKind.LIST_ITEM: Scope.LIST_ITEM,
    StatementKind.TABLE_ROW: Scope.TABLE_ROW,
}


@dataclass(slots=True)
class Draft:
    """A statement under construction; `claim_end` excludes a source line that follows it."""

    kind: StatementKind
    start: int
    end: int
    claim_end: int
    block: int
    marks: list[Mark] = field(default_factory=list)
    trailing: list[tuple[Mark, Scope]] = field(default_factory=list)  # of source lines below it

    @property
    def scope(self) -> Scope:
        """How far the citations inside it reach."""
        return _SCOPES[self.kind]

    @property
    def cites(self) -> bool:
        """Whether any mark of it names a source."""
        return bool(self.trailing) or any(m.cites for m in self.marks)


class StatementBuilder:
    """Cuts the prose blocks of one text into statements."""

    def __init__(self, text: str, blocks: list[Span], wrapped: bool) -> None:
        self.drafts: list[Draft] = []
        self._text = text
        self._blocks = blocks
        self._wrapped = wrapped
        self._last_block = -1  # the block of the newest draft, when a source line may refer to it

    def add(self, index: int, marks: Sequence[Mark]) -> None:
        """Cut one prose block."""
        block = self._blocks[index]
        if block.kind is BlockKind.TABLE_ROW:
            self._row(index, block, marks)
            return
        first = len(self.drafts)
        at = 0
        for start, end in self._segments(block, marks):
            stop = at
            while stop < len(marks) and marks[stop].start < end:
                stop += 1
            self._segment(index, start, end, list(marks[at:stop]), first)
            at = stop
        if block.kind is BlockKind.LIST_ITEM and len(self.drafts) == first + 1:
            self.drafts[first].kind = StatementKind.LIST_ITEM

    def _row(self, index: int, block: Span, marks: Sequence[Mark]) -> None:
        if block.level == 1 or not _WORDS.search(self._text, block.start, block.end):
            return
        group_marks(self._text, block.start, block.end, list(marks))
        start, end = self._trim(block.start, block.end)
        self.drafts.append(Draft(StatementKind.TABLE_ROW, start, end, end, index, list(marks)))

    def _segments(self, block: Span, marks: Sequence[Mark]) -> list[tuple[int, int]]:
        """Cut a block at the line breaks that its writer meant."""
        cuts = [block.start]
        cuts.extend(
            line
            for line in block.lines
            if self._is_break(block, line) and not _is_inside(marks, line)
        )
        return list(zip(cuts, [*cuts[1:], block.end], strict=True))

    def _is_break(self, block: Span, line: int) -> bool:
        before = self._text[max(block.start, line - WRAP_COLUMN - 2) : line]
        if before.rstrip("\r\n").endswith(_HARD_BREAKS):
            return True
        following = self._text[line : line + 80].lstrip(" \t>")
        if SOURCE_LINE.match(following):
            return True
        ended = before.rstrip()[-1:] in '.!?:;。！？：；…)）]】"”|'
        if following[:1].islower() and not ended:
            return False
        previous = len(before.rstrip()) - (before.rstrip().rfind("\n") + 1)
        return not self._wrapped or previous < 50

    def _segment(self, index: int, start: int, end: int, marks: list[Mark], first: int) -> None:
        start, end = self._trim(start, end)
        if end <= start:
            return
        group_marks(self._text, start, end, marks)
        lone = any(m.cites for m in marks) and self._only_cites(index, start, end, marks)
        if lone and self._attach(index, end, marks, first):
            return
        self._sentences(index, start, end, marks)

    def _is_links(self, start: int, end: int, marks: list[Mark]) -> bool:
        """Whether a paragraph is nothing but links with their texts."""
        at = start
        for mark in marks:
            if _WORDS.search(self._text, at, mark.start):
                return False
            at = mark.end
        return not _WORDS.search(self._text, at, end)

    def _only_cites(self, index: int, start: int, end: int, marks: list[Mark]) -> bool:
        lifted = lift(self._text, start, end, marks).text
        label = SOURCE_LINE.match(lifted)
        rest = lifted[label.end() :] if label else lifted
        if label:
            shown = sum(1 for m in marks if m.cites and not m.lifted)
            return len(rest.split()) <= SOURCE_LINE_WORDS or shown > 1
        if self._blocks[index].kind is BlockKind.PARAGRAPH and self._is_links(start, end, marks):
            return True
        return not _WORDS.search(rest) and (PLACEHOLDER not in rest or len(rest.strip()) < 4)

    def _attach(self, index: int, end: int, marks: list[Mark], first: int) -> bool:
        """Give a source line's marks to the statement before it."""
        if not self.drafts:
            return False
        draft = self.drafts[-1]
        same = len(self.drafts) > first
        if not same and not self._neighbours(draft.block, index):
            return False
        inside_item = same and self._blocks[index].kind is BlockKind.LIST_ITEM
        scope = Scope.LIST_ITEM if inside_item else Scope.PARAGRAPH
        draft.trailing.extend((m, scope) for m in marks if m.cites)
        if same:
            draft.end = end
        return True

    def _neighbours(self, earlier: int, later: int) -> bool:
        between = self._blocks[earlier + 1 : later]
        return all(b.kind in (BlockKind.RULE, BlockKind.CODE, BlockKind.MATH) for b in between)

    def _sentences(self, index: int, start: int, end: int, marks: list[Mark]) -> None:
        lifted = lift(self._text, start, end, marks)
        if not _WORDS.search(lifted.text) and PLACEHOLDER not in lifted.text:
            if any(m.cites for m in marks):
                self.drafts.append(Draft(StatementKind.SENTENCE, start, end, end, index, marks))
            return
        starts = [start]
        for cut in boundaries(lifted.text):
            begin = self._next(lifted.text, cut)
            if begin < len(lifted.text):
                origin = lifted.origin(begin)
                if not _is_inside(marks, origin):  # a title of two sentences is one link
                    starts.append(origin)
        self._cut(index, starts, end, marks)

    @staticmethod
    def _next(text: str, cut: int) -> int:
        while cut < len(text) and text[cut].isspace():
            cut += 1
        return cut

    def _cut(self, index: int, starts: list[int], end: int, marks: list[Mark]) -> None:
        at = 0
        for begin, after in zip(starts, [*starts[1:], end], strict=True):
            # An opening quote or emphasis that was kept starts the sentence it opens.
            stop = at
            while stop < len(marks) and marks[stop].start < after:
                stop += 1
            first, last = self._trim(begin, after)
            if last > first:
                draft = Draft(StatementKind.SENTENCE, first, last, last, index, marks[at:stop])
                self.drafts.append(draft)
            at = stop

    def _trim(self, start: int, end: int) -> tuple[int, int]:
        piece = self._text[start:end]
        return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def is_wrapped(text: str, blocks: list[Span]) -> bool:
    """Whether a report's prose is wrapped by hand: several lines a paragraph, none of them long."""
    lines = 0
    for block in blocks:
        if block.kind not in PROSE or block.kind is BlockKind.TABLE_ROW:
            continue
        starts = [block.start, *block.lines, block.end]
        if any(b - a > WRAP_COLUMN for a, b in pairwise(starts)):
            return False
        lines += len(block.lines)
    return lines >= 3


def _is_inside(marks: Sequence[Mark], position: int) -> bool:
    """Whether a position lies within one of the marks, which are in order."""
    index = bisect_left(marks, position, key=lambda mark: mark.start) - 1
    return index >= 0 and position < marks[index].end
