"""Drives evaluations: the one place that catches Pending and turns it into what can be done here.

An evaluation is advanced by running it again: what is answered is replayed from the ledger, what is
new is asked. A model behind a key is asked in rounds; for the calling agent, or for a client that
lends its model, open questions become work orders.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import anyio

from dream_evaluators.clock import Clock, SystemClock
from dream_evaluators.errors import (
    AnswersDelayed,
    BudgetExhausted,
    DreamError,
    ReportUnreadable,
    first_error,
)
from dream_evaluators.hashing import content_id
from dream_evaluators.judge import Pending
from dream_evaluators.ledger import Ledger
from dream_evaluators.ledger.evaluations import LEASE_SECONDS, EvaluationRow, EvaluationStatus
from dream_evaluators.ledger.lists import lists_id
from dream_evaluators.model.score import Cost, Scorecard
from dream_evaluators.model.stored import as_plain, from_stored, to_stored

from . import __version__
from .orderbook import OrderBook
from .owners import is_gone, new_owner
from .rungs import Caps, Responder, Rungs, cost_with, have_answered
from .settings import Settings

if TYPE_CHECKING:
    from dream_evaluators.ledger.reports import OpenedReport
    from dream_evaluators.metrics.context import AuthorityScorer, Context
    from dream_evaluators.model.report import Report
    from dream_evaluators.model.source import Source
    from dream_evaluators.run import EvaluationRequest
    from dream_evaluators.web.fetch import Fetcher
    from dream_evaluators.web.packs import Pack
    from dream_evaluators.web.response import Response

NO_CAPS = Caps()
SETTLE_SECONDS = 0.5
# How an evaluation stands whose sitting ended before all was answered: what comes later is under
# way at the endpoint, whoever runs it on fetches it.
STOPPED: dict[type[DreamError], EvaluationStatus] = {
    BudgetExhausted: EvaluationStatus.BUDGET_EXHAUSTED,
    AnswersDelayed: EvaluationStatus.RUNNING,
}


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """An evaluation as it stands: what was asked for, how far it is, what it found."""

    id: str
    request: EvaluationRequest
    status: EvaluationStatus
    message: str = ""
    scorecard: Scorecard | None = None
    open_questions: int = 0
    created_at: str = ""


@dataclass(frozen=True)
class _Outcome:
    """Where an advance ended."""

    scorecard: Scorecard
    status: EvaluationStatus
    message: str = ""


@dataclass
class Driver:
    """Starts, advances and reads evaluations of one store.

    Attributes:
        ledger: The store.
        settings: Of this process.
        clock: Where moments come from.
        warnings: What the user should know of this process, such as a store that forgets.
    """

    ledger: Ledger
    settings: Settings
    clock: Clock = field(default_factory=SystemClock)
    warnings: list[str] = field(default_factory=list)
    _scorer: tuple[str, AuthorityScorer] | None = None
    _owner: str = field(default_factory=new_owner)

    @cached_property
    def rungs(self) -> Rungs:
        """The judges that can be had here."""
        return Rungs(self.ledger, self.settings, self.clock)

    @cached_property
    def orders(self) -> OrderBook:
        """The open questions, as work orders."""
        return OrderBook(self.ledger)

    async def authority(self) -> AuthorityScorer:
        """The scorer of addresses, with what the user imported; built at its first use."""
        lists = await self.ledger.lists.all()
        if self._scorer is None or self._scorer[0] != lists_id(lists):
            from .ratings import build_scorer  # noqa: PLC0415 - start-up

            built = await anyio.to_thread.run_sync(build_scorer, lists, self.settings.suffix_list)
            self._scorer = (lists_id(lists), built)
        return self._scorer[1]

    async def parse(self, opened: OpenedReport) -> Report:
        """Read a report into parts, off the event loop."""
        from dream_evaluators.report import parse_report  # noqa: PLC0415 - start-up
        from dream_evaluators.run import CLAIM_FORMAT, claim_report  # noqa: PLC0415 - start-up

        if opened.format == CLAIM_FORMAT:
            return claim_report(opened.text)
        work = partial(
            parse_report,
            opened.text,
            sources=opened.sources,
            format=opened.format,
            allow=self.settings.fetch_allow,
        )
        return await anyio.to_thread.run_sync(work)

    async def start(
        self,
        request: EvaluationRequest,
        opened: OpenedReport,
        pack: Pack | None = None,
        *,
        fresh: bool = False,
    ) -> str:
        """Find or make the evaluation of a request and return its id."""
        stored = json.dumps(asdict(request))
        record = to_stored(replace(opened, text=""))
        evaluation = await self.ledger.evaluations.start(request.id, stored, record, fresh=fresh)
        if pack is not None:
            from dream_evaluators.web.packs import unpack_into  # noqa: PLC0415 - start-up

            await unpack_into(self.ledger, evaluation, pack)
        return evaluation

    async def find(self, request: EvaluationRequest) -> Evaluation | None:
        """Read the evaluation of a request, if it was ever started."""
        evaluation = await self.ledger.evaluations.find(request.id)
        return await self.get(evaluation) if evaluation else None

    async def get(self, evaluation: str) -> Evaluation:
        """Read an evaluation by id or by a unique beginning of it.

        Raises:
            BadInput: There is no such evaluation.
        """
        row = await self.ledger.evaluations.get(evaluation)
        return self._view(row, len(await self.orders.open_questions(row)))

    async def advance(
        self, evaluation: str, caps: Caps | None = None, *, again: bool = False
    ) -> Evaluation:
        """Work on an evaluation until it is complete or waits for answers.

        Whatever was done before, by whatever process, is kept and not done again. One that is
        complete is returned as it is, and so is one that another process works on.

        Args:
            evaluation: Its id.
            caps: What this sitting may cost; None for what was said before.
            again: Fold a complete one once more, since answers have come.

        Raises:
            BadInput: There is no such evaluation.
            StoreError: The store failed.
            JudgeUnavailable: The judge cannot be asked; what was answered is kept.
        """
        row = await self.ledger.evaluations.get(evaluation)
        done = row.status is EvaluationStatus.COMPLETE and not again
        if done or row.status is EvaluationStatus.CANCELLED:
            return self._view(row)
        if not await self._claim(row.id):
            return await self.get(row.id)
        if row.message:  # of an earlier sitting; others must not take it for this one's
            await self.ledger.evaluations.update(row.id, EvaluationStatus.RUNNING)
        try:
            async with self._lease(row.id):
                await self._work(row, caps)
        except DreamError as error:
            await self.ledger.evaluations.update(row.id, EvaluationStatus.FAILED, str(error))
            raise
        finally:
            with anyio.CancelScope(shield=True):
                await self.ledger.evaluations.release(row.id, self._owner)
        return await self.get(row.id)

    async def opened(self, evaluation: str) -> OpenedReport:
        """The report of an evaluation, as it was opened for it."""
        row = await self.ledger.evaluations.get(evaluation)
        return await self._opened(row, request_of(row))

    async def settle(self, evaluation: str, caps: Caps | None = None) -> Evaluation:
        """Advance an evaluation, waiting for another process that works on it.

        One that runs and has a message waits for answers that may take a day: it is returned.
        """
        while True:
            view = await self.advance(evaluation, caps)
            if view.status is not EvaluationStatus.RUNNING or view.message:
                return view
            await anyio.sleep(SETTLE_SECONDS)

    async def only_source(self, evaluation: str) -> Source | None:
        """The source that a check of one citation read; None before it was read."""
        for snapshot in (await self.ledger.sources.readings(evaluation)).values():
            return await self.ledger.sources.get(snapshot)
        return None

    async def read(self, url: str) -> Source:
        """Read one address for nobody in particular: from a recent snapshot, else the network."""
        from dream_evaluators.web.reader import SourceReader  # noqa: PLC0415 - start-up

        async with nullcontext() if self.settings.offline else self.fetcher() as fetcher:
            return await SourceReader(self.ledger, "", self.clock, fetcher).read(url)

    async def fetch(self, url: str) -> Response:
        """Ask for an address whose content is wanted as it is.

        Raises:
            ReportUnreadable: It did not answer with content; the text says why.
        """
        if self.settings.offline:
            raise ReportUnreadable("DREAM_OFFLINE is set; send the report as text or as a file.")
        async with self.fetcher() as fetcher:
            response = await fetcher.get(url)
        if response.outcome is not None or response.status not in range(200, 300):
            why = response.reason or f"status {response.status}"
            raise ReportUnreadable(f"{url[:200]} could not be read ({why}). Send its text instead.")
        return response

    def fetcher(self) -> Fetcher:
        """Make the way to the network, with this process's exceptions to the address guard."""
        from dream_evaluators.web.fetch import Fetcher  # noqa: PLC0415 - start-up
        from dream_evaluators.web.policy import FetchPolicy  # noqa: PLC0415 - start-up

        settings = self.settings
        policy = FetchPolicy(
            allow=settings.fetch_allow, contact=settings.contact, proxy=settings.proxy
        )
        return Fetcher(policy, clock=self.clock)

    async def _claim(self, evaluation: str) -> bool:
        """Take the lease, at once where its holder was a process of this machine that is gone."""
        evaluations = self.ledger.evaluations
        if await evaluations.claim(evaluation, self._owner):
            return True
        holder = await evaluations.holder(evaluation)
        return is_gone(holder) and await evaluations.claim(evaluation, self._owner, holder)

    async def _work(self, row: EvaluationRow, said: Caps | None) -> None:
        request = request_of(row)
        opened = await self._opened(row, request)
        caps = await self._caps(row, said)
        before = from_stored(Scorecard, row.scorecard).cost if row.scorecard else Cost()
        async with (
            self._context(row, request, opened) as context,
            self.rungs.responder(request, caps) as responder,
        ):
            outcome = await self._run(row.id, request, context, responder)
            spent = cost_with(before, responder)
        card = replace(outcome.scorecard, cost=spent)
        await self.ledger.evaluations.update(
            row.id, outcome.status, outcome.message, to_stored(card)
        )

    async def _opened(self, row: EvaluationRow, request: EvaluationRequest) -> OpenedReport:
        """The report as it was opened for this evaluation."""
        from dream_evaluators.ledger.reports import OpenedReport  # noqa: PLC0415 - start-up

        known = await self.ledger.reports.get(request.report_id)
        if not row.opened:  # started before stores kept it
            return known
        return replace(from_stored(OpenedReport, row.opened), text=known.text)

    async def _caps(self, row: EvaluationRow, caps: Caps | None) -> Caps:
        """What this sitting may cost: what was said now, else what was said before."""
        if caps is not None:
            await self.ledger.evaluations.cap(row.id, json.dumps(asdict(caps)))
            return caps
        return Caps(**json.loads(row.caps)) if row.caps else NO_CAPS

    async def _run(
        self,
        evaluation: str,
        request: EvaluationRequest,
        context: Context,
        responder: Responder | None,
    ) -> _Outcome:
        """Run the metrics, asking as long as somebody here answers."""
        from dream_evaluators.run import evaluate  # noqa: PLC0415 - start-up

        status, message = EvaluationStatus.NEEDS_WORK, ""
        while True:
            try:
                card = await evaluate(request, context, __version__)
            except Pending as pending:
                if responder is None:
                    await self.orders.hand_out(evaluation, pending)
                    break
                try:
                    await have_answered(responder, pending)
                except (BudgetExhausted, AnswersDelayed) as error:
                    status, message = STOPPED[type(error)], str(error)
                    break
            else:
                return _Outcome(card, EvaluationStatus.COMPLETE)
        card = await evaluate(request, replace(context, provisional=True), __version__)
        return _Outcome(card, status, message)

    @asynccontextmanager
    async def _context(
        self, row: EvaluationRow, request: EvaluationRequest, opened: OpenedReport
    ) -> AsyncIterator[Context]:
        from dream_evaluators.metrics import Context  # noqa: PLC0415 - start-up
        from dream_evaluators.web.reader import SourceReader  # noqa: PLC0415 - start-up

        online = not (request.offline or request.pack or not request.check_links)
        async with self.fetcher() if online else nullcontext() as fetcher:
            reader = SourceReader(
                self.ledger, row.id, self.clock, fetcher, opened.sources, why_not=_why_not(request)
            )
            yield Context(
                report=await self.parse(opened),
                judge=self.rungs.judge(request, row.created_at),
                read=reader.read,
                authority=await self.authority(),
                effort=request.effort,
                query=request.query,
                as_of=request.as_of,
            )

    @asynccontextmanager
    async def _lease(self, evaluation: str) -> AsyncIterator[None]:
        """Keep the lease while the body works."""

        async def renew() -> None:
            while True:
                await anyio.sleep(LEASE_SECONDS / 3)
                await self.ledger.evaluations.claim(evaluation, self._owner)

        try:
            async with anyio.create_task_group() as group:
                group.start_soon(renew)
                yield
                group.cancel_scope.cancel()
        except BaseExceptionGroup as errors:
            raise first_error(errors) from errors

    def _view(self, row: EvaluationRow, open_questions: int = 0) -> Evaluation:
        return Evaluation(
            id=row.id,
            request=request_of(row),
            status=row.status,
            message=row.message,
            scorecard=from_stored(Scorecard, row.scorecard) if row.scorecard else None,
            open_questions=open_questions,
            created_at=row.created_at,
        )


def request_of(row: EvaluationRow) -> EvaluationRequest:
    """Read what was asked for."""
    from dream_evaluators.model.stored import adapter  # noqa: PLC0415 - start-up
    from dream_evaluators.run import EvaluationRequest  # noqa: PLC0415 - start-up

    request: EvaluationRequest = adapter(EvaluationRequest).validate_json(row.request)
    return request


def sources_hash(opened: OpenedReport) -> str:
    """The identity of the sources an author handed in; "" when there are none."""
    return content_id([as_plain(hint) for hint in opened.sources]) if opened.sources else ""


def _why_not(request: EvaluationRequest) -> str:
    if request.pack:
        return "Not checked: the evidence pack has no page for this address."
    if not request.check_links:
        return "Not checked: this audit was asked to leave links alone."
    return "Not checked: this evaluation runs offline."
