"""Addresses around addresses: archives, translators, caches, AMP, redirectors, library proxies."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote

from dream_evaluators.web.domains.fold import Address, Refusal, fold
from dream_evaluators.web.domains.registry import read_table

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_DEPTH = 4  # an archive of a translation of a redirect; deeper nesting is an attack
_PROXY_LABELS = ("ezproxy", "libproxy", "webvpn", "proxy", "idm", "eproxy", "lib-proxy")
# Suffix owners that run proxies for libraries, besides the universities themselves.
_PROXY_COMPANIES = (".oclc.org", ".ezproxy.com", ".libproxy.com", ".openathens.net")


@dataclass(frozen=True, slots=True)
class Wrapping:
    """What is around an address.

    Attributes:
        kind: archive, translator, cache, amp, redirector, reader, shortener, proxy or alias.
        inner: The address inside, None if the wrapper hides it.
    """

    kind: str
    inner: Address | None


@dataclass(frozen=True, slots=True)
class _Rule:
    host: str
    path: str
    kind: str
    method: str
    argument: str

    def applies(self, path: str, exact: bool) -> bool:
        """Match at a segment's border; a rule with a path belongs to its very host."""
        if not self.path:
            return True
        if not exact or not path.startswith(self.path):
            return False
        return self.path[-1] == "/" or path[len(self.path) :][:1] in ("", "/")


@functools.cache
def _tails() -> frozenset[str]:
    """Last two labels of every wrapper: most addresses are ruled out by them."""
    return frozenset(".".join(host.split(".")[-2:]) for host in _rules())


@functools.cache
def _rules() -> dict[str, list[_Rule]]:
    table: dict[str, list[_Rule]] = {}
    for row in read_table("wrappers"):
        place, kind, method, argument = (row + [""] * 4)[:4]
        host, slash, path = place.partition("/")
        table.setdefault(host, []).append(_Rule(host, slash + path, kind, method, argument))
    return table


def unwrap(address: Address, is_library: Callable[[str], bool]) -> Wrapping | None:
    """Take one wrapper off, or return None if there is none.

    Args:
        address: The outer address.
        is_library: Whether a host belongs to a university, so that its proxy can be believed: a
            stranger's `nature.com.proxy.evil.example` is no library proxy.
    """
    rule = _rule_for(address)
    if rule is None:
        return _proxied(address, is_library)
    inner = _METHODS[rule.method](address, rule)
    if inner is None and rule.method == "query":
        return None  # the redirector's own front page
    return Wrapping(rule.kind, inner)


def _rule_for(address: Address) -> _Rule | None:
    name, rules = address.host.removeprefix("www."), _rules()
    if name.startswith("google."):
        name = "google.com"  # every country's front door redirects alike
    elif ".".join(name.rsplit(".", 2)[-2:]) not in _tails():
        return None
    exact = True
    while True:
        for rule in rules.get(name, ()):
            if rule.applies(address.path, exact):
                return rule
        _, dot, name = name.partition(".")
        if not dot:
            return None
        exact = False


def _address(text: str) -> Address | None:
    found = fold(text)
    return None if isinstance(found, Refusal) else found


def _embedded(address: Address, rule: _Rule) -> Address | None:
    """`/web/2020…/https://site/…`: the address starts somewhere in the path."""
    text = address.path + ("?" + address.query if address.query else "")
    text = text[len(rule.path) :]
    if "://" not in text and "%3a" in text.lower():
        text = unquote(text)
    at = text.find("://")
    if at >= 0:
        start = text.rfind("/", 0, at) + 1
        return _address(text[start:])
    single = text.find("http")  # servers that merge slashes leave "https:/site"
    if single >= 0 and text[single:].startswith(("http:/", "https:/")):
        return _address(text[single:])
    if rule.argument != "bare":
        return None
    first, _, rest = text.lstrip("/").partition("/")
    if first.rstrip("*if_jscm").isdigit():  # a snapshot's moment: 20200101000000, 2020if_
        first, _, rest = rest.partition("/")
    return _address(f"{first}/{rest}") if "." in first else None


def _query(address: Address, rule: _Rule) -> Address | None:
    values = parse_qs(address.query, max_num_fields=64) if address.query.count("&") < 64 else {}
    for name in rule.argument.split(","):
        for value in values.get(name, ()):
            # Google's cache writes `cache:<key>:<address>`.
            target = value[max(value.find("http"), 0) :] if "cache:" in value else value
            if "." in target:
                return _address(target)
    return None


def _dashed(label: str) -> str:
    """`www-bbc-com` -> `www.bbc.com`; a doubled dash is a dash."""
    return label.replace("--", "\0").replace("-", ".").replace("\0", "-")


def _translate(address: Address, rule: _Rule) -> Address | None:
    label = address.host.removesuffix("." + rule.host)
    return _address(_dashed(label) + address.path) if label != address.host else None


def _amp(address: Address, rule: _Rule) -> Address | None:
    """`x.cdn.ampproject.org/c/s/site/path`, `google.com/amp/s/site/path`."""
    rest = address.path[len(rule.path) :].strip("/") if rule.path else address.path.strip("/")
    parts = rest.split("/")
    while parts and parts[0] in ("c", "v", "i", "s", "wp", "r", "a"):
        parts = parts[1:]
    return _address("/".join(parts)) if parts and "." in parts[0] else _translate(address, rule)


def _alias(address: Address, rule: _Rule) -> Address | None:
    """A mirror keeps the path; a publisher's own short links hide the page, not the publisher."""
    return Address(rule.argument, address.path if rule.kind == "reader" else "")


def _opaque(address: Address, rule: _Rule) -> Address | None:
    return _embedded(address, rule)


_METHODS: dict[str, Callable[[Address, _Rule], Address | None]] = {
    "embedded": _embedded,
    "query": _query,
    "translate": _translate,
    "amp": _amp,
    "alias": _alias,
    "opaque": _opaque,
}


def _proxied(address: Address, is_library: Callable[[str], bool]) -> Wrapping | None:
    """`www-nature-com.ezproxy.lib.uni`, `www.nature.com.proxy.lib.uni`, `…/login?url=`."""
    host = address.host
    if "proxy" not in host and "vpn" not in host and "idm." not in host:
        return None
    labels = host.split(".")
    at = next((i for i, label in enumerate(labels) if label.startswith(_PROXY_LABELS)), -1)
    if at < 0 or not (is_library(address.host) or address.host.endswith(_PROXY_COMPANIES)):
        return None
    inner = labels[:at]
    if not inner:
        target = _query(address, _Rule("", "", "proxy", "query", "url,qurl,target"))
        return Wrapping("proxy", target) if target else None
    host = _dashed(inner[0]) if len(inner) == 1 else ".".join(inner)
    return Wrapping("proxy", Address(host, address.path, address.query)) if "." in host else None
