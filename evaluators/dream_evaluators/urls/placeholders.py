"""Invented addresses: hosts and paths that stand for "put an address here"."""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

# RFC 2606 names that documentation uses, and names that no one but their owner's joke uses.
_DOMAINS = frozenset(
    {
        "example.com", "example.org", "example.net", "example.edu", "example.co", "example.io",
        "example.gov", "example.ai", "domain.com", "yourdomain.com", "yoursite.com", "mysite.com",
        "website.com", "placeholder.com", "sample.com", "foo.com", "foobar.com", "test.com",
        "somewebsite.com", "abc.xyz.com", "url.com", "link.com", "source.com",
        "yourcompany.com", "yourwebsite.com", "company.com", "xyz.com", "insert-url.com",
    }
)  # fmt: skip
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1", "host", "url", "link", "source", "..."})
_TOP_LEVEL = frozenset({"localhost", "invalid", "local", "internal"})
_YOUR = re.compile(
    r"(?:^|\.)(?:your|my|some|insert)[-_]?(?:domain|site|website|company|url|link|"
    r"org|ai|app|name|brand|blog)\b"
)
_BLANK = re.compile(
    r"^(?:#|url|link|source|href|todo|tbd|n/?a|none|null|placeholder|insert.{0,20}|"
    r"your.{0,20}|\.{2,}|…|https?:/{0,2}\.{0,3}|x{3,})?$",
    re.I,
)
_UNFILLED = re.compile(
    r"10\.x{3,}|10\.\d{4,9}/(?:x{3,}|\.{3}|placeholder|example$)|/x{4,}(?:/|$)|"
    r"[<\[{](?:your|insert|id|url|link|doi|placeholder)[^>\]}]{0,30}[>\]}]"
    r"|\{\{|(?:/|=)(?:\.{3}|…)$|arxiv\.org/abs/(?:x{4}|\d{4})\.x{4,5}|"
    r"//(?:www\.)?(?:link-?to|url-?to|insert)-",
    re.I,
)


def is_placeholder(url: str) -> bool:
    """Whether an address is no source at all: example.com, localhost, your-domain, 10.xxxx/….

    The reserved top-level domains `.example` and `.test` are not flagged: tests and gold sets use
    them for hosts that stand for real ones.
    """
    url = url.strip()
    if _BLANK.match(url) or _UNFILLED.search(url):
        return True
    try:
        host = (urlsplit(url if "//" in url else "//" + url).hostname or "").rstrip(".")
    except ValueError:
        return False
    return _is_placeholder_host(host)


def is_allowed(url: str, allow: Collection[str]) -> bool:
    """Whether an operator named the host of an address: `host`, `host:port` or a network."""
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return False
    if not host or not allow:
        return False
    return any(entry in {host, f"{host}:{port}"} or _within(host, entry) for entry in allow)


def _within(host: str, network: str) -> bool:
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:
        return False


def _is_placeholder_host(host: str) -> bool:
    labels = host.removeprefix("www.").split(".")
    if (
        host in _LOCAL
        or labels[-1] in _TOP_LEVEL
        or host.startswith(("127.", "0.0.0.", "localhost"))
    ):
        return True
    if ".".join(labels[-2:]) in _DOMAINS or ".".join(labels[-3:]) in (
        "example.co.uk",
        "example.com.cn",
    ):
        return True
    return bool(_YOUR.search(host))
