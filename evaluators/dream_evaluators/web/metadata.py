"""What a page says about itself: title, publisher, dates with their provenance, signals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from dream_evaluators.web import cues
from dream_evaluators.web.dates import date_in_url, plausible, read_date
from dream_evaluators.web.hygiene import clean
from dream_evaluators.web.places import Walk
from dream_evaluators.web.structured import LinkedData, read_linked_data

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_PUBLISHED = (
    "article:published_time", "og:article:published_time", "datepublished",
    "citation_publication_date", "citation_date", "citation_online_date",
    "dc.date.issued", "dcterms.issued", "dcterms.created",
    "dc.date", "dcterms.date", "dc.date.created", "date", "publishdate", "publish-date", "pubdate",
    "publication_date", "sailthru.date", "parsely-pub-date", "article.published", "published-date",
    "article_date_original", "originalpublicationdate", "og:published_time",
)  # fmt: skip
_MODIFIED = (
    "article:modified_time", "og:article:modified_time", "og:updated_time", "datemodified",
    "dcterms.modified", "dc.date.modified", "last-modified", "lastmod", "modified", "revised",
)  # fmt: skip
_PUBLISHER = (
    "og:site_name", "citation_publisher", "dc.publisher", "dcterms.publisher", "application-name",
    "publisher",
)  # fmt: skip
_TITLE = ("citation_title", "og:title", "dc.title", "dcterms.title", "twitter:title")
_DOI_META = (
    "citation_doi",
    "dc.identifier",
    "dc.identifier.doi",
    "prism.doi",
    "bepress_citation_doi",
    "doi",
)
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]{1,200}")
_REFRESH = re.compile(
    r"^\s*(\d+(?:\.\d*)?|\.\d+)\s*(?:[;,]\s*(?:url\s*=\s*)?[\"']?([^\"']{1,2000}))?", re.IGNORECASE
)
TITLE_CAP = 500  # characters
# A date in one of these belongs to a comment or to another page.
_NOT_THE_PAGES = sum(
    cues.BIT[cue] for cue in ("comment", "related", "side", "footer", "nav", "card")
)
TIMES = 40  # <time> elements that are looked at


@dataclass(slots=True)
class Description:
    """A page's words about itself, "" where it has none."""

    title: str = ""
    html_title: str = ""
    publisher: str = ""
    language: str = ""
    published: str = ""
    published_from: str = ""
    modified: str = ""
    canonical: str = ""
    identifier: str = ""
    refresh_url: str = ""
    refresh_delay: float = 0
    summary: str = ""
    password_field: bool = False
    scripts: int = 0
    linked: LinkedData = field(default_factory=LinkedData)


def describe(walk: Walk, url: str) -> Description:
    """Gather what a page says about itself from its head, its JSON-LD and its address."""
    heads = walk.described_by
    scripts = heads.get("script", [])
    meta, refresh = _read_meta(heads.get("meta", []))
    linked = read_linked_data(
        [node.text() for node in scripts if "ld+json" in (node.attributes.get("type") or "")]
    )
    html_title = _html_title(heads.get("title", []))
    published, source = _published(linked, meta, url, walk)
    delay, target = _read_refresh(refresh)
    return Description(
        title=_line(_first(meta, _TITLE) or html_title or linked.headline),
        html_title=html_title,
        publisher=_line(
            _first(meta, _PUBLISHER[:1]) or linked.publisher or _first(meta, _PUBLISHER)
        ),
        language=(walk.language or meta.get("content-language", "") or linked.language)[:35],
        published=published,
        published_from=source,
        modified=read_date(linked.modified) or read_date(_first(meta, _MODIFIED)),
        canonical=_canonical(heads.get("link", []), url),
        identifier=_identifier(meta, url),
        refresh_url=urljoin(url, target) if target else "",
        refresh_delay=delay,
        summary=_first(meta, ("og:description", "description", "twitter:description")),
        password_field=_asks_password(heads.get("input", [])),
        scripts=len(scripts),
        linked=linked,
    )


def _line(text: str) -> str:
    """Clean a text of one line."""
    return " ".join(clean(text).split())[:TITLE_CAP]


def _first(meta: dict[str, str], names: tuple[str, ...]) -> str:
    return next((meta[name] for name in names if meta.get(name)), "")


def _read_meta(nodes: list[LexborNode]) -> tuple[dict[str, str], str]:
    """Read name -> content (first one wins), and the refresh instruction."""
    found: dict[str, str] = {}
    refresh = ""
    for node in nodes:
        attributes = node.attributes
        content = (attributes.get("content") or "").strip()
        equiv = (attributes.get("http-equiv") or "").lower()
        if equiv == "refresh":
            refresh = refresh or content
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop")
        name = (name or equiv).strip().lower()
        if name and content:
            found.setdefault(name, content)
    return found, refresh


def _read_refresh(content: str) -> tuple[float, str]:
    match = _REFRESH.match(content[:2_100])
    if match is None:
        return 0, ""
    return min(float(match[1][:9]), 86_400.0), (match[2] or "").strip()


def _html_title(nodes: list[LexborNode]) -> str:
    """Return the document's title; a title inside an image is not it."""
    for node in nodes:
        if node.parent is None or node.parent.tag not in ("svg", "g", "symbol"):
            return _line(node.text())
    return ""


def _canonical(nodes: list[LexborNode], url: str) -> str:
    for node in nodes:
        attributes = node.attributes
        if "canonical" in (attributes.get("rel") or "").lower().split():
            return _absolute(url, attributes.get("href") or "")
    return ""


def _absolute(url: str, href: str) -> str:
    """Resolve an address on a page; "" if it is none that could be fetched."""
    try:
        absolute = urljoin(url, href.strip())
    except ValueError:
        return ""
    return absolute[:2_000] if absolute.startswith(("http://", "https://")) else ""


def _asks_password(nodes: list[LexborNode]) -> bool:
    return any((node.attributes.get("type") or "").lower() == "password" for node in nodes)


def _identifier(meta: dict[str, str], url: str) -> str:
    """Name the paper a page is about: a DOI, or a number of arXiv or PubMed."""
    if arxiv := meta.get("citation_arxiv_id"):
        return "arxiv:" + arxiv.strip().lower()
    for name in _DOI_META:
        if match := _DOI.search(meta.get(name, "")):
            return "doi:" + match[0].rstrip(".,;)").lower()
    pmid = meta.get("citation_pmid", "").strip()
    return f"pmid:{pmid}" if pmid.isdigit() else ""


def _published(linked: LinkedData, meta: dict[str, str], url: str, walk: Walk) -> tuple[str, str]:
    """Find the date of publication and where it stood; the most deliberate statement first."""
    for date, source in _candidates(linked, meta, url, walk):
        if plausible(date):
            return date, source
    return "", ""


def _candidates(
    linked: LinkedData, meta: dict[str, str], url: str, walk: Walk
) -> Iterator[tuple[str, str]]:
    yield read_date(linked.published), "json-ld"
    for name in _PUBLISHED:
        if name in meta:
            yield read_date(meta[name]), "meta"
    yield from _marked_up(walk, "microdata")
    yield date_in_url(url), "url"
    yield from _marked_up(walk, "time")


def _marked_up(walk: Walk, source: str) -> Iterator[tuple[str, str]]:
    """Dates of <time> elements: those named as the publication's, or the first in main content."""
    for node, place in walk.times[:TIMES]:
        attributes = node.attributes
        names = f"{attributes.get('itemprop') or ''} {attributes.get('class') or ''}".lower()
        named = "datepublished" in names or "pubdate" in attributes
        usable = "updated" not in names and not place.within & _NOT_THE_PAGES
        if named if source == "microdata" else usable:
            yield read_date(attributes.get("datetime") or node.text()), source
