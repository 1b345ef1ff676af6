"""One read-only walk over a parsed page: every text becomes a passage with its surroundings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dream_evaluators.web import cues
from dream_evaluators.web.hygiene import clean, smuggles
from dream_evaluators.web.places import Passage, Place, Walk, apply_attributes, names_of
from dream_evaluators.web.visibility import hiding_names, style_hides

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# Elements without text of their own that describe the page.
_DESCRIBING = frozenset("script meta link title input".split())
# Marks that `clean` takes out again: neighbouring links stand side by side on the page, and their
# texts must not run together ("HomeAbout").
_LABEL_BEGINS, _LABEL_ENDS = "\x01", "\x02"
_LABELS = frozenset("a button label".split())
# Inline elements that never carry anything but emphasis: not worth a look at their attributes.
_PLAIN_INLINE = frozenset("b i em strong code sup sub small u s mark cite q abbr time font".split())
_APP_ROOTS = frozenset("root app __next __nuxt ___gatsby app-root react-root main-app".split())
_CELLS = frozenset(("td", "th"))
_IN_CELL = frozenset("td th p div ul ol li dl dt dd h3 h4 h5 h6 section blockquote".split())

_MAIN = cues.BIT["main"] | cues.BIT["article"]
_HEADER = cues.BIT["header"]
_UNSEEN = cues.BIT["unseen"]
_HIDDEN = cues.BIT["hidden"]

MAX_NESTED_TABLES = 3  # deeper ones are layout


class _Walker:
    """The walk's state: the current place, and the text gathered since the last block began."""

    def __init__(self) -> None:
        self.walk = Walk()
        self.place = Place(None, "body", "paragraph", 0)
        self.path: list[tuple[LexborNode, str, Place | None]] = []
        self.buffer: list[str] = []
        self.links = 0
        self.in_link = 0
        self.tables = 0
        self.open_tables = 0
        self.cells = 0
        self.marker = ""  # the number of a list item whose text has not come yet
        self.walk.places.append(self.place)

    def run(self, root: LexborNode) -> Walk:
        """Visit every node below `root` once, without recursion."""
        node = root.first_child
        while node is not None:
            child = self.visit(node)
            if child is not None:
                node = child
                continue
            following = node.next
            while following is None and self.path:
                following = self.leave().next
            node = following
        self.flush()
        self.add_up()
        return self.walk

    def add_up(self) -> None:
        """Add what each place holds to the one around it, innermost first."""
        for place in reversed(self.walk.places):
            if place.around is not None:
                place.around.chars += place.chars
                place.around.links += place.links

    def visit(self, node: LexborNode) -> LexborNode | None:
        """Take in one node; return its first child if its content is to be walked."""
        tag = node.tag
        if tag == "-text":
            self.take_text(node.text_content or "")
            return None
        if tag in _DESCRIBING:
            self.walk.described_by.setdefault(tag, []).append(node)
            return None
        if tag == "style":
            self.walk.hiding |= hiding_names(node.text())
            return None
        if tag is None or tag in cues.NO_TEXT or tag[0] in "-!_":
            return None
        child = node.first_child
        if child is None:
            self.note_empty(node, tag)
        else:
            self.enter(node, tag)
        return child

    def take_text(self, text: str) -> None:
        """Add text to the current block; space before its first word is none of it."""
        if not self.buffer and text.isspace() and not self.place.pre:
            return
        self.buffer.append(text)
        if self.in_link:
            self.links += len(text.strip())

    def note_empty(self, node: LexborNode, tag: str) -> None:
        """Remember what an element without content says by its name and attributes."""
        if tag == "br":
            self.buffer.append("\n" if self.place.pre else " ")
        elif tag in cues.BLOCK and not self.place.row:
            self.flush()
            if tag == "div" and node.attributes.get("id") in _APP_ROOTS:
                self.walk.app_root = True
        elif tag in _CELLS:
            self.separate(tag)
        elif tag == "time":
            self.walk.times.append((node, self.place))

    def enter(self, node: LexborNode, tag: str) -> None:
        """Go into an element; a block ends what was gathered before it."""
        before = None
        if tag in cues.BLOCK:
            before = self.place
            self.enter_block(node, tag)
        elif tag in _LABELS:
            self.buffer.append(_LABEL_BEGINS)
            self.in_link += tag != "label"
        elif tag == "time":
            self.walk.times.append((node, self.place))
        elif tag not in _PLAIN_INLINE:
            before = self.enter_inline(node)
        self.path.append((node, tag, before))

    def enter_inline(self, node: LexborNode) -> Place | None:
        """Note an inline element that hides its text; the place before it, if it changes."""
        attributes = node.attributes
        if not attributes or self.place.hidden:
            return None
        style = attributes.get("style")
        unseen = cues.name_bits((attributes.get("class") or "")[: cues.NAMES_CAP]) & _UNSEEN
        hiding = self.walk.hiding
        seen = not hiding or hiding.isdisjoint(names_of(attributes))
        if seen and not unseen and not (style and style_hides(style)):
            return None
        before = self.place
        self.flush()
        self.place = self.inner(before.tag)
        self.place.hidden = True
        self.place.bits |= _HIDDEN | unseen
        return before

    def enter_block(self, node: LexborNode, tag: str) -> None:
        """Begin a block, or stay in the row if this is part of a data table's cell."""
        around = self.place
        place = self.inner(tag)
        attributes = node.attributes
        if attributes:
            apply_attributes(place, attributes, self.walk.hiding)
        in_cell = around.row and tag in _IN_CELL
        if self.buffer and (not in_cell or place.hidden != around.hidden):
            self.flush()
        self.place = place
        if in_cell:
            self.separate(tag)
        elif tag == "ol":
            place.items = first_number(attributes) - 1
        elif tag == "li" and around.tag == "ol" and around.items >= 0:
            around.items += 1
            self.marker = f"{around.items}. "
        elif tag == "tr":
            self.begin_row(place, around)
        elif tag == "table":
            self.begin_table(node)

    def inner(self, tag: str) -> Place:
        """Make the place of a block within the current one, from its tag alone."""
        around = self.place
        bits = cues.TAG_BITS.get(tag, 0)
        if bits == _HEADER and around.in_main:
            bits = 0  # the main part's own header: its title, not the site's
        row = around.row
        place = Place(
            around,
            around.tag if row else tag,
            around.kind if row else cues.KINDS.get(tag, around.kind),
            bits,
            0,
            around.in_main or bits & _MAIN != 0,
            cues.LEVELS.get(tag, around.level),
            around.table,
            row,
            around.pre or tag == "pre",
            around.hidden,
            around.collapsed,
        )
        self.walk.places.append(place)
        return place

    def separate(self, tag: str) -> None:
        """Set a cell or a block within it apart from what the row holds before."""
        if tag in _CELLS:
            self.buffer.append(" | " if self.cells else "")
            self.cells += 1
        else:
            self.buffer.append(" ")

    def begin_row(self, place: Place, around: Place) -> None:
        """Begin a row; in a table that lays the page out, it is nothing of its own."""
        place.row = place.table > 0
        place.kind = place.kind if place.row else around.kind
        self.cells = 0

    def begin_table(self, node: LexborNode) -> None:
        """Number a data table; a table that only lays the page out is read as plain blocks."""
        self.place.row = False
        self.place.table = 0
        self.open_tables += 1
        # The look into a table costs its size: not again for each of many nested ones.
        if self.open_tables <= MAX_NESTED_TABLES and not is_layout(node):
            self.tables += 1
            self.place.table = self.tables

    def leave(self) -> LexborNode:
        """Go out of the innermost element; a block's text ends here."""
        node, tag, before = self.path.pop()
        if tag in _LABELS:
            self.in_link -= tag != "label"
            self.buffer.append(_LABEL_ENDS)
        if tag == "table":
            self.open_tables -= 1
        elif tag == "li":
            self.leave_item()
        if before is not None:
            within = before.row and self.place.row and self.place.hidden == before.hidden
            if self.buffer and not within:
                self.flush(header_row=tag == "tr" and only_headers(node))
            self.place = before
        return node

    def leave_item(self) -> None:
        """End a list item: its number is not the next block's."""
        if self.buffer and not self.place.row:
            self.flush()
        self.marker = ""

    def flush(self, *, header_row: bool = False) -> None:
        """End the current block: what was gathered becomes a passage."""
        if not self.buffer:
            return
        links, self.links = self.links, 0
        raw = "".join(self.buffer)
        self.buffer.clear()
        if raw.isspace():
            return
        self.walk.smuggled = self.walk.smuggled or smuggles(raw)
        text = block_text(raw, pre=self.place.pre)
        if not text.strip(" |"):
            return
        links = min(links, len(text))
        if self.marker:
            # A numbered list of links is a path or a menu, which shows no numbers.
            text = text if links > 0.5 * len(text) else self.marker + text
            self.marker = ""
        self.walk.passages.append(Passage(text, self.place, links, header_row))
        self.place.chars += len(text)
        self.place.links += links


def block_text(raw: str, *, pre: bool) -> str:
    """Clean a block's text; outside preformatted text, white space is one space."""
    if _LABEL_ENDS in raw:
        raw = raw.replace(_LABEL_ENDS + _LABEL_BEGINS, " ")
        raw = raw.replace(_LABEL_BEGINS, "").replace(_LABEL_ENDS, "")
    if pre:
        return clean(raw).strip("\n")
    text = " ".join(raw.split())
    if text.isascii() and text.isprintable():
        return text
    return " ".join(clean(text).split())


def first_number(attributes: dict[str, str | None]) -> int:
    """Return the number of an <ol>'s first item; 0 or less if it has none or counts down."""
    start = attributes.get("start") or "1"
    return int(start[:6]) if start[:6].isdecimal() and "reversed" not in attributes else 0


def is_layout(table: LexborNode) -> bool:
    """Whether a table lays out the page rather than holding data."""
    if (table.attributes.get("role") or "") in ("presentation", "none"):
        return True
    # The query sees the table itself too, hence a table within a cell.
    return table.css_first("td table, form, article, nav, h1, h2") is not None


def only_headers(row: LexborNode) -> bool:
    """Whether all cells of a row are header cells."""
    cell = row.first_child
    found = False
    while cell is not None:
        if cell.tag == "td":
            return False
        found = found or cell.tag == "th"
        cell = cell.next
    return found


def walk_page(tree: LexborHTMLParser) -> Walk:
    """Walk a parsed page, head first."""
    walker = _Walker()
    root = tree.root
    if root is None:
        return walker.walk
    walker.walk.language = (root.attributes.get("lang") or "").strip()
    return walker.run(root)
