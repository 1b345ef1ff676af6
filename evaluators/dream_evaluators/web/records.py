"""Answers of registries that know a source better than its own page: Crossref, PubMed, oEmbed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from dream_evaluators.model.source import Outcome
from dream_evaluators.web.content import Extract, Piece
from dream_evaluators.web.dates import day
from dream_evaluators.web.documents import from_pieces
from dream_evaluators.web.html import pieces_of
from dream_evaluators.web.hygiene import clean

# Crossref's update types (api.crossref.org, "update-to" and "updated-by") and what they mean here.
_UPDATES = {
    "retraction": "retracted",
    "withdrawal": "retracted",
    "removal": "retracted",
    "partial_retraction": "partly_retracted",
    "expression_of_concern": "expression_of_concern",
    "correction": "corrected",
    "erratum": "corrected",
    "corrigendum": "corrected",
}
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


def unreadable(what: str) -> Extract:
    """Say that an answer is not what its registry documents."""
    return Extract(outcome=Outcome.PARSE_FAILED, reason=f"{what} answered in an unknown form")


def read_crossref(text: str) -> Extract:
    """Read a Crossref work (`GET /works/{doi}`): title, date, abstract, and what became of it.

    Flags: `retracted`, `partly_retracted`, `expression_of_concern` or `corrected` for the work
    (from `updated-by`), `retraction_notice` when the work is itself the notice (from `update-to`).
    """
    message = _object(_json(text).get("message"))
    title = _line(_first(message.get("title")))
    if not title and not message.get("DOI"):
        return unreadable("Crossref")
    pieces = [Piece(text=title, kind="heading", level=1)] if title else []
    if isinstance(abstract := message.get("abstract"), str):
        pieces += pieces_of(abstract.replace("jats:", ""))
    doi = str(message.get("DOI") or "").lower()
    published = next(filter(None, map(_date_parts, _dates(message))), "")
    return replace(
        from_pieces(pieces, title=title, flags=dict.fromkeys(_update_flags(message))),
        publisher=_line(_first(message.get("container-title")) or message.get("publisher")),
        published=published,
        published_from="crossref" if published else "",
        identifier=f"doi:{doi}" if doi else "",
    )


def _update_flags(message: dict[str, object]) -> Iterator[str]:
    for update in _objects(message.get("updated-by")):
        if flag := _UPDATES.get(_update_type(update)):
            yield flag
    for update in _objects(message.get("update-to")):
        if _UPDATES.get(_update_type(update)) == "retracted":
            yield "retraction_notice"


def _update_type(update: dict[str, object]) -> str:
    return str(update.get("type") or "").lower().replace("-", "_").replace(" ", "_")


def _dates(message: dict[str, object]) -> Iterator[object]:
    for name in ("published", "published-online", "published-print", "issued", "posted"):
        yield _object(message.get(name)).get("date-parts")


def _date_parts(parts: object) -> str:
    """Read `[[2021, 3, 5]]`, which may stop after the year or the month."""
    first = parts[0] if isinstance(parts, list) and parts else None
    if not isinstance(first, list) or not first or not all(isinstance(n, int) for n in first):
        return ""
    if len(first) >= 3:
        return day(*first[:3])
    whole = day(first[0], first[1] if len(first) > 1 else 1, 1)
    return whole[: 7 if len(first) > 1 else 4]


def read_oembed(text: str) -> Extract:
    """Read an oEmbed answer (oembed.com): a video's title and author; what is said in it is not."""
    answer = _json(text)
    title, author = _line(answer.get("title")), _line(answer.get("author_name"))
    if not title:
        return unreadable("the oEmbed endpoint")
    lines = [Piece(text=title, kind="heading", level=1)]
    if author:
        lines.append(Piece(text=author, kind="byline"))
    found = from_pieces(lines, title=title)
    reason = "a video: only its title and author can be read"
    return replace(found, publisher=author, outcome=Outcome.NO_TEXT, reason=reason)


def read_pubmed(text: str) -> Extract:
    """Read a PubMed record (efetch, db=pubmed, retmode=xml): title, abstract, date, retraction."""
    title = _line(_element(text, "ArticleTitle"))
    if not title:
        return unreadable("PubMed")
    pieces = [Piece(text=title, kind="heading", level=1)]
    for part in re.findall(r"<AbstractText[^<>]{0,500}>(.{0,20000}?)</AbstractText>", text, re.S)[
        :50
    ]:
        pieces += pieces_of(part)
    retracted = "Retracted Publication" in text or 'RefType="RetractionIn"' in text
    flags = ["retracted"] if retracted else []
    if 'RefType="ExpressionOfConcernIn"' in text:
        flags.append("expression_of_concern")
    published = _pubmed_date(_element(text, "PubDate"))
    return replace(
        from_pieces(pieces, title=title, flags=flags),
        publisher=_line(_element(_element(text, "Journal"), "Title")),
        published=published,
        published_from="pubmed" if published else "",
        identifier=f"pmid:{_line(_element(text, 'PMID'))}",
    )


def _element(text: str, name: str) -> str:
    """Return the content of the first element of that name, "" if there is none."""
    start = re.search(rf"<{name}(?:\s[^<>]{{0,500}})?>", text)
    if start is None:
        return ""
    end = text.find(f"</{name}>", start.end())
    return text[start.end() : end] if end >= 0 else ""


def _pubmed_date(content: str) -> str:
    year, month, of_month = (_line(_element(content, name)) for name in ("Year", "Month", "Day"))
    if month[:3].lower() in _MONTHS:
        month = str(_MONTHS.index(month[:3].lower()) + 1)
    if not month.isdigit():
        return year if year.isdigit() else ""
    return (day(year, month, of_month) if of_month else day(year, month, 1)[:7]) or year


def _json(text: str) -> dict[str, object]:
    try:
        return _object(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _object(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> list[dict[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _first(value: object) -> object:
    return (value[0] if value else "") if isinstance(value, list) else value


def _line(value: object) -> str:
    """Write a value as one clean line without tags, at most 500 characters."""
    text = re.sub(r"<[^<>]{0,300}>", "", value) if isinstance(value, str) else ""
    return " ".join(clean(text).split())[:500]
