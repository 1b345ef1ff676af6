"""Marks: what the inline scanner finds in the text of a block, before anything is resolved."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class MarkKind(Enum):
    """What a mark is; everything but code, image, tag and display text cites something."""

    LINK = auto()  # [text](address), <a href>
    URL = auto()  # a bare address or identifier
    LABEL = auto()  # [3], [^3], 【3†…】: names entries of a reference list
    GLUED = auto()  # a digit glued to the end of a sentence: "cells.1 Next"
    SUPERSCRIPT = auto()  # ¹ : a citation only where a list has the entry
    OPAQUE = auto()  # a chat product's own marker
    AUTHOR_YEAR = auto()  # (Smith et al., 2023)
    CODE = auto()
    IMAGE = auto()
    TAG = auto()  # markup that is dropped, its content stays
    DISPLAY = auto()  # markup that stands for `title`


@dataclass(slots=True)
class Mark:
    """One mark: `text[start:end]`.

    `kept` is the inner stretch that stays in the claim (link text); `lifted` marks are taken out
    before sentences are cut. `lift_start` and `lift_end` include brackets that hold nothing else.
    """

    kind: MarkKind
    start: int
    end: int
    labels: tuple[str, ...] = ()
    url: str = ""
    title: str = ""
    kept: tuple[int, int] | None = None
    lifted: bool = True
    alone: bool = False  # a number alone, whose style must be established before it counts
    lift_start: int = -1
    lift_end: int = -1

    def __post_init__(self) -> None:
        self.lift_start, self.lift_end = self.start, self.end

    @property
    def cites(self) -> bool:
        """Whether the mark names a source."""
        return self.kind not in _SILENT


_SILENT = frozenset({MarkKind.CODE, MarkKind.IMAGE, MarkKind.TAG, MarkKind.DISPLAY})
