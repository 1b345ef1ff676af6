"""Blocks: one pass over the lines cuts a report into headings, paragraphs, items, rows, quotes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dream_evaluators.model.report import BlockKind
from dream_evaluators.report.masks import Mask, find_masks
from dream_evaluators.report.vocabulary import is_reference_heading


@dataclass(slots=True)
class Span:
    """A block under construction. `body` is where its text starts, after `- `, `## `, `> `."""

    kind: BlockKind
    start: int
    end: int
    body: int
    level: int = 0
    section: int = 0
    header: str = ""
    labelled: bool = False  # starts like an entry of a reference list: "[3] …", "[^3]: …"
    lines: list[int] = field(default_factory=list)  # where its second and later lines start


_BULLET = "-*+•◦▪‣·–—○●■►➢✓✔"
_HEADING = re.compile(
    r"[ \t]{0,3}(#{1,6})[ \t]+(?=\S)|[ \t]{0,3}(#{1,6})(?=[^\s#\w]|[\u3040-\u9fff])"
)
_LIST_ITEM = re.compile(
    rf"([ \t]*)(?:[{re.escape(_BULLET)}][ \t]+|\d{{1,3}}[.)．][ \t]+|\d{{1,3}}\\[.)][ "
    rf"\t]+|\d{{1,3}}、[ \t]*"
    r"|\d{1,3}[.．](?=[\u3040-\u9fff])|[a-z][)][ \t]+|[ivx]{1,5}\)[ \t]+|[（(]\d{1,"
    r"3}[)）][ \t]*|[①-⑳][ \t]*)(?=\S)"
)
_TASK = re.compile(r"\[[ xX]\][ \t]+")
_QUOTE = re.compile(r"[ \t]{0,3}>[> \t]*")
_RULE = re.compile(r"[ \t]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|[═─━—]{3,})$")
_SETEXT = re.compile(r"[ \t]{0,3}={3,}[ \t]*$")
# What an entry of a reference list starts with: a label in one of the forms that reports write,
# a link whose text is one, or the definition of a key.
LABEL_START = re.compile(
    r"[ \t]{0,8}(?:[-*+•][ \t]+)?(?:\*\*|__)?"
    r"(?:\\?\[\^[\w.:-]{1,40}\^?\\?\]|\\?\[\\?[\[(]?\d{1,4}\\?[\])]?\\?\]|\[\d{1,"
    r"4}\\?\.[ \t]|[【［]\d{1,4}[】］]"
    r"|\[[^\[\]\n]{1,40}\]:[ \t]*<?(?:https?:|www\.)|\\?\[[A-Z]{1,3}-?\d{1,4}\\?\])"
)
_DATA_DEFINITION = re.compile(r"[ \t]{0,3}\[[^\[\]\n]{1,60}\]:[ \t]*<?data:")  # an image's bytes
_BOLD_LINE = re.compile(r"[ \t]{0,3}(\*\*|__)(?=\S)([^*\n]{1,160}?)\1[ \t]*[:：]?[ \t]*\\?$")
_STOPS = ".。!！?？;；,，"
_TABLE_RULE = frozenset("|:- \t+=")


def find_blocks(text: str) -> list[Span]:
    """Cut a text into blocks, in order, without overlap; blank lines belong to none."""
    scanner = _LineScanner(text, find_masks(text))
    scanner.run()
    return scanner.blocks


class _LineScanner:
    def __init__(self, text: str, masks: list[Mask]) -> None:
        self.blocks: list[Span] = []
        self._text = text
        self._masks = masks
        self._open: Span | None = None  # the paragraph or item that a plain line continues
        self._section = 0
        self._header = ""
        self._in_table = False

    def run(self) -> None:
        """Read every line once."""
        position = 0
        for mask in [*self._masks, None]:
            limit = mask.start if mask else len(self._text)
            position = self._lines(position, limit)
            if mask:
                self._close()
                self._add(Span(mask.kind, mask.start, mask.end, mask.start))
                self._open = None
                position = mask.end

    def _lines(self, position: int, limit: int) -> int:
        find = self._text.find
        while position < limit:
            newline = find("\n", position, limit)
            end = limit if newline < 0 else newline + 1
            self._line(position, end)
            position = end
        return position

    def _line(self, start: int, end: int) -> None:
        line = self._text[start:end]
        content = line.rstrip()
        if not content:
            self._close()
            return
        first = content.lstrip()[0]
        stop = start + len(content)
        if (
            first == "|"
            or (self._in_table and "|" in content)
            or self._starts_bare_table(content, end)
        ):
            self._row(start, stop, content)
            return
        self._in_table = False
        if not self._special(start, stop, content, first):
            self._plain(start, stop, content)

    def _special(self, start: int, stop: int, content: str, first: str) -> bool:
        """Try what can start a block with this first character."""
        if first == "#" and (found := _HEADING.match(content)):
            hashes = found.group(1) or found.group(2)
            self._heading(start, stop, start + found.end(), len(hashes))
            return True
        if first in "-*_═─━—" and _RULE.match(content):
            self._add(Span(BlockKind.RULE, start, stop, start))
            self._open = None
            return True
        if first == "=" and self._open and _SETEXT.match(content):
            self._open.kind, self._open.level, self._open.end = BlockKind.HEADING, 1, stop
            self._open = None
            self._section += 1
            return True
        if first == ">" and (found := _QUOTE.match(content)):
            self._add(Span(BlockKind.QUOTE, start, stop, min(start + found.end(), stop)))
            self._open = None
            return True
        return self._entry_or_item(start, stop, content, first)

    def _entry_or_item(self, start: int, stop: int, content: str, first: str) -> bool:
        if first in "*_" and (found := _BOLD_LINE.match(content)) and self._is_title(found):
            self._heading(start, stop, start + found.start(2), 6)
            return True
        if first == "[" and _DATA_DEFINITION.match(content):
            self._add(Span(BlockKind.HTML, start, stop, start))
            self._open = None
            return True
        if LABEL_START.match(content):
            kind = (
                BlockKind.LIST_ITEM
                if first in "-*+•" and content.lstrip()[1:2] in " \t"
                else BlockKind.PARAGRAPH
            )
            self._begin(Span(kind, start, stop, start, labelled=True))
            return True
        if found := _LIST_ITEM.match(content):
            body = start + found.end()
            task = _TASK.match(self._text, body, stop)
            depth = len(found.group(1).expandtabs(4)) // 2
            self._begin(
                Span(BlockKind.LIST_ITEM, start, stop, task.end() if task else body, level=depth)
            )
            return True
        return False

    def _is_title(self, found: re.Match[str]) -> bool:
        inner = found.group(2).strip()
        return (
            self._open is None
            and inner[-1:] not in _STOPS
            and not re.search(r"\]\(|https?:", inner)
        )

    def _plain(self, start: int, stop: int, content: str) -> None:
        alone = self._open is None or self._open.labelled
        if alone and len(content) <= 60 and "](" not in content and is_reference_heading(content):
            self._heading(start, stop, start + len(content) - len(content.lstrip()), 6)
            return
        if self._open is not None:
            self._open.lines.append(start)
            self._open.end = stop
            return
        self._begin(Span(BlockKind.PARAGRAPH, start, stop, start))

    def _starts_bare_table(self, content: str, end: int) -> bool:
        if "|" not in content:
            return False
        newline = self._text.find("\n", end)
        following = self._text[end : newline if newline >= 0 else len(self._text)]
        return _is_table_rule(following)

    def _row(self, start: int, stop: int, content: str) -> None:
        self._open = None
        if _is_table_rule(content):
            if self.blocks and self.blocks[-1].kind is BlockKind.TABLE_ROW and not self._header:
                self.blocks[-1].level = 1  # the row above a rule is the header
                self._header = " | ".join(
                    split_cells(self._text[self.blocks[-1].start : self.blocks[-1].end])
                )
            self._add(Span(BlockKind.RULE, start, stop, start))
        else:
            if not self._in_table:
                self._header = ""
            self._add(Span(BlockKind.TABLE_ROW, start, stop, start, header=self._header))
        self._in_table = True

    def _heading(self, start: int, stop: int, body: int, level: int) -> None:
        self._section += 1
        self._add(Span(BlockKind.HEADING, start, stop, body, level=level))
        self._open = None

    def _begin(self, span: Span) -> None:
        self._add(span)
        self._open = span

    def _add(self, span: Span) -> None:
        span.section = self._section
        self.blocks.append(span)

    def _close(self) -> None:
        self._open = None
        self._in_table = False


def _is_table_rule(line: str) -> bool:
    return "-" in line and "|" in line and _TABLE_RULE.issuperset(line.strip())


def split_cells(row: str) -> list[str]:
    """Split a table row into its stripped cells; an escaped `|` does not split."""
    cells = re.split(r"(?<!\\)\|", row.strip().strip("|"))
    return [cell.strip() for cell in cells]
