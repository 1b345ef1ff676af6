"""The loopback site that the tests of fetching share."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.evaluators.web.servers import Loopback, loopback


@pytest.fixture
async def lo() -> AsyncIterator[Loopback]:
    """A site and a trap beside it; nothing may ever connect to the trap."""
    async with loopback() as started:
        yield started
        assert started.trap.visits == 0
