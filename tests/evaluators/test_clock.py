"""The clock."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.clock import FixedClock, SystemClock, iso, parse_day, today

offsets = st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m)))


def test_the_systems_clock_is_aware_and_never_goes_back() -> None:
    clock = SystemClock()
    assert clock.now().tzinfo is UTC
    assert clock.monotonic() <= clock.monotonic()


def test_a_fixed_clock_stands_still() -> None:
    moment = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
    clock = FixedClock(moment)
    assert (clock.now(), clock.monotonic()) == (moment, 0.0)
    assert today(clock) == "2026-11-30"


@given(
    st.datetimes(
        min_value=datetime(1000, 1, 2),  # noqa: DTZ001 - the zone is drawn beside it
        max_value=datetime(9998, 1, 1),  # noqa: DTZ001
        timezones=offsets,
    )
)
def test_moments_are_written_in_utc_whatever_their_zone(moment: datetime) -> None:
    written = iso(moment)
    assert written == iso(moment.astimezone(UTC))
    read = datetime.strptime(written, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert timedelta(0) <= moment - read < timedelta(seconds=1)


def test_days_are_read_as_iso_dates_only() -> None:
    assert parse_day("2026-02-28") == date(2026, 2, 28)
    with pytest.raises(ValueError, match="2026-02-30"):
        parse_day("2026-02-30 ")
