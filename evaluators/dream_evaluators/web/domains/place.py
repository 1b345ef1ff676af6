"""Where an address belongs: its class, the rule that says so, and the publisher."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dream_evaluators.web.domains.classes import (
    LOOKALIKE,
    NOT_A_WEB_SOURCE,
    UNATTRIBUTABLE,
    UNKNOWN,
    UNRESOLVED_REDIRECT,
)
from dream_evaluators.web.domains.cues import name_cues
from dream_evaluators.web.domains.deception import deception, is_mixed_script
from dream_evaluators.web.domains.fold import to_unicode
from dream_evaluators.web.domains.identifiers import doi_in, registrant_of
from dream_evaluators.web.domains.ip import is_public
from dream_evaluators.web.domains.suffixes import HostParts, SuffixList, institution
from dream_evaluators.web.domains.vocabulary import words

if TYPE_CHECKING:
    from dream_evaluators.model.authority import Basis
    from dream_evaluators.web.domains.fold import Address
    from dream_evaluators.web.domains.registry import Match, Registry

_RESERVED_NAMES = words(
    "example.com example.net example.org example.edu yourdomain.com your-domain.com domain.com "
    "yoursite.com your-site.com mysite.com mydomain.com yourcompany.com your-company.com "
    "website.com yourwebsite.com somewebsite.com sample.com company.com test.com url.com "
    "placeholder.com"
)
_RESERVED_TOPS = words("example test invalid localhost")  # RFC 2606, RFC 6761
_PRIVATE_TOPS = words("local internal lan home corp intranet localdomain arpa")
_DOI_HOSTS = frozenset({"doi.org", "dx.doi.org", "www.doi.org"})
_TRUSTED = frozenset({"gov", "edu", "mil"})
_TILDES = ("/~", "/%7e", "/%7E")


class Place(NamedTuple):
    """Where an address was found to belong."""

    source_class: str
    rule: str
    value: str
    offset: int = 0
    publisher: str = ""
    country: str = ""
    flags: tuple[str, ...] = ()
    cues: tuple[Basis, ...] = ()


def place_of(address: Address, registry: Registry, suffixes: SuffixList) -> Place:
    """Find where an unwrapped address belongs; never fails, the last answer is `unknown`."""
    if address.is_ip:
        reach = () if is_public(address.host) else ("private_host",)
        flags = ("ip_address", *reach)
        return Place(UNATTRIBUTABLE, "ip", address.host, 0, address.host, "", flags)
    parts = suffixes.split(address.host)
    place = _reserved(address.host, parts) or named(address, parts, registry)
    if place is not None:
        return place
    trick = deception(address.host, parts, registry)
    if trick is not None:
        flags = ("placeholder",) if address.host.endswith(".example") else ()
        owner = parts.registrable or address.host
        value = f"{trick.trick}: {trick.imitates}"
        return Place(LOOKALIKE, "lookalike", value, 0, owner, "", flags)
    return _unplaced(address, parts)


def named(address: Address, parts: HostParts, registry: Registry) -> Place | None:
    """Registry, DOI and suffix rules: the names we can say something about."""
    if address.host in _DOI_HOSTS:
        return _from_doi(address.path)
    match = registry.match(address.host, address.path, parts.registrable, parts.suffix)
    place = _from_match(match, address, parts) if match else _from_suffix(parts)
    if place and place.source_class == "academic" and address.path.startswith(_TILDES):
        owner = f"personal page at {_short_name(parts)}"
        return Place("academic_personal", "tilde", parts.registrable, 0, owner)
    return place


def _from_suffix(parts: HostParts) -> Place | None:
    rule = institution(parts)
    if rule is None:
        return None
    country = _country_of(parts.registry_suffix)
    return Place(rule.source_class, "suffix", rule.value, 0, rule.publisher, country)


def hidden(kind: str, host: str) -> Place:
    """A wrapper that does not show what is inside: no credit for the wrapper's owner."""
    if kind == "archive":
        return Place(UNATTRIBUTABLE, "wrapper", f"{kind} {host}", 0, "unknown original")
    return Place(UNRESOLVED_REDIRECT, "wrapper", f"{kind} {host}", 0, "unknown")


def _reserved(host: str, parts: HostParts) -> Place | None:
    """Names that are no public source: RFC 2606 names, single labels, endings that do not exist."""
    if parts.registrable in _RESERVED_NAMES or (parts.suffix and parts.label == "example"):
        return Place(NOT_A_WEB_SOURCE, "reserved", host, 0, parts.registrable, "", ("placeholder",))
    if parts.suffix and "." in host and parts.suffix != "onion":
        return None
    if parts.suffix and institution(parts):
        return None
    top = host.rpartition(".")[2]
    if top == "onion":
        return Place(UNATTRIBUTABLE, "no_suffix", host, 0, host, "", ("onion",))
    if "." not in host or top in _PRIVATE_TOPS:
        return Place(NOT_A_WEB_SOURCE, "no_suffix", host, 0, "", "", ("private_host",))
    if top in _RESERVED_TOPS:
        if not _TRUSTED.isdisjoint(host.split(".")):
            return None  # harvard.edu.evil.example deceives, whatever its ending
        return Place(NOT_A_WEB_SOURCE, "reserved", host, 0, "", "", ("placeholder",))
    return Place(NOT_A_WEB_SOURCE, "no_suffix", host, 0, "", "", ("unknown_suffix",))


def _from_doi(path: str) -> Place:
    doi = doi_in(path)
    if not doi:
        return Place("scholarly_index", "doi", "doi.org", 0, "doi.org")
    known = registrant_of(doi)
    prefix = doi.partition("/")[0]
    if known is None:
        return Place("scholarly_index", "doi", prefix, 0, f"registrant of {prefix}")
    owner = f"{known.publisher} ({prefix})"
    return Place(known.source_class, "doi_prefix", prefix, 0, owner)


def _from_match(match: Match, address: Address, parts: HostParts) -> Place:
    entry = match.entry
    publisher = entry.publisher or _display(parts.registrable or address.host)
    if "{" in publisher:
        publisher = _fill(publisher, entry.host.removeprefix("*."), address, parts)
    elif publisher == "=doi":
        doi = doi_in(address.path)
        known = registrant_of(doi) if doi else None
        publisher = f"{known.publisher} ({known.prefix})" if known else parts.registrable
    return Place(
        entry.source_class,
        match.rule,
        entry.key,
        entry.offset,
        publisher,
        entry.country,
        entry.flags,
    )


def _fill(template: str, base: str, address: Address, parts: HostParts) -> str:
    """Name the tenant: `{sub}` is the label left of the platform, `{1}` a path segment.

    `{tenant}` is the label left of the public suffix, or the first path segment without one.
    """
    if template == "{tenant}":
        template = to_unicode(parts.label) if parts.label else "{1}"
    sub = address.host.removesuffix("." + base).rpartition(".")[2]
    text = template.replace("{sub}", to_unicode(sub))
    segments = address.path.split("/", 5)
    for place in (1, 2, 3):
        segment = segments[place] if len(segments) > place else ""
        text = text.replace(f"{{{place}}}", segment.lstrip("@~")[:80])
    return text or base


def _unplaced(address: Address, parts: HostParts) -> Place:
    if parts.is_private:
        tenant = _fill("{tenant}", parts.suffix, address, parts)
        return Place("personal_pages", "private_suffix", parts.suffix, 0, tenant)
    cues = name_cues(parts.label, parts.suffix)
    owner = _display(parts.registrable or address.host)
    return Place(UNKNOWN, "cue", owner, 0, owner, _country_of(parts.registry_suffix), (), cues)


def _display(domain: str) -> str:
    """Unicode for people, unless its scripts are mixed or its letters pass for Latin ones."""
    if "xn--" not in domain or is_mixed_script(domain):
        return domain
    return to_unicode(domain)


def _country_of(suffix: str) -> str:
    top = suffix.rpartition(".")[2]
    if top in ("gov", "mil"):
        return "us"
    return top if len(top) == 2 else ""


def _short_name(parts: HostParts) -> str:
    """`cmu` -> CMU, `stanford` -> Stanford."""
    label = parts.label
    return label.upper() if len(label) <= 4 else label.capitalize()
