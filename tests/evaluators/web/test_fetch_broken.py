"""Answers that are broken: each is an outcome, and what came of it is kept."""

from __future__ import annotations

import gzip
import random

import anyio
import pytest

from dream_evaluators.model.source import Outcome
from tests.evaluators.web.servers import (
    Loopback,
    endless,
    raw,
    reply,
)

pytestmark = pytest.mark.anyio


MEBIBYTE = 1 << 20


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


BROKEN = {
    "garbage": raw(b"\x16\x03\x01 SSH-2.0-OpenSSH\r\n"),
    "nothing": raw(b""),
    "half a status line": raw(b"HTTP/1.1 20"),
    "negative length": reply(b"ok", content_length="-5"),
    "length that is no number": reply(b"ok", content_length="12x"),
    "two lengths": raw(HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nokk"),
    "unknown transfer coding": raw(HEAD + b"Transfer-Encoding: gopher\r\n\r\nok"),
    "chunk size that is no number": raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nok"),
    "headers of 5 MB": raw(
        HEAD + b"".join(b"X-%d: %s\r\n" % (i, b"y" * 1000) for i in range(5000))
    ),
    "headers over our limit": raw(HEAD + b"X: " + b"y" * 80_000 + b"\r\n\r\nok"),
    "folded nonsense": raw(b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\nok"),
    "binary header name": raw(b"HTTP/1.1 200 OK\r\n\xff\xfe: x\r\n\r\nok"),
    "status of a thousand": raw(b"HTTP/1.1 1000 OK\r\n\r\nok"),
    "switching protocols": raw(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_an_answer_that_is_no_http_is_an_outcome_and_not_an_error(
    lo: Loopback, name: str
) -> None:
    lo.site.routes["/"] = BROKEN[name]
    async with lo.fetcher(read_seconds=0.3) as fetcher:
        response = await fetcher.get(lo.url())
    unread = {Outcome.PROTOCOL_ERROR, Outcome.CONNECT_ERROR, Outcome.TIMEOUT}
    assert response.outcome in unread or response.status == 101, response
    assert response.body == b""


async def test_a_body_shorter_than_announced_is_kept_as_truncated(lo: Loopback) -> None:
    lo.site.routes["/"] = reply(b"<p>partial", content_length="9999")
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url())
    assert (response.body, response.truncated) == (b"<p>partial", True)


async def test_bytes_after_the_announced_length_are_not_read(lo: Loopback) -> None:
    lo.site.routes["/"] = reply(b"<p>first</p>SMUGGLED", content_length="12")
    async with lo.fetcher() as fetcher:
        assert (await fetcher.get(lo.url())).body == b"<p>first</p>"


async def test_a_length_beyond_all_memory_reserves_none(lo: Loopback) -> None:
    lo.site.routes["/"] = reply(b"ok", content_length="9" * 19)
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url())
    assert response.body in (b"ok", b"")


async def test_two_thousand_interim_answers_are_passed_over(lo: Loopback) -> None:
    lo.site.routes["/"] = raw(
        b"HTTP/1.1 100 Continue\r\n\r\n" * 2000 + HEAD + b"Content-Length: 2\r\n\r\nok"
    )
    async with lo.fetcher() as fetcher:
        assert (await fetcher.get(lo.url())).body == b"ok"


@pytest.mark.parametrize(
    ("body", "coding"), [(b"not gzip at all", "gzip"), (b"x", ", ".join(["gzip"] * 2000))]
)
async def test_a_body_that_does_not_decode_is_undecodable(
    lo: Loopback, body: bytes, coding: str
) -> None:
    lo.site.routes["/"] = reply(body, content_encoding=coding)
    async with lo.fetcher() as fetcher:
        assert (await fetcher.get(lo.url())).outcome is Outcome.UNDECODABLE


@pytest.mark.parametrize("coding", ["br", "gzip"])
async def test_a_body_that_does_not_decode_hides_no_status(lo: Loopback, coding: str) -> None:
    lo.site.routes["/"] = reply(b"not compressed", "404 Not Found", content_encoding=coding)
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url())
    assert (response.status, response.outcome) == (404, None)


async def test_a_body_that_never_comes_hides_no_status(lo: Loopback) -> None:
    lo.site.routes["/"] = endless(b"a", b"HTTP/1.1 410 Gone\r\nContent-Length: 99999\r\n\r\n", 0.05)
    async with lo.fetcher(total_seconds=0.3) as fetcher:
        response = await fetcher.get(lo.url())
    assert (response.status, response.outcome) == (410, None)


async def test_what_decoded_before_the_damage_is_kept(lo: Loopback) -> None:
    packed = gzip.compress(bytes(range(256)) * 12_000)
    lo.site.routes["/"] = reply(packed[:-8] + b"\xff" * 8, content_encoding="gzip")
    async with lo.fetcher(max_bytes=8 * MEBIBYTE) as fetcher:
        response = await fetcher.get(lo.url())
    assert response.truncated
    assert response.body[:256] == bytes(range(256))


SOUND = (
    HEAD + b"Content-Length: 5\r\nSet-Cookie: a=b; Path=/\r\nConnection: close\r\n\r\nhello",
    HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"hello" * 99, mtime=0),
    b"HTTP/1.1 302 Found\r\nLocation: http://good.test/next?a=b#c\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 429 Busy\r\nRetry-After: Mon, 04 May 2026 12:00:00 GMT\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"Content-Length: 2\r\n\r\nok",
)


def mutated(chance: random.Random) -> bytes:
    answer = bytearray(chance.choice(SOUND))
    for _ in range(chance.randint(1, 6)):
        start = chance.randrange(len(answer))
        end = start + chance.randint(0, 12)
        answer[start:end] = chance.choice(
            (
                b"",
                chance.randbytes(4),
                bytes(answer[start:end]) * 3,
                b"\r\n",
                b":",
                b"\x00",
                b"9" * 30,
            )
        )
    return bytes(answer)


async def fetch_mutations(lo: Loopback, count: int) -> None:
    """Answer with damaged copies of sound answers; every one has to end in a Response."""
    chance = random.Random(1)  # noqa: S311 - the same damage every time
    async with lo.fetcher(read_seconds=0.2, total_seconds=0.5, max_bytes=4096) as fetcher:
        for _ in range(count):
            lo.site.routes["*"] = raw(mutated(chance))
            with anyio.fail_after(3):
                response = await fetcher.get(lo.url())
            assert len(response.body) <= 4096
            assert response.status or response.reason


async def test_damaged_answers_never_raise_or_hang(lo: Loopback) -> None:
    await fetch_mutations(lo, 150)


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_thousands_of_damaged_answers_never_raise_or_hang(lo: Loopback) -> None:
    await fetch_mutations(lo, 3000)
