"""Report texts, and what the caller said about them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dream_evaluators.clock import Clock, iso
from dream_evaluators.errors import BadInput
from dream_evaluators.ledger.bodies import get_body, put_body
from dream_evaluators.ledger.sqlite import Connection, SqliteDatabase
from dream_evaluators.model.report import SourceHint
from dream_evaluators.model.stored import from_stored, to_stored


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedReport:
    """A report as it was opened. Its id is the hash of its text."""

    text: str
    format: str = "markdown"
    query: str = ""
    sources: tuple[SourceHint, ...] = ()  # what the author's agent says it read
    anchors: tuple[tuple[int, str], ...] = ()  # where pages or sections begin, and their labels


class Reports:
    """Stores opened reports. Opening one again adds what is newly said of it, and loses nothing."""

    def __init__(self, database: SqliteDatabase, space: str, clock: Clock) -> None:
        self._database = database
        self._space = space
        self._clock = clock

    async def add(self, report: OpenedReport) -> str:
        """Store a report and return its id."""
        moment = iso(self._clock.now())

        def write(connection: Connection) -> str:
            digest = put_body(connection, report.text)
            known = connection.execute(
                "select record from report where space = :space and id = :id",
                {"space": self._space, "id": digest},
            ).fetchone()
            merged = (
                _merged(from_stored(OpenedReport, known["record"]), report) if known else report
            )
            record = to_stored(replace(merged, text=""))
            connection.execute(
                """insert into report (space, id, record, created_at)
                values (:space, :id, :record, :at)
                on conflict (space, id) do update set record = excluded.record""",
                {"space": self._space, "id": digest, "record": record, "at": moment},
            )
            return digest

        return await self._database.write(write)

    async def get(self, report_id: str) -> OpenedReport:
        """Read a report by id.

        Raises:
            BadInput: It was never opened here.
        """

        def read(connection: Connection) -> OpenedReport | None:
            row = connection.execute(
                "select record from report where space = :space and id = :id",
                {"space": self._space, "id": report_id},
            ).fetchone()
            if row is None:
                return None
            known = from_stored(OpenedReport, row["record"])
            return replace(known, text=get_body(connection, report_id))

        found = await self._database.run(read)
        if found is None:
            raise BadInput(
                f"No report {report_id[:60]!r} is open here. Call open_report first, or pass the "
                "text as `report` or its file as `report_path`."
            )
        return found


def _merged(known: OpenedReport, again: OpenedReport) -> OpenedReport:
    return replace(
        known,
        query=again.query or known.query,
        sources=again.sources or known.sources,
        anchors=again.anchors or known.anchors,
    )
