"""Lists that a user imported: ratings of domains, and entries of an own registry."""

from __future__ import annotations

from dataclasses import dataclass

from dream_evaluators.clock import Clock, iso
from dream_evaluators.hashing import content_id
from dream_evaluators.ledger.sqlite import Connection, SqliteDatabase

RATINGS = "ratings"
REGISTRY = "registry"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedList:
    """One list as imported: the file's text, and how to read it."""

    kind: str  # ratings or registry
    name: str
    text: str
    date: str = ""  # ISO date of its edition
    worst: float = 0.0  # of its scale; for ratings
    best: float = 0.0
    added_at: str = ""


class Lists:
    """Stores imported lists; importing one again under its name replaces it."""

    def __init__(self, database: SqliteDatabase, space: str, clock: Clock) -> None:
        self._database = database
        self._space = space
        self._clock = clock

    async def put(self, imported: ImportedList) -> None:
        """Store a list."""
        values = {
            "space": self._space,
            "kind": imported.kind,
            "name": imported.name,
            "date": imported.date,
            "worst": imported.worst,
            "best": imported.best,
            "text": imported.text,
            "at": iso(self._clock.now()),
        }
        sql = """insert into imported (space, kind, name, date, worst, best, text, added_at)
            values (:space, :kind, :name, :date, :worst, :best, :text, :at)
            on conflict (space, kind, name) do update set date = excluded.date,
                worst = excluded.worst, best = excluded.best, text = excluded.text,
                added_at = excluded.added_at"""
        await self._database.write(lambda c: c.execute(sql, values).rowcount)

    async def remove(self, name: str) -> bool:
        """Forget the lists of that name; whether there were any."""
        values = {"space": self._space, "name": name}
        sql = "delete from imported where space = :space and name = :name"
        return await self._database.write(lambda c: c.execute(sql, values).rowcount > 0)

    async def all(self) -> tuple[ImportedList, ...]:
        """Read every list, in the order of kind and name."""

        def read(connection: Connection) -> tuple[ImportedList, ...]:
            rows = connection.execute(
                "select * from imported where space = :space order by kind, name",
                {"space": self._space},
            )
            return tuple(
                ImportedList(
                    kind=row["kind"],
                    name=row["name"],
                    text=row["text"],
                    date=row["date"],
                    worst=row["worst"],
                    best=row["best"],
                    added_at=row["added_at"],
                )
                for row in rows
            )

        return await self._database.run(read)


def lists_id(lists: tuple[ImportedList, ...]) -> str:
    """The identity of what was imported; "" for nothing."""
    if not lists:
        return ""
    return content_id([[i.kind, i.name, i.date, i.worst, i.best, i.text] for i in lists])
