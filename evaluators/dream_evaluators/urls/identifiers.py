"""Identifiers of publications: DOI, arXiv, PMID and PMCID, and the addresses that resolve them."""

from __future__ import annotations

import re
from urllib.parse import unquote

from dream_evaluators.urls.cleaning import trim_bare, unescape

DOI_RESOLVER = "https://doi.org/"
ARXIV_RESOLVER = "https://arxiv.org/abs/"
PUBMED_RESOLVER = "https://pubmed.ncbi.nlm.nih.gov/"
PMC_RESOLVER = "https://pmc.ncbi.nlm.nih.gov/articles/"

# A suffix may hold anything printable; SICI suffixes hold <...> (Wiley before 2000).
_DOI = re.compile(r"10\.\d{4,9}(?:\.\d{1,9}){0,3}/[^\s\"|]{1,300}", re.ASCII)
_SICI = re.compile(r"\d<[^<>\s]{1,60}>")
_ARXIV = re.compile(
    r"(?:arxiv\s{0,2}[:/.]\s{0,2}(?:abs/|pdf/)?)?(\d{4}\.\d{4,5}(?:v\d{1,2})?)(?!\d)",
    re.I | re.ASCII,
)
_ARXIV_OLD = re.compile(
    r"(?:arxiv\s{0,2}:\s{0,2})?([a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7}(?:v\d{1,2})?)(?!\d)",
    re.ASCII | re.I,
)
_PMID = re.compile(r"(?:PMID|PubMed(?: ID)?)\s{0,2}[:：]?\s{0,2}(\d{4,9})(?!\d)", re.I | re.ASCII)
_PMCID = re.compile(r"(?:PMCID\s{0,2}[:：]?\s{0,2})?(PMC\d{4,9})(?!\d)", re.I | re.ASCII)


def find_doi(text: str) -> str:
    """Return the first DOI in a text as written, "" when there is none.

    Brackets that belong to the DOI stay; the sentence's own closing bracket and stop go.
    """
    found = _DOI.search(text)
    return trim_doi(found.group()) if found else ""


def trim_doi(raw: str) -> str:
    """Cut what follows a DOI in running text; `raw` starts with the DOI."""
    if not _SICI.search(raw):
        raw = re.split(r"[<>\]\[{}]", raw, maxsplit=1)[0]
    raw = raw.split("](", 1)[0]
    return trim_bare(raw).rstrip("/-_")


def identifier_url(text: str) -> str:
    """Return the resolver address of an identifier that a text starts with, "" for none.

    Understands `doi:10.…`, a bare `10.…/…`, `arXiv:2501.00001`, `arXiv:hep-th/9901001`,
    `PMID: 123456`, `PMC123456`. A bare arXiv number needs its `arXiv` prefix.
    """
    text = unescape(text.strip())
    lowered = text[:12].lower()
    if lowered.startswith(("doi", "10.")):
        doi = find_doi(text)
        return DOI_RESOLVER + doi if doi and text.find(doi) < 12 else ""
    if lowered.startswith("arxiv"):
        found = _ARXIV.match(text) or _ARXIV_OLD.match(text)
        return ARXIV_RESOLVER + found.group(1) if found else ""
    if lowered.startswith(("pmid", "pubmed")):
        found = _PMID.match(text)
        return PUBMED_RESOLVER + found.group(1) + "/" if found else ""
    found = _PMCID.match(text)
    return PMC_RESOLVER + found.group(1).upper() + "/" if found else ""


# --- identifiers inside addresses -----------------------------------------------------------------

_ARXIV_PATH = re.compile(
    r"/(?:abs|pdf|html|format|e-print|ps|src|tb)/((?:[a-z-]+(?:\.[A-Z]{2})?/\d{7})|"
    r"\d{4}\.\d{4,5})(?:v\d+)?",
    re.ASCII | re.I,
)
_ARXIV_HOSTS = frozenset(
    {
        "arxiv.org",
        "export.arxiv.org",
        "ar5iv.org",
        "ar5iv.labs.arxiv.org",
        "alphaxiv.org",
        "xxx.lanl.gov",
        "browse.arxiv.org",
    }
)
_PMC_PATH = re.compile(r"/(?:pmc/)?articles?/(?:PMC/)?(PMC\d{4,9})", re.I | re.ASCII)
_PMC_HOSTS = frozenset({"ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov", "europepmc.org"})
_PMID_PATH = re.compile(r"^/(?:pubmed/|article/med/|m/pubmed/)?(\d{4,9})(?:/|$)", re.I | re.ASCII)
_PMID_HOSTS = frozenset({"pubmed.ncbi.nlm.nih.gov", "ncbi.nlm.nih.gov", "europepmc.org"})
_NATURE_PATH = re.compile(
    r"^/articles/((?:s\d{5}|d\d{5})-[\w-]+|nature\d+|[a-z]+\.\d{4}\.\d+|[a-z]+\d+)", re.I
)
# What publishers add to a DOI in a path to name the view of the article.
_VIEW = re.compile(
    r"(?:/(?:full|fulltext|full-text|full\.html|epub|pdf|epdf|pdfft|pdfplus|"
    r"abstract|abs|html|xml|meta|"
    r"references|summary|figures?|tables?|download|suppl_file|"
    r"supplementary-material|tab-[a-z-]+|\d{4,}|metrics|citations?))+$"
    r"|(?:\.(?:pdf|full|full-text|abstract|short|long|epdf|html?|xml|full\.pdf|"
    r"full\.html|article-info|figures-only))+$"
    r"|/$",
    re.I,
)
_PREPRINT_VERSION = re.compile(
    r"^(10\.(?:1101|64898|21203|20944|26434)/.+?)(?:v\d+|/v\d+)(?:\..*)?$"
)


def path_doi(host: str, path: str, query: str) -> str:
    """Return the DOI that a publisher's address carries, lower case, "" for none."""
    if host == "nature.com":
        found = _NATURE_PATH.match(path)
        if found:
            return "10.1038/" + found.group(1).lower()
    text = unquote(path) if "10." in path else unquote(query) if "10." in query else ""
    found = re.search(r"(?:^|[/=:_])(10\.\d{4,9}(?:\.\d{1,9}){0,3}/[^\s\"|?&#]{1,300})", text)
    return normal_doi(found.group(1)) if found else ""


def normal_doi(doi: str) -> str:
    """Lower the case of a DOI and take off what names a view or a preprint's version."""
    doi = trim_doi(unquote(doi)).lower()
    for _ in range(3):
        shorter = _VIEW.sub("", doi)
        if shorter == doi or "/" not in shorter:
            break
        doi = shorter
    versioned = _PREPRINT_VERSION.match(doi)
    return versioned.group(1) if versioned else doi


def publication_identity(host: str, path: str, query: str) -> str:
    """Return the one address of a publication behind an address, "" when it is none we know.

    Args:
        host: Lower case, without `www.`.
        path: The path, percent-encoded or not.
        query: The query without `?`.
    """
    if host in _ARXIV_HOSTS:
        found = _ARXIV_PATH.search(path)
        if found:
            return ARXIV_RESOLVER + found.group(1).lower()
    if host in _PMC_HOSTS:
        found = _PMC_PATH.search(path)
        if found:
            return PMC_RESOLVER + found.group(1).upper()
    if host in _PMID_HOSTS:
        found = _PMID_PATH.match(path)
        if found:
            return PUBMED_RESOLVER + found.group(1)
    doi = path_doi(host, path, query)
    return _doi_identity(doi) if doi else ""


def _doi_identity(doi: str) -> str:
    # arXiv registers a DOI for every preprint: the same publication, the same identity.
    if doi.startswith("10.48550/arxiv."):
        return ARXIV_RESOLVER + re.sub(r"v\d+$", "", doi.removeprefix("10.48550/arxiv."))
    return DOI_RESOLVER + doi
