"""Reading order: the file's own, mended where it is not the page's."""

from __future__ import annotations

import re
from itertools import pairwise

from dream_evaluators.documents.pdf.geometry import Glyph, Line

COLUMN_LINES = 8  # lines a column must have
COLUMN_WIDTH = 0.25  # of the text's width that the lines of a column must have on average
INTERLEAVED = 0.3  # of the left column's lines followed by their neighbours on the right


MENDED_LINES = 600  # lines of a page up to which late ones are moved: the work is quadratic
_LONE_LABEL = re.compile(r"(?:[•◦▪▸‣■○●·–*-]|\[?\(?(?:\d{1,4}|[a-z]|[ivx]{1,5})[\])]?\.?)")
LABEL_GAP = 4.0  # of the line's height, between a label and its text


def in_reading_order(lines: list[Line]) -> list[Line]:
    """Order the lines of a page.

    The order of the file is kept, as almost all producers write columns and cells one after the
    other, but for three things: list markers drawn apart join their lines, blocks drawn late move
    to their place, and columns of prose that are drawn row by row are read one after the other.
    """
    lines = _labelled(lines)
    gutter = _gutter(lines)
    if gutter is not None and _is_interleaved(lines, gutter):
        return _by_columns(lines, gutter)
    return _mended(lines) if len(lines) <= MENDED_LINES else lines


def _labelled(lines: list[Line]) -> list[Line]:
    """Put list markers that were drawn apart before the lines they stand beside."""
    labels = [line for line in lines if _LONE_LABEL.fullmatch(line.text)]
    if not labels or len(lines) > MENDED_LINES:
        return lines
    used: set[int] = set()
    for label in labels:
        beside = [line for line in lines if line is not label and _stands_before(label, line)]
        if not beside:
            continue
        line = min(beside, key=lambda line: line.left)
        edge = label.glyphs[-1]
        gap = Glyph(" ", edge.right, edge.bottom, line.left, edge.top)
        line.glyphs[:0] = [*label.glyphs, gap]
        line.text, line.left = f"{label.text} {line.text}", label.left
        line.lone.extend(label.lone)
        used.add(id(label))
    return [line for line in lines if id(line) not in used]


def _stands_before(label: Line, line: Line) -> bool:
    overlap = min(label.top, line.top) - max(label.bottom, line.bottom)
    gap = line.left - label.right
    height = max(label.size, line.size)
    return overlap > 0.5 * min(label.size, line.size) and -0.1 * height <= gap <= LABEL_GAP * height


def _mended(lines: list[Line]) -> list[Line]:
    """Move lines that come after others they stand above, in the same column, to their place."""
    ordered: list[Line] = []
    for line in lines:
        place = next(
            (
                at
                for at, other in enumerate(ordered)
                if other.top < line.bottom + 0.2 * line.size
                and other.left < line.right
                and other.right > line.left
            ),
            len(ordered),
        )
        ordered.insert(place, line)
    return ordered


def _by_columns(lines: list[Line], gutter: float) -> list[Line]:
    """Read both columns between lines that reach over them."""
    ordered: list[Line] = []
    left: list[Line] = []
    right: list[Line] = []
    for line in sorted(lines, key=lambda line: (-line.top, line.left)):
        if line.right <= gutter:
            left.append(line)
        elif line.left >= gutter:
            right.append(line)
        else:
            ordered += [*left, *right, line]
            left, right = [], []
    return [*ordered, *left, *right]


def _gutter(lines: list[Line]) -> float | None:
    """Return the x between two columns of prose, None on a page with one."""
    if not 2 * COLUMN_LINES <= len(lines) <= MENDED_LINES:
        return None
    begin, end = min(line.left for line in lines), max(line.right for line in lines)
    width = end - begin
    edges = {round(line.left - 1, 0) for line in lines}
    middle = [x for x in edges if 0.35 * width < x - begin < 0.65 * width]
    best = min(middle, key=lambda x: sum(ln.left < x < ln.right for ln in lines), default=None)
    if best is None:
        return None
    for column in (
        [line for line in lines if line.right <= best],
        [line for line in lines if line.left >= best],
    ):
        mean = sum(line.right - line.left for line in column) / max(1, len(column))
        if len(column) < COLUMN_LINES or mean < COLUMN_WIDTH * width:
            return None
    return best


def _is_interleaved(lines: list[Line], gutter: float) -> bool:
    left = sum(line.right <= gutter for line in lines)
    jumps = sum(
        before.right <= gutter <= after.left
        and min(before.top, after.top) > max(before.bottom, after.bottom)
        for before, after in pairwise(lines)
    )
    return jumps >= INTERLEAVED * left
