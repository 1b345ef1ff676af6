"""Tables of a page under construction: rows of cells, each of which holds blocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


@dataclass(slots=True)
class Grid:
    """One open table."""

    rows: list[list[str]] = field(default_factory=list)
    header: bool = False  # its first row names the columns
    cell: list[str] | None = None  # the blocks of the open cell

    def open_cell(self, node: LexborNode) -> None:
        """Begin a cell; a first row of header cells is the header."""
        if not self.rows:
            self.rows.append([])
        if len(self.rows) == 1 and not self.rows[0]:
            self.header = node.tag == "th" or _is_in_head(node)
        self.cell = []

    def close_cell(self) -> None:
        """End the cell: its blocks stand beside each other."""
        if self.cell is not None:
            self.rows[-1].append("; ".join(self.cell))
        self.cell = None


def is_layout(table: LexborNode) -> bool:
    """Whether a table only places what stands in it."""
    if (table.attributes.get("role") or "") in ("presentation", "none"):
        return True
    inner = "td table, th table, td h1, td h2, td h3, td pre"
    return table.css_first(inner) is not None


def _is_in_head(cell: LexborNode) -> bool:
    row = cell.parent
    return row is not None and row.parent is not None and row.parent.tag == "thead"
