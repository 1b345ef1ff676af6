"""Politeness: how many requests a host gets at a time, how far apart, and how long it asks for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import anyio

# Beyond this many hosts, those that nobody waits for are forgotten.
REMEMBERED_HOSTS = 512


class _Lane:
    """The queue in front of one host."""

    def __init__(self, width: int) -> None:
        self.turns = anyio.Semaphore(width)
        self.users = 0
        self.free_at = 0.0  # event-loop time of the next start


class Pace:
    """Hands out turns at hosts. All times are the event loop's, in seconds."""

    def __init__(self, per_host: int, interval: float) -> None:
        self._per_host = per_host
        self._interval = interval
        self._lanes: dict[str, _Lane] = {}

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait for a turn at a host and hold it."""
        lane = self._lane(host)
        lane.users += 1
        try:
            async with lane.turns:
                now = anyio.current_time()
                start = max(now, lane.free_at)
                lane.free_at = start + self._interval
                await anyio.sleep(start - now)
                yield
        finally:
            lane.users -= 1
            self._forget_idle()

    def defer(self, host: str, seconds: float) -> None:
        """Let nobody start at a host for so many seconds."""
        lane = self._lane(host)
        lane.free_at = max(lane.free_at, anyio.current_time() + seconds)

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts remembered."""
        return frozenset(self._lanes)

    def _lane(self, host: str) -> _Lane:
        return self._lanes.setdefault(host, _Lane(self._per_host))

    def _forget_idle(self) -> None:
        if len(self._lanes) <= REMEMBERED_HOSTS:
            return
        now = anyio.current_time()
        self._lanes = {
            host: lane for host, lane in self._lanes.items() if lane.users or lane.free_at > now
        }


def retry_after(value: str, now: datetime) -> float | None:
    """Read a Retry-After header, in seconds or as a date (RFC 9110, 10.2.3).

    Args:
        value: The header's value.
        now: The present, aware.

    Returns:
        Seconds to wait, at least 0; None when the header says nothing readable.
    """
    text = value.strip()[:64]
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
