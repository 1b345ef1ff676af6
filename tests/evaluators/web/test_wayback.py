"""The archive's answer, over loopback."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from dream_evaluators.web.wayback import closest
from tests.evaluators.web.servers import Loopback, loopback, reply

DEAD = "http://gone.test/page?a=1&b=2#part"


@pytest.fixture
async def lo() -> AsyncIterator[Loopback]:
    async with loopback() as started:
        yield started


def answer(**copy: object) -> bytes:
    found = {"available": True, "status": "200", "timestamp": "20200102030405", **copy}
    return json.dumps({"url": DEAD, "archived_snapshots": {"closest": found}}).encode()


@pytest.mark.anyio
async def test_the_copy_of_a_dead_page_is_named_without_the_archives_frame(lo: Loopback) -> None:
    lo.site.routes["*"] = reply(answer())
    async with lo.fetcher() as fetcher:
        found = await closest(
            DEAD,
            fetcher,
            near="20200101",
            availability=lo.url("/available"),
            archive=lo.url("/web"),
        )
    assert found == (lo.url(f"/web/20200102030405id_/{DEAD}"), "20200102030405")
    assert lo.site.paths == [
        "/available?url=http%3A%2F%2Fgone.test%2Fpage%3Fa%3D1%26b%3D2%23part&timestamp=20200101"
    ]


@pytest.mark.anyio
@pytest.mark.parametrize(
    "body",
    [
        b'{"archived_snapshots": {}}',
        b"[]",
        b"null",
        b'{"archived_snapshots": {"closest": []}}',
        b"<html>maintenance</html>",
        b"[" * 60_000,
        b" " * 70_000 + answer(),
        answer(available=False),
        answer(status="404"),
        answer(timestamp="../../etc"),
        answer(timestamp=20200102030405),
        answer(timestamp="２" * 14),
        answer(timestamp="20200102030405\n"),
    ],
    ids=range(13),
)
async def test_no_usable_answer_is_no_copy(lo: Loopback, body: bytes) -> None:
    lo.site.routes["*"] = reply(body)
    async with lo.fetcher() as fetcher:
        assert await closest(DEAD, fetcher, availability=lo.url("/available")) is None


@pytest.mark.anyio
async def test_an_archive_that_does_not_answer_is_no_copy(lo: Loopback) -> None:
    lo.site.routes["*"] = reply(answer(), "503 Busy")
    async with lo.fetcher() as fetcher:
        assert await closest(DEAD, fetcher, availability=lo.url("/available")) is None
        assert await closest(DEAD, fetcher, availability="http://127.0.0.1/available") is None
