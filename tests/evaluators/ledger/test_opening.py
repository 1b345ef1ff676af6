"""Opening a store, and refusing what is none."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import anyio
import pytest

from dream_evaluators.clock import FixedClock
from dream_evaluators.errors import StoreError, StoreNewer, StoreUnwritable
from dream_evaluators.ledger import IN_MEMORY, LOCAL, Ledger
from dream_evaluators.ledger import sqlite as sqlite_module
from dream_evaluators.ledger.migrations import MIGRATIONS, Migration
from dream_evaluators.ledger.sqlite import SqliteDatabase
from tests.strategies import make_answer, make_item


def unusable(folder: Path) -> dict[str, str]:
    notes = folder / "notes.txt"
    notes.write_text("These are notes and no database. " * 9)
    for name in ("folder", "busy.sqlite3-wal", "odd.sqlite3-journal"):
        (folder / name).mkdir()
    return {
        "a folder": str(folder / "folder"),
        "a text file": str(notes),
        "a file's child": str(notes / "ledger.sqlite3"),
        "no such device": "/proc/nowhere/ledger.sqlite3",
        "a name too long": str(folder / ("x" * 300)),
        "no name": "a\0b",
        "no room for its log": str(folder / "busy.sqlite3"),
        "no room for its journal": str(folder / "odd.sqlite3"),
    }


@pytest.mark.parametrize(
    "what",
    [
        "a folder",
        "a text file",
        "a file's child",
        "no such device",
        "a name too long",
        "no name",
        "no room for its log",
        "no room for its journal",
    ],
)
def test_what_cannot_be_a_store_is_refused_with_what_to_do(what: str, tmp_path: Path) -> None:
    path = unusable(tmp_path)[what]
    with pytest.raises(StoreUnwritable) as caught:
        Ledger.open(path)
    assert path in str(caught.value)
    assert "DREAM_STORE" in str(caught.value)


def test_a_file_that_is_no_store_is_left_as_it_is(tmp_path: Path) -> None:
    path = Path(unusable(tmp_path)["a text file"])
    before = path.read_bytes()
    with pytest.raises(StoreUnwritable):
        Ledger.open(str(path))
    assert path.read_bytes() == before


def test_missing_folders_above_a_store_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "ledger.sqlite3"
    ledger = Ledger.open(str(path))
    assert ledger.path == str(path)
    assert path.exists()
    ledger.close()


@pytest.mark.anyio
async def test_a_store_in_memory_works_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: FixedClock
) -> None:
    monkeypatch.chdir(tmp_path)
    ledger = Ledger.open(IN_MEMORY, clock=clock)
    await ledger.answers.open([make_item()])
    assert await ledger.answers.items([make_item().id])
    ledger.close()
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - an empty folder read from a test may block


def test_a_store_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite3"
    Ledger.open(str(path)).close()
    with sqlite3.connect(path) as connection:
        connection.execute("insert into migration values ('0099_future', '2030-01-01')")
    connection.close()
    with pytest.raises(StoreNewer, match=r"0099_future.*Upgrade dream-mcp.*DREAM_STORE"):
        Ledger.open(str(path))


@pytest.mark.parametrize(
    ("change", "lacks"),
    [
        ("drop table imported", "imported.added_at, imported.best, imported.date"),
        ("alter table answer drop column seal", "answer.seal"),
    ],
)
def test_a_store_that_lacks_what_its_record_says_is_refused_when_it_is_opened(
    tmp_path: Path, change: str, lacks: str
) -> None:
    path = tmp_path / "ledger.sqlite3"
    Ledger.open(str(path)).close()
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    connection.close()
    with pytest.raises(StoreUnwritable, match=rf"unreleased .*lacks {lacks}.*DREAM_STORE"):
        Ledger.open(str(path))


def test_each_step_of_the_schema_is_applied_once(tmp_path: Path) -> None:
    path = str(tmp_path / "ledger.sqlite3")
    for _ in range(3):
        Ledger.open(path).close()
    connection = sqlite3.connect(path)
    names = [row[0] for row in connection.execute("select name from migration")]
    connection.close()
    assert names == [step.name for step in MIGRATIONS]
    assert names == sorted(names)


def test_a_store_of_an_older_version_gets_the_steps_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "ledger.sqlite3")
    Ledger.open(path).close()
    later = Migration("9002_later", ("create table later (content {blob} not null)",))
    monkeypatch.setattr(sqlite_module, "MIGRATIONS", (*MIGRATIONS, later))
    database = SqliteDatabase.open(path)
    database.close()
    connection = sqlite3.connect(path)
    assert connection.execute("select count(*) from later").fetchone() == (0,)
    connection.close()


def test_what_the_first_schema_kept_is_still_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "ledger.sqlite3")
    monkeypatch.setattr(sqlite_module, "MIGRATIONS", MIGRATIONS[:1])
    Ledger.open(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            """insert into evaluation values (?, 'b2:old-one', 'r', 1, '{}', 'complete', '', '{}',
                '2026-01-01', '2026-01-01', '', 0)""",
            (LOCAL,),
        )
    monkeypatch.undo()
    ledger = Ledger.open(path)
    row = anyio.run(ledger.evaluations.get, "b2:old-one")
    ledger.close()
    assert (row.status.value, row.opened, row.caps) == ("complete", "", "")


def test_a_step_that_another_process_took_meanwhile_is_not_taken_again(tmp_path: Path) -> None:
    database = SqliteDatabase.open(str(tmp_path / "ledger.sqlite3"))
    sqlite_module._apply(database._connection, MIGRATIONS[0])  # as if it had waited for the lock
    rows = database._connection.execute("select count(*) from migration").fetchone()
    assert tuple(rows) == (len(MIGRATIONS),)
    database.close()


def test_a_step_that_fails_is_undone_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "ledger.sqlite3")
    broken = Migration("9002_broken", ("create table half (a text)", "create nonsense"))
    monkeypatch.setattr(sqlite_module, "MIGRATIONS", (*MIGRATIONS, broken))
    with pytest.raises(StoreUnwritable, match="syntax error"):
        Ledger.open(path)
    connection = sqlite3.connect(path)
    tables = {row[0] for row in connection.execute("select name from sqlite_master")}
    connection.close()
    assert "half" not in tables
    assert "answer" in tables


def test_the_schema_needs_only_what_the_dialect_table_knows() -> None:
    for step in MIGRATIONS:
        for statement in step.statements:
            statement.format_map(sqlite_module.DIALECT)


@contextmanager
def locked(path: Path) -> Iterator[sqlite3.Connection]:
    """Hold a file as a process does that is just making a store of it."""
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("create table other (a text)")
    holder.execute("begin exclusive")
    yield holder
    holder.close()


def test_a_store_that_another_process_is_making_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_module, "BUSY_SECONDS", 0.01)
    path = tmp_path / "ledger.sqlite3"
    naps: list[float] = []
    with locked(path) as holder:

        def nap(seconds: float) -> None:
            naps.append(seconds)
            holder.rollback()

        waiting = SimpleNamespace(monotonic=lambda: 0.0, sleep=nap)
        monkeypatch.setattr(sqlite_module, "time", waiting)
        Ledger.open(str(path)).close()
    assert naps == [sqlite_module.RETRY_SECONDS]


def test_a_store_that_stays_locked_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_module, "BUSY_SECONDS", 0.05)
    path = tmp_path / "ledger.sqlite3"
    with locked(path), pytest.raises(StoreUnwritable, match="database is locked"):
        Ledger.open(str(path))


@pytest.mark.anyio
async def test_what_fails_after_opening_is_an_error_of_the_store_that_shows_no_path(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "ledger.sqlite3")
    ledger = Ledger.open(path)
    await ledger._database.run(lambda c: c.execute("drop table answer"))
    with pytest.raises(StoreError, match=r"failed \(no such table: answer\).*doctor") as read:
        await ledger.answers.of(["b2:1"])
    with pytest.raises(StoreError, match="what was stored before is kept") as written:
        await ledger.answers.record([make_answer("b2:1")])
    for caught in (read, written):
        assert path not in str(caught.value)
        assert not isinstance(caught.value, StoreUnwritable)
    await ledger.answers.open([make_item()])
    ledger.close()


@pytest.mark.anyio
async def test_a_transaction_happens_as_a_whole_or_not_at_all() -> None:
    database = SqliteDatabase.open(IN_MEMORY)

    def half(connection: sqlite3.Connection) -> None:
        connection.execute("insert into meta values ('a', 'b')")
        raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        await database.write(half)
    rows = await database.run(lambda c: c.execute("select * from meta").fetchall())
    assert rows == []
    await database.write(lambda c: c.execute("insert into meta values ('a', 'c')").rowcount)
    database.close()
