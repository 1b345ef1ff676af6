"""A real server in memory, on a store of its own, in both protocol eras."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client

from dream_mcp.app import build
from dream_mcp.settings import Settings

ROOT = Path(__file__).parent.parent.parent
Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture(params=["auto", "legacy"])
def mode(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {
        "DREAM_STORE": str(tmp_path / "server.sqlite3"),
        "DREAM_ROOTS": f"{ROOT / 'examples'}:{tmp_path}",
        "DREAM_OFFLINE": "1",
        "HOME": str(tmp_path / "home"),
    }


@pytest.fixture
def connect(environment: dict[str, str]) -> Connect:
    @asynccontextmanager
    async def connected(mode: str = "auto", **more: str) -> AsyncIterator[Client]:
        env = {**environment, **more}
        async with Client(build(Settings.from_env(env), env), mode=mode) as client:
            yield client

    return connected
