"""Reference lists: reading their blocks into entries."""

from __future__ import annotations

import re
from bisect import bisect_left

from dream_evaluators.model.report import BlockKind
from dream_evaluators.report.blocks import Span
from dream_evaluators.report.entries import Entry, best_address, entry_title, read_labels
from dream_evaluators.report.inline import InlineScanner
from dream_evaluators.report.marks import Mark, MarkKind
from dream_evaluators.report.reference_lists import BlockMarks, ListFinder
from dream_evaluators.urls import canonicalise

ADDRESS_LINE_WORDS = 5  # words: "Link: https://…, accessed today" continues the entry above it


def find_references(text: str, blocks: list[Span], scanner: InlineScanner) -> list[Entry]:
    """Find the entries of a report and mark their blocks as references."""
    marks = BlockMarks(text, scanner)
    reader = _EntryReader(text, blocks, marks)
    for region in ListFinder(text, blocks, marks).regions():
        reader.read(region)
    return reader.entries


class _EntryReader:
    def __init__(self, text: str, blocks: list[Span], marks: BlockMarks) -> None:
        self.entries: list[Entry] = []
        self._text = text
        self._blocks = blocks
        self._marks = marks
        self._list = 0

    def read(self, region: list[int]) -> None:
        """Read one list."""
        self._list += 1
        current: Entry | None = None
        header = True
        for index in region:
            block = self._blocks[index]
            block.kind, was = BlockKind.REFERENCE, block.kind
            if was is BlockKind.TABLE_ROW and (
                block.level == 1 or self._is_header_row(block, header)
            ):
                header = False
                continue
            for start, end in self._units(block):
                current = self._unit(current, block, was, start, end)

    def _is_header_row(self, block: Span, header: bool) -> bool:
        return header and not block.header and self._marks.address(block) is None

    def _units(self, block: Span) -> list[tuple[int, int]]:
        """Cut a block where another entry starts: at lines, and at labels behind an address."""
        starts = [block.start, *block.lines]
        cuts = [block.start]
        addressed = False
        for mark in self._marks.of(block):
            numeric = mark.kind is MarkKind.LABEL and mark.alone
            if numeric and addressed and mark.start > cuts[-1]:
                cuts.append(mark.start)
                addressed = False
            addressed = addressed or bool(mark.url)
        cuts = sorted({*cuts, *starts})
        return [(a, b) for a, b in zip(cuts, [*cuts[1:], block.end], strict=True) if b > a]

    def _unit(
        self, current: Entry | None, block: Span, was: BlockKind, start: int, end: int
    ) -> Entry | None:
        end = start + len(self._text[start:end].rstrip())
        if end <= start:
            return current
        found = self._marks.of(block)
        first = bisect_left(found, start, key=lambda m: m.start)
        marks = found[first : bisect_left(found, end, key=lambda m: m.start)]
        labels, rest = self._labels(block, was, start, end)
        address = best_address(marks)
        entry = Entry(start, end, labels, depth=block.level)
        entry.explicit = bool(labels) or (was is not BlockKind.PARAGRAPH and start == block.start)
        entry.url = address.url if address else ""
        if current is not None and self._belongs(current, entry, marks, block):
            current.end = end
            current.url = current.url or entry.url
            current.title = current.title or entry_title(self._text, start, end, marks)
            return current
        entry.title = entry_title(self._text, rest, end, marks)
        if not (labels or entry.url or len(entry.title) > 8):
            return current
        entry.list_number = self._list
        self.entries.append(entry)
        return entry

    def _labels(self, block: Span, was: BlockKind, start: int, end: int) -> tuple[list[str], int]:
        if was is not BlockKind.TABLE_ROW:
            return read_labels(self._text, start, end)
        row = self._text[start:end].lstrip()
        first = row.strip("|").split("|")[0]
        label = first.strip(" *[]^\\`")
        if not re.fullmatch(r"[A-Za-z]{0,3}[-_]?\d{1,4}", label):
            return [], start
        return [label], start + row.find("|", 1) + 1

    def _belongs(self, current: Entry, entry: Entry, marks: list[Mark], block: Span) -> bool:
        """Whether a stretch continues the entry before it."""
        if entry.labels:
            return False
        if entry.explicit:
            return entry.depth > current.depth and current.explicit
        if entry.start > block.start and current.explicit and current.start >= block.start:
            return True
        if not entry.url:
            return current.start >= block.start and not current.url
        if current.url:
            return canonicalise(current.url) == canonicalise(entry.url)
        covered = sum(m.end - m.start for m in marks if m.url)
        words = len(self._text[entry.start : entry.end].split())
        return covered * 2 >= entry.end - entry.start or words <= ADDRESS_LINE_WORDS
