"""Reports, snapshots and their texts in the ledger."""

from __future__ import annotations

import anyio
import pytest
from hypothesis import given, settings

from dream_evaluators.errors import BadInput
from dream_evaluators.hashing import text_id
from dream_evaluators.ledger import Ledger
from dream_evaluators.ledger.reports import OpenedReport
from dream_evaluators.ledger.sources import FETCHED, HANDED, source_id
from dream_evaluators.model.report import SourceHint
from dream_evaluators.model.source import Outcome, Source, SourceBlock
from tests.strategies import PAGE, any_texts, make_source, sources

pytestmark = pytest.mark.anyio
HINT = SourceHint(marker="[1]", url=PAGE, text="What was read.")


async def test_a_report_comes_back_under_the_hash_of_its_text(ledger: Ledger) -> None:
    opened = OpenedReport(text="Text\r\n", format="text", query="Why?", sources=(HINT,))
    report_id = await ledger.reports.add(opened)
    assert report_id == text_id("Text\r\n")
    assert await ledger.reports.get(report_id) == opened


async def test_opening_a_report_again_adds_what_is_new_and_loses_nothing(ledger: Ledger) -> None:
    first = await ledger.reports.add(OpenedReport(text="Text", query="one", sources=(HINT,)))
    second = await ledger.reports.add(OpenedReport(text="Text", query="two"))
    assert first == second
    known = OpenedReport(text="Text", query="two", sources=(HINT,))
    assert await ledger.reports.get(first) == known
    await ledger.reports.add(OpenedReport(text="Text"))
    assert await ledger.reports.get(first) == known


async def test_a_report_that_was_never_opened_is_refused_with_what_to_do(ledger: Ledger) -> None:
    with pytest.raises(BadInput, match=r"'b2:nope'.*open_report"):
        await ledger.reports.get("b2:nope")


@settings(max_examples=40)
@given(any_texts)
def test_any_text_is_kept_to_the_code_point(text: str) -> None:
    async def kept() -> str:
        ledger = Ledger.open(":memory:")
        found = await ledger.reports.get(await ledger.reports.add(OpenedReport(text=text)))
        ledger.close()
        return found.text

    assert anyio.run(kept) == text


@settings(max_examples=30)
@given(sources())
def test_a_snapshot_comes_back_whole(source: Source) -> None:
    async def kept() -> tuple[str, Source]:
        ledger = Ledger.open(":memory:")
        snapshot = await ledger.sources.add(source)
        assert await ledger.sources.add(source) == snapshot
        found = await ledger.sources.get(snapshot)
        assert await ledger.verify() == []
        ledger.close()
        return snapshot, found

    assert anyio.run(kept) == (source_id(source), source)


async def test_a_page_that_changed_is_another_snapshot(ledger: Ledger) -> None:
    before = await ledger.sources.add(make_source("before"))
    after = await ledger.sources.add(make_source("after"))
    assert before != after
    assert (await ledger.sources.get(before)).text == "before"


async def test_an_unknown_snapshot_or_text_is_refused(ledger: Ledger) -> None:
    with pytest.raises(BadInput, match="No source b2:nope"):
        await ledger.sources.get("b2:nope")
    with pytest.raises(BadInput, match="No source with the text b2:nope"):
        await ledger.sources.with_text("b2:nope")


def hiding(kind: str, *, hidden: bool, day: str) -> Source:
    """A page of the text "same" whose only block is hidden or not."""
    block = SourceBlock(start=0, end=4, kind=kind, hidden=hidden)
    return make_source("same", blocks=(block,), retrieved_at=f"2026-11-{day}T00:00:00Z")


async def test_of_pages_with_one_text_the_one_with_the_view_is_given(ledger: Ledger) -> None:
    shown = hiding("paragraph", hidden=False, day="02")
    dark = hiding("paragraph", hidden=True, day="01")
    for page in (dark, shown, hiding("quote", hidden=False, day="03")):
        await ledger.sources.add(page)
    assert await ledger.sources.with_text(shown.content_hash) == shown
    assert await ledger.sources.with_text(dark.content_hash, dark.view) == dark
    with pytest.raises(BadInput, match="No source with the text"):
        await ledger.sources.with_text(dark.content_hash, text_id("another view"))


async def test_a_page_that_comes_later_does_not_change_what_a_question_is_about(
    ledger: Ledger,
) -> None:
    first = hiding("paragraph", hidden=False, day="02")
    await ledger.sources.add(first)
    await ledger.sources.add(hiding("quote", hidden=False, day="09"))
    assert await ledger.sources.with_text(first.content_hash) == first


def of_day(day: str, url: str = PAGE) -> Source:
    return make_source(f"of {day}", url, retrieved_at=f"2026-11-{day}T00:00:00Z")


MONTH = ("2026-11-01T00:00:00Z", "2026-11-30T00:00:00Z")


async def test_the_latest_snapshot_of_an_address_is_the_newest_between_two_moments(
    ledger: Ledger,
) -> None:
    for day in ("02", "04", "03"):
        await ledger.sources.add(of_day(day), FETCHED)
    await ledger.sources.add(of_day("05", "https://two.test/"), FETCHED)

    async def latest(since: str, until: str) -> str:
        moments = (f"2026-11-{day}T00:00:00Z" for day in (since, until))
        found = await ledger.sources.latest(PAGE, *moments)
        return found.text if found else ""

    assert await latest("01", "09") == "of 04"
    assert await latest("03", "03") == "of 03"
    assert await latest("01", "03") == "of 03"  # nothing from after the second moment
    assert await latest("05", "09") == ""
    assert await latest("01", "01") == ""


async def test_what_was_handed_in_is_never_the_latest_of_an_address(ledger: Ledger) -> None:
    await ledger.sources.add(of_day("05"))
    await ledger.sources.add(of_day("06"), HANDED)
    assert await ledger.sources.latest(PAGE, *MONTH) is None
    await ledger.sources.add(of_day("02"), FETCHED)
    found = await ledger.sources.latest(PAGE, *MONTH)
    assert found is not None
    assert found.text == "of 02"


@pytest.mark.parametrize("origins", [(HANDED, FETCHED), (FETCHED, HANDED)])
async def test_a_page_that_was_fetched_once_counts_as_fetched_whoever_hands_it_in(
    ledger: Ledger, origins: tuple[str, str]
) -> None:
    for origin in origins:
        await ledger.sources.add(of_day("05"), origin)
    assert await ledger.sources.latest(PAGE, *MONTH) == of_day("05")


async def test_the_first_snapshot_an_evaluation_reads_stays(ledger: Ledger) -> None:
    pin = ledger.sources.pin
    assert await pin("e", PAGE, "first") == "first"
    assert await pin("e", PAGE, "second") == "first"
    assert await pin("other", PAGE, "second") == "second"
    assert await ledger.sources.readings("e") == {PAGE: "first"}
    assert await ledger.sources.readings("none") == {}


async def test_a_source_without_text_stores_no_body(ledger: Ledger) -> None:
    await ledger.sources.add(make_source("", outcome=Outcome.NOT_FOUND))
    rows = await ledger._database.run(lambda c: c.execute("select * from body").fetchall())
    assert rows == []
    await ledger.sources.add(make_source("text " * 1000))
    (size,) = await ledger._database.run(
        lambda c: c.execute("select length(content) from body").fetchone()
    )
    assert size < 100  # compressed
