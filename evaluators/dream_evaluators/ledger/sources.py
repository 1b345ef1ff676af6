"""Source snapshots, and which of them an evaluation read."""

from __future__ import annotations

from dataclasses import replace

from dream_evaluators.errors import BadInput, StoreError
from dream_evaluators.hashing import content_id
from dream_evaluators.ledger.bodies import get_body, put_body
from dream_evaluators.ledger.sqlite import Connection, Row, SqliteDatabase
from dream_evaluators.model.source import Source
from dream_evaluators.model.stored import as_plain, from_stored, to_stored

FETCHED = "fetched"
HANDED = "handed"


def source_id(source: Source) -> str:
    """The identity of a snapshot: everything about it, its text by hash."""
    return content_id(as_plain(replace(source, text="")))


class Sources:
    """Stores snapshots of sources. A snapshot never changes; a changed page is another one."""

    def __init__(self, database: SqliteDatabase, space: str) -> None:
        self._database = database
        self._space = space

    async def add(self, source: Source, origin: str = HANDED) -> str:
        """Store a snapshot and return its id.

        Args:
            source: Its `content_hash` must be that of its text.
            origin: FETCHED when this machine asked the address itself; only such a snapshot may
                serve another evaluation. HANDED for what callers and packs hand in.
        """
        snapshot = source_id(source)
        record = to_stored(replace(source, text=""))

        def write(connection: Connection) -> None:
            if source.content_hash:
                put_body(connection, source.text)
            connection.execute(
                """insert into source (space, id, canonical_url, outcome, record, content_hash,
                    view, origin, retrieved_at)
                values (:space, :id, :url, :outcome, :record, :hash, :view, :origin, :at)
                on conflict (space, id) do update set origin = excluded.origin
                where excluded.origin = 'fetched'""",
                {
                    "space": self._space,
                    "id": snapshot,
                    "url": source.canonical_url,
                    "outcome": source.outcome.value,
                    "record": record,
                    "hash": source.content_hash,
                    "view": source.view,
                    "origin": origin,
                    "at": source.retrieved_at,
                },
            )

        await self._database.write(write)
        return snapshot

    async def get(self, snapshot: str) -> Source:
        """Read a snapshot by id.

        Raises:
            BadInput: There is none.
        """

        def read(connection: Connection) -> Source | None:
            row = connection.execute(
                "select record, content_hash from source where space = :space and id = :id",
                {"space": self._space, "id": snapshot},
            ).fetchone()
            return _source(connection, row)

        found = await self._database.run(read)
        if found is None:
            raise BadInput(f"No source {snapshot} in this store.")
        return found

    async def with_text(self, content_hash: str, view: str = "") -> Source:
        """Read a snapshot that has this text and shows this much of it (`Source.view`).

        Raises:
            BadInput: There is none.
        """

        def read(connection: Connection) -> Source | None:
            row = connection.execute(
                """select record, content_hash from source
                where space = :space and content_hash = :hash and view = :view
                order by retrieved_at, id limit 1""",
                {"space": self._space, "hash": content_hash, "view": view},
            ).fetchone()
            return _source(connection, row)

        found = await self._database.run(read)
        if found is None:
            raise BadInput(f"No source with the text {content_hash} in this store.")
        return found

    async def latest(self, canonical_url: str, since: str, until: str) -> Source | None:
        """Read the newest snapshot of an address that this machine fetched between two moments."""

        def read(connection: Connection) -> Source | None:
            row = connection.execute(
                """select record, content_hash from source
                where space = :space and canonical_url = :url and origin = 'fetched'
                and retrieved_at between :since and :until
                order by retrieved_at desc limit 1""",
                {"space": self._space, "url": canonical_url, "since": since, "until": until},
            ).fetchone()
            return _source(connection, row)

        return await self._database.run(read)

    async def readings(self, evaluation: str) -> dict[str, str]:
        """Tell which snapshot the evaluation read for each canonical address."""

        def read(connection: Connection) -> dict[str, str]:
            rows = connection.execute(
                """select canonical_url, source from reading
                where space = :space and evaluation = :evaluation""",
                {"space": self._space, "evaluation": evaluation},
            )
            return {row["canonical_url"]: row["source"] for row in rows}

        return await self._database.run(read)

    async def pin(self, evaluation: str, canonical_url: str, snapshot: str) -> str:
        """Fix which snapshot the evaluation reads; the first one stays and is returned."""
        key = {"space": self._space, "evaluation": evaluation, "url": canonical_url}

        def write(connection: Connection) -> str:
            connection.execute(
                """insert into reading (space, evaluation, canonical_url, source)
                values (:space, :evaluation, :url, :source) on conflict do nothing""",
                {**key, "source": snapshot},
            )
            row = connection.execute(
                """select source from reading where space = :space and evaluation = :evaluation
                and canonical_url = :url""",
                key,
            ).fetchone()
            return str(row["source"])

        return await self._database.write(write)

    async def mismatches(self) -> list[str]:
        """Re-derive every snapshot's id; return those that do not match or lack their text."""

        def read(connection: Connection) -> list[str]:
            rows = connection.execute(
                """select source.*, body.hash as body from source
                left join body on body.hash = source.content_hash where space = ?""",
                (self._space,),
            )
            return [row["id"] for row in rows if not _intact(row)]

        return await self._database.run(read)


def _intact(row: Row) -> bool:
    try:
        source = from_stored(Source, row["record"])
    except StoreError:
        return False
    columns = (source.canonical_url, source.outcome, source.content_hash, source.retrieved_at)
    stored = (row["canonical_url"], row["outcome"], row["content_hash"], row["retrieved_at"])
    same = source_id(source) == row["id"] and columns == stored
    return same and (not source.content_hash or row["body"] is not None)


def _source(connection: Connection, row: Row | None) -> Source | None:
    if row is None:
        return None
    source = from_stored(Source, row["record"])
    text = get_body(connection, row["content_hash"]) if row["content_hash"] else ""
    return replace(source, text=text)
