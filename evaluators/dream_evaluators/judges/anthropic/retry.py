"""When a request is sent again: a table of troubles, one pace for all requests, a deadline each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

import anyio

from dream_evaluators.clock import Clock
from dream_evaluators.hashing import content_id

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]

# Ten tries with these waits take about two minutes; at a failure rate of 30 % one request in
# 170,000 is given up.
MAX_ATTEMPTS = 10
FIRST_WAIT = 0.5  # seconds, doubled each time
LONGEST_WAIT = 30.0
SHORTEST_CALL = 1.0  # seconds that a call gets, however near its deadline is


class Remedy(Enum):
    """What helps against a trouble."""

    WAIT = "wait"  # the same request may work later
    SMALLER = "smaller"  # a shorter request may work
    STOP = "stop"  # nothing will work until somebody changes something


# By `error.type`, which an error inside a stream has under status 200.
BY_TYPE: dict[str, Remedy] = {
    "overloaded_error": Remedy.WAIT,
    "rate_limit_error": Remedy.WAIT,
    "api_error": Remedy.WAIT,
    "timeout_error": Remedy.WAIT,
    "request_too_large": Remedy.SMALLER,
    "authentication_error": Remedy.STOP,
    "billing_error": Remedy.STOP,
    "permission_error": Remedy.STOP,
    "not_found_error": Remedy.STOP,
}
BY_STATUS: dict[int, Remedy] = {
    408: Remedy.WAIT,
    409: Remedy.WAIT,
    413: Remedy.SMALLER,
    429: Remedy.WAIT,
    501: Remedy.STOP,
}
# A cap on money comes as 429 too, and no waiting helps against it.
MONEY_CODES = frozenset(
    {
        "contract_spend_limit_reached",
        "enforced_spend_limit_reached",
        "linked_organization_spend_limit_reached",
        "linked_organization_billing_unavailable",
        "organization_on_hold",
    }
)
# The API has no code for this one, so its wording decides; a false alarm only splits a request.
TOO_LONG = "too long"


def remedy_of(status: int, error_type: str, code: str, words: str) -> Remedy:
    """Look a failed response up.

    Args:
        status: HTTP status; 200 for an error inside a stream.
        error_type: `error.type`, or "".
        code: `error.details.error_code`, or "".
        words: `error.message`, or "".
    """
    if code in MONEY_CODES:
        return Remedy.STOP
    if status == 400 and TOO_LONG in words.lower():
        return Remedy.SMALLER
    if status >= 500:
        return BY_STATUS.get(status, Remedy.WAIT)
    return BY_STATUS.get(status) or BY_TYPE.get(error_type, Remedy.STOP)


class Trouble(Exception):
    """A request that failed.

    Attributes:
        remedy: What helps.
        reason: What happened, for the user; never holds the key.
        retry_after: Seconds the endpoint asks to wait; None when it does not.
        everybody: Whether other requests would meet the same.
        status: HTTP status of the refusal; 0 where there was none.
    """

    def __init__(
        self,
        remedy: Remedy,
        reason: str,
        *,
        retry_after: float | None = None,
        everybody: bool = False,
        status: int = 0,
    ) -> None:
        super().__init__(reason)
        self.remedy = remedy
        self.reason = reason
        self.retry_after = retry_after
        self.everybody = everybody
        self.status = status


@dataclass
class Limiter:
    """One for all requests: how many at once, and a pause that everybody keeps.

    Attributes:
        turns: Requests under way at once.
        deadline: Seconds for one request with all its retries.
        clock: Tells how much time has passed.
        sleep: How to wait.
    """

    turns: anyio.CapacityLimiter
    deadline: float
    clock: Clock
    sleep: Sleep = anyio.sleep
    _resume_at: float = 0.0

    async def persist(self, send: Callable[[float], Awaitable[T]], key: str) -> T:
        """Send a request until it is answered, its deadline nears, or no waiting helps.

        Args:
            send: Sends it once, given the seconds that are left; raises Trouble.
            key: Spreads the waits of different requests.

        Raises:
            Trouble: The last one, its remedy STOP when time or tries ran out.
        """
        # A request keeps its turn while it waits: a busy endpoint is asked by fewer, and nobody
        # spends a deadline in the queue.
        async with self.turns:
            start, attempt = self.clock.monotonic(), 0
            while True:
                await self._pause()
                try:
                    return await send(max(self._left(start), SHORTEST_CALL))
                except Trouble as trouble:
                    if trouble.remedy is not Remedy.WAIT:
                        raise
                    wait = _wait(trouble, attempt, key)
                    attempt += 1
                    if attempt == MAX_ATTEMPTS or wait >= self._left(start):
                        raise _given_up(trouble, attempt) from None
                    if trouble.everybody:
                        self._resume_at = max(self._resume_at, self.clock.monotonic() + wait)
                await self.sleep(wait)

    def _left(self, start: float) -> float:
        return self.deadline - (self.clock.monotonic() - start)

    async def _pause(self) -> None:
        pause = self._resume_at - self.clock.monotonic()
        if pause > 0:
            await self.sleep(pause)


def _wait(trouble: Trouble, attempt: int, key: str) -> float:
    wait = spread(min(FIRST_WAIT * 2**attempt, LONGEST_WAIT), key, attempt)
    # Those who were told the same moment still come back one after the other.
    return wait if trouble.retry_after is None else trouble.retry_after + min(wait, 1.0)


def spread(seconds: float, key: str, attempt: int) -> float:
    """Shorten a wait by up to half, by chance that is the same at every repetition."""
    digits = content_id(key, attempt).removeprefix("b2:")[:8]
    return seconds * (0.5 + 0.5 * int(digits, 16) / 0xFFFFFFFF)


def _given_up(trouble: Trouble, attempts: int) -> Trouble:
    after = trouble.retry_after
    advice = f"; try again in {after:.0f} s" if after is not None else ""
    tries = f" ({attempts} attempts)" if attempts > 1 else ""
    return Trouble(Remedy.STOP, f"{trouble.reason}{tries}{advice}")
