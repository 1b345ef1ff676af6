"""A source as read: what happened when its address was asked for, and its text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dream_evaluators.hashing import text_id


class LinkState(StrEnum):
    """The only three things an outcome can say about a link."""

    ALIVE = "alive"
    DEAD = "dead"  # the only one that counts against a report
    UNKNOWN = "unknown"  # blocked, paywalled, timed out ...: widens bounds, blames nobody


class Outcome(StrEnum):
    """What happened when an address was asked for; `state_of` folds it to a LinkState."""

    OK = "ok"
    OK_PARTIAL = "ok_partial"
    ARCHIVED = "archived"
    REDIRECTED_SAME = "redirected_same"
    REDIRECTED_ELSEWHERE = "redirected_elsewhere"
    REDIRECTED_HOME = "redirected_home"
    SOFT_404 = "soft_404"
    PARKED = "parked"
    NOT_FOUND = "not_found"
    GONE = "gone"
    NO_SUCH_HOST = "no_such_host"
    LEGAL_BLOCK = "legal_block"
    AUTH_REQUIRED = "auth_required"
    LOGIN_REDIRECT = "login_redirect"
    PAYWALLED = "paywalled"
    CONSENT_WALL = "consent_wall"
    BOT_CHALLENGE = "bot_challenge"
    FORBIDDEN = "forbidden"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    UNEXPECTED_STATUS = "unexpected_status"
    TIMEOUT = "timeout"
    DNS_ERROR = "dns_error"
    CONNECT_ERROR = "connect_error"
    TLS_ERROR = "tls_error"
    PROTOCOL_ERROR = "protocol_error"
    BAD_URL = "bad_url"
    PLACEHOLDER = "placeholder"
    BLOCKED_BY_POLICY = "blocked_by_policy"
    ROBOTS_DISALLOWED = "robots_disallowed"
    TOO_LARGE = "too_large"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    UNRESOLVABLE_REDIRECTOR = "unresolvable_redirector"
    UNSUPPORTED_TYPE = "unsupported_type"
    NO_TEXT = "no_text"
    NO_TEXT_LAYER = "no_text_layer"
    ENCRYPTED = "encrypted"
    JS_SHELL = "js_shell"
    UNDECODABLE = "undecodable"
    PARSE_FAILED = "parse_failed"
    NOT_CHECKED = "not_checked"  # offline, or beyond a cap


ALIVE = frozenset(
    {
        Outcome.OK,
        Outcome.OK_PARTIAL,
        Outcome.REDIRECTED_SAME,
        Outcome.REDIRECTED_ELSEWHERE,
        Outcome.UNSUPPORTED_TYPE,
        Outcome.NO_TEXT_LAYER,
        Outcome.TOO_LARGE,
    }
)
# ARCHIVED is dead at its own address but its text can be read, so what rests on it is judged.
DEAD = frozenset(
    {
        Outcome.NOT_FOUND,
        Outcome.GONE,
        Outcome.NO_SUCH_HOST,
        Outcome.SOFT_404,
        Outcome.PARKED,
        Outcome.REDIRECTED_HOME,
        Outcome.ARCHIVED,
    }
)
READABLE = frozenset(
    {
        Outcome.OK,
        Outcome.OK_PARTIAL,
        Outcome.ARCHIVED,
        Outcome.REDIRECTED_SAME,
        Outcome.REDIRECTED_ELSEWHERE,
    }
)


def state_of(outcome: Outcome) -> LinkState:
    """Fold an outcome: only proof of absence is dead, everything undecided is unknown."""
    if outcome in ALIVE:
        return LinkState.ALIVE
    return LinkState.DEAD if outcome in DEAD else LinkState.UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceBlock:
    """One labelled stretch of a source's text; nothing of a page is dropped, only labelled."""

    start: int  # character offsets into Source.text
    end: int
    kind: str  # heading, paragraph, list_item, table_row, caption, code, quote, navigation ...
    main: bool = True  # part of the main content rather than of what surrounds it
    hidden: bool = False  # a reader of the page would not see it
    collapsed: bool = False  # shown on demand only: an accordion, a tab, `hidden` alone
    level: int = 0  # 1-6 for a heading
    page: int = 0  # of a PDF, from 1
    header: str = ""  # for a table row: the header cells, joined by " | "


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One address as it answered at one moment.

    `text` is everything that was read, with offsets that never change; `content_hash` is its id
    and "" when nothing could be read. Dates are ISO (`YYYY-MM-DD` or a prefix of it).
    """

    url: str
    outcome: Outcome
    reason: str = ""  # the evidence for the outcome, one sentence
    canonical_url: str = ""
    final_url: str = ""  # where the redirects ended
    status: int = 0  # HTTP status, 0 when no response came
    media_type: str = ""
    headers: tuple[tuple[str, str], ...] = ()  # of the answer, those that date or describe it
    text: str = ""
    content_hash: str = ""
    blocks: tuple[SourceBlock, ...] = ()
    title: str = ""
    publisher: str = ""
    language: str = ""
    published: str = ""
    published_from: str = ""  # where the date was found: "json-ld", "meta", "url", "text" ...
    modified: str = ""
    identifier: str = ""  # "doi:…", "arxiv:…", "pmid:…" where the page names one
    retrieved_at: str = ""  # ISO moment
    archived_url: str = ""
    flags: tuple[str, ...] = ()  # "hidden_text", "instruction_like_text", "truncated" ...

    @property
    def state(self) -> LinkState:
        """Alive, dead or unknown."""
        return state_of(self.outcome)

    @property
    def visible_text(self) -> str:
        """The text a reader of the page would see: all but the hidden blocks."""
        if not any(block.hidden for block in self.blocks):
            return self.text
        return "\n".join(self.text[b.start : b.end] for b in self.blocks if not b.hidden)

    @property
    def view(self) -> str:
        """The identity of what a judge sees beside `content_hash`: "" when nothing is hidden."""
        hidden = any(block.hidden for block in self.blocks)
        return text_id(self.visible_text) if hidden else ""

    @property
    def readable(self) -> bool:
        """Whether there is text that a judge can read."""
        return self.outcome in READABLE and bool(self.text.strip())
