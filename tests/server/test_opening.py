"""Reports as people have them: pages, files of several kinds, parts, an address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from .conftest import Connect
from .site import serving

pytestmark = pytest.mark.anyio
PAGE = (
    "<html><head><title>Rain</title></head><body><h1>Rain</h1><p>Rain fell on 12 days "
    '(<a href="https://rain.test/days">count</a>).</p></body></html>'
)


@pytest.fixture
def site() -> Iterator[str]:
    with serving({"/report": PAGE}) as started:
        yield started.host


async def cited(client: Client, **arguments: Any) -> tuple[dict[str, Any], list[str]]:
    opened = await client.call_tool("open_report", arguments)
    assert not opened.is_error, opened.content
    card: dict[str, Any] | None = opened.structured_content
    assert card is not None
    listed = await client.call_tool("extract_claims", {"report_id": card["report_id"]})
    assert listed.structured_content is not None
    statements = listed.structured_content["statements"]
    return card, [c.get("url", "") for s in statements for c in s["citations"]]


async def test_a_page_is_opened_with_its_links(connect: Connect, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(PAGE, encoding="utf-8")
    async with connect() as client:
        for ways in ({"report": PAGE}, {"report_path": str(tmp_path / "report.html")}):
            card, urls = await cited(client, **ways)
            assert card["format"] == "html"
            assert urls == ["https://rain.test/days"]


async def test_a_report_may_be_fetched(connect: Connect, site: str) -> None:
    async with connect(DREAM_FETCH_ALLOW=site, DREAM_OFFLINE="0") as client:
        card, urls = await cited(client, url=f"http://{site}/report")
        assert card["format"] == "html"
        assert urls == ["https://rain.test/days"]
        missing = await client.call_tool("open_report", {"url": f"http://{site}/none"})
        assert missing.is_error
        assert "404" in missing.content[0].text  # type: ignore[union-attr]


async def test_an_internal_address_is_not_fetched(connect: Connect, site: str) -> None:
    async with connect(DREAM_OFFLINE="0") as client:
        answer = await client.call_tool("open_report", {"url": f"http://{site}/report"})
        assert answer.is_error


async def test_a_report_in_parts_becomes_one(connect: Connect) -> None:
    async with connect() as client:
        first, _ = await cited(
            client, report="Rain fell on 12 days [1]. Snow fell on", query="Rain?"
        )
        whole, urls = await cited(
            client,
            report="3 days [1].\n\n## References\n\n[1] Count: https://rain.test/days\n",
            append_to=first["report_id"],
        )
        assert whole["stats"]["statements"] == 2
        assert urls == ["https://rain.test/days"] * 2
        unknown = await client.call_tool("open_report", {"report": "x", "append_to": "b2:none"})
        assert unknown.is_error


async def test_offline_an_address_is_refused_with_what_to_do(connect: Connect) -> None:
    async with connect() as client:
        answer = await client.call_tool("open_report", {"url": "https://rain.test/report"})
        assert answer.is_error
        assert "DREAM_OFFLINE" in answer.content[0].text  # type: ignore[union-attr]
