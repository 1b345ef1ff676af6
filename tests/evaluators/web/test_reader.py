"""What an evaluation reads: each address once, and always the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import anyio
import pytest

from dream_evaluators.clock import FixedClock
from dream_evaluators.hashing import text_id
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.report import SourceHint
from dream_evaluators.model.source import LinkState, Outcome
from dream_evaluators.urls import canonicalise
from dream_evaluators.web.fetch import Fetcher
from dream_evaluators.web.reader import TIME_TO_LIVE, SourceReader
from tests.conftest import NOW
from tests.evaluators.web.servers import Loopback, loopback, reply
from tests.strategies import PAGE, make_source

pytestmark = pytest.mark.anyio
BODY = b"<html><title>T</title><p>The plant opened in 2019 and employs many people.</p></html>"


@pytest.fixture
async def lo() -> AsyncIterator[Loopback]:
    async with loopback() as started:
        started.site.routes["/page"] = reply(BODY)
        yield started
        assert started.trap.visits == 0


@pytest.fixture
async def fetcher(lo: Loopback, clock: FixedClock) -> AsyncIterator[Fetcher]:
    async with Fetcher(lo.policy(), clock=clock, resolver=lo.resolve) as made:
        yield made


def make_reader(
    ledger: Ledger, fetcher: Fetcher | None = None, evaluation: str = "e", **more: Any
) -> SourceReader:
    later = more.pop("later", timedelta(0))
    return SourceReader(ledger, evaluation, FixedClock(NOW + later), fetcher, **more)


async def test_an_address_is_asked_once_however_often_and_however_it_is_written(
    lo: Loopback, fetcher: Fetcher, ledger: Ledger
) -> None:
    reader = make_reader(ledger, fetcher)
    url = lo.url("/page")
    written = [url, url, url + "#part", url + "?utm_source=x"]
    found = []

    async def read(address: str) -> None:
        found.append(await reader.read(address))

    async with anyio.create_task_group() as group:
        for address in written:
            group.start_soon(read, address)
    assert lo.site.paths == ["/page"]
    assert len(set(found)) == 1
    assert "opened in 2019" in found[0].text
    assert await reader.read(url) == found[0]


async def test_different_addresses_are_read_at_the_same_time(
    lo: Loopback, fetcher: Fetcher, ledger: Ledger
) -> None:
    arrived = anyio.Event()

    async def waits(head: str, writer: Any) -> None:
        await arrived.wait()
        await reply(BODY)(head, writer)

    async def arrives(head: str, writer: Any) -> None:
        arrived.set()
        await reply(BODY)(head, writer)

    lo.site.routes |= {"/first": waits, "/second": arrives}
    reader = make_reader(ledger, fetcher)
    async with anyio.create_task_group() as group:
        group.start_soon(reader.read, lo.url("/first", "one.test"))
        group.start_soon(reader.read, lo.url("/second", "two.test"))
    assert (await reader.read(lo.url("/first", "one.test"))).outcome is Outcome.OK


async def test_after_a_restart_the_evaluation_reads_the_same_page(
    lo: Loopback, fetcher: Fetcher, ledger: Ledger
) -> None:
    url = lo.url("/page")
    before = await make_reader(ledger, fetcher).read(url)
    lo.site.routes["/page"] = reply(b"<p>Something else now.</p>")
    week = timedelta(days=7)
    assert await make_reader(ledger, fetcher, later=week).read(url) == before
    assert await make_reader(ledger, None, later=week).read(url) == before
    assert lo.site.paths == ["/page"]
    other = await make_reader(ledger, fetcher, "other", later=week).read(url)
    assert "Something else" in other.text


async def test_a_dead_page_stays_dead_for_the_evaluation_that_met_it(
    lo: Loopback, fetcher: Fetcher, ledger: Ledger
) -> None:
    url = lo.url("/late")
    before = await make_reader(ledger, fetcher, archive=False).read(url)
    assert before.outcome is Outcome.NOT_FOUND
    lo.site.routes["/late"] = reply(BODY)
    assert (await make_reader(ledger, fetcher).read(url)).outcome is Outcome.NOT_FOUND
    assert (await make_reader(ledger, fetcher, "other").read(url)).outcome is Outcome.OK


async def test_a_page_read_a_day_ago_is_read_from_the_store(
    lo: Loopback, fetcher: Fetcher, ledger: Ledger
) -> None:
    url = lo.url("/page")
    first = await make_reader(ledger, fetcher, "one").read(url)
    assert (
        await make_reader(ledger, fetcher, "two", later=TIME_TO_LIVE[Outcome.OK]).read(url) == first
    )
    assert lo.site.paths == ["/page"]
    await make_reader(
        ledger, fetcher, "three", later=TIME_TO_LIVE[Outcome.OK] + timedelta(seconds=1)
    ).read(url)
    assert lo.site.paths == ["/page", "/page"]


async def test_a_page_from_the_future_is_not_taken(
    lo: Loopback, fetcher: Fetcher, ledger: Ledger
) -> None:
    url = lo.url("/page")
    await make_reader(ledger, fetcher, "one").read(url)
    await make_reader(ledger, fetcher, "two", later=timedelta(seconds=-1)).read(url)
    assert lo.site.paths == ["/page", "/page"]


async def test_what_came_in_a_pack_or_by_hand_serves_no_other_evaluation(
    lo: Loopback, fetcher: Fetcher, ledger: Ledger
) -> None:
    url = lo.url("/page")
    packed = make_source("Of a pack.", url, retrieved_at="2026-11-30T12:00:00Z")
    await ledger.sources.pin("packed", canonicalise(url), await ledger.sources.add(packed))
    hints = [SourceHint(marker="[1]", url=url, text="By hand.")]
    assert (await make_reader(ledger, fetcher, "packed").read(url)).text == "Of a pack."
    assert (await make_reader(ledger, fetcher, "handed", hints=hints).read(url)).text == "By hand."
    assert lo.site.paths == []
    assert "opened in 2019" in (await make_reader(ledger, fetcher, "third").read(url)).text
    assert lo.site.paths == ["/page"]


async def test_an_address_that_was_not_checked_offline_is_checked_online(
    lo: Loopback, fetcher: Fetcher, ledger: Ledger
) -> None:
    url = lo.url("/page")
    assert not (await make_reader(ledger, None, "offline").read(url)).readable
    assert (await make_reader(ledger, fetcher, "online").read(url)).readable
    assert (await make_reader(ledger, fetcher, "offline").read(url)).outcome is Outcome.NOT_CHECKED


async def test_refresh_takes_no_page_from_before(
    lo: Loopback, fetcher: Fetcher, ledger: Ledger
) -> None:
    url = lo.url("/page")
    await make_reader(ledger, fetcher, "one").read(url)
    reader = make_reader(ledger, fetcher, "two", refresh=True)
    await reader.read(url)
    await reader.read(url)
    assert lo.site.paths == ["/page", "/page"]


@pytest.mark.parametrize("status", ["403 Forbidden", "404 Not Found", "451 X"])
async def test_what_could_not_be_read_is_tried_again_by_the_next(
    lo: Loopback, fetcher: Fetcher, ledger: Ledger, status: str
) -> None:
    url = lo.url("/shy")
    lo.site.routes["/shy"] = reply(b"<p>no</p>", status)
    assert not (await make_reader(ledger, fetcher, "one", archive=False).read(url)).readable
    lo.site.routes["/shy"] = reply(BODY)
    assert (await make_reader(ledger, fetcher, "two", archive=False).read(url)).readable


async def test_offline_nothing_is_read_and_nothing_is_called_dead(ledger: Ledger) -> None:
    reader = make_reader(ledger, why_not="Because.")
    source = await reader.read(PAGE)
    assert (source.outcome, source.state) == (Outcome.NOT_CHECKED, LinkState.UNKNOWN)
    assert (source.reason, source.text, source.content_hash) == ("Because.", "", "")
    assert source.canonical_url == canonicalise(PAGE)
    nobody = await reader.read("https://example.com/x")
    assert (nobody.outcome, nobody.state) == (Outcome.PLACEHOLDER, LinkState.UNKNOWN)
    assert "belongs to nobody" in nobody.reason


HINTS = [
    SourceHint(marker="[1]", url="http://one.test/page/#a", text="Read by the author."),
    SourceHint(marker="[2]", url="https://two.test/", text=""),
]


@pytest.mark.parametrize("online", [True, False])
async def test_a_text_that_was_handed_in_is_taken_and_the_address_not_asked(
    lo: Loopback, fetcher: Fetcher, ledger: Ledger, online: bool
) -> None:
    hints = [*HINTS, SourceHint(marker="[3]", url=lo.url("/page"), text="Handed in.")]
    reader = make_reader(ledger, fetcher if online else None, hints=hints)
    source = await reader.read(lo.url("/page"))
    assert (source.text, source.content_hash) == ("Handed in.", text_id("Handed in."))
    assert (source.outcome, source.flags) == (Outcome.OK, ("handed_in",))
    assert source.retrieved_at == "2026-11-30T12:00:00Z"
    assert (await reader.read("https://one.test/page")).text == "Read by the author."
    assert lo.site.paths == []


async def test_a_hint_without_text_hands_nothing_in(ledger: Ledger) -> None:
    source = await make_reader(ledger, hints=HINTS).read("https://two.test/")
    assert source.outcome is Outcome.NOT_CHECKED


async def test_the_moment_of_a_handed_in_text_is_the_authors(ledger: Ledger) -> None:
    hint = SourceHint(marker="1", url=PAGE, text="T.", retrieved_at="2026-01-02T00:00:00Z")
    source = await make_reader(ledger, hints=[hint]).read(PAGE)
    assert source.retrieved_at == "2026-01-02T00:00:00Z"


async def test_reading_for_nobody_pins_nothing(ledger: Ledger) -> None:
    await make_reader(ledger, evaluation="").read(PAGE)
    assert await ledger.sources.readings("") == {}


async def test_of_two_processes_that_read_at_once_both_go_by_the_first(ledger: Ledger) -> None:
    first, second = make_source("The first."), make_source("The second.")
    await ledger.sources.pin("e", PAGE, await ledger.sources.add(first))

    hint = SourceHint(marker="1", url=PAGE, text=second.text)
    reader = make_reader(ledger, hints=[hint])
    reader._pinned = {}  # as if it had looked before the other process pinned
    assert await reader.read(PAGE) == first
