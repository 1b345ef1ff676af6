"""Numbered citations that jump within the file: which entry of a list each one means."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from dream_evaluators.documents.pdf.geometry import Line, Link
from dream_evaluators.documents.pdf.paragraphs import Reflow

_LABEL = re.compile(r"[\[(]?(\d{1,4})(?:[\])]|[.):\s]|$)")
BELOW = 3.0  # of a line's height, that a place to jump to may lie above its line


class Entries:
    """The lines that begin with a number, and the labels of those that share theirs."""

    def __init__(self, lines: Sequence[Line], reflow: Reflow) -> None:
        self.given: dict[int, str] = {}  # line by `id` -> "^1-2", where lists use a number twice
        self._numbered: dict[int, list[tuple[str, Line]]] = {}  # page -> number, line
        for line in lines:
            label = _LABEL.match(line.text)
            if label and not reflow.level(line):
                self._numbered.setdefault(line.page, []).append((label.group(1), line))
        self._counts = Counter(number for page in self._numbered.values() for number, _ in page)

    def label(self, link: Link, number: str) -> str:
        """Return the label to cite: the number, "^1-2", or "" when no entry is there.

        Args:
            link: A jump within the file.
            number: What it shows.
        """
        if link.url:
            return ""
        near = [
            line
            for found, line in self._numbered.get(link.page, ())
            if found == number and self._is_at(line, link.height)
        ]
        if not near:
            return ""
        line = max(near, key=lambda line: line.top)
        if self._counts[number] == 1:
            return number
        used = sum(1 for label in self.given.values() if label.partition("-")[0] == f"^{number}")
        return self.given.setdefault(id(line), f"^{number}-{used + 1}")

    @staticmethod
    def _is_at(line: Line, height: float) -> bool:
        return height < 0 or line.bottom <= height <= line.top + BELOW * line.size
