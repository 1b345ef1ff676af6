"""From lines to paragraphs: where one ends, what each is, and how its lines are joined."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from dream_evaluators.documents.parts import CJK
from dream_evaluators.documents.pdf.geometry import Line, Run
from dream_evaluators.documents.pdf.pages import LINE_HYPHEN
from dream_evaluators.documents.pdf.tables import Table

LOOSE = 1.3  # a distance between lines above this multiple of the usual one parts paragraphs
LARGER = 1.12  # a heading's size to that of the text
FEW = 5  # distances between lines, below which the median says little
SLACK = 1.5  # of a line's height that a word needs less than there is, for a break to be meant
HEADING_CAP = 200  # characters
NEAR = 8  # lines before and after in which a line's column is looked for
_ENDED = re.compile(r"[.!?:;。！？：；…](?:[\"'”’»」』)）\]]|\s|\[?\d{1,3}\]?)*$")
BULLETS = "•‣●▪■◦○–—·∙►➢✓*-"
_LABEL = re.compile(
    rf"(?:(?P<bullet>[{re.escape(BULLETS)}\uf0b7\uf0a7])|(?P<bracket>\[\d{{1,4}}\])"
    r"|(?P<round>\(\d{1,3}\))|(?P<number>\d{1,3}[.)])|(?P<letter>[a-z]\)))\s"
)
_URL_TAIL = re.compile(r"(?:https?:/|www\.)\S*$")
_URL_GOES_ON = re.compile(r"\S{0,200}?[/_=?&%#~+-]\S*|\S{0,100}?\.\w\S*")


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together."""

    lines: list[Line] = field(default_factory=list)
    level: int = 0  # of a heading, else 0
    table: Table | None = None
    breaks: set[int] = field(default_factory=set)  # numbers of lines that their writer began
    bold: bool = True  # every line is

    @property
    def text(self) -> str:
        """The plain text, to look at."""
        return " ".join(line.text for line in self.lines)


class Reflow:
    """Puts the lines of a whole document into paragraphs."""

    def __init__(self, lines: Sequence[Line], tables: Mapping[int, list[Table]]) -> None:
        self._lines = lines
        self._tables = tables  # by the number of the line they stand before
        self._size = _usual_size(lines)
        self._pitch = self._pitches()
        self._levels = self._heading_levels()
        self._margins = [self._margin(index) for index in range(len(lines))]

    def paragraphs(self) -> list[Paragraph]:
        """Cut the lines into paragraphs, in order."""
        found: list[Paragraph] = []
        for index, line in enumerate(self._lines):
            found.extend(Paragraph(table=table) for table in self._tables.get(index, ()))
            if not found or found[-1].table or self._begins(index, found[-1]):
                found.append(Paragraph([line], self.level(line), bold=line.bold))
            else:
                if self._breaks(index, found[-1]):
                    found[-1].breaks.add(len(found[-1].lines))
                found[-1].lines.append(line)
                found[-1].bold = found[-1].bold and line.bold
        found.extend(Paragraph(table=table) for table in self._tables.get(len(self._lines), ()))
        for paragraph in found:
            if len(paragraph.text) > HEADING_CAP or _LABEL.match(paragraph.text + " "):
                numbered = re.match(r"\d{1,2}\.", paragraph.text)
                paragraph.level = paragraph.level if numbered and len(paragraph.text) < 120 else 0
        return found

    def level(self, line: Line) -> int:
        """Return the level of the heading that a line's size makes it, 0 for text."""
        return self._levels.get(round(line.size), 0) if line.size > LARGER * self._size else 0

    def _pitches(self) -> float:
        distances = [
            before.bottom - after.bottom
            for before, after in pairwise(self._lines)
            if before.page == after.page
            and 0 < before.bottom - after.bottom < 3 * self._size
            and abs(before.size - after.size) < 0.1 * self._size
        ]
        usual = 1.25 * self._size
        if len(distances) < FEW:
            return min([usual, *distances])
        return median(distances)

    def _heading_levels(self) -> dict[int, int]:
        sizes = {round(ln.size) for ln in self._lines if ln.size > LARGER * self._size}
        return {size: min(6, rank) for rank, size in enumerate(sorted(sizes, reverse=True), 1)}

    def _margin(self, index: int) -> tuple[float, float]:
        """Return left and right of the column that a line stands in."""
        line = self._lines[index]
        near = [
            other
            for other in self._lines[max(0, index - NEAR) : index + NEAR + 1]
            if other.page == line.page
            and line.left - 3 * line.size < other.left < line.right
            and abs(other.size - line.size) < 0.1 * line.size
        ]
        return min(other.left for other in near), max(other.right for other in near)

    def _begins(self, index: int, paragraph: Paragraph) -> bool:
        """Whether a line begins a paragraph of its own."""
        before, line = self._lines[index - 1], self._lines[index]
        if abs(before.size - line.size) > 0.1 * max(before.size, line.size):
            return True
        if before.page != line.page or line.bottom > before.bottom + 0.5 * line.size:
            return self._begins_column(index, paragraph)
        if before.bottom - line.bottom > LOOSE * self._pitch * max(1.0, line.size / self._size):
            return True
        if before.bold and not line.bold and paragraph.bold and self._is_short(index - 1):
            return True
        return self._begins_below(index, paragraph)

    def _begins_column(self, index: int, paragraph: Paragraph) -> bool:
        """Decide for the first line of a page or column: a sentence may go on there."""
        before, line = self._lines[index - 1], self._lines[index]
        ended = _ENDED.search(before.text) is not None
        if paragraph.level or self.level(line) or (paragraph.bold and not line.bold):
            return True
        label, first = _LABEL.match(line.text), _LABEL.match(paragraph.lines[0].text)
        if label and (first is None or label.lastgroup == first.lastgroup):
            return True
        return ended and not line.text[:1].islower()

    def _begins_below(self, index: int, paragraph: Paragraph) -> bool:
        """Decide for a line close below another of its size."""
        before, line = self._lines[index - 1], self._lines[index]
        label, first = _LABEL.match(line.text), _LABEL.match(paragraph.lines[0].text)
        ended = _ENDED.search(before.text) is not None
        short = self._is_short(index - 1)
        if first and line.left < paragraph.lines[0].left - 0.3 * line.size:
            return True
        same = label and first and label.lastgroup == first.lastgroup
        if label and (same or ended or short):
            return line.left <= paragraph.lines[0].left + 2 * line.size or ended
        indented = line.left > before.left + 0.7 * line.size
        return ended and indented and before.left < self._margins[index - 1][0] + 0.5 * line.size

    def _breaks(self, index: int, paragraph: Paragraph) -> bool:
        """Whether a line of a paragraph begins where its writer wanted it to."""
        before, line = self._lines[index - 1], self._lines[index]
        if paragraph.level or before.page != line.page or line.bottom > before.bottom:
            return False
        if line.text.startswith(("http://", "https://")):
            return self._is_short(index - 1)
        return not line.text[:1].islower() and self._fits(index)

    def _fits(self, index: int) -> bool:
        """Whether a line's first word had room on the line before: the break was meant."""
        line, before = self._lines[index], self._lines[index - 1]
        end = next((g.left for g in line.glyphs if g.char.isspace()), line.right)
        if CJK.match(line.text):
            end = line.left + 2 * line.size
        return before.right + (end - line.left) + SLACK * line.size < self._margins[index - 1][1]

    def _is_short(self, index: int) -> bool:
        left, right = self._margins[index]
        return self._lines[index].right < right - 0.12 * (right - left)


def _usual_size(lines: Sequence[Line]) -> float:
    """Return the size that most characters have."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return max(1.0, sizes.most_common(1)[0][0]) if sizes else 1.0


def joined(
    lines: Sequence[Line], words: frozenset[str], breaks: Container[int] = ()
) -> list[tuple[int, list[Run]]]:
    """Return the runs of each line with what joins them to the next: blank, nothing, no hyphen.

    Args:
        lines: Of one paragraph.
        words: Words of the document, lower case, to tell a broken word from a compound.
        breaks: Numbers of the lines that stay lines of their own.

    Returns:
        For every line its page, from 0, and its runs.
    """
    pieces: list[tuple[int, list[Run]]] = []
    address = False  # an address reaches to the end of the lines so far
    for number, line in enumerate(lines):
        runs = line.runs()
        if number in breaks and pieces:
            pieces[-1][1].append(Run("\n"))
        elif pieces and pieces[-1][1]:
            _join(pieces[-1][1], runs, words, in_address=address)
        pieces.append((line.page, runs))
        whole = "".join(run.text for run in runs).strip()
        address = (address and " " not in whole) or _URL_TAIL.search(whole) is not None
    return pieces


def _join(before: list[Run], after: list[Run], words: frozenset[str], *, in_address: bool) -> None:
    """Change the end of a line's runs so that the next line's can follow."""
    last, first = before[-1], next((run for run in after if run.text), Run(""))
    text, following = last.text.rstrip(), first.text.lstrip()
    if in_address:
        text = text.replace(LINE_HYPHEN, "-")
    broken = re.search(rf"(\w+)[-{LINE_HYPHEN}‐]$", text)
    if in_address and text and _goes_on(text, following):
        end, gap = text, ""
    elif broken and following[:1].isalnum():
        end, gap = _unhyphenated(text, broken.group(1), following, words), ""
    elif CJK.match(text[-1:]) and CJK.match(following[:1]):
        end, gap = text, ""
    else:
        end, gap = text, " "
    if gap and last.link is not None and last.link.url and _same(last, first):
        end, gap = end + gap, ""
    before[-1] = Run(end, last.link, last.raised)
    if gap:
        before.append(Run(gap))


def _goes_on(address: str, following: str) -> bool:
    """Whether the next line goes on with an address that the last one ended in."""
    token = following.partition(" ")[0]
    if token.startswith(("http", "www.")):
        return False
    if address[-1] in "/-_=&?%#+~" and token[:1].isalnum():
        return True
    return _URL_GOES_ON.fullmatch(token) is not None and (
        token[:1].islower() or token[:1] in "/-_=&?%#+~." or token[:1].isdigit()
    )


def _same(last: Run, first: Run) -> bool:
    return first.link is not None and last.link is not None and first.link.url == last.link.url


def _unhyphenated(text: str, half: str, following: str, words: frozenset[str]) -> str:
    """Take the hyphen off a broken word; a compound that the document has elsewhere keeps it."""
    found = re.match(r"\w+", following)
    rest = found.group() if found else ""
    plain, compound = (half + rest).lower(), f"{half}-{rest}".lower()
    kept = not rest[:1].islower() or half.isdigit()
    if compound in words and plain not in words:
        kept = True
    return text[:-1] + "-" if kept else text[:-1]


def vocabulary(lines: Sequence[Line]) -> frozenset[str]:
    """Collect the words of a document that no line's end breaks, lower case."""
    words: set[str] = set()
    for line in lines:
        words.update(re.findall(r"\w+(?:-\w+)?", line.text.lower())[:-1])
    return frozenset(words)
