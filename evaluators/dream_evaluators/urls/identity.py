"""The identity of an address: one text for all variants of the same page."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import SplitResult, quote, unquote_to_bytes, urlsplit

from dream_evaluators.urls.cleaning import clean_raw, text_fragment
from dream_evaluators.urls.identifiers import identifier_url, publication_identity
from dream_evaluators.urls.wrappers import unwrap

# Parameters that say how a reader came, never what is shown.
_TRACKING = frozenset(
    {
        "fbclid", "gclid", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "twclid", "ttclid",
        "igshid", "igsh", "mc_cid", "mc_eid", "mkt_tok", "_ga", "_gl", "_hsenc", "_hsmi",
        "hsctatracking", "vero_id", "oly_enc_id", "oly_anon_id", "rb_clickid", "s_cid", "ref_src",
        "ref_url", "cmpid", "srsltid", "spm", "scm", "share_token", "share_source", "vd_source",
        "spm_id_from", "from_source", "wt.mc_id", "trk", "trackingid", "ncid", "sc_channel",
        "sc_campaign", "guccounter", "guce_referrer", "guce_referrer_sig", "soc_src", "soc_trk",
        "_openstat", "xtor", "__twitter_impression", "amp_js_v",
    }
)  # fmt: skip
_TRACKING_PREFIXES = (
    "utm_",
    "pk_",
    "mtm_",
    "hsa_",
    "_x_tr_",
    "at_medium",
    "at_campaign",
    "matomo_",
)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_SAFE_PATH = "/:@!$&'()*+,;=-._~"
_SAFE_QUERY = _SAFE_PATH + "?"
_MOBILE = re.compile(r"^(?:m|mobile|amp)\.(?=[^.]+\.[^.]+)")
_WIKI_MOBILE = re.compile(r"^([a-z-]{2,12})\.m\.(wiki[a-z]+\.org)$")
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp)$", re.I)
_HOST_DOTS = str.maketrans({"。": ".", "．": ".", "｡": "."})


MOST_CLEANINGS = 5


def canonicalise(raw: str) -> str:
    """Return the identity of an address: two addresses of one page give the same text.

    Scheme (always https), case and IDN form of the host, `www.` and mobile prefixes, default
    ports, dot segments, percent-encoding, trailing slash, index pages, tracking parameters,
    the order of parameters and plain fragments do not count. Wrappers (archives, translators,
    redirectors with the address inside) are taken off; a DOI, arXiv id, PMID or PMCID becomes its
    resolver address, arXiv without its version. Idempotent. What is no web address comes back
    cleaned but otherwise as it is.
    """
    identity = _identity(raw)
    # What stood before a plain fragment may be what else is cleaned off the end of an address.
    for _ in range(MOST_CLEANINGS):
        if (cleaned := clean_raw(identity)) == identity:
            break
        identity = _identity(cleaned)
    return identity


def _identity(raw: str) -> str:
    text = text_fragment(clean_raw(raw))[0]
    text = identifier_url(text) or _with_scheme(text)
    parts = split_address(unwrap(text).url)
    if parts is None or not parts.hostname:
        return text
    host = _host(parts)
    path = _path(parts.path)
    publication = publication_identity(host, path, parts.query)
    if publication:
        return _encode(publication, _SAFE_PATH + "%")
    return f"https://{host}{_port(parts)}{path}{_query(parts.query)}{_route(parts.fragment)}"


def split_address(url: str) -> SplitResult | None:
    """Split an http(s) address; None when it is another scheme or broken."""
    try:
        parts = urlsplit(url.replace("\\", "/") if url[:8].lower().startswith("http") else url)
        _ = parts.port, parts.hostname
    except ValueError:
        return None
    return parts if parts.scheme in _DEFAULT_PORTS else None


def _with_scheme(text: str) -> str:
    if text[:2] == "//":
        return "https:" + text
    head = re.match(r"[a-z][a-z0-9+.-]*:", text, re.I)
    if head and not re.match(r"[\w.-]+:\d", text):
        return head.group().lower() + text[head.end() :]
    if re.match(r"[\w-]+(?:\.[\w-]+)*\.[a-z]{2,24}(?=[:/?#]|$)", text, re.I):
        return "https://" + text
    return text


def _host(parts: SplitResult) -> str:
    host = (parts.hostname or "").translate(_HOST_DOTS).rstrip(".").lower()
    if not host.isascii():
        host = _ascii_host(host)
    host = _WIKI_MOBILE.sub(r"\1.\2", host.removeprefix("www."))
    host = _MOBILE.sub("", host) if host.count(".") > 1 else host
    return f"[{host}]" if ":" in host else host


def _ascii_host(host: str) -> str:
    import idna  # noqa: PLC0415 - start-up

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        return quote(host, safe=".-")


def _port(parts: SplitResult) -> str:
    port = parts.port
    return "" if port is None or port in _DEFAULT_PORTS.values() else f":{port}"


def _path(path: str) -> str:
    path = _encode(path, _SAFE_PATH)
    if "/." in path or "//" in path:
        path = posixpath.normpath(path).replace("//", "/")
    path = _INDEX.sub("/", path).rstrip("/")
    return "" if path == "." else path


def _encode(text: str, safe: str) -> str:
    """Percent-encode so that every spelling of the same octets gives the same text."""
    if text.isascii() and re.fullmatch(r"[\w/:@!$&'()*+,;=.~?-]*", text):
        return text
    if "%" in safe:
        return quote(text, safe=safe)
    octets = unquote_to_bytes(text.encode("utf-8", "surrogatepass"))
    encoded = quote(octets, safe=safe)
    # An encoded delimiter is another octet than the bare one: keep those as they were.
    if re.search(r"%(?:2F|3F|23|25|26|2B|3D)", text, re.I):
        return _encode_around(text, safe)
    return encoded


def _encode_around(text: str, safe: str) -> str:
    pieces = re.split(r"(%(?:2F|3F|23|25|26|2B|3D))", text, flags=re.I)
    return "".join(p.upper() if i % 2 else _encode(p, safe) for i, p in enumerate(pieces))


def _query(query: str) -> str:
    if not query:
        return ""
    kept = sorted(_encode(p, _SAFE_QUERY) for p in query.split("&") if p and not _is_tracking(p))
    return "?" + "&".join(kept) if kept else ""


def _is_tracking(parameter: str) -> bool:
    name = parameter.partition("=")[0].lower()
    if name == "source" and parameter[7:].lower() in ("chatgpt.com", "openai", "perplexity"):
        return True
    return name in _TRACKING or name.startswith(_TRACKING_PREFIXES)


def _route(fragment: str) -> str:
    # "#!/page" and "#/page" name a page of a single-page application; the rest is a place on it.
    return "#" + _encode(fragment, _SAFE_QUERY) if fragment.startswith(("!", "/")) else ""
