"""Public suffixes: the registrable domain of a host, and what a suffix says about its owner.

The rules are those that `tldextract` bundles, read offline (its own defaults open sockets and
write a cache); matching is ours, because it runs for every address. A test compares the two.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from dream_evaluators.web.domains.fold import to_ascii
from dream_evaluators.web.domains.vocabulary import words

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


CACHED_HOSTS = 4096

# Private suffixes that sell names as a registry does: what is below is nobody's platform.
_RESELLERS = words(
    "uk.com us.com eu.com de.com gb.net uk.net se.net jpn.com br.com cn.com ru.com sa.com za.com "
    "co.com com.de com.se co.nl co.no eu.org us.org za.net za.org it.com in.net hu.net gr.com "
    "mex.com ae.org africa.com"
)

# Label of a public suffix under a country code -> who alone is given names below it.
_BY_LABEL = {
    label: name
    for name, labels in (
        (
            "gov",
            "gov gob gouv gub govt gouvernement government gc gv guv fed nsn kormany admin "
            "parliament leg jus mp gok police nhs govern gobierno mod",
        ),
        ("academic", "edu ac ed acad univ uni"),
        ("school", "k12 sch school schools lycee"),
        ("military", "mil"),
    )
    for label in labels.split()
}
# `go` is a government label in these countries only: go.it is a province.
_GO_COUNTRIES = words("jp kr th id ke tz ug cr ci tj")
_BEL_COUNTRIES = frozenset({"tr"})
_TOP = {"gov": "gov", "mil": "military", "int": "igo", "edu": "academic"}
# Country codes sold like generic ones: a `gov` label directly below says nothing there.
_OPEN_COUNTRY_CODES = words("ai cc co fm gg io la me nu pw so st sx tk to tv vc vg ws")
_NHS = {"nhs.uk": "health_institution"}


class HostParts(NamedTuple):
    """A host, split.

    Attributes:
        registrable: One label below the public suffix (private suffixes count), or empty.
        label: The leftmost label of `registrable`.
        suffix: The public suffix, private ones included; empty if there is none.
        registry_suffix: The suffix of the registry alone.
        is_private: Whether the suffix belongs to a platform rather than a registry.
    """

    registrable: str
    label: str
    suffix: str
    registry_suffix: str
    is_private: bool


class SuffixRule(NamedTuple):
    """What a suffix says: a class, the suffix that matched, and who publishes."""

    source_class: str
    value: str
    publisher: str = ""


class SuffixList:
    """The public suffix list, read once. Thread-safe: nothing changes after construction."""

    def __init__(self, platforms: Iterable[str] = (), newer_list: Path | None = None) -> None:
        """Build from the list that tldextract bundles.

        Args:
            platforms: Suffixes of platforms that the bundled list lacks.
            newer_list: A public suffix list file whose rules are added to the bundled ones.
        """
        public, private = _bundled_rules()
        more_public, more_private = _rules_of(newer_list) if newer_list else ([], [])
        self._private = frozenset([*private, *more_private, *platforms]) - _RESELLERS
        self._rules = frozenset([*public, *more_public, *_RESELLERS]) | self._private
        # Reports cite the same hosts again and again; the cache is the C one, safe in threads.
        self._cached = functools.lru_cache(maxsize=CACHED_HOSTS)(self._split)

    def split(self, host: str) -> HostParts:
        """Split a folded host. An unknown suffix gives empty strings."""
        return self._cached(host)

    def _split(self, host: str) -> HostParts:
        """The longest rule wins, an exception before a rule (publicsuffix.org, algorithm)."""
        rules, name, left = self._rules, host, ""
        while True:
            label, dot, parent = name.partition(".")
            wildcard = "*." + parent
            if name in rules:
                return self._parts(left, name, name in self._private)
            if wildcard in rules and dot:
                if "!" + name in rules:
                    return self._parts(label, parent, wildcard in self._private)
                return self._parts(left, name, wildcard in self._private)
            if not dot:
                return HostParts("", label if name == host else "", "", "", False)
            left, name = label, parent

    def _parts(self, label: str, suffix: str, is_private: bool) -> HostParts:
        registry = self._registry_suffix(suffix) if is_private else suffix
        registrable = f"{label}.{suffix}" if label else ""
        return HostParts(registrable, label, suffix, registry, is_private)

    def _registry_suffix(self, suffix: str) -> str:
        """The longest suffix of a registry inside a private one."""
        name = suffix
        while name:
            name = name.partition(".")[2]
            if name in self._rules and name not in self._private:
                return name
        return suffix


def _bundled_rules() -> tuple[list[str], list[str]]:
    """Rules of the list that comes with tldextract, offline: registries' and platforms'."""
    from tldextract import TLDExtract  # noqa: PLC0415 - start-up

    public = TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=False)
    both = TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
    of_registries = set(public.tlds)
    return _ascii(of_registries), _ascii(set(both.tlds) - of_registries)


def _rules_of(path: Path) -> tuple[list[str], list[str]]:
    """Rules of a suffix list file: those of registries and those of platforms."""
    rules: tuple[list[str], list[str]] = ([], [])
    is_private = False
    for line in path.read_text(encoding="utf-8").splitlines():
        is_private = is_private or "BEGIN PRIVATE" in line
        if line.strip() and not line.startswith("//"):
            rules[is_private].append(line.split()[0])
    return _ascii(rules[0]), _ascii(rules[1])


def _ascii(rules: Iterable[str]) -> list[str]:
    """Write rules in A-labels, as folded hosts are."""
    return [rule if rule.isascii() else _label_wise(rule) for rule in rules]


def _label_wise(rule: str) -> str:
    return ".".join(label if label.isascii() else to_ascii(label) for label in rule.split("."))


def institution(parts: HostParts) -> SuffixRule | None:
    """Tell what the suffix of a host says about its owner, or None if it says nothing."""
    if parts.is_private:
        return _private_institution(parts)
    labels = parts.suffix.split(".")
    top = labels[-1]
    if top in _TOP:
        return _with_owner(_TOP[top], top, parts)
    if parts.suffix in _NHS:
        return _with_owner(_NHS[parts.suffix], parts.suffix, parts)
    country = len(top) == 2 or top.startswith("xn--")
    if not country:
        return None
    for label in labels[:-1]:
        found = _class_of_label(label, top)
        if found:
            return _with_owner(found, parts.suffix, parts)
    return _registrable_label(parts, labels, top)


def _class_of_label(label: str, top: str) -> str:
    """Class that one suffix label stands for under a country code, or an empty string."""
    if label == "go":
        return "gov" if top in _GO_COUNTRIES else ""
    if label == "bel":
        return "gov" if top in _BEL_COUNTRIES else ""
    return _BY_LABEL.get(label, "")


def _registrable_label(parts: HostParts, labels: list[str], top: str) -> SuffixRule | None:
    """Countries whose `gov` is an ordinary name in the list still keep it to the government."""
    if len(labels) > 1 or top in _OPEN_COUNTRY_CODES:
        return None
    found = _class_of_label(parts.label, top) if parts.label not in ("admin", "mp") else ""
    return SuffixRule(found, parts.registrable, parts.registrable) if found else None


def _private_institution(parts: HostParts) -> SuffixRule | None:
    """Institutions in the private section: gov.scot, service.gov.uk, ac.ru."""
    labels = parts.suffix.split(".")
    if "gov" in labels and parts.registry_suffix.rpartition(".")[2] != "com":
        at = labels.index("gov")
        owner = ".".join(labels[at:])
        # service.gov.uk is one government's platform: the tenant is no publisher of its own.
        publisher = owner if at > 0 or parts.label in ("", "www") else parts.registrable
        return SuffixRule("gov", parts.suffix, publisher)
    if len(labels) == 2 and labels[0] in ("edu", "ac", "mil"):
        name = "military" if labels[0] == "mil" else "academic"
        return _with_owner(name, parts.suffix, parts)
    return None


def _with_owner(source_class: str, value: str, parts: HostParts) -> SuffixRule:
    """`www.gov.cn` and `gov.uk` are the government itself, not a tenant of its suffix."""
    publisher = parts.suffix if parts.label in ("", "www") else parts.registrable
    return SuffixRule(source_class, value, publisher)
