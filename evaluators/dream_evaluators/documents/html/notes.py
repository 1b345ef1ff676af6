"""Citations that are links within a page: which entry each means, and the label both get."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

from dream_evaluators.documents.html.elements import block_of

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_MARKER = re.compile(r"[\[(]?\^?(\d{1,4}|[a-zA-Z]{1,2}|[ivx]{1,5}|[*†‡§¶]{1,3})[\])]?\.?")
_BACK = re.compile(r"[\s↩↑⤴⏎^⬆︎️▲]*(?:back|jump up|return)?[\s↩↑⤴⏎^⬆︎️▲]*", re.IGNORECASE)
_OWN_LABEL = r"[\[(]?\^?{0}(?:[\])]|[.):\s])"
MARKER_CAP = 12  # characters of a link's text that may be a marker
# Elements that can be an entry; a heading or a whole section is only a place to jump to.
_ENTRIES = frozenset("li p div dd tr td aside blockquote".split())
# Places that are notes whatever list they stand in: pandoc, GitHub, Word, LibreOffice, Wikipedia.
_NOTE_PLACE = re.compile(
    r"(?:user-content-)?(?:_?fn|_?ftn|_?edn|sdfootnote|sdendnote|footnote|endnote)[\w:.-]{0,40}",
    re.IGNORECASE,
)
ENTRY_CAP = 4_000  # characters of a block that is one entry, and no page


@dataclass(slots=True)
class Notes:
    """What the links within a page mean; elements are named by their `mem_id`."""

    markers: dict[int, str] = field(default_factory=dict)  # link -> marker to write in its place
    labels: dict[int, str] = field(default_factory=dict)  # entry without label -> its label
    silent: set[int] = field(default_factory=set)  # links back from an entry to the text


@dataclass(slots=True)
class _Jump:
    """A link within the page, and where it leads."""

    link: LexborNode
    text: str
    place: str
    entry: LexborNode | None
    forward: bool


def find_notes(tree: LexborHTMLParser, page: str) -> Notes:
    """Find the numbered citations of a page that jump to their entries.

    Args:
        tree: The page.
        page: Its own address without fragment, "" when unknown: saved pages write it out.
    """
    entry = _Entries()
    jumps = _jumps(tree, page, entry)
    notes = Notes()
    taken: dict[str, int] = {}
    for jump in jumps:
        marker = _MARKER.fullmatch(jump.text)
        if jump.forward and marker and jump.entry is not None:
            label = marker.group(1)
            shown = (
                label.isdigit()
                and not _NOTE_PLACE.fullmatch(jump.place)
                and entry.has_label(jump.entry, label)
                and taken.setdefault(label, jump.entry.mem_id) == jump.entry.mem_id
            )
            _connect(notes, taken, jump, label, shown=shown)
    entries = {jump.entry.mem_id for jump in jumps if jump.forward and jump.entry is not None}
    for jump in jumps:
        if not jump.forward and _is_back(jump, entries, notes):
            notes.silent.add(jump.link.mem_id)
    return notes


def _jumps(tree: LexborHTMLParser, page: str, entry: _Entries) -> list[_Jump]:
    """Return the links within the page whose text is short, in order."""
    places: dict[str, tuple[int, LexborNode]] = {}
    links: list[tuple[int, LexborNode, str]] = []
    for position, node in enumerate(tree.css("[id], a[name], a[href]")):
        attributes = node.attributes
        for key in ("id", "name"):
            if name := attributes.get(key):
                places.setdefault(name, (position, node))
        if node.tag == "a" and (name := fragment(attributes.get("href") or "", page)):
            links.append((position, node, name))
    jumps = []
    for position, node, name in links:
        text = node.text(strip=True)
        place, found = places.get(name, (-1, None))
        if found is not None and len(text) <= MARKER_CAP:
            jumps.append(_Jump(node, text, name, entry.of(found), place > position))
    return jumps


def fragment(href: str, page: str) -> str:
    """Return the name of the place within the page that a link leads to, "" if it leads away."""
    before, mark, name = href.partition("#")
    if not mark or (before and before != page):
        return ""
    return unquote(name)


def _connect(notes: Notes, taken: dict[str, int], jump: _Jump, label: str, *, shown: bool) -> None:
    """Choose the marker of one citation, and the label of its entry if it has none.

    Args:
        notes: Where both are noted.
        taken: The labels given so far, and to which entry.
        jump: The citation; it has an entry.
        label: What the citation shows.
        shown: The entry shows the same label.
    """
    if jump.entry is None:
        return
    if shown:
        notes.markers[jump.link.mem_id] = f"[{label}]"
        return
    entry = jump.entry.mem_id
    name = notes.labels.get(entry, "")
    if not name:
        # Not the bare number: a numbered list of sources may use it too.
        name = f"fn{label if label.isalnum() else len(notes.labels) + 1}"
        if taken.setdefault(name, entry) != entry:
            name = f"{name}-{len(notes.labels) + 1}"
        notes.labels[entry] = name
    notes.markers[jump.link.mem_id] = f"[^{name}]"


class _Entries:
    """What is known of the elements that links lead to; each is looked at once."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}
        self._ordinals: dict[int, dict[int, int]] = {}  # list -> item -> number

    def of(self, target: LexborNode) -> LexborNode | None:
        """Return the entry that a place belongs to, None where it is no entry."""
        block = block_of(target)
        if block is None or block.tag not in _ENTRIES:
            return None
        outer = block.parent
        if outer is not None and outer.tag == "li":  # <li><p id="fn1">
            first = next((node for node in outer.iter()), None)
            block = outer if first is not None and first.mem_id == block.mem_id else block
        return block if len(self._text(block)) <= ENTRY_CAP else None

    def has_label(self, entry: LexborNode, label: str) -> bool:
        """Whether an entry shows a number itself: its place in a list, or its first text."""
        if entry.tag == "li" and self.ordinal(entry) == int(label):
            return True
        shown = self._text(entry).lstrip()[:MARKER_CAP]
        return re.match(_OWN_LABEL.format(label), shown) is not None

    def ordinal(self, item: LexborNode) -> int:
        """Return the number that a list shows before an item, 0 in a bulleted list."""
        outer = item.parent
        if outer is None or outer.tag != "ol":
            return 0
        numbers = self._ordinals.get(outer.mem_id)
        if numbers is None:
            numbers = self._ordinals[outer.mem_id] = _numbers(outer)
        return numbers.get(item.mem_id, 0)

    def _text(self, entry: LexborNode) -> str:
        text = self._texts.get(entry.mem_id)
        if text is None:
            text = self._texts[entry.mem_id] = entry.text()
        return text


def _numbers(ordered: LexborNode) -> dict[int, int]:
    number = first_number(ordered.attributes) - 1
    numbers: dict[int, int] = {}
    for node in ordered.iter():
        if node.tag == "li":
            number = item_number(node.attributes, number + 1)
            numbers[node.mem_id] = number
    return numbers


def first_number(attributes: dict[str, str | None]) -> int:
    """Return the number of a list's first item."""
    return whole(attributes.get("start"), 1)


def item_number(attributes: dict[str, str | None], following: int) -> int:
    """Return the number of an item that comes after others."""
    return whole(attributes.get("value"), following)


def whole(value: str | None, default: int) -> int:
    """Read a number of at most four digits from an attribute."""
    value = (value or "").strip()
    return int(value) if re.fullmatch(r"[0-9]{1,4}", value) else default


def _is_back(jump: _Jump, entries: set[int], notes: Notes) -> bool:
    """Whether a link only leads back: an arrow, or a letter in an entry."""
    if _BACK.fullmatch(jump.text):
        return True
    node: LexborNode | None = jump.link
    while node is not None and node.mem_id not in entries:
        node = node.parent
    if node is None:
        return False
    label = _MARKER.fullmatch(jump.text)
    shown = label is not None and label.group(1).isdigit() and node.mem_id not in notes.labels
    return label is not None and not shown
