"""HTML to labelled text: parse, walk, score, describe."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from dream_evaluators.injection import ORDERS, instructs
from dream_evaluators.web import cues
from dream_evaluators.web.bibliography import mark_bibliography
from dream_evaluators.web.camouflage import FLAG as CAMOUFLAGED
from dream_evaluators.web.camouflage import camouflaged
from dream_evaluators.web.content import Extract, Piece, assemble, count_words
from dream_evaluators.web.hygiene import clean
from dream_evaluators.web.metadata import Description, describe
from dream_evaluators.web.outcomes import PageSignals
from dream_evaluators.web.places import Walk
from dream_evaluators.web.scoring import main_flags
from dream_evaluators.web.walk import walk_page

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_BARE_TAG = re.compile(r"<[/!?a-zA-Z][^<>]*>?")
# Stretches without text for a reader: where they begin, and what ends them (lower case).
_UNREAD = (("<!--", "-->"), ("<script", "</script"), ("<style", "</style"))
_TAGS = re.compile(r"</?[a-zA-Z][^<>]{0,500}>")
# What text outside the main content is called, the more telling cue first.
_SURROUNDINGS = tuple(
    (cues.BIT[cue], name)
    for cue, name in (
        ("overlay", "dialog"),
        ("comment", "comment"),
        ("nav", "navigation"),
        ("menu", "navigation"),
        ("footer", "footer"),
        ("related", "related"),
        ("social", "related"),
        ("form", "form"),
        ("side", "aside"),
        ("header", "header"),
        ("byline", "byline"),
    )
)
# Attributes that can hold a sentence.
_TELLING = ("title", "alt", "aria-label", "placeholder", "content")
_TOLD = "meta[content],[title],[alt],[aria-label],[placeholder]"
LEAST_ORDER = 20  # characters below which nobody is told anything
TEXT_START = 2_000  # characters of main text that the outcome rules see
SHELL_WORDS = 80  # below it, a page that carries its article for machines is read from there


def extract_html(html: str, url: str) -> Extract:
    """Read a page: all its text in labelled blocks, and what it says about itself.

    Time is linear for ordinary pages; the parser is quadratic in nesting depth and in attributes
    of one tag, so `extract` sends suspicious pages to a process that can be killed.

    Args:
        html: The decoded page, at most a few MB.
        url: Its final address, for relative links and dates in paths.
    """
    from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, SelectolaxError

    try:
        tree = LexborHTMLParser(html, options=LexborDocumentOptions.WO_EVENTS)
    except SelectolaxError:
        return extract_bare(html)
    walk = walk_page(tree)
    pieces = label(walk, main_flags(walk))
    about = describe(walk, url)
    flags = ["hidden_text"] if any(piece.hidden for piece in pieces) else []
    words = _words(pieces)
    if words < SHELL_WORDS and (told := told_to_machines(about)):
        pieces += told
        words = _words(pieces)
        flags.append("text_for_machines")
    mark_bibliography(pieces)
    if camouflaged(tree):
        flags.append(CAMOUFLAGED)
    if walk.smuggled:
        flags.append("invisible_characters")
    text, blocks = assemble(pieces)
    if instructs(f"{text}\n{_concealed(html, tree)}"):
        flags.append(ORDERS)
    return Extract(
        text=text,
        blocks=blocks,
        title=about.title,
        publisher=about.publisher,
        language=about.language,
        published=about.published,
        published_from=about.published_from,
        modified=about.modified,
        canonical=about.canonical,
        identifier=about.identifier,
        flags=tuple(flags),
        signals=_signals(pieces, about, walk, words),
    )


def _concealed(html: str, tree: LexborHTMLParser) -> str:
    """What a page says where no reader looks: comments, attributes, structured data, templates."""
    lowered = html.lower()
    lowered = lowered if len(lowered) == len(html) else html  # else offsets would shift
    told = _between(html, lowered, "<!--", "-->")
    for node in tree.css(_TOLD):
        attributes = node.attributes
        told.extend(attributes.get(name) or "" for name in _TELLING)
    told.extend(node.text() for node in tree.css('script[type="application/ld+json"]'))
    told.extend(_TAGS.sub(" ", each) for each in _between(html, lowered, "<template", "</template"))
    return "\n".join(unescape(each) for each in told if len(each) >= LEAST_ORDER)


def _between(html: str, lowered: str, opening: str, closing: str) -> list[str]:
    """Every stretch between two marks in lower case, the last perhaps without its end."""
    found: list[str] = []
    at = lowered.find(opening)
    while at >= 0:
        end = lowered.find(closing, at)
        end = end if end >= 0 else len(html)
        found.append(html[at + len(opening) : end])
        at = lowered.find(opening, end)
    return found


def pieces_of(html: str) -> list[Piece]:
    """Read HTML that is all content: every block is main."""
    from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

    tree = LexborHTMLParser(html, options=LexborDocumentOptions.WO_EVENTS)
    walk = walk_page(tree)
    pieces = label(walk, [True] * len(walk.passages))
    for piece, passage in zip(pieces, walk.passages, strict=True):
        if passage.place.tag == "dir":
            piece.kind, piece.main = "bibliography", False
    return pieces


def extract_bare(html: str) -> Extract:
    """Read a page that its parser cannot: text between tags, in linear time, without labels.

    Hidden text cannot be told from the rest, so nothing counts as main content.
    """
    for opening, closing in _UNREAD:
        html = without(html, opening, closing)
    stripped = unescape(_BARE_TAG.sub("\n", html))
    lines = (" ".join(line.split()) for line in clean(stripped).split("\n"))
    pieces = [Piece(text=line, kind="unparsed", main=False) for line in lines if line]
    text, blocks = assemble(pieces)
    flags = ("unparsed", *((ORDERS,) if instructs(text) else ()))
    return Extract(text=text, blocks=blocks, flags=flags)


def without(html: str, opening: str, closing: str) -> str:
    """Cut every stretch from `opening` to `closing` (lower case) out of a page, in linear time."""
    lowered = html.lower()
    if len(lowered) != len(html):  # a letter whose lower case is longer: offsets would shift
        lowered = html
    kept: list[str] = []
    position = 0
    while (start := lowered.find(opening, position)) >= 0:
        end = lowered.find(closing, start + len(opening))
        kept.append(html[position:start])
        if end >= 0:
            end = lowered.find(">", end)
        position = end + 1 if end >= 0 else len(html)
    kept.append(html[position:])
    return " ".join(kept)


def _seen(pieces: list[Piece]) -> list[str]:
    return [piece.text for piece in pieces if piece.main and not piece.hidden]


def _words(pieces: list[Piece]) -> int:
    """Count the words of the main text: Latin words plus CJK characters."""
    return count_words("\n".join(_seen(pieces)))


def _signals(pieces: list[Piece], about: Description, walk: Walk, words: int) -> PageSignals:
    heading = next((piece.text for piece in pieces if piece.level == 1), "")
    noscript = " ".join(piece.text for piece in pieces if piece.kind == "noscript")
    return PageSignals(
        title=about.html_title or about.title,
        h1=heading[:500],
        words=words,
        text_start="\n".join(_seen(pieces))[:TEXT_START],
        scripts=about.scripts,
        app_root=walk.app_root,
        password_field=about.password_field,
        free=about.linked.free,
        canonical=about.canonical,
        refresh_url=about.refresh_url,
        refresh_delay=about.refresh_delay,
        noscript=noscript[:TEXT_START],
    )


def told_to_machines(about: Description) -> list[Piece]:
    """Read what a page without text of its own tells search engines: its article or summary."""
    linked = about.linked
    told = "\n".join([linked.body] if linked.body else dict.fromkeys(linked.described))
    told = clean(_TAGS.sub(" ", told or about.summary))
    lines = (" ".join(line.split()) for line in told.split("\n"))
    return [Piece(text=line, kind="structured") for line in lines if line]


def surroundings(bits: int) -> str:
    """Name the part of a page that its cues say a passage lies in, "" if they say nothing."""
    return next((name for bit, name in _SURROUNDINGS if bits & bit), "")


def label(walk: Walk, main_passages: list[bool]) -> list[Piece]:
    """Turn passages into labelled pieces; rows of a table carry its header."""
    pieces = []
    headers: dict[int, str] = {}
    for passage, main in zip(walk.passages, main_passages, strict=True):
        place = passage.place
        kind, header = place.kind, ""
        if not main and kind in ("paragraph", "list_item"):
            kind = surroundings(place.within) or kind
        if kind == "table_row" and passage.header_row:
            kind = "table_header"
            headers[place.table] = passage.text
        elif kind == "table_row":
            header = headers.get(place.table, "")
        pieces.append(
            Piece(
                text=passage.text,
                kind=kind,
                main=main,
                hidden=place.hidden,
                collapsed=place.collapsed,
                level=place.level,
                header=header,
            )
        )
    return pieces
