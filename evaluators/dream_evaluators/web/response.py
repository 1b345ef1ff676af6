"""A response: what came back when one address was asked for, as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from dream_evaluators.model.source import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What one address answered, after its redirects; a failure is a value of this type too.

    `outcome` is None when there is an answer whose meaning depends on its status and on what the
    page says: `outcomes.classify` decides then. Otherwise it is final, and `reason` says why.
    """

    url: str  # as asked for, without its fragment
    final_url: str = ""  # the last address asked or refused
    hops: tuple[str, ...] = ()  # the addresses that redirected, in order; without final_url
    status: int = 0  # HTTP status of the last answer, 0 when none came
    headers: tuple[tuple[str, str], ...] = ()  # of the last answer, names in lower case
    body: bytes = b""  # content-decoded, at most FetchPolicy.max_bytes
    truncated: bool = False  # the body stops before its end: cap reached or connection broken off
    outcome: Outcome | None = None
    reason: str = ""  # one sentence, "" when outcome is None
    retry_after: float | None = None  # seconds the server asked to wait, None when it did not say
    pinned: bool = True  # the address dialled was the one checked; False through a proxy
    retrieved_at: str = ""  # ISO moment, UTC

    def header(self, name: str) -> str:
        """Return the first header of that name (any case), or ""."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key == wanted), "")

    @property
    def content_type(self) -> str:
        """The Content-Type header as sent, or ""."""
        return self.header("content-type")

    @property
    def media_type(self) -> str:
        """The media type in lower case without parameters, or ""."""
        return self.content_type.partition(";")[0].strip().lower()


def sentence(phrase: str) -> str:
    """Write a reason as a sentence: a capital first, a full stop last."""
    return f"{phrase[:1].upper()}{phrase[1:]}{'' if phrase.endswith('.') else '.'}"


class FetchError(Exception):
    """Why a fetch ended without an answer. Stays inside `web`: a Fetcher turns it to a Response."""

    def __init__(
        self, outcome: Outcome, reason: str, *, retry: bool = False, absent: bool = False
    ) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason
        self.retry = retry  # asking once more could help
        self.absent = absent  # the DNS says that there is no such name
