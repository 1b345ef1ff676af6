"""The text of one paragraph: runs, links, fields, notes, superscripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from dream_evaluators.documents import inline
from dream_evaluators.documents.docx.styles import Style, is_on, is_raised, value

# `HYPERLINK "address" \l "bookmark"` (ISO/IEC 29500-1, 17.16.5.25).
_INSTRUCTION = re.compile(
    r'\s{0,20}HYPERLINK\s{1,20}(?:"([^"]{0,4000})"|([^\s"\\]{1,4000}))?', re.IGNORECASE
)
_INSTRUCTED_MARK = re.compile(r'\\l\s{1,20}"([^"]{1,200})"')
_NUMBER = re.compile(r"[\[(]?\s?(\d{1,4})\s?[\])]?")
_INSTRUCTION_CAP = 8_000  # characters
# Elements whose content is the paragraph's; what is not named anywhere here is no text.
_WRAPPERS = frozenset(
    "w-ins w-moveTo w-smartTag w-sdt w-sdtContent w-customXml w-dir w-bdo mc-Fallback mc-Choice"
    " w-ruby w-rubyBase w-object w-drawing w-pict".split()
)


@dataclass(slots=True)
class _Field:
    """A field that is open: its instruction, and whether its result has begun."""

    instruction: str = ""
    shown: bool = False


@dataclass(slots=True)
class Citing:
    """What paragraphs need to know of the document around them."""

    styles: dict[str, Style]
    links: dict[str, str]  # addresses by relationship id
    bookmark: Callable[[str, str], str]  # (name, number shown) -> marker to write, "" for none
    note: Callable[[str, str], str]  # ("footnote" or "endnote", id) -> marker


@dataclass(slots=True)
class ParagraphText:
    """What a paragraph says."""

    text: str
    bold: bool  # all of it
    boxes: list[Element] = field(default_factory=list)  # text boxes anchored in it


class ParagraphReader:
    """Reads paragraphs one after another; a field may reach over several."""

    def __init__(self, citing: Citing) -> None:
        self._citing = citing
        self._fields: list[_Field] = []
        self._lines: list[list[str]] = [[]]  # the last is written to
        self._raised: list[str] = []  # superscript text that may go on in the next run
        self._plain = False
        self._boxes: list[Element] = []

    def read(self, paragraph: Element) -> ParagraphText:
        """Read one paragraph."""
        self._lines, self._raised, self._boxes = [[]], [], []
        self._plain = False
        for open_field in self._fields:
            if open_field.shown:
                self._lines.append([])
        self._children(paragraph)
        self._lower()
        while len(self._lines) > 1:
            rest = self._lines.pop()
            self._lines[-1].extend(rest)
        text = "".join(self._lines[0])
        return ParagraphText(text, bold=not self._plain, boxes=self._boxes)

    def _children(self, element: Element) -> None:
        for child in element:
            rule = _RULES.get(child.tag)
            if rule is not None:
                rule(self, child)
            elif child.tag in _WRAPPERS:
                self._children(child)
            elif child.tag == "w-txbxContent":
                self._boxes.append(child)
            elif child.tag.startswith("x-"):
                self._drawn(child)

    def _drawn(self, element: Element) -> None:
        """Find the text boxes in a drawing; nothing else in it is text."""
        for child in element:
            if child.tag == "w-txbxContent":  # boxes inside are met when it is read
                self._boxes.append(child)
            elif child.tag == "mc-AlternateContent":
                self._alternative(child)
            else:
                self._drawn(child)

    def _alternative(self, element: Element) -> None:
        """Read the first of several forms of the same content."""
        chosen = element.find("mc-Choice")
        chosen = chosen if chosen is not None else element.find("mc-Fallback")
        if chosen is not None:
            self._children(chosen)

    # --- runs -------------------------------------------------------------------------------------

    def _run(self, run: Element) -> None:
        properties = run.find("w-rPr")
        style = self._citing.styles.get(value(properties, "w-rStyle"), Style())
        if is_on(properties, "w-vanish") or style.hidden:
            # Fields work even where their parts are hidden.
            self._field_parts(run)
            return
        raised = is_raised(properties) or style.raised
        if not raised:
            self._lower()
        bold = is_on(properties, "w-b") or (style.bold and properties is not None)
        before = len(self._lines[-1])
        if raised:
            self._lines.append([])
            self._children(run)
            self._raise(self._lines.pop())
        else:
            self._children(run)
        if not bold and any(piece.strip() for piece in self._lines[-1][before:]):
            self._plain = True

    def _field_parts(self, run: Element) -> None:
        for child in run:
            if child.tag == "w-fldChar":
                self._field_part(child)
            elif child.tag == "w-instrText":
                self._instruction(child)

    def _raise(self, pieces: list[str]) -> None:
        text = "".join(pieces)
        if "[" in text:  # a note: its marker needs no form
            self._lower()
            self._lines[-1].append(text)
        else:
            self._raised.append(text)

    def _lower(self) -> None:
        """End a stretch of superscripts."""
        if not self._raised:
            return
        text = "".join(self._raised)
        self._raised.clear()
        plain = text.strip().replace(" ", "")
        numbers = re.sub(r"[,;–-]", "", plain)
        self._lines[-1].append(f"<sup>{plain}</sup>" if numbers.isdecimal() else text)
        self._plain = True

    def _text(self, element: Element) -> None:
        if not (self._fields and not self._fields[-1].shown):
            text = inline.collapse(inline.visible(element.text or ""))
            self._lines[-1].append(inline.escape(text))

    def _formula(self, element: Element) -> None:
        self._lower()
        text = "".join(part.text or "" for part in element.iter("m-t"))
        self._lines[-1].append(inline.escape(inline.collapse(inline.visible(text))))
        self._plain = True

    def _note(self, element: Element) -> None:
        kind = element.tag[2:].removesuffix("Reference")
        self._lines[-1].append(self._citing.note(kind, element.get("w-id", "")))

    def _break(self, element: Element) -> None:
        self._lines[-1].append(" " if element.get("w-type") in ("page", "column") else "\n")

    def _blank(self, _: Element) -> None:
        self._lines[-1].append(" ")

    def _hyphen(self, _: Element) -> None:
        self._lines[-1].append("-")

    # --- links and fields -------------------------------------------------------------------------

    def _hyperlink(self, element: Element) -> None:
        self._lower()
        self._lines.append([])
        self._children(element)
        self._lower()
        target = self._citing.links.get(element.get("r-id", ""), "")
        self._link("".join(self._lines.pop()), target, element.get("w-anchor", ""))

    def _link(self, text: str, target: str, bookmark: str) -> None:
        url = inline.address(target)
        text = text.replace("\n", " ")
        if url:
            self._lines[-1].append(inline.link(re.sub(r"</?sup>", "", text), url))
            return
        self._lines[-1].append(self._jump(text, bookmark) if bookmark else text)

    def _jump(self, text: str, bookmark: str) -> str:
        """Return what stands for a link to a place in the document."""
        number = _NUMBER.fullmatch(re.sub(r"</?sup>", "", text).strip())
        marker = self._citing.bookmark(bookmark, number.group(1)) if number else ""
        if not marker or number is None:
            return text
        return (
            number.group(1)
            if inline.is_in_brackets("".join(self._lines[-1][-8:])) and "^" not in marker
            else marker
        )

    def _simple_field(self, element: Element) -> None:
        self._lower()
        self._lines.append([])
        self._children(element)
        self._lower()
        self._close(element.get("w-instr", ""), "".join(self._lines.pop()))

    def _field_part(self, element: Element) -> None:
        kind = element.get("w-fldCharType")
        self._lower()
        if kind == "begin":
            self._fields.append(_Field())
        elif kind == "separate" and self._fields and not self._fields[-1].shown:
            self._fields[-1].shown = True
            self._lines.append([])
        elif kind == "end" and self._fields:
            ended = self._fields.pop()
            if ended.shown and len(self._lines) > 1:
                self._close(ended.instruction, "".join(self._lines.pop()))

    def _instruction(self, element: Element) -> None:
        if self._fields and len(self._fields[-1].instruction) < _INSTRUCTION_CAP:
            self._fields[-1].instruction += element.text or ""

    def _close(self, instruction: str, text: str) -> None:
        """Write the result of a field: a link, or its text."""
        found = _INSTRUCTION.match(instruction)
        if found is None:
            self._lines[-1].append(text)
            return
        mark = _INSTRUCTED_MARK.search(instruction)
        self._link(text, found.group(1) or found.group(2) or "", mark.group(1) if mark else "")


_RULES: dict[str, Callable[[ParagraphReader, Element], None]] = {
    "w-r": ParagraphReader._run,
    "w-t": ParagraphReader._text,
    "w-tab": ParagraphReader._blank,
    "w-br": ParagraphReader._break,
    "w-cr": ParagraphReader._break,
    "w-noBreakHyphen": ParagraphReader._hyphen,
    "w-hyperlink": ParagraphReader._hyperlink,
    "w-fldSimple": ParagraphReader._simple_field,
    "w-fldChar": ParagraphReader._field_part,
    "w-instrText": ParagraphReader._instruction,
    "w-footnoteReference": ParagraphReader._note,
    "w-endnoteReference": ParagraphReader._note,
    "m-oMath": ParagraphReader._formula,
    "m-oMathPara": ParagraphReader._formula,
    "mc-AlternateContent": ParagraphReader._alternative,
}
