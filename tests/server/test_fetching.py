"""fetch_source reads a page of a real server, whole or by query, and says how the link is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from .conftest import Connect
from .site import serving

pytestmark = pytest.mark.anyio
LONG = "".join(f"<p>Paragraph {n} tells that rain fell on {n} days.</p>" for n in range(600))
PAGES = {
    "/short": "<html><title>Rain</title><body><p>Rain fell on twelve days.</p></body></html>",
    "/long": f"<html><head><title>Long</title></head><body><main>{LONG}</main></body></html>",
}


@pytest.fixture
def site() -> Iterator[str]:
    with serving(PAGES) as started:
        yield started.host


async def read(connect: Connect, site: str, **arguments: Any) -> dict[str, Any]:
    async with connect(DREAM_FETCH_ALLOW=site, DREAM_OFFLINE="0") as client:
        answer = await client.call_tool("fetch_source", arguments)
        assert not answer.is_error, answer.content
        card: dict[str, Any] | None = answer.structured_content
        assert card is not None
        return card


async def test_a_page_comes_with_its_state_and_fenced_text(connect: Connect, site: str) -> None:
    card = await read(connect, site, url=f"http://{site}/short")
    assert card["source"]["state"] == "alive"
    assert card["source"]["title"] == "Rain"
    assert "Rain fell on twelve days." in card["text"]
    assert card["text"].startswith("<untrusted-")


async def test_a_long_page_comes_in_pages(connect: Connect, site: str) -> None:
    one = await read(connect, site, url=f"http://{site}/long")
    two = await read(connect, site, url=f"http://{site}/long", cursor=one["next_cursor"])
    assert "Paragraph 1 tells" in one["text"]
    assert "Paragraph 599 tells" not in one["text"]
    assert one["text"] != two["text"]


async def test_a_query_gives_the_passages_that_matter(connect: Connect, site: str) -> None:
    card = await read(connect, site, url=f"http://{site}/long", query="rain on 417 days")
    assert any("417 days" in passage["text"] for passage in card["passages"])
    assert "text" not in card


async def test_a_page_that_is_not_there_is_dead(connect: Connect, site: str) -> None:
    card = await read(connect, site, url=f"http://{site}/nothing")
    assert card["source"]["state"] == "dead"
    assert "text" not in card


async def test_offline_nothing_is_asked_and_nothing_condemned(connect: Connect, site: str) -> None:
    async with connect() as client:
        answer = await client.call_tool("fetch_source", {"url": "https://rain.test/"})
        assert answer.structured_content is not None
        assert answer.structured_content["source"]["state"] == "unknown"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [({"url": " "}, "url is empty"), ({"url": "https://rain.test/", "cursor": "x"}, "cursor")],
)
async def test_bad_input_is_refused(connect: Connect, arguments: dict[str, str], says: str) -> None:
    async with connect() as client:
        answer = await client.call_tool("fetch_source", arguments)
        assert answer.is_error
        assert says in answer.content[0].text  # type: ignore[union-attr]
