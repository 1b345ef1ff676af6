"""Where a text stands on a page: the boxes around it and what they say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dream_evaluators.web import cues
from dream_evaluators.web.visibility import style_hides, switched_off

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_UNSEEN = cues.BIT["unseen"]
_HIDDEN = cues.BIT["hidden"]
_DIMMED = cues.BIT["dimmed"]


@dataclass(slots=True, eq=False)
class Place:
    """What a block and the blocks around it say about the text within."""

    around: Place | None
    tag: str
    kind: str
    bits: int  # of cues.CUES, what this element itself says
    within: int = 0  # of cues.CUES, what holds here; set by scoring when the whole page is known
    in_main: bool = False  # inside <main> or <article>
    level: int = 0  # 1-6 within a heading
    table: int = 0  # number of the data table, 0 outside
    row: bool = False  # inside a row of a data table: blocks do not break it
    pre: bool = False
    hidden: bool = False
    collapsed: bool = False
    chars: int = 0  # of text in this block and all blocks within
    links: int = 0  # of them, link text
    items: int = 0  # of an <ol>: the number of its last item


@dataclass(slots=True)
class Passage:
    """One block's text as it stands on the page."""

    text: str
    place: Place
    links: int  # characters of it that are link text
    header_row: bool = False


@dataclass(slots=True)
class Walk:
    """The passages of a page in order, and the elements that describe the page."""

    passages: list[Passage] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)  # outer before inner
    described_by: dict[str, list[LexborNode]] = field(default_factory=dict)
    times: list[tuple[LexborNode, Place]] = field(default_factory=list)
    app_root: bool = False
    smuggled: bool = False  # a message in characters that have no shape
    language: str = ""  # the lang attribute of <html>
    hiding: set[str] = field(default_factory=set)  # ".class" and "#id" hidden by style sheets


def apply_attributes(place: Place, attributes: dict[str, str | None], hiding: set[str]) -> None:
    """Let role, class, id, style and visibility attributes change a place.

    Args:
        place: To be changed.
        attributes: Of its element.
        hiding: Names that the page's style sheets hide, see `visibility.hiding_names`.
    """
    role = attributes.get("role") or ""
    bits = cues.ROLE_BITS.get(role, 0)
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"[: cues.NAMES_CAP]
    if len(names) > 1 and place.tag not in ("body", "main", "article"):
        bits |= cues.name_bits(names)
    bits |= _visibility(place, attributes, opens=role == "tabpanel" or cues.opens_on_click(names))
    if bits & _UNSEEN or (hiding and not hiding.isdisjoint(names_of(attributes))):
        place.hidden = True
    place.bits |= bits


def names_of(attributes: dict[str, str | None]) -> list[str]:
    """Return the classes and the id of an element as selectors."""
    classes = (attributes.get("class") or "")[: cues.NAMES_CAP].split()
    return [*(f".{name}" for name in classes), f"#{attributes.get('id') or ''}"]


def _visibility(place: Place, attributes: dict[str, str | None], *, opens: bool) -> int:
    """Mark a place hidden or collapsed; return the cue.

    Only what is switched off can be a tab or an accordion: nobody folds text away by moving it off
    the screen or by painting it white.
    """
    if "hidden" in attributes:
        place.collapsed = True
    style = attributes.get("style")
    hides = style is not None and style_hides(style)
    if not hides and attributes.get("aria-hidden") != "true":
        return 0
    if opens and (not hides or switched_off(style or "")):
        place.collapsed = True
        return _DIMMED
    place.hidden = True
    return _HIDDEN
