"""Fixtures for every test: real stores in a temporary folder, a clock that stands still."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings

from dream_evaluators.clock import FixedClock
from dream_evaluators.ledger import Ledger

# The same examples every time: what lands must not depend on chance. To look for new ones, run
# `pytest --hypothesis-profile explore`.
settings.register_profile("same", derandomize=True)
settings.register_profile("explore", max_examples=1_000, deadline=None)
settings.load_profile("same")

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def ledger(tmp_path: Path, clock: FixedClock) -> Iterator[Ledger]:
    opened = Ledger.open(str(tmp_path / "ledger.sqlite3"), clock=clock)
    yield opened
    opened.close()
