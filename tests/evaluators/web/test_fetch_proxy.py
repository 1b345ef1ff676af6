"""Proxies: none but the one of the settings, and what that changes."""

from __future__ import annotations

import pytest

from dream_evaluators.errors import BadInput
from dream_evaluators.model.source import Outcome
from tests.evaluators.web.servers import (
    SITE_ADDRESS,
    TRAP_ADDRESS,
    Loopback,
    reply,
)

pytestmark = pytest.mark.anyio


async def test_the_environments_proxy_is_not_used(
    lo: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://{TRAP_ADDRESS}:{lo.trap.port}")
    lo.site.routes["/"] = reply(b"direct")
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url())
    assert response.body == b"direct"
    assert response.pinned


async def test_the_proxy_of_the_settings_is_used_and_marked(lo: Loopback) -> None:
    lo.site.routes["*"] = reply(b"by proxy")
    proxy = f"http://{SITE_ADDRESS}:{lo.site.port}"
    async with lo.fetcher(proxy=proxy, ports=frozenset({80, 443})) as fetcher:
        page = await fetcher.get("http://nasa.gov/page")
        inner = await fetcher.get("http://169.254.169.254/")
        name = await fetcher.get("http://localhost/")
    assert page.body == b"by proxy"
    assert not page.pinned
    assert lo.site.paths == ["http://nasa.gov/page"]
    assert lo.lookups == []
    assert inner.outcome is Outcome.BLOCKED_BY_POLICY
    assert name.outcome is Outcome.PLACEHOLDER


async def test_the_proxys_password_goes_to_the_proxy_alone(lo: Loopback) -> None:
    lo.site.routes["*"] = reply(b"by proxy")
    proxy = f"http://me:SECRET123@{SITE_ADDRESS}:{lo.site.port}"
    async with lo.fetcher(proxy=proxy, ports=frozenset({80})) as fetcher:
        page = await fetcher.get("http://nasa.gov/page")
    assert page.body == b"by proxy"
    assert "proxy-authorization: basic" in lo.site.heads[0].lower()
    assert "SECRET123" not in repr(page)


@pytest.mark.parametrize("proxy", ["nonsense", "ftp://key:SECRET123@a.test", "http://[::1"])
async def test_a_proxy_that_is_no_address_is_an_error_without_its_password(
    lo: Loopback, proxy: str
) -> None:
    async with lo.fetcher(proxy=proxy) as fetcher:
        with pytest.raises(BadInput, match="proxy") as caught:
            await fetcher.get("http://nasa.gov/")
    assert "SECRET123" not in str(caught.value)


async def test_a_proxy_that_refuses_a_tunnel_says_nothing_about_the_page(lo: Loopback) -> None:
    lo.site.routes["*"] = reply(b"", "403 Forbidden")
    proxy = f"http://{SITE_ADDRESS}:{lo.site.port}"
    async with lo.fetcher(proxy=proxy, ports=frozenset({443})) as fetcher:
        response = await fetcher.get("https://nasa.gov/page")
    assert response.outcome is Outcome.CONNECT_ERROR
