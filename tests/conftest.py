"""Fixtures for every test: real stores in a temporary folder, a clock that stands still."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dream_evaluators.clock import FixedClock
from dream_evaluators.ledger import Ledger

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
