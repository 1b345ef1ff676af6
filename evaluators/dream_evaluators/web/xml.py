"""XML to labelled text: JATS articles, RSS and Atom feeds, and whatever else has words.

The elements are renamed to the HTML ones that mean the same, and the page walk does the rest.
"""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from xml.parsers import expat

from dream_evaluators.web.content import Extract
from dream_evaluators.web.dates import day, plausible, read_date
from dream_evaluators.web.documents import from_pieces
from dream_evaluators.web.html import extract_bare, extract_html, pieces_of

# Local names of JATS (NISO Z39.96), RSS 2.0 and Atom (RFC 4287); all others become <div>.
_HTML = {
    **{
        name: name
        for name in "p table thead tbody tfoot tr td th caption code pre sub sup h1 h2 h3 ul ol li"
        " blockquote section article a b i em strong".split()
    },
    **dict.fromkeys(
        "italic bold xref ext-link named-content styled-content sc monospace underline email uri"
        " inline-formula year volume issue fpage lpage person-group surname given-names source"
        " pub-id label month day mixed-citation element-citation string-name name etal".split(),
        "b",
    ),
    "article-title": "h1", "title": "h2", "sec": "section", "abstract": "section",
    "list": "ul", "list-item": "li", "disp-quote": "blockquote", "fig": "figure", "item": "section",
    "entry": "section", "kwd": "li", "preformat": "pre", "break": "br",
    # No page uses the obsolete <dir>: here it marks an entry of a reference list.
    "ref": "dir",
}  # fmt: skip
_SPACED = frozenset("surname given-names source year volume fpage label article-title".split())
_UNREAD = frozenset(
    "tex-math annotation script style journal-id issn permissions custom-meta-group counts self-uri"
    " guid id link enclosure lastbuilddate generator docs ttl article-id pub-date".split()
)
_MAY_HOLD_HTML = frozenset("description encoded summary content".split())
# (parent, element): where the facts about the whole document stand.
_FACTS = {
    ("title-group", "article-title"): "title",
    ("channel", "title"): "title",
    ("feed", "title"): "title",
    ("journal-title-group", "journal-title"): "publisher",
    ("publisher", "publisher-name"): "publisher",
    ("pub-date", "year"): "year",
    ("pub-date", "month"): "month",
    ("pub-date", "day"): "day",
    ("channel", "pubdate"): "feed",
    ("channel", "lastbuilddate"): "feed",
    ("feed", "updated"): "feed",
    ("item", "pubdate"): "item",
    ("entry", "published"): "item",
    ("channel", "language"): "language",
}
MAX_DEPTH = 300


class _Refused(ValueError):
    """A document that declares entities or nests too deep."""


class _Renamer:
    """Writes HTML for the parser's events, and keeps the facts about the document."""

    def __init__(self) -> None:
        self.html: list[str] = []
        self.path: list[str] = []
        self.unread = 0
        self.facts: dict[str, str] = {}
        self.text: list[str] = []
        self.begins: list[int] = []  # where each open element's text begins in `text`
        self.identifier = ""
        self.scheme = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Open the HTML element that means the same."""
        local = name.rpartition(":")[2].lower()
        if len(self.path) >= MAX_DEPTH:
            raise _Refused("nested too deep")
        if not self.path and "xml:lang" in attributes:
            self.facts["language"] = attributes["xml:lang"]
        self.path.append(local)
        self.unread += local in _UNREAD
        self.begins.append(len(self.text))
        self.scheme = attributes.get("pub-id-type", "") if local == "article-id" else ""
        if not self.unread:
            space = " " if local in _SPACED else ""
            self.html.append(f"{space}<{self.tag(local)}>")

    def tag(self, local: str) -> str:
        """Name the HTML element; a title within a reference is no heading."""
        tag = _HTML.get(local, "div")
        return "b" if tag in ("h1", "div") and "ref" in self.path[:-1] else tag

    def data(self, text: str) -> None:
        """Write text; what a feed carries as escaped HTML is let through as HTML."""
        self.text.append(text)
        if not self.unread:
            inside = self.path[-1] in _MAY_HOLD_HTML
            self.html.append(text if inside else escape(text, quote=False))

    def end(self, _: str) -> None:
        """Close the element, and note what it says about the document."""
        local = self.path.pop()
        parent = self.path[-1] if self.path else ""
        begin = self.begins.pop()
        if fact := _FACTS.get((parent, local)):
            self.facts.setdefault(fact, self.value(begin))
        if self.scheme in ("doi", "pmid") and not self.identifier:
            self.identifier = f"{self.scheme}:{self.value(begin).lower()}"
        self.scheme = ""
        if self.unread:
            self.unread -= local in _UNREAD
        else:
            self.path.append(local)
            self.html.append(f"</{self.tag(local)}>")
            self.path.pop()

    def value(self, begin: int) -> str:
        """Return an element's text as one line of at most 500 characters."""
        return " ".join("".join(self.text[begin : begin + 100]).split())[:500]


def _refuse_entity(*_: object) -> None:
    """Stop at a declared entity: expanding them is how small documents become huge."""
    raise _Refused("declares entities")


def read_xml(text: str, url: str) -> Extract:
    """Read an XML document; what is no well-formed XML is read as HTML, as browsers do."""
    renamer = _Renamer()
    parser = expat.ParserCreate()
    parser.StartElementHandler = renamer.start
    parser.EndElementHandler = renamer.end
    parser.CharacterDataHandler = renamer.data
    parser.EntityDeclHandler = _refuse_entity
    parser.buffer_text = True
    try:
        parser.Parse(text, True)
    except _Refused:
        return extract_bare(text)
    except expat.ExpatError:
        return extract_html(text, url)
    pieces = pieces_of("".join(renamer.html))
    facts = renamer.facts
    published, source = _published(facts)
    return replace(
        from_pieces(pieces, title=facts.get("title", "")),
        publisher=facts.get("publisher", ""),
        language=facts.get("language", "")[:35],
        published=published,
        published_from=source,
        identifier=renamer.identifier,
    )


def _published(facts: dict[str, str]) -> tuple[str, str]:
    """Read the date of a JATS article, a feed, or a feed's newest item."""
    candidates = (
        (_jats_date(facts), "jats"),
        (read_date(facts.get("feed", "")), "feed"),
        (read_date(facts.get("item", "")), "feed"),
    )
    return next(((date, source) for date, source in candidates if plausible(date)), ("", ""))


def _jats_date(facts: dict[str, str]) -> str:
    year, month, of_month = (facts.get(name, "") for name in ("year", "month", "day"))
    if not re.fullmatch(r"(?:19|20)\d\d", year):
        return ""
    if not (month.isdigit() and 1 <= int(month) <= 12):
        return year
    return (day(year, month, of_month) if of_month.isdigit() else "") or f"{year}-{int(month):02d}"
