"""Questions and answers: the table that is the memory, the resume and the audit trail."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dream_evaluators.clock import Clock, iso
from dream_evaluators.errors import StoreError
from dream_evaluators.hashing import canonical_json, content_id
from dream_evaluators.ledger.sqlite import Connection, Row, SqliteDatabase
from dream_evaluators.model.judgement import FAILED, Answer, WorkItem

# SQLite takes 32,766 parameters a statement, PostgreSQL 65,535.
BATCH = 500


class Answers:
    """Stores items and their answers. An answer, once recorded, never changes."""

    def __init__(self, database: SqliteDatabase, space: str, clock: Clock) -> None:
        self._database = database
        self._space = space
        self._clock = clock

    async def open(self, items: Iterable[WorkItem]) -> None:
        """Store questions, so that whoever answers later can be told what was asked."""
        moment = iso(self._clock.now())
        rows = [
            {
                "space": self._space,
                "id": item.id,
                "kind": item.kind,
                "prompt_id": item.prompt_id,
                "inputs": canonical_json(dict(item.inputs)),
                "answer_schema": canonical_json(dict(item.answer_schema)),
                "at": moment,
            }
            for item in items
        ]
        sql = """insert into item (space, id, kind, prompt_id, inputs, answer_schema, created_at)
            values (:space, :id, :kind, :prompt_id, :inputs, :answer_schema, :at)
            on conflict do nothing"""
        await self._database.write(lambda c: c.executemany(sql, rows).rowcount)

    async def items(self, ids: Sequence[str]) -> dict[str, WorkItem]:
        """Read questions by id; ids that were never opened are missing from the result."""

        def read(connection: Connection) -> dict[str, WorkItem]:
            rows = _select_in(
                connection, "select * from item where space = ?", "id", self._space, ids
            )
            return {row["id"]: _item(row) for row in rows}

        return await self._database.run(read)

    async def record(self, answers: Sequence[Answer]) -> tuple[str, ...]:
        """Store answers in one transaction.

        An answer that is already there stays as it is; only a judge's failure gives way to
        whatever the same judge says later.

        Returns:
            The item ids whose answer was new, in the order given.
        """
        moment = iso(self._clock.now())

        def write(connection: Connection) -> tuple[str, ...]:
            return tuple(a.item for a in answers if self._insert(connection, a, moment))

        return await self._database.write(write)

    async def of(self, ids: Sequence[str]) -> dict[str, tuple[Answer, ...]]:
        """Read every answer to the items, oldest first; items without one are missing."""

        def read(connection: Connection) -> dict[str, tuple[Answer, ...]]:
            rows = _select_in(
                connection, "select * from answer where space = ?", "item", self._space, ids
            )
            found: dict[str, list[Row]] = {}
            for row in rows:
                found.setdefault(row["item"], []).append(row)
            return {
                item: tuple(_answer(r) for r in sorted(group, key=lambda r: int(r["position"])))
                for item, group in found.items()
            }

        return await self._database.run(read)

    async def mismatches(self) -> list[str]:
        """Re-derive the id of every question and the seal of every answer; return what is off."""

        def read(connection: Connection) -> list[str]:
            items = connection.execute("select * from item where space = ?", (self._space,))
            wrong = [row["id"] for row in items if not _intact(row)]
            answers = connection.execute("select * from answer where space = ?", (self._space,))
            return wrong + [row["item"] for row in answers if not _sealed(row)]

        return await self._database.run(read)

    def _insert(self, connection: Connection, answer: Answer, moment: str) -> bool:
        sql = """insert into answer (space, item, judge, sample, answer, model, usage, asked_with,
                answered_at, seal, position)
            values (:space, :item, :judge, :sample, :answer, :model, :usage, :asked_with, :at,
                :seal, (select count(*) from answer where space = :space and item = :item))
            on conflict (space, item, judge, sample) do update set answer = excluded.answer,
                model = excluded.model, usage = excluded.usage, asked_with = excluded.asked_with,
                answered_at = excluded.answered_at, seal = excluded.seal
            where substr(answer.answer, 1, 10) = :failed"""
        cursor = connection.execute(
            sql,
            {
                "space": self._space,
                "item": answer.item,
                "judge": answer.judge,
                "sample": answer.sample,
                "answer": answer.answer,
                "model": answer.model,
                "usage": canonical_json(dict(answer.usage)),
                "asked_with": canonical_json(list(answer.asked_with)),
                "at": answer.answered_at or moment,
                "failed": FAILED,
                "seal": seal_of(answer, answer.answered_at or moment),
            },
        )
        return cursor.rowcount == 1


def _select_in(
    connection: Connection, sql: str, column: str, space: str, ids: Sequence[str]
) -> list[Row]:
    rows: list[Row] = []
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        marks = ", ".join("?" * len(batch))
        rows += connection.execute(f"{sql} and {column} in ({marks})", (space, *batch)).fetchall()
    return rows


def seal_of(answer: Answer, moment: str) -> str:
    """What an answer's row is checked by: everything in it but its place among others."""
    return content_id(
        answer.item,
        answer.judge,
        answer.sample,
        answer.answer,
        answer.model,
        dict(answer.usage),
        list(answer.asked_with),
        moment,
    )


def _sealed(row: Row) -> bool:
    try:
        answer = _answer(row)
    except StoreError:
        return False
    return bool(seal_of(answer, answer.answered_at) == row["seal"])


def _intact(row: Row) -> bool:
    try:
        return bool(_item(row).id == row["id"])
    except StoreError:
        return False


def _item(row: Row) -> WorkItem:
    inputs: Mapping[str, str] = _json(row, "inputs", dict)
    schema: Mapping[str, object] = _json(row, "answer_schema", dict)
    return WorkItem(row["kind"], row["prompt_id"], inputs, schema)


def _json(row: Row, column: str, kind: type) -> Any:
    try:
        value = json.loads(row[column])
    except (ValueError, TypeError, RecursionError) as error:
        raise StoreError(f"A stored {column} is damaged ({error}); restore the store.") from error
    if not isinstance(value, kind):
        raise StoreError(f"A stored {column} is damaged; restore the store.")
    return value


def _answer(row: Row) -> Answer:
    return Answer(
        item=row["item"],
        judge=row["judge"],
        sample=row["sample"],
        answer=row["answer"],
        model=row["model"],
        usage=_json(row, "usage", dict),
        asked_with=tuple(_json(row, "asked_with", list)),
        answered_at=row["answered_at"],
    )


def answer_fingerprint(answers: Iterable[Answer]) -> str:
    """Hash a set of answers, whatever their order: what a replay is compared by."""
    return content_id(sorted([a.item, a.judge, a.sample, a.answer] for a in answers))
