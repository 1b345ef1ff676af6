"""Evaluations: what was asked for, how far it is, who works on it, and its open questions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dream_evaluators.clock import Clock, iso
from dream_evaluators.errors import BadInput
from dream_evaluators.hashing import content_id
from dream_evaluators.ledger.sqlite import Connection, Row, SqliteDatabase

# A worker renews its lease every third of this; one that is silent longer is taken for dead.
LEASE_SECONDS = 30.0


class EvaluationStatus(StrEnum):
    """How far an evaluation is."""

    RUNNING = "running"
    NEEDS_WORK = "needs_work"  # questions wait for the calling agent or the host
    COMPLETE = "complete"
    FAILED = "failed"
    CANCELLED = "cancelled"
    BUDGET_EXHAUSTED = "budget_exhausted"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRow:
    """One evaluation as stored. `request` and `scorecard` are JSON texts of the layers above."""

    id: str
    request: str
    status: EvaluationStatus
    message: str = ""
    scorecard: str = ""
    opened: str = ""  # the report as it was opened for it, without its text
    caps: str = ""  # JSON of what its last sitting may cost
    created_at: str = ""
    updated_at: str = ""


class Evaluations:
    """Stores evaluations. The row is the truth; whoever holds its lease may work on it."""

    def __init__(self, database: SqliteDatabase, space: str, clock: Clock) -> None:
        self._database = database
        self._space = space
        self._clock = clock

    async def start(
        self, request_id: str, request: str, opened: str = "", *, fresh: bool = False
    ) -> str:
        """Find or make the evaluation of a request; `fresh` always makes a new one.

        Args:
            request_id: The identity of the request.
            request: What was asked for, as JSON.
            opened: The report as it was opened for it, as JSON: what others say of the same text
                later does not enter.
            fresh: Make a new one in any case.

        Returns:
            The evaluation's id: the hash of space, request and generation.
        """
        moment = iso(self._clock.now())

        def write(connection: Connection) -> str:
            row = self._latest(connection, request_id)
            if row is not None and not fresh:
                return str(row["id"])
            generation = 0 if row is None else int(row["generation"]) + 1
            new = content_id(self._space, request_id, generation)
            connection.execute(
                """insert into evaluation (space, id, request_id, generation, request, status,
                    message, scorecard, created_at, updated_at, opened, caps, owner, lease)
                values (:space, :id, :request_id, :generation, :request, 'running', '', '',
                    :at, :at, :opened, '', '', 0)""",
                {
                    "space": self._space,
                    "id": new,
                    "request_id": request_id,
                    "generation": generation,
                    "request": request,
                    "opened": opened,
                    "at": moment,
                },
            )
            return new

        return await self._database.write(write)

    async def find(self, request_id: str) -> str:
        """The id of the latest evaluation of a request, "" when there is none."""
        row = await self._database.run(lambda c: self._latest(c, request_id))
        return str(row["id"]) if row else ""

    async def get(self, evaluation: str) -> EvaluationRow:
        """Read an evaluation by its id or a unique beginning of at least eight characters of it.

        Raises:
            BadInput: There is none, or more than one begins so.
        """

        def read(connection: Connection) -> list[Row]:
            rows = connection.execute(
                "select * from evaluation where space = :space and id = :id",
                {"space": self._space, "id": evaluation},
            ).fetchall()
            if rows or len(evaluation) < SHORTEST_PREFIX:
                return rows
            return connection.execute(
                "select * from evaluation where space = :space and substr(id, 1, :n) = :id limit 2",
                {"space": self._space, "id": evaluation, "n": len(evaluation)},
            ).fetchall()

        rows = await self._database.run(read)
        if len(rows) != 1:
            what = "No evaluation" if not rows else "More than one evaluation"
            named = repr(evaluation[:60])
            raise BadInput(f"{what} {named} in this store; give the id that was returned.")
        return _evaluation(rows[0])

    async def update(
        self, evaluation: str, status: EvaluationStatus, message: str = "", scorecard: str = ""
    ) -> bool:
        """Set the state, unless it was cancelled; an empty `scorecard` keeps the stored one.

        Returns:
            Whether the row took it.
        """
        values = {
            "space": self._space,
            "id": evaluation,
            "status": status.value,
            "message": message,
            "scorecard": scorecard,
            "at": iso(self._clock.now()),
        }
        sql = """update evaluation set status = :status, message = :message, updated_at = :at,
                scorecard = case when :scorecard = '' then scorecard else :scorecard end
            where space = :space and id = :id and status <> 'cancelled'"""
        return await self._database.write(lambda c: c.execute(sql, values).rowcount == 1)

    async def holder(self, evaluation: str) -> str:
        """Who holds the lease, or held it last; "" for nobody."""
        values = {"space": self._space, "id": evaluation}
        sql = "select owner from evaluation where space = :space and id = :id"
        row = await self._database.run(lambda c: c.execute(sql, values).fetchone())
        return str(row["owner"]) if row else ""

    async def cap(self, evaluation: str, caps: str) -> None:
        """Remember what a sitting may cost, for whoever takes it up again."""
        values = {"space": self._space, "id": evaluation, "caps": caps}
        sql = "update evaluation set caps = :caps where space = :space and id = :id"
        await self._database.write(lambda c: c.execute(sql, values).rowcount)

    async def claim(self, evaluation: str, owner: str, dead: str = "") -> bool:
        """Take or renew the lease for LEASE_SECONDS; False while another worker holds it.

        Args:
            evaluation: Its id.
            owner: Who takes it.
            dead: A holder known to have died, whose lease need not be waited for.
        """
        now = self._clock.now().timestamp()
        values = {
            "space": self._space,
            "id": evaluation,
            "owner": owner,
            "dead": dead or owner,
            "now": now,
            "until": now + LEASE_SECONDS,
        }
        sql = """update evaluation set owner = :owner, lease = :until
            where space = :space and id = :id
                and (owner in (:owner, :dead) or lease < :now)"""
        return await self._database.write(lambda c: c.execute(sql, values).rowcount == 1)

    async def release(self, evaluation: str, owner: str) -> None:
        """Give the lease back, if this worker holds it."""
        values = {"space": self._space, "id": evaluation, "owner": owner}
        sql = """update evaluation set owner = '', lease = 0
            where space = :space and id = :id and owner = :owner"""
        await self._database.write(lambda c: c.execute(sql, values).rowcount)

    async def number(
        self, evaluation: str, questions: Iterable[tuple[str, int]]
    ) -> dict[tuple[str, int], int]:
        """Give each question (item, sample) a number in this evaluation, from 1.

        Returns:
            The numbers of all its questions; one that has a number keeps it.
        """
        wanted = list(dict.fromkeys(questions))
        key = {"space": self._space, "evaluation": evaluation}

        def write(connection: Connection) -> dict[tuple[str, int], int]:
            rows = connection.execute(
                "select item, sample, number from question "
                "where space = :space and evaluation = :evaluation",
                key,
            )
            numbers = {(row["item"], int(row["sample"])): int(row["number"]) for row in rows}
            for item, sample in wanted:
                if (item, sample) not in numbers:
                    numbers[item, sample] = number = len(numbers) + 1
                    connection.execute(
                        """insert into question (space, evaluation, number, item, sample)
                        values (:space, :evaluation, :number, :item, :sample)""",
                        {**key, "number": number, "item": item, "sample": sample},
                    )
            return numbers

        return await self._database.write(write)

    async def orders(self, evaluation: str) -> dict[int, tuple[int, ...]]:
        """Read the work orders: the number of each and the numbers of its questions."""

        def read(connection: Connection) -> dict[int, tuple[int, ...]]:
            rows = connection.execute(
                """select number, questions from work_order
                where space = :space and evaluation = :evaluation order by number""",
                {"space": self._space, "evaluation": evaluation},
            )
            return {int(row["number"]): tuple(json.loads(row["questions"])) for row in rows}

        return await self._database.run(read)

    async def add_orders(self, evaluation: str, orders: Sequence[Sequence[int]]) -> None:
        """Append work orders, numbered on from the last; questions that are in one are left out."""
        key = {"space": self._space, "evaluation": evaluation}

        def write(connection: Connection) -> None:
            rows = connection.execute(
                """select number, questions from work_order
                where space = :space and evaluation = :evaluation""",
                key,
            ).fetchall()
            taken = {n for row in rows for n in json.loads(row["questions"])}
            number = len(rows)
            for questions in orders:
                new = [n for n in questions if n not in taken]
                if not new:
                    continue
                number += 1
                taken.update(new)
                connection.execute(
                    """insert into work_order (space, evaluation, number, questions)
                    values (:space, :evaluation, :number, :questions)""",
                    {**key, "number": number, "questions": json.dumps(new)},
                )

        await self._database.write(write)

    def _latest(self, connection: Connection, request_id: str) -> Row | None:
        row: Row | None = connection.execute(
            """select id, generation from evaluation
            where space = :space and request_id = :request_id
            order by generation desc limit 1""",
            {"space": self._space, "request_id": request_id},
        ).fetchone()
        return row


SHORTEST_PREFIX = 8


def _evaluation(row: Row) -> EvaluationRow:
    return EvaluationRow(
        id=row["id"],
        request=row["request"],
        status=EvaluationStatus(row["status"]),
        message=row["message"],
        scorecard=row["scorecard"],
        opened=row["opened"],
        caps=row["caps"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
