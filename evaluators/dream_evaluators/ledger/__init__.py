"""The ledger: everything that was opened, read, asked and answered, in one store."""

from __future__ import annotations

import hmac
import secrets
from typing import NamedTuple

from dream_evaluators.clock import Clock, SystemClock
from dream_evaluators.ledger.answers import Answers
from dream_evaluators.ledger.bodies import damaged_bodies
from dream_evaluators.ledger.evaluations import Evaluations
from dream_evaluators.ledger.lists import Lists
from dream_evaluators.ledger.open_batches import OpenBatches
from dream_evaluators.ledger.reports import Reports
from dream_evaluators.ledger.sources import Sources
from dream_evaluators.ledger.sqlite import IN_MEMORY, Connection, SqliteDatabase

__all__ = ["IN_MEMORY", "Ledger", "Mismatch"]

# One space until there are tokens that own one each; it is part of every key from the start.
LOCAL = "local"


class Mismatch(NamedTuple):
    """A stored row whose content no longer gives its id."""

    table: str
    id: str


class Ledger:
    """One store, opened once per process; its parts are attributes, one per area."""

    def __init__(self, database: SqliteDatabase, space: str = LOCAL, clock: Clock | None = None):
        clock = clock or SystemClock()
        self._database = database
        self.space = space
        self.answers = Answers(database, space, clock)
        self.reports = Reports(database, space, clock)
        self.sources = Sources(database, space)
        self.lists = Lists(database, space, clock)
        self.evaluations = Evaluations(database, space, clock)
        self.open_batches = OpenBatches(database, space, clock)
        self._secret = ""

    @classmethod
    def open(cls, path: str, *, space: str = LOCAL, clock: Clock | None = None) -> Ledger:
        """Open or create a ledger.

        Args:
            path: A file, or `:memory:`.
            space: Whose rows to see and write.
            clock: Where moments come from.

        Raises:
            StoreUnwritable: The file cannot be used.
            StoreNewer: A newer dream-mcp wrote it.
        """
        return cls(SqliteDatabase.open(path), space, clock)

    @property
    def path(self) -> str:
        """The file, or `:memory:`."""
        return self._database.path

    async def fence(self, *parts: str) -> str:
        """Make the tag that fences hostile text in a prompt: 12 hex digits.

        It is keyed by a secret of this store, so a page cannot know it, and depends on the parts
        alone, so a prompt reads the same at every rendering.
        """
        if not self._secret:
            self._secret = await self._database.write(_store_secret)
        digest = hmac.new(bytes.fromhex(self._secret), "\0".join(parts).encode(), "blake2b")
        return digest.hexdigest()[:12]

    async def verify(self) -> list[Mismatch]:
        """Re-derive every id from its content; an empty list means that nothing was damaged."""
        wrong = [Mismatch("item", i) for i in await self.answers.mismatches()]
        wrong += [Mismatch("source", i) for i in await self.sources.mismatches()]
        bodies = await self._database.run(damaged_bodies)
        return wrong + [Mismatch("body", digest) for digest in bodies]

    def close(self) -> None:
        """Close the store."""
        self._database.close()


def _store_secret(connection: Connection) -> str:
    connection.execute(
        "insert into meta (key, value) values ('fence', :value) on conflict do nothing",
        {"value": secrets.token_hex(32)},
    )
    row = connection.execute("select value from meta where key = 'fence'").fetchone()
    return str(row["value"])
