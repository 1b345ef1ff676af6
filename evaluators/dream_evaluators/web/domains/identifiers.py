"""Identifiers of scholarly work: bare or inside an address, and who registered them."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from urllib.parse import unquote

from dream_evaluators.web.domains.registry import read_table

_DOI = re.compile(r"10\.\d{4,9}/\S")
_ARXIV_NEW = re.compile(r"\d{4}\.\d{4,5}(v\d{1,3})?\Z")
_ARXIV_OLD = re.compile(r"[a-z-]{2,20}(\.[A-Z]{2})?/\d{7}(v\d{1,3})?\Z")
_PREFIXED = re.compile(r"(doi|arxiv|pmid|pmcid|pmc|hdl|isbn)\s?[:：]?\s*(\S+)", re.IGNORECASE)
_BARE_PMC = re.compile(r"PMC\d{4,9}\Z")
# bioRxiv and medRxiv share the prefix of their publisher's reviewed journals; only theirs are
# dates or six digits.
_BIORXIV = re.compile(r"10\.1101/(\d{6}\b|\d{4}\.\d\d\.\d\d)")

_URLS = {
    "doi": "https://doi.org/{}",
    "arxiv": "https://arxiv.org/abs/{}",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/{}/",
    "pmc": "https://pmc.ncbi.nlm.nih.gov/articles/{}/",
    "hdl": "https://hdl.handle.net/{}",
}


@dataclass(frozen=True, slots=True)
class Registrant:
    """Who registered a DOI prefix, and the class of what they publish."""

    prefix: str
    source_class: str
    publisher: str


@functools.cache
def _prefixes() -> dict[str, Registrant]:
    return {row[0]: Registrant(*row[:3]) for row in read_table("doi")}


def url_of_bare(text: str) -> str:
    """Turn `10.1038/x`, `doi:…`, `arXiv:…`, `PMID: …`, `PMC…` into its address, else return ''."""
    if text.startswith("http"):
        return ""
    text = text[:400].strip().lstrip("<([\"'").rstrip(">)]\"'.,;")
    if text.startswith("10.") and _DOI.match(text):
        return _URLS["doi"].format(text)
    if _BARE_PMC.match(text):
        return _URLS["pmc"].format(text)
    if text[:8].lower() == "urn:doi:":
        return _URLS["doi"].format(text[8:])
    found = _PREFIXED.match(text) if text[:1] in "dDaApPhHiI" else None
    if found is None or found.end() < len(text) or found[2].startswith("//"):
        return ""
    return _bare_with_prefix(found[1].lower(), found[2])


def _bare_with_prefix(kind: str, value: str) -> str:
    if kind == "doi":
        return _URLS["doi"].format(value) if _DOI.match(value) else ""
    if kind == "arxiv":
        known = _ARXIV_NEW.match(value) or _ARXIV_OLD.match(value)
        return _URLS["arxiv"].format(value) if known else ""
    if kind in ("pmid", "hdl"):
        return _URLS[kind].format(value) if kind == "hdl" or value.isdigit() else ""
    if kind in ("pmc", "pmcid"):
        digits = value.removeprefix("PMC")
        return _URLS["pmc"].format("PMC" + digits) if digits.isdigit() else ""
    return ""


def doi_in(path: str) -> str:
    """Find a DOI in a path (percent-encoded or not), or return an empty string."""
    if "10." not in path:
        return ""
    found = re.search(r"10\.\d{4,9}(?:/|%2[fF])[^\s?#]{1,200}", path)
    return unquote(found[0]) if found else ""


def registrant_of(doi: str) -> Registrant | None:
    """Find who registered a DOI's prefix; None for a prefix that is not in the table."""
    prefix = doi.partition("/")[0]
    if _BIORXIV.match(doi):
        return Registrant(prefix, "preprint", "biorxiv.org")
    return _prefixes().get(prefix)
