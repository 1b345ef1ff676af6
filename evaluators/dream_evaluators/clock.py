"""The one source of wall time: injected, so that nothing else depends on when it runs."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time. Everything that needs a date takes one of these."""

    def now(self) -> datetime:
        """Return the current moment, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start, never going back."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the current moment, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start, never going back."""
        return time.monotonic()


class FixedClock:
    """A clock that stands still: replays and tests."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        """Return the moment given at construction."""
        return self._moment

    def monotonic(self) -> float:
        """Return 0: no time passes."""
        return 0.0


def iso(moment: datetime) -> str:
    """Write a moment as `YYYY-MM-DDTHH:MM:SSZ` (UTC, whole seconds)."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def today(clock: Clock) -> str:
    """Write the clock's date as `YYYY-MM-DD` (UTC)."""
    return clock.now().date().isoformat()


def parse_day(text: str) -> date:
    """Read a `YYYY-MM-DD` date.

    Raises:
        ValueError: The text is no such date.
    """
    return date.fromisoformat(text)
