"""Bombs, drips and endless answers: what a fetch costs is bounded."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from functools import cache

import anyio
import pytest

from dream_evaluators.model.source import Outcome
from dream_evaluators.web.fetch import Fetcher
from tests.evaluators.web.servers import (
    Loopback,
    endless,
    in_turn,
    reply,
    silence,
)

pytestmark = pytest.mark.anyio


MEBIBYTE = 1 << 20


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


@cache
def bomb(mebibytes: int, layers: int = 1) -> bytes:
    """Zeros, compressed without ever holding them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = bytes(MEBIBYTE)
    data = b"".join(packer.compress(block) for _ in range(mebibytes)) + packer.flush()
    for _ in range(layers - 1):
        data = gzip.compress(data)
    return data


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "deflate"])
async def test_a_body_compressed_as_asked_is_decoded(lo: Loopback, coding: str) -> None:
    data = zlib.compress(b"packed") if coding == "deflate" else gzip.compress(b"packed")
    lo.site.routes["/"] = reply(data, content_encoding=coding)
    async with lo.fetcher() as fetcher:
        assert (await fetcher.get(lo.url())).body == b"packed"


@pytest.mark.parametrize("layers", [1, 2])
async def test_a_bomb_is_cut_at_the_cap_with_flat_memory(lo: Loopback, layers: int) -> None:
    coding = ", ".join(["gzip"] * layers)
    lo.site.routes["/"] = reply(bomb(96, layers), content_encoding=coding)
    async with lo.fetcher(max_bytes=4 * MEBIBYTE) as fetcher:
        await fetcher.get(lo.url("/warm-up"))
        tracemalloc.start()
        response = await fetcher.get(lo.url())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert response.truncated
    assert len(response.body) == 4 * MEBIBYTE
    assert peak < 20 * MEBIBYTE


async def test_an_endless_body_is_cut_at_the_cap(lo: Loopback) -> None:
    lo.site.routes["/"] = endless(b"a" * 65536, HEAD + b"\r\n")
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url())
    assert response.truncated
    assert len(response.body) == MEBIBYTE


async def test_an_endless_body_that_decodes_to_nothing_is_cut_too(lo: Loopback) -> None:
    empty = zlib.compressobj(9, zlib.DEFLATED, 31)
    start = empty.compress(b"") + empty.flush(zlib.Z_SYNC_FLUSH)
    nothing = b"\x00\x00\x00\xff\xff" * 10_000  # empty stored blocks
    lo.site.routes["/"] = endless(nothing, HEAD + b"Content-Encoding: gzip\r\n\r\n" + start)
    async with lo.fetcher(max_bytes=100_000) as fetcher:
        response = await fetcher.get(lo.url())
    assert response.truncated
    assert response.body == b""


@pytest.mark.parametrize("coding", ["br", "zstd", "compress", "gzip, br"])
async def test_a_coding_that_was_not_asked_for_is_not_decoded(lo: Loopback, coding: str) -> None:
    lo.site.routes["/"] = reply(b"\x00" * 100, content_encoding=coding)
    async with lo.fetcher() as fetcher:
        assert (await fetcher.get(lo.url())).outcome is Outcome.UNDECODABLE


async def test_a_charset_in_the_place_of_a_coding_is_ignored(lo: Loopback) -> None:
    lo.site.routes["/"] = reply(b"plain", content_encoding="utf-8")
    async with lo.fetcher() as fetcher:
        assert (await fetcher.get(lo.url())).body == b"plain"


@pytest.mark.parametrize(
    "route",
    [
        endless(b"a", HEAD + b"Content-Length: 100000\r\n\r\n", 0.05),
        endless(b"X-A: b\r\n", b"HTTP/1.1 200 OK\r\n", 0.05),
        endless(b"HTTP/1.1 100 Continue\r\n\r\n", b"", 0.05),
        endless(b"1\r\na\r\n", HEAD + b"Transfer-Encoding: chunked\r\n\r\n", 0.05),
        silence,
    ],
    ids=["body", "headers", "continue", "chunks", "silence"],
)
async def test_a_server_that_drips_is_left_when_the_time_is_up(lo: Loopback, route: object) -> None:
    lo.site.routes["/"] = route  # type: ignore[assignment]
    async with lo.fetcher(total_seconds=0.4) as fetcher:
        with anyio.fail_after(3):
            response = await fetcher.get(lo.url())
    assert response.outcome is Outcome.TIMEOUT


async def test_a_silent_server_is_asked_once_more_within_the_same_time(lo: Loopback) -> None:
    lo.site.routes["/"] = in_turn(silence, reply(b"awake"))
    async with lo.fetcher(read_seconds=0.5) as fetcher:
        assert (await fetcher.get(lo.url())).body == b"awake"


async def test_a_slow_lookup_is_left(lo: Loopback) -> None:
    async def never(_host: str, _port: int) -> list[str]:
        await anyio.sleep_forever()
        return []

    async with Fetcher(lo.policy(connect_seconds=0.1), resolver=never) as fetcher:
        assert (await fetcher.get(lo.url())).outcome is Outcome.TIMEOUT


async def test_much_of_a_slow_page_is_kept_when_the_time_is_up(lo: Loopback) -> None:
    lo.site.routes["/"] = endless(b"a" * 40_000, HEAD + b"Content-Length: 9000000\r\n\r\n", 9.0)
    async with lo.fetcher(total_seconds=0.5) as fetcher:
        response = await fetcher.get(lo.url())
    assert response.truncated
    assert len(response.body) == 40_000


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("layers", [1, 2])
async def test_a_bomb_of_a_gibibyte_stays_under_forty_mebibytes(lo: Loopback, layers: int) -> None:
    coding = ", ".join(["gzip"] * layers)
    lo.site.routes["/"] = reply(bomb(1024, layers), content_encoding=coding)
    async with lo.fetcher(max_bytes=10 * MEBIBYTE, total_seconds=60) as fetcher:
        await fetcher.get(lo.url("/warm-up"))
        tracemalloc.start()
        response = await fetcher.get(lo.url())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert len(response.body) == 10 * MEBIBYTE
    assert peak < 40 * MEBIBYTE
