"""SQLite under the ledger: one connection, one statement at a time, never on the event loop."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from dream_evaluators.errors import StoreError, StoreNewer, StoreUnwritable
from dream_evaluators.ledger.migrations import MIGRATIONS, Migration

T = TypeVar("T")
Row = sqlite3.Row
Connection = sqlite3.Connection

DIALECT = {"blob": "blob", "real": "real"}
# Writers of other processes hold the lock for milliseconds; half a minute means a dead disk.
BUSY_SECONDS = 30.0
RETRY_SECONDS = 0.02
IN_MEMORY = ":memory:"


class SqliteDatabase:
    """A SQLite file (or memory) that runs work off the event loop, one piece at a time.

    Transactions are `begin immediate` or single statements: a deferred `begin` that reads and then
    writes fails at once when another process wrote in between, whatever the busy time-out.
    """

    def __init__(self, connection: Connection, path: str) -> None:
        self._connection = connection
        self._turn: CapacityLimiter | None = None
        self.path = path

    @classmethod
    def open(cls, path: str) -> SqliteDatabase:
        """Open or create the file and bring its schema up to date.

        Args:
            path: A file, or `:memory:`. Missing parent folders are made.

        Raises:
            StoreUnwritable: The file cannot be created, read or written, is no database, or lacks
                tables that its own record of steps says it has.
            StoreNewer: A newer dream-mcp wrote it.
        """
        if "://" in path:
            raise StoreUnwritable(
                "DREAM_STORE is an address; this version keeps its store in a file. Name a file."
            )
        try:
            if path != IN_MEMORY:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        except (sqlite3.Error, OSError, ValueError) as error:
            raise _unwritable(path, error) from error
        try:
            _when_free(connection)
            _prepare(connection)
            _agree_with_record(connection, path)
        except sqlite3.Error as error:
            connection.close()
            raise _unwritable(path, error) from error
        except (StoreNewer, StoreUnwritable):
            connection.close()
            raise
        return cls(connection, path)

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run `work` with the connection on a worker thread, after all work before it."""
        if self._turn is None:
            self._turn = CapacityLimiter(1)
        try:
            return await to_thread.run_sync(work, self._connection, limiter=self._turn)
        except sqlite3.Error as error:
            raise StoreError(
                f"The store failed ({error}). Check its disk and permissions (dream-mcp doctor "
                "names the file); what was stored before is kept."
            ) from error

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in one immediate transaction: all of it happens, or nothing."""

        def in_transaction(connection: Connection) -> T:
            connection.execute("begin immediate")
            try:
                result = work(connection)
                connection.execute("commit")
            except BaseException:
                connection.rollback()
                raise
            return result

        return await self.run(in_transaction)

    def close(self) -> None:
        """Close the file. Nothing is pending: every write was committed when it returned."""
        self._connection.close()


def _unwritable(path: str, error: Exception) -> StoreUnwritable:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return StoreUnwritable(
        f"The store {path} cannot be used ({reason}). Set DREAM_STORE to a file in a "
        "folder that can be written, or leave it unset to use your data folder."
    )


def _when_free(connection: Connection) -> None:
    """Switch to write-ahead logging; the busy time-out does not cover this, so wait by hand."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(RETRY_SECONDS)
        else:
            return


def _prepare(connection: Connection) -> None:
    connection.row_factory = sqlite3.Row
    connection.execute("pragma synchronous = normal")
    known = [migration.name for migration in MIGRATIONS]
    applied = _applied(connection)
    if newer := [name for name in applied if name not in known]:
        raise StoreNewer(
            f"This store was written by a newer dream-mcp (step {newer[0]}). "
            "Upgrade dream-mcp, or set DREAM_STORE to another file."
        )
    for migration in MIGRATIONS:
        if migration.name not in applied:
            _apply(connection, migration)


def _agree_with_record(connection: Connection, path: str) -> None:
    """Refuse at once a file whose tables are not those of the steps it lists.

    Unreleased versions wrote such files; a query would fail on them in the middle of a run.
    """
    fresh = sqlite3.connect(IN_MEMORY, isolation_level=None)
    try:
        for migration in MIGRATIONS:
            for statement in migration.statements:
                fresh.execute(statement.format_map(DIALECT))
        missing = _columns(fresh) - _columns(connection)
    finally:
        fresh.close()
    if missing:
        raise StoreUnwritable(
            f"The store {path} was written by an unreleased dream-mcp (it lacks "
            f"{', '.join(sorted(missing)[:3])}). Move the file away, or set DREAM_STORE to another."
        )


def _columns(connection: Connection) -> set[str]:
    query = (
        "select t.name || '.' || c.name from sqlite_master t, pragma_table_info(t.name) c "
        "where t.type = 'table'"
    )
    return {row[0] for row in connection.execute(query)}


def _applied(connection: Connection) -> list[str]:
    connection.execute(
        "create table if not exists migration (name text primary key, applied_at text not null)"
    )
    return [row["name"] for row in connection.execute("select name from migration order by name")]


def _apply(connection: Connection, migration: Migration) -> None:
    connection.execute("begin immediate")
    try:
        # Another process may have done it while this one waited for the lock.
        if migration.name not in _applied(connection):
            for statement in migration.statements:
                connection.execute(statement.format_map(DIALECT))
            connection.execute(
                "insert into migration values (:name, datetime('now'))", {"name": migration.name}
            )
    except sqlite3.Error:
        connection.execute("rollback")
        raise
    connection.execute("commit")
