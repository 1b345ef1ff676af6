"""Lines and links of a page in points, and what they say."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from statistics import median

RAISED_SIZE = 0.95  # a superscript's height to its line's: below it
RAISED_BY = 0.12  # of the line's height that a superscript stands above the line's foot


@dataclass(frozen=True, slots=True)
class Link:
    """A link annotation; `url` is empty for a jump within the file."""

    left: float
    bottom: float
    right: float
    top: float
    url: str = ""
    page: int = -1  # where a jump leads, from 0
    height: float = -1.0  # on that page, in points from its foot; -1 for the page itself

    def covers(self, x: float, y: float) -> bool:
        """Whether a point lies under the link."""
        return self.left <= x <= self.right and self.bottom <= y <= self.top


@dataclass(slots=True)
class Glyph:
    """One character, with the box of its font there."""

    char: str
    left: float
    bottom: float
    right: float
    top: float
    index: int = -1  # in the page's text, -1 for a blank of our own
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring characters with the same link."""

    text: str
    link: Link | None = None
    raised: bool = False


@dataclass(slots=True)
class Line:
    """One line of one column, left to right as the page shows it."""

    glyphs: list[Glyph]
    page: int = 0  # from 0
    left: float = 0.0
    bottom: float = 0.0
    right: float = 0.0
    top: float = 0.0
    bold: bool = False
    lone: list[Link] = field(default_factory=list)  # links that cover no text, shown behind it
    text: str = ""

    def measure(self) -> None:
        """Compute box and text from the glyphs."""
        inked = [glyph for glyph in self.glyphs if not glyph.char.isspace()] or self.glyphs
        tall = median(glyph.top - glyph.bottom for glyph in inked)
        full = [g for g in inked if g.top - g.bottom >= RAISED_SIZE * tall] or inked
        self.left = min(glyph.left for glyph in inked)
        self.right = max(glyph.right for glyph in inked)
        self.bottom = median(glyph.bottom for glyph in full)
        self.top = median(glyph.top for glyph in full)
        self.text = "".join(glyph.char for glyph in self.glyphs).strip()

    @property
    def size(self) -> float:
        """Height of the font's box."""
        return self.top - self.bottom

    def is_raised(self, glyph: Glyph) -> bool:
        """Whether a glyph is a superscript of this line."""
        height = glyph.top - glyph.bottom
        return (
            height < RAISED_SIZE * self.size and glyph.bottom > self.bottom + RAISED_BY * self.size
        )

    def runs(self) -> list[Run]:
        """Return the line's text, cut where a link or a superscript begins or ends."""
        self._link_blanks()
        runs = [
            Run("".join(glyph.char for glyph in group), link, raised)
            for (link, raised), group in groupby(self.glyphs, self._dress)
        ]
        return [*runs, *(Run("", link) for link in self.lone)]

    def _dress(self, glyph: Glyph) -> tuple[Link | None, bool]:
        return glyph.link, not glyph.char.isspace() and self.is_raised(glyph)

    def _link_blanks(self) -> None:
        """Give the blanks between words of a link that link: generated ones have no place."""
        waiting: list[Glyph] = []
        link: Link | None = None
        for glyph in self.glyphs:
            if glyph.char.isspace():
                waiting.append(glyph)
                continue
            if glyph.link is not None and glyph.link == link:
                for blank in waiting:
                    blank.link = link
            waiting.clear()
            link = glyph.link
