"""Styles and numbering of a DOCX: what a paragraph is, and the marker its list gives it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

VAL = "w-val"
_HEADING = re.compile(r"heading ([1-9])")
_CODE = re.compile(r"source ?code|html preformatted|code(?: block)?|verbatim", re.IGNORECASE)
_QUOTE = re.compile(r"(?:intense )?quote|block text|blockquote", re.IGNORECASE)
_CONTENTS = re.compile(r"toc \d|toc heading|table of figures|contents \d", re.IGNORECASE)
CHAIN_CAP = 20  # styles based on each other
NUMBER_CAP = 100_000


@dataclass(slots=True)
class Style:
    """One style, with what it inherits already in it."""

    name: str = ""
    form: str = ""  # "", "heading", "code", "quote", "contents"
    level: int = 0  # of a heading, 1-9
    numbering: tuple[str, int] | None = None  # id of the list, depth
    raised: bool = False
    bold: bool = False
    hidden: bool = False


def is_on(properties: Element | None, name: str) -> bool:
    """Whether a property that is on by being there is on."""
    found = properties.find(name) if properties is not None else None
    return found is not None and found.get(VAL, "true") not in ("0", "false", "off", "none")


def value(element: Element | None, path: str) -> str:
    """Return the value of a property below an element, "" without one."""
    found = element.find(path) if element is not None else None
    return found.get(VAL, "") if found is not None else ""


def whole(text: str, default: int) -> int:
    """Read a whole number of at most six digits."""
    return int(text) if re.fullmatch(r"[0-9]{1,6}", text) else default


def is_raised(properties: Element | None) -> bool:
    """Whether run properties set text as a superscript."""
    return value(properties, "w-vertAlign") == "superscript"


def read_styles(tree: Element | None) -> dict[str, Style]:
    """Read the style sheet; styles are found by id."""
    sheet = {style.get("w-styleId", ""): style for style in (tree if tree is not None else ())}
    return {identity: _style(identity, sheet) for identity in sheet}


def _style(identity: str, sheet: Mapping[str, Element]) -> Style:
    """Read one style, from the oldest of those it is based on to itself."""
    chain: list[Element] = []
    while identity in sheet and len(chain) < CHAIN_CAP:
        chain.append(sheet[identity])
        identity = value(sheet[identity], "w-basedOn")
    style = Style()
    for element in reversed(chain):
        _apply(style, element)
    return style


def _apply(style: Style, element: Element) -> None:
    style.name = value(element, "w-name").lower() or style.name
    for form, pattern in (("code", _CODE), ("quote", _QUOTE), ("contents", _CONTENTS)):
        if pattern.fullmatch(style.name):
            style.form = form
    outline = value(element, "w-pPr/w-outlineLvl")
    heading = _HEADING.match(style.name)
    if heading or style.name == "title" or (outline.isdigit() and int(outline) < 9):
        style.form = "contents" if style.form == "contents" else "heading"
        style.level = int(heading.group(1)) if heading else whole(outline, 0) + 1
    elif outline == "9" and style.form == "heading":
        style.form = ""
    style.numbering = numbering_of(element.find("w-pPr"), style.numbering)
    run = element.find("w-rPr")
    style.raised = style.raised or is_raised(run)
    style.bold = style.bold or is_on(run, "w-b")
    style.hidden = style.hidden or is_on(run, "w-vanish")


def numbering_of(
    properties: Element | None, inherited: tuple[str, int] | None
) -> tuple[str, int] | None:
    """Return the list and depth that paragraph properties name, or what is inherited."""
    found = properties.find("w-numPr") if properties is not None else None
    if found is None:
        return inherited
    identity = value(found, "w-numId") or (inherited[0] if inherited else "")
    depth = whole(value(found, "w-ilvl"), inherited[1] if inherited else 0)
    return (identity, min(depth, 8)) if identity not in ("", "0") else None


@dataclass(slots=True)
class _Level:
    format: str = "decimal"
    text: str = ""
    start: int = 1


@dataclass(slots=True)
class Numbering:
    """The lists of a document, and how far each has counted."""

    lists: dict[str, str] = field(default_factory=dict)  # list -> its definition
    levels: dict[tuple[str, int], _Level] = field(default_factory=dict)
    restarts: dict[str, dict[int, int]] = field(default_factory=dict)  # list -> depth -> number
    counts: dict[str, list[int | None]] = field(default_factory=dict)

    def marker(self, identity: str, depth: int) -> str:
        """Count one paragraph and return its marker: "-", "3.", "[3]"."""
        definition = self.lists.get(identity, identity)
        counts = self.counts.setdefault(definition, [None] * 9)
        for restarted, first in self.restarts.pop(identity, {}).items():
            counts[restarted] = first - 1
        level = self.levels.get((definition, depth), _Level())
        counts[depth + 1 :] = [None] * (8 - depth)
        before = counts[depth]
        number = min(NUMBER_CAP, level.start if before is None else before + 1)
        counts[depth] = number
        if level.format in ("bullet", "none"):
            return "-"
        return f"[{number}]" if level.text.startswith("[") else f"{number}."


def read_numbering(tree: Element | None) -> Numbering:
    """Read the definitions of lists."""
    numbering = Numbering()
    if tree is None:
        return numbering
    for definition in tree.iterfind("w-abstractNum"):
        identity = definition.get("w-abstractNumId", "")
        for level in definition.iterfind("w-lvl"):
            numbering.levels[identity, whole(level.get("w-ilvl", ""), 0)] = _Level(
                format=value(level, "w-numFmt") or "decimal",
                text=value(level, "w-lvlText"),
                start=whole(value(level, "w-start"), 1),
            )
    for entry in tree.iterfind("w-num"):
        identity = entry.get("w-numId", "")
        numbering.lists[identity] = value(entry, "w-abstractNumId")
        for override in entry.iterfind("w-lvlOverride"):
            start = value(override, "w-startOverride")
            depth = whole(override.get("w-ilvl", ""), 9)
            if start.isdigit() and depth < 9:
                numbering.restarts.setdefault(identity, {})[depth] = whole(start, 1)
    return numbering
