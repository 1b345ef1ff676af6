"""One walk over a page's tree, without recursion: text into lines, elements into blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dream_evaluators.documents import inline
from dream_evaluators.documents.html.elements import BLOCKS, HEADINGS, is_read
from dream_evaluators.documents.html.grids import Grid, is_layout
from dream_evaluators.documents.html.notes import Notes, first_number, fragment, item_number
from dream_evaluators.documents.writing import BlockWriter

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

BOLD_CAP = 160  # characters: a longer paragraph in bold is no heading


@dataclass(slots=True)
class _List:
    """A list that is open: the number of its next item, 0 for bullets."""

    number: int


class PageWalk:
    """Writes what a reader of a page sees, block by block."""

    def __init__(self, writer: BlockWriter, notes: Notes, page: str, base: str) -> None:
        self._writer = writer
        self._notes = notes
        self._page = page
        self._base = base
        self._line: list[str] = []
        self._outer: list[list[str]] = []  # lines that wait while a link or superscript is read
        self._bold = 0
        self._plain = False  # whether the line has text that is not bold
        self._quotes = 0
        self._code = 0
        self._heading = 0
        self._lists: list[_List] = []
        self._items: list[int] = []  # depths of the open items, to indent their paragraphs
        self._marker = ""  # of the item whose first text is still to come
        self._tables: list[Grid] = []

    def run(self, root: LexborNode) -> None:
        """Walk everything below an element."""
        node: LexborNode | None = root
        depth = 0
        while node is not None:
            child = node.first_child if self._enter(node) else None
            if child is not None:
                node, depth = child, depth + 1
                continue
            self._leave(node)
            while depth and node is not None and node.next is None:
                node, depth = node.parent, depth - 1
                if node is not None:
                    self._leave(node)
            node = node.next if depth and node is not None else None
        self._flush()

    # --- entering and leaving ---------------------------------------------------------------------

    def _enter(self, node: LexborNode) -> bool:
        """Begin an element; False where nothing below it is to be read."""
        tag = node.tag or ""
        if tag == "-text":
            self._text(node.text_content or "")
            return False
        if tag[:1] in "-!" or not is_read(tag, node.attributes):
            if tag == "img" and self._outer:
                self._line.append(inline.escape(node.attributes.get("alt") or ""))
            return False
        if node.mem_id in self._notes.silent:
            return False
        if tag in BLOCKS:
            self._flush()
        if (label := self._notes.labels.get(node.mem_id)) is not None and tag != "li":
            self._marker = f"[^{label}]:"
        handler = _ENTER.get(tag)
        return handler(self, node) is not False if handler else True

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag[:1] in "-!" or not is_read(tag, node.attributes):
            return
        if node.mem_id in self._notes.silent:
            return
        if tag in BLOCKS:
            self._flush()
        handler = _LEAVE.get(tag)
        if handler:
            handler(self, node)

    def _text(self, text: str) -> None:
        if self._code:
            self._line.append(text)
            return
        text = inline.collapse(inline.visible(text))
        if not text:
            return
        if not self._bold and text != " ":
            self._plain = True
        self._line.append(inline.escape(text))

    # --- blocks -----------------------------------------------------------------------------------

    def _flush(self) -> None:
        """End the block whose text has been read; inside links, blocks are only gaps."""
        if self._outer or self._code:
            self._line.append(" ")
            return
        text = inline.tidy("".join(self._line))
        bold = not self._plain and len(text) <= BOLD_CAP
        self._line.clear()
        self._plain = False
        if not text:
            return
        if self._tables and self._tables[-1].cell is not None:
            self._tables[-1].cell.append(text)
        elif self._heading:
            self._writer.heading(self._heading, text)
        else:
            self._write(text, bold=bold)

    def _write(self, text: str, *, bold: bool) -> None:
        """Write a block outside headings and tables."""
        lead = "> " * self._quotes
        if self._marker:
            self._writer.item(lead + self._marker, text, max(0, len(self._items) - 1))
            self._marker = ""
        elif self._items:
            self._writer.paragraph(text, lead=lead + "  " * len(self._items))
        elif bold and not lead and "*" not in text and "\n" not in text:
            self._writer.verbatim(f"**{text}**")
        else:
            self._writer.paragraph(text, lead=lead)

    def _open_heading(self, node: LexborNode) -> None:
        self._heading = HEADINGS[node.tag or ""]

    def _close_heading(self, _: LexborNode) -> None:
        self._heading = 0

    def _open_quote(self, _: LexborNode) -> None:
        self._quotes += 1

    def _close_quote(self, _: LexborNode) -> None:
        self._quotes -= 1

    def _open_code(self, node: LexborNode) -> bool:
        if self._outer or (self._tables and self._tables[-1].cell is not None):
            return True
        self._writer.verbatim(inline.fence(inline.visible(node.text())))
        return False

    def _open_list(self, node: LexborNode) -> None:
        self._lists.append(_List(first_number(node.attributes) if node.tag == "ol" else 0))

    def _close_list(self, _: LexborNode) -> None:
        if self._lists:
            self._lists.pop()

    def _open_item(self, node: LexborNode) -> None:
        label = self._notes.labels.get(node.mem_id)
        self._items.append(len(self._lists))
        marker = "-"
        if self._lists and self._lists[-1].number:
            number = item_number(node.attributes, self._lists[-1].number)
            self._lists[-1].number = number + 1
            marker = f"{number}."
        self._marker = f"[^{label}]:" if label is not None else marker

    def _close_item(self, _: LexborNode) -> None:
        self._marker = ""
        if self._items:
            self._items.pop()

    # --- tables -----------------------------------------------------------------------------------

    def _open_table(self, node: LexborNode) -> None:
        if not is_layout(node):
            self._tables.append(Grid())

    def _close_table(self, node: LexborNode) -> None:
        if self._tables and not is_layout(node):
            table = self._tables.pop()
            self._writer.table(table.rows, header=table.header)

    def _open_row(self, _: LexborNode) -> None:
        if self._tables:
            self._tables[-1].rows.append([])

    def _open_cell(self, node: LexborNode) -> None:
        if self._tables:
            self._tables[-1].open_cell(node)

    def _close_cell(self, _: LexborNode) -> None:
        if self._tables:
            self._tables[-1].close_cell()

    # --- inside lines -----------------------------------------------------------------------------

    def _open_inner(self, _: LexborNode) -> None:
        self._outer.append(self._line)
        self._line = []

    def _inner(self) -> str:
        text = "".join(self._line)
        self._line = self._outer.pop() if self._outer else []
        return text

    def _close_link(self, node: LexborNode) -> None:
        text = self._inner().replace("\n", " ")
        marker = self._notes.markers.get(node.mem_id)
        if marker is not None:
            bare = marker.strip("[]")
            open_already = bare.isdigit() and inline.is_in_brackets("".join(self._line[-8:]))
            self._line.append(bare if open_already else marker)
            return
        href = node.attributes.get("href") or ""
        leads_away = node.first_child is not None and not fragment(href, self._page)
        url = inline.address(href, self._base) if leads_away else ""
        if url and not text.strip():
            text = node.attributes.get("aria-label") or node.attributes.get("title") or ""
            text = inline.escape(inline.collapse(text))
        self._line.append(inline.link(text, url) if url else text)
        self._plain = self._plain or bool(url)

    def _close_raised(self, _: LexborNode) -> None:
        text = self._inner()
        plain = text.strip().replace(" ", "")
        numbers = plain.replace(",", "").replace("–", "").replace("-", "")
        self._line.append(f"<sup>{plain}</sup>" if numbers.isdecimal() else text)

    def _open_bold(self, _: LexborNode) -> None:
        self._bold += 1

    def _close_bold(self, _: LexborNode) -> None:
        self._bold = max(0, self._bold - 1)

    def _open_code_span(self, _: LexborNode) -> None:
        self._open_inner(_)
        self._code += 1

    def _close_code_span(self, _: LexborNode) -> None:
        self._code -= 1
        code = inline.visible(self._inner())
        self._line.append(inline.code_span(code))
        self._plain = True

    def _break(self, _: LexborNode) -> None:
        self._line.append("\n")

    def _open_math(self, node: LexborNode) -> bool:
        formula = node.css_first("annotation")
        text = formula.text() if formula is not None else node.text()
        core = inline.collapse(inline.visible(text)).strip()
        self._line.append(f"${core}$" if formula is not None and core else inline.escape(core))
        self._plain = True
        return False


_Handler = Callable[[PageWalk, "LexborNode"], bool | None]
_ENTER: dict[str, _Handler] = {
    **dict.fromkeys(HEADINGS, PageWalk._open_heading),
    **dict.fromkeys(("ul", "ol"), PageWalk._open_list),
    **dict.fromkeys(("td", "th"), PageWalk._open_cell),
    **dict.fromkeys(("a", "sup"), PageWalk._open_inner),
    **dict.fromkeys(("b", "strong"), PageWalk._open_bold),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), PageWalk._open_code_span),
    "blockquote": PageWalk._open_quote,
    "pre": PageWalk._open_code,
    "li": PageWalk._open_item,
    "table": PageWalk._open_table,
    "tr": PageWalk._open_row,
    "br": PageWalk._break,
    "math": PageWalk._open_math,
}
_LEAVE: dict[str, _Handler] = {
    **dict.fromkeys(HEADINGS, PageWalk._close_heading),
    **dict.fromkeys(("ul", "ol"), PageWalk._close_list),
    **dict.fromkeys(("td", "th"), PageWalk._close_cell),
    **dict.fromkeys(("b", "strong"), PageWalk._close_bold),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), PageWalk._close_code_span),
    "a": PageWalk._close_link,
    "sup": PageWalk._close_raised,
    "blockquote": PageWalk._close_quote,
    "li": PageWalk._close_item,
    "table": PageWalk._close_table,
}
