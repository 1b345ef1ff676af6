"""JSON-LD: what a page says about itself to machines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

DEPTH = 12  # levels of nesting that are looked at
NODES = 5_000  # objects that are looked at
_COMMENT = re.compile(r"^\s*(?:<!--|//<!\[CDATA\[|<!\[CDATA\[)|(?:-->|//\]\]>|\]\]>)\s*$")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
# Types whose date, publisher and text are the page's own; a breadcrumb's or a product's are not.
ARTICLE = re.compile(
    r"Article$|^(?:BlogPosting|SocialMediaPosting|DiscussionForumPosting|Report|WebPage|Review"
    r"|Recipe|HowTo|Dataset|Book|Chapter|CreativeWork|VideoObject|PodcastEpisode|FAQPage|QAPage"
    r"|ItemPage|ProfilePage|JobPosting|Event|NewsMediaOrganization|Course|MedicalWebPage)$"
)
_PAGE = frozenset(("WebPage", "ItemPage", "FAQPage", "QAPage", "ProfilePage", "MedicalWebPage"))


@dataclass(slots=True)
class LinkedData:
    """The fields of a page's JSON-LD that we use, "" where absent."""

    published: str = ""
    modified: str = ""
    publisher: str = ""
    headline: str = ""
    body: str = ""
    described: tuple[str, ...] = ()  # names and descriptions of all things named
    language: str = ""
    free: bool | None = None


def read_linked_data(scripts: list[str]) -> LinkedData:
    """Read the JSON-LD blocks of a page; articles outrank the pages that hold them."""
    found = [node for script in scripts for node in _objects(_load(script))]
    articles = [node for node in found if ARTICLE.search(_type(node))]
    articles.sort(key=lambda node: _type(node) in _PAGE)
    data = LinkedData()
    for node in articles:
        _fill(data, node)
    data.described = tuple(_descriptions(found))
    for node in found:
        data.free = _free(node.get("isAccessibleForFree"), data.free)
        if not data.publisher and _type(node) == "WebSite":
            data.publisher = _name(node.get("name"))
    return data


def _fill(data: LinkedData, node: dict[str, object]) -> None:
    """Take from one object what is still missing."""
    data.published = data.published or _text(node.get("datePublished") or node.get("dateCreated"))
    data.modified = data.modified or _text(node.get("dateModified"))
    data.publisher = data.publisher or _name(node.get("publisher"))
    data.headline = data.headline or _text(node.get("headline"))
    data.body = data.body or _text(node.get("articleBody"))
    data.language = data.language or _text(node.get("inLanguage"))


def _descriptions(nodes: list[dict[str, object]]) -> Iterator[str]:
    for node in nodes:
        if text := _text(node.get("description") or node.get("text")):
            yield f"{_text(node.get('name') or node.get('headline'))}\n{text}"


def _load(script: str) -> object:
    text = _COMMENT.sub("", script).strip().rstrip(";")
    for attempt in (text, _TRAILING_COMMA.sub(r"\1", text)):
        try:
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _objects(value: object) -> Iterator[dict[str, object]]:
    """Every object in a JSON value, breadth first, bounded in depth and number."""
    level = [value]
    seen = 0
    for _ in range(DEPTH):
        below: list[object] = []
        for node in level:
            if isinstance(node, dict):
                yield node
                below.extend(node.values())
            elif isinstance(node, list):
                below.extend(node)
            seen += 1
            if seen > NODES:
                return
        level = [node for node in below if isinstance(node, (dict, list))]


def _type(node: dict[str, object]) -> str:
    kind = node.get("@type")
    if isinstance(kind, list):
        kind = kind[0] if kind else ""
    return kind.rpartition("/")[2] if isinstance(kind, str) else ""


def _text(value: object) -> str:
    if isinstance(value, list):
        value = value[0] if value else ""
    return value.strip() if isinstance(value, str) else ""


def _name(value: object) -> str:
    if isinstance(value, list):
        value = value[0] if value else ""
    return _text(value.get("name")) if isinstance(value, dict) else _text(value)


def _free(value: object, before: bool | None) -> bool | None:
    """Read isAccessibleForFree, which pages write as a boolean or as a word; False prevails."""
    if before is False:
        return False
    word = str(value).lower()
    return {"true": True, "false": False}.get(word.rpartition("/")[2], before)
