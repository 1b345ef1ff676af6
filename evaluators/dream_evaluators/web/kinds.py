"""Addresses whose content is better asked for elsewhere: papers, wikis, repositories, videos.

Pure: what to ask for and how to read the answer. Asking is the reader's business.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote

from dream_evaluators.web.content import Extract
from dream_evaluators.web.records import read_crossref, read_oembed, read_pubmed


@dataclass(frozen=True, slots=True)
class Request:
    """One address to ask for. `read` takes the decoded answer; None: `extract` it by its type."""

    url: str
    read: Callable[[str], Extract] | None = None
    whole: bool = True  # False: facts about the source (title, date, retraction), not its text


@dataclass(frozen=True, slots=True)
class Kind:
    """A family of addresses. `requests` are tried in order until one with text is readable."""

    name: str
    pattern: re.Pattern[str]
    requests: tuple[tuple[str, Callable[[str], Extract] | None, bool], ...]
    identifier: str = ""


def _kind(
    name: str,
    pattern: str,
    *requests: tuple[str, Callable[[str], Extract] | None, bool],
    identifier: str = "",
) -> Kind:
    return Kind(name, re.compile(r"https?://" + pattern, re.IGNORECASE), requests, identifier)


_REST = r"(?:[/?#].{0,500})?$"
_ARXIV = r"(?P<id>\d{4}\.\d{4,5}(?:v\d{1,2})?|[a-z-]{2,20}(?:\.[a-z]{2})?/\d{7}(?:v\d{1,2})?)"
_EUTILS = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi?retmode=xml&db="

# {name} is the pattern's group, percent-encoded for a query; {name!s} is left as it stands.
KINDS = (
    _kind(
        "arxiv",
        rf"(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/{_ARXIV}(?:\.pdf)?{_REST}",
        ("https://arxiv.org/html/{id!s}", None, True),
        ("https://arxiv.org/pdf/{id!s}", None, True),
        ("https://arxiv.org/abs/{id!s}", None, True),
        identifier="arxiv:{id}",
    ),
    _kind(
        "doi",
        r"(?:dx\.|www\.)?doi\.org/(?P<doi>10\.\d{4,9}/[^?#\s]{1,300})",
        ("https://api.crossref.org/works/{doi}", read_crossref, False),
        ("https://doi.org/{doi!s}", None, True),
        identifier="doi:{doi}",
    ),
    _kind(
        "pubmed",
        rf"(?:pubmed\.ncbi\.nlm\.nih\.gov|(?:www\.)?ncbi\.nlm\.nih\.gov/pubmed)/(?P<id>\d{{1,9}}){_REST}",
        (_EUTILS + "pubmed&id={id}", read_pubmed, True),
        identifier="pmid:{id}",
    ),
    _kind(
        "pmc",
        r"(?:pmc\.ncbi\.nlm\.nih\.gov|(?:www\.)?ncbi\.nlm\.nih\.gov/pmc)/articles/PMC"
        rf"(?P<id>\d{{1,9}}){_REST}",
        (_EUTILS + "pmc&id={id}", None, True),
        identifier="pmcid:pmc{id}",
    ),
    _kind(
        "wikipedia",
        r"(?P<lang>[a-z-]{2,12})\.(?:m\.)?wikipedia\.org/wiki/(?P<title>[^?#]{1,300})",
        ("https://{lang!s}.wikipedia.org/api/rest_v1/page/html/{title}", None, True),
    ),
    _kind(
        "github_file",
        r"(?:www\.)?github\.com/(?P<owner>[\w.-]{1,100})/(?P<repo>[\w.-]{1,100})/(?:blob|raw)"
        r"/(?P<path>[^?#]{1,500})",
        ("https://raw.githubusercontent.com/{owner!s}/{repo!s}/{path!s}", None, True),
    ),
    _kind(
        "gist",
        rf"gist\.github\.com/(?P<owner>[\w-]{{1,100}})/(?P<id>[0-9a-f]{{20,40}}){_REST}",
        ("https://gist.githubusercontent.com/{owner!s}/{id!s}/raw", None, True),
    ),
    _kind(
        "youtube",
        r"(?:(?:www\.|m\.)?youtube\.com/(?:watch\?(?:[^#]{0,300}&)?v=|shorts/|live/|embed/)|youtu\.be/)"
        r"(?P<id>[\w-]{11})",
        (
            "https://www.youtube.com/oembed?format=json"
            "&url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3D{id}",
            read_oembed,
            True,
        ),
    ),
    _kind(
        "google_document",
        r"docs\.google\.com/document/d/(?P<id>[\w-]{20,100})",
        ("https://docs.google.com/document/d/{id!s}/export?format=txt", None, True),
    ),
    _kind(
        "google_sheet",
        r"docs\.google\.com/spreadsheets/d/(?P<id>[\w-]{20,100})",
        ("https://docs.google.com/spreadsheets/d/{id!s}/export?format=csv", None, True),
    ),
    _kind(
        "google_slides",
        r"docs\.google\.com/presentation/d/(?P<id>[\w-]{20,100})",
        ("https://docs.google.com/presentation/d/{id!s}/export/txt", None, True),
    ),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """How to read one address: what kind it is, what to ask for in order, what it identifies."""

    kind: str
    requests: tuple[Request, ...]
    identifier: str = ""  # "arxiv:…", "doi:…", "pmid:…", "pmcid:…" or ""


def plan_for(url: str) -> Plan | None:
    """Return how an address is better asked for, None where it is asked for as it stands."""
    for kind in KINDS:
        if match := kind.pattern.match(url):
            groups = {name: _group(value) for name, value in match.groupdict().items()}
            requests = tuple(
                Request(_fill(template, groups), read, whole)
                for template, read, whole in kind.requests
            )
            return Plan(kind.name, requests, kind.identifier.format(**groups).lower())
    return None


def _group(value: str) -> str:
    """Undo percent-encoding once and drop what punctuation a text left behind an address."""
    value = unquote(value).rstrip(".,;\"'/")
    # A closing bracket belongs to the address only if it was opened in it.
    return value.rstrip(")") if value.count(")") > value.count("(") else value


def _fill(template: str, groups: dict[str, str]) -> str:
    for name, value in groups.items():
        template = template.replace(f"{{{name}!s}}", quote(value, safe="/:@!$&'()*+,;=~-._"))
        template = template.replace(f"{{{name}}}", quote(value, safe=""))
    return template


def combine(page: Extract, record: Extract) -> Extract:
    """Put what a registry knows over what the page says of itself; the text stays the page's.

    Where the page has no text, the record's (title and abstract) is read instead.
    """
    if not page.text.strip():
        return replace(record, flags=_merged(page, record), signals=page.signals)
    return replace(
        page,
        title=record.title or page.title,
        publisher=record.publisher or page.publisher,
        published=record.published or page.published,
        published_from=record.published_from if record.published else page.published_from,
        identifier=record.identifier or page.identifier,
        flags=_merged(page, record),
    )


def _merged(page: Extract, record: Extract) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*page.flags, *record.flags)))
