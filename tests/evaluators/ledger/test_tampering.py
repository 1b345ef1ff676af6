"""What `verify` finds, and what a damaged text does."""

from __future__ import annotations

import zlib

import pytest

from dream_evaluators.errors import StoreError
from dream_evaluators.ledger import Ledger, Mismatch
from dream_evaluators.ledger.reports import OpenedReport
from dream_evaluators.model.source import Outcome
from tests.strategies import FAILURE, claim_answer, make_answer, make_item, make_source

pytestmark = pytest.mark.anyio
DAMAGE = [zlib.compress(b"Another text."), b"no zlib stream", b"", zlib.compress(b"\xff\xfe\xff")]


async def fill(ledger: Ledger) -> dict[str, str]:
    """Store one of each, and tell their ids."""
    item, source = make_item(source="b2:1"), make_source("The page.", title="T")
    await ledger.answers.open([item])
    await ledger.answers.record([make_answer(item)])
    snapshot = await ledger.sources.add(source)
    report = await ledger.reports.add(OpenedReport(text="The report."))
    return {"item": item.id, "source": snapshot, "body": report, "page": source.content_hash}


async def change(ledger: Ledger, sql: str, *values: object) -> None:
    changed = await ledger._database.write(lambda c: c.execute(sql, values).rowcount)
    assert changed == 1


async def test_a_store_nobody_touched_verifies(ledger: Ledger) -> None:
    assert await ledger.verify() == []
    await fill(ledger)
    assert await ledger.verify() == []


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("kind", "another"),
        ("prompt_id", "claim_verdict@other"),
        ("inputs", '{"claim":"Another claim."}'),
        ("answer_schema", "{}"),
    ],
)
async def test_a_changed_question_is_found(ledger: Ledger, column: str, value: str) -> None:
    ids = await fill(ledger)
    sql = f"update item set {column} = ? where id = ?"  # noqa: S608 - of the table above
    await change(ledger, sql, value, ids["item"])
    assert await ledger.verify() == [Mismatch("item", ids["item"])]


async def test_a_changed_snapshot_is_found(ledger: Ledger) -> None:
    ids = await fill(ledger)
    sql = 'update source set record = replace(record, \'"title":"T"\', \'"title":"U"\')'
    await change(ledger, sql)
    assert await ledger.verify() == [Mismatch("source", ids["source"])]


@pytest.mark.parametrize("content", DAMAGE)
async def test_a_changed_text_is_found(ledger: Ledger, content: bytes) -> None:
    ids = await fill(ledger)
    await change(ledger, "update body set content = ? where hash = ?", content, ids["body"])
    assert await ledger.verify() == [Mismatch("body", ids["body"])]


@pytest.mark.parametrize("column", ["inputs", "answer_schema"])
@pytest.mark.parametrize("value", ["", "{", "7", "[1]", "null"])
async def test_a_question_that_is_no_json_any_more_is_found(
    ledger: Ledger, column: str, value: str
) -> None:
    ids = await fill(ledger)
    sql = f"update item set {column} = ? where id = ?"  # noqa: S608 - of the list above
    await change(ledger, sql, value, ids["item"])
    assert await ledger.verify() == [Mismatch("item", ids["item"])]


@pytest.mark.parametrize("record", ["", "{", "[]", "{}", '{"schema_version": 1, "record": 7}'])
async def test_a_snapshot_that_is_no_record_any_more_is_found_and_never_given_out(
    ledger: Ledger, record: str
) -> None:
    ids = await fill(ledger)
    await change(ledger, "update source set record = ?", record)
    assert await ledger.verify() == [Mismatch("source", ids["source"])]
    with pytest.raises(StoreError, match="is damaged"):
        await ledger.sources.get(ids["source"])


async def test_a_snapshot_that_leads_to_another_text_is_found(ledger: Ledger) -> None:
    ids = await fill(ledger)
    await change(ledger, "update source set content_hash = ?", ids["body"])
    assert await ledger.verify() == [Mismatch("source", ids["source"])]


async def test_a_snapshot_whose_text_is_gone_is_found(ledger: Ledger) -> None:
    ids = await fill(ledger)
    await change(ledger, "delete from body where hash = ?", ids["page"])
    assert await ledger.verify() == [Mismatch("source", ids["source"])]


async def test_a_snapshot_without_text_needs_none(ledger: Ledger) -> None:
    await ledger.sources.add(make_source("", outcome=Outcome.NOT_FOUND))
    assert await ledger.verify() == []


@pytest.mark.parametrize(
    ("column", "value"),
    [("answer", "{}"), ("judge", "human:Ada"), ("sample", 1), ("seal", ""), ("item", "b2:other")],
)
async def test_a_changed_answer_is_found(ledger: Ledger, column: str, value: object) -> None:
    ids = await fill(ledger)
    sql = f"update answer set {column} = ?"  # noqa: S608 - of the table above
    await change(ledger, sql, value)
    named = "b2:other" if column == "item" else ids["item"]
    assert await ledger.verify() == [Mismatch("item", named)]


async def test_an_answer_that_took_the_place_of_a_failure_verifies(ledger: Ledger) -> None:
    item = make_item()
    for text in (FAILURE, claim_answer(("f", "absent", ""))):
        await ledger.answers.record([make_answer(item, answer=text)])
    assert await ledger.verify() == []


@pytest.mark.parametrize("content", DAMAGE)
async def test_a_damaged_text_is_never_given_out_and_opening_it_again_mends_it(
    ledger: Ledger, content: bytes
) -> None:
    ids = await fill(ledger)
    for digest in (ids["body"], ids["page"]):
        await change(ledger, "update body set content = ? where hash = ?", content, digest)
    with pytest.raises(StoreError, match="is damaged; open the report or source again"):
        await ledger.reports.get(ids["body"])
    with pytest.raises(StoreError, match="is damaged; open the report or source again"):
        await ledger.sources.get(ids["source"])
    await fill(ledger)
    assert (await ledger.reports.get(ids["body"])).text == "The report."
    assert (await ledger.sources.get(ids["source"])).text == "The page."
    assert await ledger.verify() == []


async def test_a_text_that_is_gone_is_named(ledger: Ledger) -> None:
    ids = await fill(ledger)
    await change(ledger, "delete from body where hash = ?", ids["body"])
    with pytest.raises(StoreError, match=f"no text {ids['body']}; open the report"):
        await ledger.reports.get(ids["body"])


async def test_a_fence_depends_on_the_store_and_on_every_part() -> None:
    one, two = Ledger.open(":memory:"), Ledger.open(":memory:")
    tags = [
        await one.fence("a", "b"),
        await one.fence("ab"),
        await one.fence("a"),
        await two.fence("a", "b"),
    ]
    assert len(set(tags)) == 4
    assert await one.fence("a", "b") == tags[0]
    assert all(len(tag) == 12 and int(tag, 16) >= 0 for tag in tags)
    one.close()
    two.close()
