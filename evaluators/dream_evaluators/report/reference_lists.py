"""Where reference lists stand: under a heading that announces one, or as a labelled run."""

from __future__ import annotations

import re

from dream_evaluators.model.report import BlockKind
from dream_evaluators.report.blocks import Span
from dream_evaluators.report.entries import best_address, read_labels
from dream_evaluators.report.inline import InlineScanner
from dream_evaluators.report.marks import Mark, MarkKind
from dream_evaluators.report.vocabulary import is_reference_heading, is_weak_heading

_ENTRY_KINDS = frozenset(
    {BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.TABLE_ROW, BlockKind.QUOTE}
)
_DEFINITION = re.compile(r"[ \t]{0,8}(?:[-*+][ \t]+)?\\?\[\^?[^\[\]\n]{1,60}\\?\][:：]")
_FOOTNOTE_DEFINITION = re.compile(r"[ \t]{0,8}\\?\[\^[\w.:-]{1,40}\^?\\?\][:：]")
_NUMBERED = re.compile(r"[ \t]{0,8}\d{1,3}\\?[.)、．]")
_BARE_NUMBER = re.compile(r"\d{1,3}[ \t]+[A-Z\"“]")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SENTENCE_END = re.compile(
    r"[a-z\u4e00-\u9fff)][.。!！]\s+(?=[A-Z\u4e00-\u9fff])|[\u4e00-\u9fff][。！]"
)
# Our choice: an unlabelled paragraph of so many words without year or address is prose.
PROSE_WORDS = 14


class BlockMarks:
    """The marks of blocks, scanned when first asked for."""

    def __init__(self, text: str, scanner: InlineScanner) -> None:
        self._text = text
        self._scanner = scanner
        self._marks: dict[int, list[Mark]] = {}

    def of(self, block: Span) -> list[Mark]:
        """Return the marks of a block."""
        marks = self._marks.get(block.start)
        if marks is None:
            marks = self._marks[block.start] = self._scanner.scan(block.start, block.end)
        return marks

    def address(self, block: Span) -> Mark | None:
        """Return the mark whose address a block is about."""
        return best_address(self.of(block))

    def is_address_only(self, block: Span) -> bool:
        """Whether a block is an address and hardly anything else."""
        marks = [m for m in self.of(block) if m.url]
        covered = sum(m.end - m.start for m in marks)
        return bool(marks) and covered >= 0.8 * len(self._text[block.body : block.end].strip())


class ListFinder:
    """Finds the stretches of blocks that are reference lists."""

    def __init__(self, text: str, blocks: list[Span], marks: BlockMarks) -> None:
        self._text = text
        self._blocks = blocks
        self._marks = marks

    def regions(self) -> list[list[int]]:
        """Return the lists as indices of their blocks: those under headings, then the others."""
        regions = self._headed()
        taken = {index for region in regions for index in region}
        regions += self._unheaded(taken)
        return sorted(regions, key=lambda region: region[0])

    def _headed(self) -> list[list[int]]:
        regions: list[list[int]] = []
        active = 0  # level of the heading whose list we are in
        for index, block in enumerate(self._blocks):
            if block.kind is BlockKind.HEADING:
                if self._announces(index):
                    active = block.level
                    regions.append([])
                elif active and not (block.level > active or self._list_goes_on(index, active)):
                    active = 0
            elif active and block.kind in _ENTRY_KINDS:
                if self._is_entry(block, bool(regions[-1])):
                    regions[-1].append(index)
                elif regions[-1] and block.kind is not BlockKind.TABLE_ROW:
                    active = 0 if not self._entry_follows(index) else active
        return [region for region in regions if region]

    def _announces(self, index: int) -> bool:
        written = self._text[self._blocks[index].body : self._blocks[index].end]
        if not is_reference_heading(written):
            return False
        return not is_weak_heading(written) or self._entry_follows(index)

    def _list_goes_on(self, index: int, active: int) -> bool:
        """A bold line under a bold "Sources" may be the title of its next part."""
        return active == 6 and self._blocks[index].level == 6 and self._entry_follows(index)

    def _entry_follows(self, index: int) -> bool:
        for block in self._blocks[index + 1 : index + 4]:
            if block.kind in _ENTRY_KINDS:
                return (
                    block.labelled
                    or self._is_numbered_line(block)
                    or (
                        block.kind is not BlockKind.TABLE_ROW
                        and self._marks.address(block) is not None
                    )
                )
        return False

    def _is_entry(self, block: Span, started: bool) -> bool:
        if block.labelled:
            return True
        written = self._text[block.body : block.end]
        address = self._marks.address(block)
        if address is None and self._cites_others(block):
            return False
        if block.kind is BlockKind.TABLE_ROW or self._is_numbered_line(block):
            return True
        if block.kind is BlockKind.LIST_ITEM:
            return (
                address is not None
                or not _SENTENCE_END.search(written[:600])
                or bool(_YEAR.search(written))
            )
        if address is not None:
            before = self._text[block.body : address.start]
            return not (
                len(before) > 160 and _SENTENCE_END.search(before) and not _YEAR.search(before)
            )
        if (
            _YEAR.search(written)
            and len(written) < 500
            and re.search(r"[A-Z][\w'’-]+, [A-Z]\.|\((?:19|20)\d\d", written)
        ):
            return True
        return (
            started
            and len(written.split()) < PROSE_WORDS
            and not written.rstrip("*_ ").endswith((".", "。", ":", "："))
        )

    def _cites_others(self, block: Span) -> bool:
        """A line without an address that cites entries is prose about them."""
        return any(m.kind is MarkKind.LABEL and m.alone for m in self._marks.of(block))

    def _is_numbered_line(self, block: Span) -> bool:
        """In "1 Title": an end note whose superscript number lost its form."""
        return block.kind is BlockKind.PARAGRAPH and bool(
            _BARE_NUMBER.match(self._text, block.start, block.end)
        )

    def _unheaded(self, taken: set[int]) -> list[list[int]]:
        regions: list[list[int]] = []
        run: list[int] = []
        for index, block in enumerate(self._blocks):
            if index in taken or block.kind not in _ENTRY_KINDS or not self._continues(block, run):
                if block.kind is not BlockKind.RULE:
                    self._accept(run, regions, at_end=False)
                    run = []
            else:
                run.append(index)
        self._accept(run, regions, at_end=True)
        if not regions and not taken:
            regions += self._trailing_numbers()
        return regions

    def _continues(self, block: Span, run: list[int]) -> bool:
        if block.labelled:
            return not self._only_labels(block)
        return bool(run) and self._marks.is_address_only(block)

    def _only_labels(self, block: Span) -> bool:
        """A line of markers cites; an entry says something behind its label."""
        _, rest = read_labels(self._text, block.start, block.end)
        return not self._text[rest : block.end].strip() and self._marks.address(block) is None

    def _accept(self, run: list[int], regions: list[list[int]], *, at_end: bool) -> None:
        """Keep a run of labelled blocks that reads as a list; of another, its definitions."""
        if not run:
            return
        labelled = [i for i in run if self._blocks[i].labelled]
        addressed = sum(1 for i in run if self._marks.address(self._blocks[i]) is not None)
        enough = addressed >= 0.6 * len(labelled) and (len(labelled) > 1 or at_end)
        if enough and all(self._entry_shaped(self._blocks[i]) for i in labelled):
            regions.append(run)
            return
        definitions = [i for i in labelled if self._is_definition(self._blocks[i])]
        if definitions:
            regions.append(definitions)

    def _entry_shaped(self, block: Span) -> bool:
        if self._is_definition(block):
            return True
        address = self._marks.address(block)
        end = address.start if address else block.end
        before = self._text[block.start : end]
        return len(before) < 400 and not re.search(r"[.。]\s+\S.*[.。]\s+\S", before)

    def _is_definition(self, block: Span) -> bool:
        if _FOOTNOTE_DEFINITION.match(self._text, block.start, block.end):
            return True
        return bool(_DEFINITION.match(self._text, block.start, block.end)) and (
            self._marks.address(block) is not None
        )

    def _trailing_numbers(self) -> list[list[int]]:
        """A numbered list of addresses at the very end, without heading or brackets."""
        run: list[int] = []
        for index in range(len(self._blocks) - 1, -1, -1):
            block = self._blocks[index]
            if block.kind is BlockKind.RULE and not run:
                continue
            if block.kind is not BlockKind.LIST_ITEM or not _NUMBERED.match(
                self._text, block.start
            ):
                break
            if self._marks.address(block) is None or not self._entry_shaped(block):
                break
            run.append(index)
        return [run[::-1]] if len(run) > 1 else []
