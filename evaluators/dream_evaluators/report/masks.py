"""Stretches of a report that are no prose: front matter, code, thinking, comments, display math."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from dream_evaluators.model.report import BlockKind


@dataclass(frozen=True, slots=True)
class Mask:
    """`text[start:end]` is of one kind and is not looked into."""

    start: int
    end: int
    kind: BlockKind


_THINKING = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|antthinking"
_OPENER = re.compile(
    rf"^[ \t>]{{0,20}}(?P<fence>`{{3,}}|~{{3,}})(?P<info>[^\n`]*)$"
    rf"|<(?P<think>{_THINKING})\s?>"
    r"|(?P<comment><!--)"
    r"|^[ \t]{0,8}(?P<hidden><span\s[^<>]{0,60}display:\s?none[^<>]{0,60}>)"
    r"|^[ \t]{0,8}<(?P<machine>script|style)\b[^<>]{0,200}>"
    r"|^[ \t]{0,3}(?P<dollars>\$\$)"
    r"|^[ \t]{0,3}(?P<bracket>\\\[)[ \t]*$",
    re.M | re.I,
)
_CLOSING_FENCE = re.compile(r"^[ \t>]{0,20}(`{3,}|~{3,})[ \t\r]*$", re.M)
_LONE_THINK_END = re.compile(rf"</(?:{_THINKING})\s?>", re.I)
_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\r?\n")
_FRONT_END = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$\n?", re.M)
_KEY = re.compile(r"^(?:[\w.-]+[ \t]*:|[ \t]*-[ \t]|[ \t]|#|$)")
FRONT_MATTER_CAP = 20_000  # characters; our choice, real ones stay below 2,000


def find_masks(text: str) -> list[Mask]:
    """Find the stretches in order; they do not overlap. Linear in the length of the text."""
    masks = []
    position = 0
    for first in (_front_matter(text), _headless_thinking(text)):
        if first and first.start >= position:
            masks.append(first)
            position = first.end
    finder = _Closers(text)
    while opener := _OPENER.search(text, position):
        mask = finder.mask(opener)
        if mask is None:
            position = opener.end()
        else:
            masks.append(mask)
            position = mask.end
    return masks


def _front_matter(text: str) -> Mask | None:
    opened = _FRONT_MATTER.match(text)
    if not opened:
        return None
    closed = _FRONT_END.search(text, opened.end(), opened.end() + FRONT_MATTER_CAP)
    if not closed:
        return None
    inner = text[opened.end() : closed.start()].splitlines()
    if not inner or not all(_KEY.match(line) for line in inner):
        return None
    return Mask(0, closed.end(), BlockKind.FRONT_MATTER)


def _headless_thinking(text: str) -> Mask | None:
    """A chat template swallows the opening tag of some models: all before the end is thinking."""
    closed = _LONE_THINK_END.search(text)
    if closed is None or re.search(rf"<(?:{_THINKING})\s?>", text[: closed.start()], re.I):
        return None
    return Mask(0, closed.end(), BlockKind.THINKING)


class _Closers:
    """Finds the end of a stretch, and remembers which ends do not come any more."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._absent: set[str] = set()
        self._fences = [(m.group(1), m.end()) for m in _CLOSING_FENCE.finditer(text)]
        self._next_fence = 0
        self._rules: dict[str, Callable[[re.Match[str]], Mask | None]] = {
            "fence": self._fence,
            "think": self._think,
            "hidden": lambda m: self._until("</span>", m, BlockKind.HTML),
            "machine": lambda m: self._until(f"</{m.group('machine').lower()}>", m, BlockKind.HTML),
            "comment": lambda m: self._until("-->", m, BlockKind.HTML),
            "dollars": lambda m: self._until("$$", m, BlockKind.MATH),
            "bracket": lambda m: self._until("\\]", m, BlockKind.MATH),
        }

    def mask(self, opener: re.Match[str]) -> Mask | None:
        """Return the stretch that an opener starts, None when it never ends."""
        for name, rule in self._rules.items():
            if opener.group(name) is not None:
                return rule(opener)
        return None

    def _until(self, closer: str, opener: re.Match[str], kind: BlockKind) -> Mask | None:
        if closer in self._absent:
            return None
        end = self._text.find(closer, opener.end())
        if end < 0:
            self._absent.add(closer)
            return None
        return Mask(opener.start(), end + len(closer), kind)

    def _think(self, opener: re.Match[str]) -> Mask | None:
        tag = opener.group("think").lower()
        if tag in self._absent:
            return None
        closed = re.compile(rf"</{tag}\s?>", re.I).search(self._text, opener.end())
        if closed is None:
            self._absent.add(tag)
            return None
        return Mask(opener.start(), closed.end(), BlockKind.THINKING)

    def _fence(self, opener: re.Match[str]) -> Mask | None:
        fence = opener.group("fence")
        if self._is_whole_report(opener):
            return Mask(opener.start(), opener.end(), BlockKind.RULE)
        while self._next_fence < len(self._fences) and (
            self._fences[self._next_fence][1] <= opener.end()
        ):
            self._next_fence += 1
        if fence in self._absent:
            return None
        for index in range(self._next_fence, len(self._fences)):
            closing, end = self._fences[index]
            if closing[0] == fence[0] and len(closing) >= len(fence):
                return Mask(opener.start(), end, BlockKind.CODE)
        self._absent.add(fence)
        return None

    def _is_whole_report(self, opener: re.Match[str]) -> bool:
        """Some agents hand over the whole report inside one Markdown fence."""
        if opener.group("info").strip().lower() not in ("markdown", "md"):
            return False
        return not self._text[: opener.start()].strip()
