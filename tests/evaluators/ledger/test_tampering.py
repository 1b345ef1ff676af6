"""What `verify` finds, and what a damaged text does."""

from __future__ import annotations

import zlib

import pytest

from dream_evaluators.errors import StoreError
from dream_evaluators.ledger import Ledger, Mismatch
from dream_evaluators.ledger.reports import OpenedReport
from tests.strategies import make_answer, make_item, make_source

pytestmark = pytest.mark.anyio


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


@pytest.mark.parametrize(
    "content",
    [zlib.compress(b"Another text."), b"no zlib stream", b"", zlib.compress(b"\xff\xfe\xff")],
)
async def test_a_changed_text_is_found(ledger: Ledger, content: bytes) -> None:
    ids = await fill(ledger)
    await change(ledger, "update body set content = ? where hash = ?", content, ids["body"])
    assert await ledger.verify() == [Mismatch("body", ids["body"])]


async def test_a_text_that_is_not_its_hash_is_never_given_out(ledger: Ledger) -> None:
    ids = await fill(ledger)
    other = zlib.compress(b"Another text.")
    await change(ledger, "update body set content = ? where hash = ?", other, ids["page"])
    with pytest.raises(StoreError, match="is damaged; open the report or source again"):
        await ledger.sources.get(ids["source"])


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
