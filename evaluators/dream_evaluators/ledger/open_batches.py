"""Message batches that an endpoint was handed, or may have been, and that nobody has fetched yet.

What was handed in is paid for. A row is announced before the request goes out, bears the batch's
own id as soon as that is known, and goes when the answers are recorded: whoever comes next finds
it, whatever became of the process.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from dream_evaluators.clock import Clock, iso
from dream_evaluators.errors import StoreError
from dream_evaluators.hashing import content_id
from dream_evaluators.ledger.sqlite import Connection, Row, SqliteDatabase

# No endpoint's id begins so: ids are words there.
ANNOUNCED = "?"


@dataclass(frozen=True, slots=True)
class BatchedRequest:
    """One request of a batch.

    Attributes:
        items: The item ids that it asks about, by handle.
        sample: Which of several deliberate repeats it is.
        most_usd: What it costs at most, in dollars; 0 where the price is not known.
    """

    items: Mapping[str, str]
    sample: int
    most_usd: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBatch:
    """One batch as handed in; `requests` are by the custom id that its results bear."""

    id: str
    judge: str
    requests: Mapping[str, BatchedRequest]
    created_at: str = ""  # ISO moment

    @property
    def keys(self) -> frozenset[tuple[str, int]]:
        """The questions in it: item id and sample."""
        return frozenset((i, r.sample) for r in self.requests.values() for i in r.items.values())

    @property
    def is_announced(self) -> bool:
        """Whether it is not known if the endpoint has taken it, and under which id."""
        return self.id.startswith(ANNOUNCED)


def announced_id(judge: str, requests: Mapping[str, BatchedRequest], created_at: str) -> str:
    """The id of a batch until the endpoint gives it one."""
    return ANNOUNCED + content_id(judge, sorted(requests), created_at)


class OpenBatches:
    """Stores the batches that are still to be fetched."""

    def __init__(self, database: SqliteDatabase, space: str, clock: Clock) -> None:
        self._database = database
        self._space = space
        self._clock = clock

    async def add(self, batch: OpenBatch, *, instead_of: str = "") -> None:
        """Remember a batch.

        Args:
            batch: What an endpoint has taken, or is about to be handed.
            instead_of: The id it was announced under, which is forgotten in the same moment.
        """
        values = {
            "space": self._space,
            "id": batch.id,
            "judge": batch.judge,
            "requests": json.dumps({name: asdict(r) for name, r in batch.requests.items()}),
            "at": batch.created_at or iso(self._clock.now()),
        }
        sql = """insert into message_batch (space, id, judge, requests, created_at)
            values (:space, :id, :judge, :requests, :at) on conflict do nothing"""

        def write(connection: Connection) -> None:
            connection.execute(FORGET, {"space": self._space, "id": instead_of})
            connection.execute(sql, values)

        await self._database.write(write)

    async def of(self, judge: str) -> tuple[OpenBatch, ...]:
        """Read the batches of a judge, oldest first.

        Raises:
            StoreError: A row is damaged.
        """

        def read(connection: Connection) -> tuple[OpenBatch, ...]:
            rows = connection.execute(
                "select * from message_batch where space = :space and judge = :judge "
                "order by created_at, id",
                {"space": self._space, "judge": judge},
            )
            return tuple(map(_batch, rows))

        return await self._database.run(read)

    async def ids(self) -> frozenset[str]:
        """The ids of all batches in the store, of whatever judge and space."""
        sql = "select id from message_batch"
        rows = await self._database.run(lambda c: c.execute(sql).fetchall())
        return frozenset(str(row["id"]) for row in rows)

    async def remove(self, batch: str) -> bool:
        """Forget a batch; False when another process did so before: it goes on from there."""
        values = {"space": self._space, "id": batch}
        return await self._database.write(lambda c: c.execute(FORGET, values).rowcount == 1)


FORGET = "delete from message_batch where space = :space and id = :id"


def _batch(row: Row) -> OpenBatch:
    try:
        requests = {
            str(name): BatchedRequest(
                dict(value["items"]), int(value["sample"]), float(value.get("most_usd", 0.0))
            )
            for name, value in json.loads(row["requests"]).items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise StoreError("A stored message batch is damaged; restore the store.") from error
    return OpenBatch(
        id=row["id"], judge=row["judge"], requests=requests, created_at=row["created_at"]
    )
