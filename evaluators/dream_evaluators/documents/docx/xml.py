"""XML of office packages to a tree: no document types, no entities, bounded depth and size."""

from __future__ import annotations

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from dream_evaluators.errors import ReportUnreadable

DEPTH_CAP = 200  # elements inside each other; Word stays below 60
ELEMENTS_CAP = 3_000_000  # of one part; our choice, a report of 1 MB text has 100,000
# Name spaces of ISO/IEC 29500, transitional and strict, and how their names are written here.
_PREFIXES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r",
    "http://purl.oclc.org/ooxml/officeDocument/relationships": "r",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "http://schemas.openxmlformats.org/package/2006/relationships": "rel",
    "http://purl.org/dc/elements/1.1/": "dc",
}


class _Tree:
    """Builds the tree and refuses what no word processor writes."""

    def __init__(self) -> None:
        self.builder = TreeBuilder()
        self._names: dict[str, str] = {}
        self._depth = 0
        self._elements = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._elements += 1
        if self._depth > DEPTH_CAP or self._elements > ELEMENTS_CAP:
            raise ReportUnreadable(
                "The document is nested or repeated beyond reason. Export it as Markdown."
            )
        self.builder.start(self._short(name), {self._short(k): v for k, v in attributes.items()})

    def end(self, name: str) -> None:
        self._depth -= 1
        self.builder.end(self._short(name))

    def doctype(self, *_: object) -> None:
        raise ReportUnreadable(
            "The document declares a document type, which no word processor writes: refused."
        )

    def _short(self, name: str) -> str:
        """Write a name as `w-p`, as paths of ElementTree allow; other name spaces get "x-"."""
        short = self._names.get(name)
        if short is None:
            space, gap, local = name.rpartition(" ")
            short = f"{_PREFIXES.get(space, 'x')}-{local}" if gap else name
            if len(self._names) < 10_000:
                self._names[name] = short
        return short


def parse(part: bytes, name: str) -> Element:
    """Read one part of a package.

    Args:
        part: Its bytes, UTF-8 or UTF-16.
        name: For the message.

    Raises:
        ReportUnreadable: Not well-formed, with a document type, or nested beyond reason.
    """
    tree = _Tree()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = tree.start
    parser.EndElementHandler = tree.end
    parser.CharacterDataHandler = tree.builder.data
    parser.StartDoctypeDeclHandler = tree.doctype
    try:
        parser.Parse(part, True)
    except expat.ExpatError as error:
        raise ReportUnreadable(
            f"The document is damaged ({name}: {error}). Send it again, or export it as Markdown."
        ) from error
    return tree.builder.close()
