"""Addresses wrapped around addresses: archives, translators, readers, search redirectors."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwrapped:
    """An address taken out of a wrapper."""

    url: str  # the inner address
    via: str  # host of the wrapper, "" when there was none
    snapshot: str = ""  # ISO date of an archive's snapshot, "" when unknown


# Host -> query parameters that hold the inner address.
_QUERY_WRAPPERS: dict[str, tuple[str, ...]] = {
    "google.com": ("q", "url", "u"),
    "translate.google.com": ("u",),
    "translate.yandex.com": ("url",),
    "translate.yandex.ru": ("url",),
    "microsofttranslator.com": ("a",),
    "l.facebook.com": ("u",),
    "lm.facebook.com": ("u",),
    "l.instagram.com": ("u",),
    "duckduckgo.com": ("uddg",),
    "out.reddit.com": ("url",),
    "linkedin.com": ("url",),
    "youtube.com": ("q",),
    "vk.com": ("to",),
    "steamcommunity.com": ("url",),
    "slack-redir.net": ("url",),
    "link.zhihu.com": ("target",),
    "link.csdn.net": ("target",),
    "link.juejin.cn": ("target",),
    "webcache.googleusercontent.com": ("q",),
    "href.li": ("",),
    "safelinks.protection.outlook.com": ("url",),
    "bing.com": ("u",),
}
_QUERY_PATHS: dict[str, tuple[str, ...]] = {
    "google.com": ("/url", "/amp", "/imgres"),
    "linkedin.com": ("/redir",),
    "youtube.com": ("/redirect",),
    "duckduckgo.com": ("/l/",),
    "vk.com": ("/away.php",),
    "steamcommunity.com": ("/linkfilter",),
    "bing.com": ("/ck/a",),
}
_ARCHIVE_PATH = re.compile(r"^/web/(\d{4,14})(?:[a-z]{2}_)?/(.+)$", re.S)
_ARCHIVE_TODAY = re.compile(
    r"^/(?:o/[A-Za-z0-9]{3,8}/|(\d{4,14}|newest|oldest)/)(https?:.+)$", re.S
)
_ARCHIVE_TODAY_HOSTS = frozenset(
    {f"archive.{tld}" for tld in ("is", "ph", "today", "li", "vn", "fo", "md")}
)
_PREFIX_HOSTS = frozenset(
    {
        "r.jina.ai",
        "12ft.io",
        "outline.com",
        "txtify.it",
        "archive.org",
        "web.archive.org",
        "removepaywall.com",
        "cc.bingj.com",
        "scholar.archive.org",
    }
)
_AMP = re.compile(r"^/(?:[a-z]/)?(s/)?([a-z0-9.-]+\.[a-z]{2,}/.*)$", re.I)
_REDIRECTORS = (
    ("vertexaisearch.cloud.google.com", "/grounding-api-redirect/"),
    ("bing.com", "/ck/a"),
    ("news.google.com", "/rss/articles/"),
    ("news.google.com", "/articles/"),
    ("news.google.com", "/read/"),
    ("baidu.com", "/link"),
    ("sogou.com", "/link"),
    ("so.com", "/link"),
    ("t.co", "/"),
    ("bit.ly", "/"),
    ("tinyurl.com", "/"),
    ("lnkd.in", "/"),
    ("ow.ly", "/"),
    ("is.gd", "/"),
    ("goo.gl", "/"),
    ("buff.ly", "/"),
    ("dlvr.it", "/"),
)


def unwrap(url: str) -> Unwrapped:
    """Take the inner address out of one wrapper after another (three at most)."""
    via, snapshot = "", ""
    for _ in range(3):
        inner, day = _inner(url)
        if not inner:
            break
        via = via or _host(url)
        snapshot = snapshot or day
        url = inner
    return Unwrapped(url=url, via=via, snapshot=snapshot)


def is_redirector(url: str) -> bool:
    """Whether only a request can tell where an address leads (search vendors, link shorteners)."""
    parts = _split(url)
    if parts is None or _inner(url)[0]:
        return False
    host = _plain_host(parts.hostname or "")
    return any(
        host == h and parts.path.startswith(p) and len(parts.path) > 1 for h, p in _REDIRECTORS
    )


def _inner(url: str) -> tuple[str, str]:
    """Return the address inside one wrapper and the snapshot's date; ("", "") for no wrapper."""
    parts = _split(url)
    if parts is None:
        return "", ""
    host = _plain_host(parts.hostname or "")
    for rule in (_archived, _translated, _in_query, _in_path, _amp):
        inner, day = rule(host, parts)
        if inner and "." in _host(inner):
            return inner, day
    return "", ""


def _archived(host: str, parts: SplitResult) -> tuple[str, str]:
    path = _target(parts)
    found = None
    if host in ("web.archive.org", "archive.org", "arquivo.pt", "webarchive.org.uk"):
        found = _ARCHIVE_PATH.match(path)
    elif host in _ARCHIVE_TODAY_HOSTS:
        found = _ARCHIVE_TODAY.match(path)
    if found is None:
        return "", ""
    return _absolute(found.group(2)), _day(found.group(1) or "")


def _translated(host: str, parts: SplitResult) -> tuple[str, str]:
    if not host.endswith(".translate.goog"):
        return "", ""
    # A dot of the original host is a hyphen here, and a hyphen is two.
    name = host.removesuffix(".translate.goog").replace("--", "\0").replace("-", ".")
    kept = [p for p in parts.query.split("&") if p and not p.startswith("_x_tr_")]
    query = "?" + "&".join(kept) if kept else ""
    return f"https://{name.replace(chr(0), '-')}{parts.path}{query}", ""


def _in_query(host: str, parts: SplitResult) -> tuple[str, str]:
    key = host if host in _QUERY_WRAPPERS else host.split(".", 1)[-1]
    names = _QUERY_WRAPPERS.get(key)
    paths = _QUERY_PATHS.get(key, ("/",))
    if names is None or not parts.path.startswith(paths):
        return "", ""
    values = parse_qs(parts.query, max_num_fields=50) if parts.query.count("&") < 50 else {}
    for name in names:
        for value in values.get(name, ()):
            target = _bing(value) if key == "bing.com" else value.removeprefix("cache:")
            if target.startswith(("http://", "https://")):
                return target, ""
    return "", ""


def _bing(value: str) -> str:
    if not value.startswith("a1"):
        return ""
    padded = value[2:] + "=" * (-len(value[2:]) % 4)
    try:
        return base64.urlsafe_b64decode(padded).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _in_path(host: str, parts: SplitResult) -> tuple[str, str]:
    if host not in _PREFIX_HOSTS:
        return "", ""
    path = _target(parts).lstrip("/")
    return (_absolute(path), "") if path.startswith(("http:/", "https:/")) else ("", "")


def _amp(host: str, parts: SplitResult) -> tuple[str, str]:
    path = parts.path
    if host == "google.com" and path.startswith("/amp/"):
        path = path[len("/amp") :]
    elif not host.endswith("cdn.ampproject.org"):
        return "", ""
    found = _AMP.match(path)
    return (f"https://{found.group(2)}", "") if found else ("", "")


def _target(parts: SplitResult) -> str:
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    return unquote(path) if "%3A%2F" in path.upper() else path


def _absolute(inner: str) -> str:
    # Servers and copying collapse "//" after the scheme.
    found = re.match(r"(https?):/{1,2}(?=[^/])", inner)
    if found:
        return f"{found.group(1)}://{inner[found.end() :]}"
    return "https://" + inner


def _day(stamp: str) -> str:
    return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}" if len(stamp) >= 8 and stamp.isdigit() else ""


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.hostname
    except ValueError:  # a broken IPv6 literal
        return None
    return parts


def _host(url: str) -> str:
    parts = _split(url)
    return _plain_host(parts.hostname or "") if parts else ""


def _plain_host(host: str) -> str:
    return host.lower().rstrip(".").removeprefix("www.")
