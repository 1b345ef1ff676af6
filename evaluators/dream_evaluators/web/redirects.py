"""Where redirects led: to the same page elsewhere, another page, the home page, or a gate."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from urllib.parse import parse_qsl, unquote, urlsplit

from dream_evaluators.urls import is_redirector


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# First labels of a host that say how a page is shown, not which page it is.
PRESENTATION_LABELS = frozenset({"www", "www2", "m", "mobile", "amp", "en", "de", "fr", "es"})
# Second-level labels under which others register: the site is one label longer there.
SHARED_LABELS = frozenset(
    {"co", "com", "ac", "gov", "gob", "gouv", "go", "org", "edu", "net", "or"}
)
HOME_NAMES = frozenset(
    {"home", "index", "default", "main", "start", "welcome", "homepage", "startseite", "accueil"}
)
# A query with one of these names a page even when the path is the root (`/?p=123`).
PAGE_KEYS = _words(
    "p id page_id pageid article articleid aid story storyid doc docid post postid news newsid "
    "item itemid cid nid sid"
)
LOCALE = re.compile(r"[a-z]{2}(?:[-_][a-z]{2,4})?")
EXTENSION = re.compile(r"\.(?:html?|xhtml|aspx?|php\d?|jsp|cfm|amp|stm)$")
LONG_NUMBER = re.compile(r"\d{5,}")
WORD = re.compile(r"[^\W_]+")

SIGN_IN_HOSTS = _words(
    "accounts.google.com login.microsoftonline.com login.live.com appleid.apple.com "
    "auth.openai.com id.atlassian.com"
)
SIGN_IN_LABELS = frozenset({"login", "signin", "sso", "auth", "idp", "accounts"})
SIGN_IN_PARTS = _words(
    "login log-in signin sign-in sign_in sso signon sign-on logon authwall login.php "
    "login.aspx login.html login.jsp user_login checkpoint oauth2 oauth saml2 idp "
    "authenticate anmelden connexion"
)
CONSENT_HOSTS = _words(
    "consent.google.com consent.youtube.com consent.yahoo.com guce.yahoo.com "
    "guce.techcrunch.com guce.aol.com guce.engadget.com guce.advertising.com "
    "myprivacy.dpgmedia.nl cmp.dpgmedia.nl privacy-mgmt.com"
)
CONSENT_PARTS = _words("consent collectconsent cookie-consent cookieconsent privacy-gate")
ABSENT_PARTS = _words(
    "404 404.html 404.htm 404.aspx 404.php 404-error error404 error-404 error_404 notfound "
    "not-found not_found pagenotfound page-not-found page_not_found filenotfound "
    "file-not-found notfound.html page-not-found.html notfound.aspx pagenotfound.aspx"
)
ERROR_PARTS = _words("error errors errorpage error-page error.html error.aspx error.php")
MARKET_SITES = _words(
    "sedo.com sedoparking.com hugedomains.com dan.com afternic.com parkingcrew.net bodis.com "
    "above.com domainmarket.com undeveloped.com buydomains.com parklogic.com"
)
# Names made to redirect, beside the link shorteners that `urls.is_redirector` knows.
RESOLVERS = _words(
    "doi.org dx.doi.org hdl.handle.net handle.net purl.org w3id.org n2t.net identifiers.org "
    "youtu.be rb.gy cutt.ly shorturl.at amzn.to nyti.ms wapo.st"
)
# Redirect services whose links expire: when one no longer redirects, nothing is known of the page.
EXPIRING_REDIRECTORS = frozenset({"vertexaisearch.cloud.google.com"})


class Destination(Enum):
    """What the last address is, seen from the first."""

    SAME = "the same page"
    ELSEWHERE = "another page"
    HOME = "the home page"
    SIGN_IN = "a sign-in page"
    CONSENT = "a consent page"
    ABSENT = "a page-not-found page"
    ERROR = "an error page"
    MARKET = "a domain market"


@dataclass(frozen=True, slots=True)
class _Page:
    host: str
    path: tuple[str, ...]  # segments, lower case, without locale, extension and home names
    raw_parts: frozenset[str]  # segments as they are, lower case
    query: frozenset[tuple[str, str]]


def _page(url: str) -> _Page:
    try:
        split = urlsplit(url)
        host = (split.hostname or "").rstrip(".")
        pairs = parse_qsl(split.query, max_num_fields=100)
    except ValueError:
        return _Page("", (), frozenset(), frozenset())
    raw = [part for part in unquote(split.path).lower().split("/") if part]
    path = [EXTENSION.sub("", part) for part in raw]
    while path and LOCALE.fullmatch(path[0]):
        path.pop(0)
    if path and path[-1] in HOME_NAMES:
        path.pop()
    return _Page(host, tuple(path), frozenset(raw), frozenset((k.lower(), v) for k, v in pairs))


def _bare(host: str) -> str:
    labels = host.split(".")
    while len(labels) > 2 and labels[0] in PRESENTATION_LABELS:
        labels.pop(0)
    return ".".join(labels)


def site(host: str) -> str:
    """Estimate the site of a host: `a.b.co.uk` gives `b.co.uk`.

    Only compares two ends of one redirect, for which it need not know the Public Suffix List.
    """
    labels = host.split(".")
    short = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in SHARED_LABELS
    return ".".join(labels[-3 if short else -2 :])


def destination(asked: str, final: str) -> Destination:
    """Tell what the last address of a chain is.

    Args:
        asked: The first address, as the report cites it.
        final: The last one.
    """
    start, end = _page(asked), _page(final)
    if start == end:
        return Destination.SAME
    gate = _gate(start, end)
    if gate is not None:
        return gate
    if not end.path and _is_deep(start, end, asked) and not _names_page(end):
        return Destination.HOME
    same = _redirects_by_trade(start, asked) or _alike(start, end)
    return Destination.SAME if same else Destination.ELSEWHERE


def _gate(start: _Page, end: _Page) -> Destination | None:
    """Recognise a page that stands in the way; one that was asked for is no gate."""
    new = end.raw_parts - start.raw_parts
    moved = start.host != end.host
    checks = (
        (
            Destination.CONSENT,
            bool(new & CONSENT_PARTS) or (moved and end.host in CONSENT_HOSTS),
        ),
        (
            Destination.SIGN_IN,
            bool(new & SIGN_IN_PARTS)
            or (moved and (end.host in SIGN_IN_HOSTS or end.host.split(".")[0] in SIGN_IN_LABELS)),
        ),
        (Destination.ABSENT, bool(new & ABSENT_PARTS)),
        (Destination.ERROR, bool(new & ERROR_PARTS)),
        (Destination.MARKET, moved and _is_market(start, end)),
    )
    return next((kind for kind, holds in checks if holds), None)


def _is_market(start: _Page, end: _Page) -> bool:
    first = end.host.split(".")[0]
    parked = first.startswith("ww") and first[2:].isdigit() and site(start.host) == site(end.host)
    sold = site(end.host) in MARKET_SITES - {site(start.host)}
    return (parked and first not in PRESENTATION_LABELS) or sold


def _names_page(page: _Page) -> bool:
    return any(key in PAGE_KEYS for key, _ in page.query)


def _is_deep(start: _Page, end: _Page, asked: str) -> bool:
    """Whether landing on a home page loses what was asked for.

    It does not where a part of a site got a host of its own (`/blog` to `blog.`), and a short link
    that leads to another site's home page may well have been made for it.
    """
    if not start.path:
        return _names_page(start)
    if _redirects_by_trade(start, asked) or _became_host(start, end):
        return False
    if site(start.host) == site(end.host):
        return True
    return len(start.path) > 1 or "-" in start.path[0]


def _became_host(start: _Page, end: _Page) -> bool:
    before, after = ("".join(WORD.findall(page.host)) for page in (start, end))
    names = ("".join(WORD.findall(part)) for part in start.path[:20])
    return any(len(name) > 3 and name in after and name not in before for name in names)


def _redirects_by_trade(start: _Page, asked: str) -> bool:
    return _bare(start.host) in RESOLVERS or is_redirector(asked)


def _alike(start: _Page, end: _Page) -> bool:
    if site(start.host) != site(end.host) and _bare(start.host) != _bare(end.host):
        return False
    if start.path == end.path:
        return True
    if not start.path or not end.path:
        return False
    return _same_name(start.path[-1], end.path[-1]) or _same_number(start, end)


def _same_name(one: str, other: str) -> bool:
    words, others = set(WORD.findall(one)), set(WORD.findall(other))
    if one == other or not words or not others:
        return one == other
    return 2 * len(words & others) >= len(words | others)


def _same_number(start: _Page, end: _Page) -> bool:
    numbers = set(LONG_NUMBER.findall("/".join(start.path)))
    return bool(numbers & set(LONG_NUMBER.findall("/".join(end.path))))
