"""From text that claims to be an address to one parsed, lower-case address, or a named refusal.

Follows the WHATWG URL standard where browsers and Python's parsers differ (backslashes, extra
slashes, numeric IPv4, control characters, percent-encoded hosts): what we score has to be what
would be fetched.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple
from urllib.parse import unquote

from dream_evaluators.web.domains.ip import ipv4_of, ipv6_of
from dream_evaluators.web.domains.vocabulary import words

MAX_URL = 4096  # characters looked at; the host is long over by then
MAX_TRIMS = 16  # brackets and quotes taken off the end, in turns
MAX_HOST, MAX_LABEL = 253, 63  # RFC 1035

_WEB = frozenset({"http", "https"})
_ALIASES = {"hxxp": "http", "hxxps": "https", "feed": "http", "ftp": "ftp"}
# Schemes written without "//": anything else before a colon is a host with a port.
_OPAQUE = words(
    "about blob chrome cid data doi file geo http https info intent irc isbn javascript magnet "
    "mailto news sms tel urn vbscript view-source ws wss"
)
# Characters that cost nothing to see and that a browser drops or that no address starts with.
_DROPPED = {ord(c): None for c in "\t\r\n\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f"}
_OPENING = " \u3000<([{\"'`*_“‘«《「【（"
_CLOSING = " \u3000>\"'`*,;:.!?”’»》」】，。；：！？、"
_DOTS = str.maketrans("。．｡", "...")
_HOST_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-._")
_TEMPLATE_MARKS = ("<", ">", "{", "}", "$", "&lt;", "&gt;", "[your", "%7b", "%3c")
_PAIRS = ((")", "("), ("]", "["), ("}", "{"), ("）", "（"))


# Most addresses need none of the care below; a test holds both ways to the same answer.
_PLAIN = re.compile(
    r"https?://((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,5})([a-z0-9-]{2,30})"
    r"(/[A-Za-z0-9/._~%+=-]*)?(?:\?([A-Za-z0-9/._~%+=&-]*))?(?<=[A-Za-z0-9/])\Z"
)


class Address(NamedTuple):
    """A web address, folded.

    Attributes:
        host: Lower case, A-labels, no root dot. For an IP address its canonical notation.
        path: From the first slash on, or empty; as written.
        query: After the question mark, as written.
        is_ip: Whether the host is an IP address.
        flags: What was odd about the notation ("userinfo", "backslash", "overlong", "idn").
    """

    host: str
    path: str = ""
    query: str = ""
    is_ip: bool = False
    flags: tuple[str, ...] = ()


class Refusal(NamedTuple):
    """Why a text is no web address: one word in `reason`, and what showed it."""

    reason: str
    detail: str = ""


def fold(text: str) -> Address | Refusal:
    """Parse a text as a web address; never raises."""
    plain = _PLAIN.match(text) if len(text) <= MAX_URL else None
    if plain is not None and plain[2][0].isalpha() and text.isprintable():
        return Address(plain[1] + plain[2], plain[3] or "", plain[4] or "")
    flags: list[str] = []
    if len(text) > MAX_URL:
        text = text[:MAX_URL]
        flags.append("overlong")
    trimmed = _trim(text)
    if not trimmed:
        return Refusal("empty")
    scheme, rest = _split_scheme(trimmed)
    if scheme == "view-source":
        scheme, rest = _split_scheme(rest)
    if scheme and scheme not in _WEB:
        return Refusal("scheme", scheme)
    return _fault_of_bare(scheme, rest) or _parse(rest, flags)


def _fault_of_bare(scheme: str, rest: str) -> Refusal | None:
    """What speaks against text that has lost its scheme being an address at all."""
    if not rest:
        return Refusal("empty_host")
    if scheme:
        return None
    if rest[0] in "/?#\\" and not rest.startswith(("//", "\\\\")):
        return Refusal("relative", rest[:80])
    # A browser would make an IP address of a bare number; in a report it is a number.
    return Refusal("bad_host", rest[:80]) if rest.isdigit() else None


def _trim(text: str) -> str:
    """Drop what prose and control characters put around an address."""
    if text.isprintable() and text[:1].isalnum() and (text[-1].isalnum() or text[-1] == "/"):
        return text
    text = text.translate(_DROPPED).strip() if not text.isprintable() else text.strip()
    text = text.lstrip(_OPENING)
    for _ in range(MAX_TRIMS):
        shorter = text.rstrip(_CLOSING)
        for closing, opening in _PAIRS:
            if shorter.endswith(closing) and shorter.count(closing) > shorter.count(opening):
                shorter = shorter[:-1]
        if shorter == text:
            break
        text = shorter
    return text


def _split_scheme(text: str) -> tuple[str, str]:
    if text.startswith("https://"):
        return "https", text[6:]
    head, colon, rest = text.partition(":")
    if not colon or not head.isascii() or not head.replace("-", "").replace("+", "").isalnum():
        return "", text
    scheme = head.lower()
    scheme = _ALIASES.get(scheme, scheme)
    if scheme in _OPAQUE or rest.startswith(("//", "\\\\")):
        return scheme, rest
    # "localhost:8000" is a host with a port; "foo:bar" is a scheme that nobody reads.
    return ("", text) if rest[:1].isdigit() else (scheme, rest)


def _parse(rest: str, flags: list[str]) -> Address | Refusal:
    before, _, fragment_or_query = rest.partition("?")
    if "\\" in before:
        before = before.replace("\\", "/")
        flags.append("backslash")
    before = before.lstrip("/")
    before, hash_mark, _ = before.partition("#")
    query = "" if hash_mark else fragment_or_query.partition("#")[0]
    authority, slash, path = before.partition("/")
    _, at, host_port = authority.rpartition("@")
    if at:
        flags.append("userinfo")
    return _address(host_port, slash + path, query, flags)


def _address(host_port: str, path: str, query: str, flags: list[str]) -> Address | Refusal:
    if host_port.startswith("["):
        inside, _, port = host_port[1:].partition("]")
        literal = ipv6_of(inside) if not port.strip(":0123456789") else ""
        if not literal:
            return Refusal(_bad_kind(host_port, "bad_ip"), host_port[:80])
        return Address(literal, path, query, True, tuple(flags))
    host, _, port = host_port.partition(":")
    if port and not port.isdigit():
        return Refusal(_bad_kind(host_port, "bad_port"), host_port[:80])
    host = _fold_host(host, flags)
    reason = _host_fault(host)
    if reason:
        return Refusal(_bad_kind(host_port, reason), host_port[:80])
    last = host.rpartition(".")[2]
    if last[0].isdigit():
        literal = ipv4_of(host)
        if not literal:
            return Refusal("bad_ip", host[:80])
        return Address(literal, path, query, True, tuple(flags))
    return Address(host, path, query, False, tuple(flags))


def _bad_kind(host: str, reason: str) -> str:
    lowered = host.lower()
    return "placeholder" if any(mark in lowered for mark in _TEMPLATE_MARKS) else reason


def _fold_host(host: str, flags: list[str]) -> str:
    if "%" in host:
        host = unquote(host, errors="replace")
        flags.append("encoded_host")
    if host.isascii():
        host = host.lower()
    else:
        host = to_ascii(unicodedata.normalize("NFKC", host.translate(_DOTS)).lower())
    return host.rstrip(".,;")


def _host_fault(host: str) -> str:
    if not host:
        return "empty_host"
    if not _HOST_CHARACTERS.issuperset(host):
        return "bad_host"
    if len(host) > MAX_LABEL and (
        len(host) > MAX_HOST or max(map(len, host.split("."))) > MAX_LABEL
    ):
        return "host_length"
    return "bad_host" if ".." in host or host[0] == "." else ""


def to_ascii(host: str) -> str:
    """Write a host in A-labels (UTS 46). What IDNA forbids still gets a stable punycode label."""
    import idna  # noqa: PLC0415 - start-up

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return ".".join(_label_to_ascii(label) for label in host.split("."))


def _label_to_ascii(label: str) -> str:
    return label if label.isascii() else "xn--" + label.encode("punycode", "ignore").decode("ascii")


def to_unicode(host: str) -> str:
    """Write a host for people: U-labels where an A-label decodes, the label itself elsewhere."""
    if "xn--" not in host:
        return host
    return ".".join(_label_to_unicode(label) for label in host.split("."))


def _label_to_unicode(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label
