"""Tables of a page, told by the order of its lines: cell after cell to the right, row after row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dream_evaluators.documents.pdf.geometry import Glyph, Line

CELL_GAP = 0.4  # of a line's height, at least, between two cells
ROW_GAP = 3.0  # of a line's height, at most, between two rows
LINE_GAP = 0.6  # of a line's height, at most, between two lines of a cell
ALIGNED = 0.7  # of a line's height that first cells of rows may be apart
WORD_GAP = 4.0  # of a line's height, at most, between parts of one line that no table explains


@dataclass(slots=True)
class Table:
    """`lines[start:end]` of a page are a table; `rows` hold the lines of each cell."""

    start: int
    end: int
    rows: list[list[list[Line]]]

    @property
    def header(self) -> bool:
        """Whether the first row is bold, and the next is not."""
        first, second = self.rows[0], self.rows[1]
        return _is_bold(first) and not _is_bold(second)


def _is_bold(row: list[list[Line]]) -> bool:
    return all(line.bold for cell in row for line in cell)


def find_tables(lines: Sequence[Line]) -> list[Table]:
    """Find the tables among the lines of one page, in order."""
    tables: list[Table] = []
    at = 0
    while at + 1 < len(lines):
        if _is_beside(lines[at], lines[at + 1]):
            floor = tables[-1].end if tables else 0
            table = _grown(lines, _first_of_cell(lines, at, floor))
            if table is not None:
                tables.append(table)
                at = table.end
                continue
        at += 1
    return tables


def _is_beside(line: Line, other: Line) -> bool:
    """Whether another line stands to the right, at the same height."""
    overlap = min(line.top, other.top) - max(line.bottom, other.bottom)
    return other.left >= line.right + CELL_GAP * line.size and overlap > 0


def _is_below(line: Line, other: Line) -> bool:
    """Whether another line follows closely below."""
    return -0.5 * line.size <= line.bottom - other.top <= LINE_GAP * line.size


def _first_of_cell(lines: Sequence[Line], at: int, floor: int) -> int:
    """Return the first line of the cell that a line ends."""
    limit = lines[at + 1].left
    while at > floor:
        before, line = lines[at - 1], lines[at]
        aligned = abs(before.left - line.left) < ALIGNED * line.size
        if not (aligned and before.right < limit and _is_below(before, line)):
            break
        at -= 1
    return at


def _grown(lines: Sequence[Line], start: int) -> Table | None:
    """Read rows from a line on for as long as they read as a table; None if they do not."""
    rows = [[[lines[start]]]]
    end = start + 1
    while end < len(lines) and _place(rows, lines[end]):
        end += 1
    while rows and len(rows[-1]) == 1:  # text below the table begins where its first column does
        end -= len(rows.pop()[0])
    if sum(len(row) > 1 for row in rows) < 2:
        return None
    return Table(start, end, _in_columns(rows))


def _place(rows: list[list[list[Line]]], line: Line) -> bool:
    """Add a line to the newest cell, a new cell or a new row; False where the table ends."""
    row = rows[-1]
    cell = row[-1]
    top = max(other.top for part in row for other in part)
    bottom = min(other.bottom for part in row for other in part)
    inside = line.top > bottom and line.bottom < top
    if inside and line.left >= max(ln.right for ln in cell) + CELL_GAP * line.size:
        row.append([line])
        return True
    first = abs(line.left - rows[0][0][0].left) < ALIGNED * line.size
    if _is_below(cell[-1], line) and (len(row) == 1 if first else _overlaps(cell, line)):
        cell.append(line)
        return True
    beyond = min((r[1][0].left for r in rows if len(r) > 1), default=line.right)
    gap = bottom - line.top
    if len(row) > 1 and first and line.right < beyond and -0.5 <= gap / line.size <= ROW_GAP:
        rows.append([[line]])
        return True
    return False


def _overlaps(cell: list[Line], line: Line) -> bool:
    return line.left < max(ln.right for ln in cell) and line.right > min(ln.left for ln in cell)


def _in_columns(rows: list[list[list[Line]]]) -> list[list[list[Line]]]:
    """Put the cells of shorter rows into the columns that the longest row has."""
    model = max(rows, key=len)
    middles = [(min(ln.left for ln in c) + max(ln.right for ln in c)) / 2 for c in model]
    placed: list[list[list[Line]]] = []
    for row in rows:
        cells: list[list[Line]] = [[] for _ in middles]
        at = 0
        for number, cell in enumerate(row):
            middle = (min(ln.left for ln in cell) + max(ln.right for ln in cell)) / 2
            last = len(middles) - (len(row) - number)  # leave room for the cells still to come
            apart = [(abs(middles[column] - middle), column) for column in range(at, last + 1)]
            column = min(apart)[1]
            cells[column] = cell
            at = column + 1
        placed.append(cells)
    return placed


def whole_lines(lines: Sequence[Line]) -> list[Line]:
    """Put parts of one line together again that wide blanks have cut and no table explains."""
    merged: list[Line] = []
    for line in lines:
        before = merged[-1] if merged else None
        if (
            before is not None
            and before.page == line.page
            and _is_beside(before, line)
            and line.left - before.right < WORD_GAP * line.size
            and min(before.top, line.top) - max(before.bottom, line.bottom) > 0.5 * line.size
        ):
            before.glyphs.append(Glyph(" ", before.right, before.bottom, line.left, before.top))
            before.glyphs.extend(line.glyphs)
            before.bold = before.bold and line.bold
            before.lone.extend(line.lone)
            before.measure()
        else:
            merged.append(line)
    return merged
