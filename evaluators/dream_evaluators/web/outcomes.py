"""What an answer means: status, redirects and the page's own words folded to one outcome."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from dream_evaluators.model.source import Outcome
from dream_evaluators.web.markers import NEEDS_SCRIPT, PAGE_PHRASES, ROBOT_CHECK, SIGN_IN, Phrases
from dream_evaluators.web.redirects import EXPIRING_REDIRECTORS, Destination, destination, site
from dream_evaluators.web.response import Response, sentence
from dream_evaluators.web.traces import CHALLENGE_HEADERS, CHALLENGE_TRACES

Verdict = tuple[Outcome, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSignals:
    """What a page says about itself, as far as its outcome depends on it.

    The reading side fills this; every field may be left at its default when unknown.
    """

    title: str = ""  # text of <title>
    h1: str = ""  # text of the first <h1>
    words: int = 0  # words of the main text: Latin words plus CJK characters
    text_start: str = ""  # first 2,000 characters of the main text
    scripts: int = 0  # number of <script> elements
    app_root: bool = False  # an (almost) empty mount point: #root, #app, #__next ...
    password_field: bool = False  # an <input type="password">
    free: bool | None = None  # JSON-LD isAccessibleForFree, None when not said
    canonical: str = ""  # absolute address of <link rel="canonical">
    refresh_url: str = ""  # absolute target of <meta http-equiv="refresh">
    refresh_delay: float = 0  # seconds before it
    noscript: str = ""  # text of <noscript>, first 2,000 characters


UNFILLED = PageSignals()
# Statuses that mean the same whatever the body says; the ranges below take the others.
STATUSES: dict[int, Verdict] = {
    204: (Outcome.NO_TEXT, "the answer has no content"),
    205: (Outcome.NO_TEXT, "the answer has no content"),
    401: (Outcome.AUTH_REQUIRED, "it asks for a sign-in"),
    402: (Outcome.PAYWALLED, "it asks for payment"),
    403: (Outcome.FORBIDDEN, "we may not see it, which says nothing about others"),
    404: (Outcome.NOT_FOUND, "the server has no such page"),
    407: (Outcome.AUTH_REQUIRED, "a proxy asks for a sign-in"),
    410: (Outcome.GONE, "the page was taken away for good"),
    429: (Outcome.RATE_LIMITED, "we ask too often"),
    430: (Outcome.RATE_LIMITED, "we ask too often"),
    451: (Outcome.LEGAL_BLOCK, "it is withheld for legal reasons"),
    # Not registered: LinkedIn's answer to programs.
    999: (Outcome.BOT_CHALLENGE, "the site refuses programs"),
}
RANGES = (
    (range(300, 400), Outcome.UNEXPECTED_STATUS, "a redirect that leads nowhere"),
    (range(500, 600), Outcome.SERVER_ERROR, "the server failed"),
)
DESTINATIONS: dict[Destination, Verdict] = {
    Destination.SIGN_IN: (Outcome.LOGIN_REDIRECT, "it leads to a sign-in page"),
    Destination.CONSENT: (Outcome.CONSENT_WALL, "it leads to a question about cookies"),
    Destination.ABSENT: (Outcome.SOFT_404, "it leads to a page-not-found page"),
    Destination.ERROR: (Outcome.SERVER_ERROR, "it leads to an error page"),
    Destination.MARKET: (Outcome.PARKED, "it leads to a domain market"),
    Destination.HOME: (Outcome.REDIRECTED_HOME, "it leads to the home page"),
}
# A page that is a gate has few words; with more, the words decide (our choice).
GATE_WORDS = 300
FEW_WORDS = 30  # below it a page has no text to speak of
PAYWALL_WORDS = 200
SIGN_IN_WORDS = 150
CHALLENGE_WORDS = 150
CHALLENGE_BYTES = 64 * 1024  # traces stand near the top
SMALL_BODY = 32 * 1024  # bytes, when a page's words were not counted
SEPARATORS = re.compile(r"\s[|\-–—:·•»«/]{1,2}\s|\s?[|｜]\s?")
SPACES = re.compile(r"\s+")


def classify(response: Response, signals: PageSignals | None = None) -> Verdict:
    """Decide the outcome of an answer, with one sentence of evidence.

    Args:
        response: What came back.
        signals: What the page says; None when it is no page (PDF, JSON ...) or was not read.

    Returns:
        The outcome and the reason for it.
    """
    if response.outcome is not None:
        return response.outcome, response.reason
    if signals == UNFILLED and not _is_html(response):
        signals = None
    verdicts = (rule(response, signals) for rule in RULES)
    found = next(filter(None, verdicts), None)
    outcome, reason = found or (Outcome.OK, f"status {response.status}")
    return outcome, sentence(reason)


def _is_html(response: Response) -> bool:
    start = response.body[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    return "html" in response.media_type and start[:1] in (b"<", b"")


def _challenged(response: Response, signals: PageSignals | None) -> Verdict | None:
    """A protection service answered in the site's place, with whatever status."""
    for name, start, service in CHALLENGE_HEADERS:
        value = response.header(name)
        if value and value.lower().startswith(start):
            return Outcome.BOT_CHALLENGE, f"{service} asks for proof of a human (header {name})"
    final = response.status in (404, 410)
    if 200 <= response.status < 300 and not _is_short(response, signals):
        return None
    top = response.body[:CHALLENGE_BYTES]
    for trace in CHALLENGE_TRACES:
        if trace.mark in top and (trace.only_challenges or not final):
            return Outcome.BOT_CHALLENGE, f"{trace.service} answers in the page's place"
    return None


def _is_short(response: Response, signals: PageSignals | None) -> bool:
    if signals is None:
        return len(response.body) < SMALL_BODY and "html" in response.media_type
    return signals.words < CHALLENGE_WORDS


def _by_status(response: Response, signals: PageSignals | None) -> Verdict | None:
    status = response.status
    if 200 <= status < 300 and status not in STATUSES:
        return None
    if status in (404, 410) and _host(response.final_url) in EXPIRING_REDIRECTORS:
        return Outcome.UNRESOLVABLE_REDIRECTOR, f"status {status}: the redirect has expired"
    if signals is not None and status not in (404, 410):
        verdict = _by_phrases(response, signals, (ROBOT_CHECK,))
        if verdict is not None:
            return verdict
    outcome, meaning = _status_meaning(status)
    return outcome, f"status {status}: {meaning}"


def _status_meaning(status: int) -> Verdict:
    if status in STATUSES:
        return STATUSES[status]
    for statuses, outcome, meaning in RANGES:
        if status in statuses:
            return outcome, meaning
    return Outcome.UNEXPECTED_STATUS, "a status that says nothing about the page"


def _unresolved(response: Response, _signals: PageSignals | None) -> Verdict | None:
    if _host(response.final_url) in EXPIRING_REDIRECTORS:
        return Outcome.UNRESOLVABLE_REDIRECTOR, "the redirect leads nowhere any more"
    return None


def _by_destination(response: Response, signals: PageSignals | None) -> Verdict | None:
    where = destination(response.url, response.final_url)
    if where not in DESTINATIONS:
        return None
    if where is not Destination.HOME and signals is not None and signals.words >= GATE_WORDS:
        return None
    outcome, meaning = DESTINATIONS[where]
    return outcome, f"{meaning}: {_place(response.final_url)}"


def _by_words(response: Response, signals: PageSignals | None) -> Verdict | None:
    return None if signals is None else _by_phrases(response, signals, PAGE_PHRASES)


def _by_phrases(
    response: Response, signals: PageSignals, table: tuple[Phrases, ...]
) -> Verdict | None:
    headings = _parts(signals.title) | _parts(signals.h1)
    text = "\n".join(map(_plain, (signals.title, signals.h1, signals.text_start)))
    for phrases in table:
        if signals.words >= phrases.words:
            continue
        found = next(iter(sorted(headings & phrases.headings)), "")
        found = found or next((phrase for phrase in phrases.texts if phrase in text), "")
        if found:
            return phrases.outcome, phrases.reason.format(phrase=f"“{found}”")
    return _for_sale(response, signals) if table is PAGE_PHRASES else None


def _for_sale(response: Response, signals: PageSignals) -> Verdict | None:
    """The heading offers the site itself; one that offers houses is a shop."""
    name = site(_host(response.final_url))
    heading = _plain(signals.title or signals.h1)
    offers = (f"{name} is for sale", f"{name} may be for sale")
    if name and signals.words < GATE_WORDS and heading.startswith(offers):
        return Outcome.PARKED, f"the domain is for sale (“{heading[:80]}”)"
    return None


def _signed_out(_response: Response, signals: PageSignals | None) -> Verdict | None:
    if signals is None or not signals.password_field or signals.words >= SIGN_IN_WORDS:
        return None
    found = (_parts(signals.title) | _parts(signals.h1)) & SIGN_IN
    if found or signals.words < FEW_WORDS:
        return Outcome.AUTH_REQUIRED, "the page is a sign-in form"
    return None


def _not_free(_response: Response, signals: PageSignals | None) -> Verdict | None:
    if signals is None or signals.free is not False or signals.words >= PAYWALL_WORDS:
        return None
    return Outcome.PAYWALLED, f"the page says it is not free and shows {signals.words} words"


def _empty(response: Response, signals: PageSignals | None) -> Verdict | None:
    if signals is None:
        return None if response.body.strip() else (Outcome.NO_TEXT, "the body is empty")
    if signals.words >= FEW_WORDS:
        return None
    asks = _plain(f"{signals.noscript} {signals.text_start}")
    if signals.app_root or any(phrase in asks for phrase in NEEDS_SCRIPT):
        return Outcome.JS_SHELL, f"only {signals.words} words without JavaScript"
    if not signals.words:
        scripted = signals.scripts > 0
        outcome = Outcome.JS_SHELL if scripted else Outcome.NO_TEXT
        return outcome, f"no text, {signals.scripts} scripts"
    return None


def _cut_short(response: Response, _signals: PageSignals | None) -> Verdict | None:
    if response.truncated or response.status == 206:
        return Outcome.OK_PARTIAL, f"only the first {len(response.body):,} bytes came"
    return None


def _redirected(response: Response, _signals: PageSignals | None) -> Verdict | None:
    if not response.hops:
        return None
    if destination(response.url, response.final_url) is Destination.ELSEWHERE:
        return Outcome.REDIRECTED_ELSEWHERE, f"it leads to {_place(response.final_url)}"
    return Outcome.REDIRECTED_SAME, f"the same page is now at {_place(response.final_url)}"


Rule = Callable[[Response, PageSignals | None], Verdict | None]
# The first rule that speaks decides: what hides the page comes before what the page is.
RULES: tuple[Rule, ...] = (
    _challenged,
    _by_status,
    _unresolved,
    _by_destination,
    _by_words,
    _signed_out,
    _not_free,
    _empty,
    _cut_short,
    _redirected,
)


def _plain(text: str) -> str:
    folded = SPACES.sub(" ", text[:4000].casefold()).strip()
    return folded.replace("\u2019", "'").replace("\u2018", "'")


def _parts(heading: str) -> set[str]:
    whole = _plain(heading[:300])
    # Before a colon stands what a page is ("404: no such page"), after it anything.
    parts = (whole, *SEPARATORS.split(whole), whole.partition(":")[0])
    return {part.strip(" .!…。！?") for part in parts} - {""}


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _place(url: str) -> str:
    """Name an address without its query, which may carry what is nobody's business."""
    try:
        split = urlsplit(url)
    except ValueError:
        return ""
    return f"{split.hostname}{split.path[:120]}"
