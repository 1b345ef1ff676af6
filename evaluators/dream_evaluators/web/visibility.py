"""How pages take text out of a reader's sight by style."""

from __future__ import annotations

import re
from functools import lru_cache

STYLE_CAP = 1_000  # characters of a style attribute that are looked at
_SWITCHED_OFF = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE
)
# What no script undoes for an interested reader: text of no size, or off the screen.
_NO_SIZE = (
    r"font-size\s*:\s*(?:0?(?:0|\.0\d{0,8})(?:px|pt|r?em|%)?"
    r"|(?:1|0?\.\d{1,9})p[xt])\s*(?:;|!|$)"
)
_FOR_GOOD = re.compile(
    _NO_SIZE + r"|(?:left|top|right|text-indent|margin-left|margin-top)\s*:\s*-\d{4,9}"
    r"|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]{1,9}[01](?:px)?[\s,]{1,9}[01]"
    r"|clip-path\s*:\s*inset\(\s*(?:50|100)%",
    re.IGNORECASE,
)
_TINY = re.compile(_NO_SIZE, re.IGNORECASE)
_FAINT = re.compile(r"(?<![\w-])opacity\s*:\s*0?\.0[0-5]\d{0,6}\s*(?:;|!|$)", re.IGNORECASE)
_FADED = re.compile(
    r"opacity\s*:\s*0?(?:0|\.0+)\s*(?:;|!|$)|transform\s*:\s*scale\(\s*0\s*\)", re.IGNORECASE
)
# A rule of a style sheet for one class or id alone: in longer selectors and in @media it depends.
_RULE = re.compile(r"(?:^|(?<=[};/]))\s*([.#][A-Za-z_][\w-]{0,80})\s*\{([^{}]{1,400})\}")
# Each begins with letters that can be searched for quickly: nearly all sheets have none of them.
_HINTS = tuple(
    re.compile(hint)
    for hint in (
        r"font-size\s*:\s*(?:0|\.\d|1p)",
        r"opacity\s*:\s*0?\.0",
        r"-\d{4}",
        r"rect\(\s*[01]",
        r"inset\(\s*(?:50|100)%",
    )
)
_TINY_HINTS = (_HINTS[0], _HINTS[1])  # of size and of opacity
SHEET_CAP = 200_000  # characters of a style sheet that are looked at
COLOUR_CAP = 10_000  # characters of a style sheet whose colours are compared
_NO_BOX = re.compile(
    r"(?<![\w-])(?:max-)?(?:height|width)\s*:\s*[01](?:px)?\s*(?:;|!|$)", re.IGNORECASE
)
_COLOUR = re.compile(
    r"(?<![\w-])(color|background|background-color)\s*:\s*([^;]{1,60})", re.IGNORECASE
)
_SPELLINGS = {
    **dict.fromkeys(("#fff", "#ffffff", "rgb(255,255,255)", "rgba(255,255,255,1)"), "white"),
    **dict.fromkeys(("#000", "#000000", "rgb(0,0,0)", "rgba(0,0,0,1)"), "black"),
}
_NO_INK = frozenset(("transparent", "rgba(0,0,0,0)", "rgba(255,255,255,0)"))


@lru_cache(maxsize=4_096)
def style_hides(style: str) -> bool:
    """Whether a style attribute hides its element's text, by box, place, size or colour.

    White on white counts only where the element itself says both: a colour without its
    background proves nothing.
    """
    style = style[:STYLE_CAP]
    if switched_off(style) or any(way.search(style) for way in (_FOR_GOOD, _FADED, _FAINT)):
        return True
    lowered = style.lower()
    if "overflow" in lowered and _NO_BOX.search(style):
        return True
    return "color" in lowered and _invisible_ink(lowered)


def switched_off(style: str) -> bool:
    """Whether a style attribute takes its element off the page, as scripts do to fold it away."""
    return _SWITCHED_OFF.search(style[:STYLE_CAP]) is not None


def hiding_names(sheet: str) -> frozenset[str]:
    """Return the classes (`.name`) and ids (`#name`) whose text a style sheet hides for good.

    `display: none`, opacity and scale do not count here: in style sheets they belong to menus,
    screen widths, print and animation.
    """
    sheet = sheet[:SHEET_CAP]
    lowered = sheet.lower()
    coloured = len(sheet) <= COLOUR_CAP and "background" in lowered
    if not coloured and not any(hint.search(lowered) for hint in _HINTS):
        return frozenset()
    return frozenset(
        name
        for name, body in _RULE.findall(sheet)
        if _FOR_GOOD.search(body)
        or _FAINT.search(body)
        or (coloured and _invisible_ink(body.lower()))
    )


def camouflages(style: str) -> bool:
    """Whether a style shows text in a way that only a machine reads it: tiny, faint, or in no ink.

    What is switched off or moved away does not count: menus, tabs and texts for screen readers are.
    """
    style = style[:STYLE_CAP]
    if switched_off(style):
        return False
    return bool(_TINY.search(style) or _FAINT.search(style) or _invisible_ink(style.lower()))


def camouflaging_names(sheet: str) -> list[str]:
    """Return the classes and ids whose text a style sheet camouflages, each once, in its order."""
    sheet = sheet[:SHEET_CAP]
    lowered = sheet.lower()
    coloured = len(sheet) <= COLOUR_CAP and "background" in lowered
    if not coloured and not any(hint.search(lowered) for hint in _TINY_HINTS):
        return []
    return list(dict.fromkeys(name for name, body in _RULE.findall(sheet) if camouflages(body)))


def _invisible_ink(style: str) -> bool:
    colours: dict[str, str] = {}
    for name, value in _COLOUR.findall(style):
        plain = re.sub(r"\s|!important", "", value)
        colours["ink" if name == "color" else "paper"] = _SPELLINGS.get(plain, plain)
    ink = colours.get("ink", "")
    return ink in _NO_INK or (bool(ink) and ink == colours.get("paper"))
