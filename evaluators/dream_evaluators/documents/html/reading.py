"""From the bytes of a page to its Markdown."""

from __future__ import annotations

import codecs
import re
from html import unescape
from typing import TYPE_CHECKING

from dream_evaluators.documents.document import Document
from dream_evaluators.documents.html.notes import find_notes
from dream_evaluators.documents.html.walk import PageWalk
from dream_evaluators.documents.writing import BlockWriter
from dream_evaluators.errors import ReportUnreadable
from dream_evaluators.report import decode_report

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# The parser is quadratic in nesting depth and in attributes of one tag.
DEPTH_CAP = 400
ATTRIBUTE_CAP = 1_000
TAME_TAGS = 40_000  # more are read in a process that can be killed
_CHARSET = re.compile(rb"<meta[^<>]{0,200}charset\s{0,9}=\s{0,9}[\"']?([\w-]{2,40})", re.IGNORECASE)
# Elements whose end tag nobody leaves out: only they make depth.
_NESTING = re.compile(
    r"<(/?)(?:div|span|section|article|blockquote|ul|ol|table|b|i|em|strong|font|a|dl|main|svg"
    r"|details|fieldset|form|center|small|big|u|s|g|math|mrow|template|header|footer|aside)\b",
    re.IGNORECASE,
)
_ANY_TAG = re.compile(r"<[a-zA-Z][^<>]{0,100000}")
_SAVED_FROM = re.compile(r"<!--\s*saved from url=\(\d{1,6}\)(https?://[^\s<>]{1,2000})", re.I)
_SHARE = 0.4  # of a page's text that its main element must hold to be taken for all of it


def is_tame(body: bytes) -> bool:
    """Whether a page is small enough to be read in a thread."""
    return body.count(b"<") <= TAME_TAGS


def read_html(body: bytes) -> Document:
    """Read a page: what a reader sees of its main content, as Markdown.

    Raises:
        ReportUnreadable: Without text, or so nested that no browser would have made it.
    """
    from selectolax.lexbor import (  # noqa: PLC0415 - start-up
        LexborDocumentOptions,
        LexborHTMLParser,
        SelectolaxError,
    )

    html = _decode(body)
    _check_shape(html)
    try:
        tree = LexborHTMLParser(html, options=LexborDocumentOptions.WO_EVENTS)
    except SelectolaxError as error:
        raise ReportUnreadable(
            "The page cannot be parsed as HTML. Save the report as Markdown or plain text."
        ) from error
    base = _own_address(tree, html)
    page = base.partition("#")[0]
    writer = BlockWriter()
    walk = PageWalk(writer, find_notes(tree, page), page, base)
    for root in _roots(tree):
        walk.run(root)
    document = writer.document("html", _title(tree))
    if not document.text.strip():
        raise ReportUnreadable(
            "The page holds no text (perhaps it is built by script when opened). "
            "Copy the report's text, or export it as Markdown."
        )
    return document


def _decode(body: bytes) -> str:
    """Decode by byte-order mark, the page's own word, UTF-8, or the best guess, in this order."""
    found = None if body[:3] == codecs.BOM_UTF8 else _CHARSET.search(body[:4_096])
    if found and b"\0" not in body[:4_096]:
        try:
            name = codecs.lookup(found.group(1).decode("ascii", "replace")).name
            # What is labelled Latin-1 is Windows-1252 on the web (WHATWG encoding labels).
            name = {"iso8859-1": "cp1252", "ascii": "cp1252"}.get(name, name)
            if name != "utf-8":
                return body.decode(name, "replace")
        except (LookupError, ValueError):
            pass
    return decode_report(body)


def _check_shape(html: str) -> None:
    depth = deepest = 0
    for found in _NESTING.finditer(html):
        depth = max(0, depth - 1) if found.group(1) else depth + 1
        deepest = max(deepest, depth)
    crowded = any(tag.group().count("=") > ATTRIBUTE_CAP for tag in _ANY_TAG.finditer(html))
    if deepest > DEPTH_CAP or crowded:
        what = "an element with thousands of attributes" if crowded else f"{deepest:,} levels deep"
        raise ReportUnreadable(
            f"The page is no readable HTML ({what}). Save the report as Markdown or plain text."
        )


def _own_address(tree: LexborHTMLParser, html: str) -> str:
    """Return the address a page was saved from, "" when it does not say."""
    for selector, attribute in (
        ("base[href]", "href"),
        ('link[rel="canonical"]', "href"),
        ('meta[property="og:url"]', "content"),
    ):
        node = tree.css_first(selector)
        value = (node.attributes.get(attribute) or "").strip() if node is not None else ""
        if value.startswith(("http://", "https://")):
            return value
    found = _SAVED_FROM.search(html[:4_096])
    return unescape(found.group(1)) if found else ""


def _roots(tree: LexborHTMLParser) -> list[LexborNode]:
    """Return the elements that hold the report: the answers of a chat, the main part, or all."""
    answers = tree.css('[data-message-author-role="assistant"]')
    if answers:
        return list(answers)
    body = tree.body
    if body is None:
        return []
    whole = len(body.text())
    for selector in ("main", '[role="main"]', "article"):
        found = tree.css(selector)
        if len(found) == 1 and len(found[0].text()) >= _SHARE * whole:
            return [found[0]]
    return [body]


def _title(tree: LexborHTMLParser) -> str:
    node = tree.css_first("head > title")
    return node.text(strip=True) if node is not None else ""
