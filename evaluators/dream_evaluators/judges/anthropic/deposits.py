"""Handing requests in as a message batch, so that none is paid twice.

The API knows no key that makes a second deposit of the same requests harmless. So a deposit is
announced in the ledger before it goes out, and each request bears a custom id that no other deposit
has. When it is not known what became of a deposit (the process died, the answer was lost),
the endpoint's list of batches is searched for it: one that has ended shows by its results whose it
is; while one of that size is under way, the deposit counts as taken.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

import anyio

from dream_evaluators.clock import Clock, iso
from dream_evaluators.errors import JudgeUnavailable
from dream_evaluators.hashing import content_id
from dream_evaluators.judges.anthropic.errand import KEPT, Desk, Errand
from dream_evaluators.judges.anthropic.pricing import most_batched_usd
from dream_evaluators.judges.anthropic.replies import ListedBatch
from dream_evaluators.judges.anthropic.requests import Request, write_request
from dream_evaluators.judges.anthropic.retry import Trouble
from dream_evaluators.ledger.open_batches import BatchedRequest, OpenBatch, announced_id

logger = logging.getLogger(__name__)

# What an endpoint answers that has no batches, or takes none so large.
NO_BATCHES = frozenset({404, 405, 413, 501})
# One that knows no list of them, so that nothing can be found out.
LISTLESS = NO_BATCHES | {400}
# Under these statuses nothing was taken.
REFUSALS = frozenset({*range(300, 500), 501}) - {408}
# An endpoint's clock and ours may differ by so much.
CLOCKS_APART = timedelta(hours=1)
NAME_DIGITS = 32  # a custom id has at most 64 letters, digits, "-" and "_"


@dataclass(frozen=True)
class Written:
    """A request ready to be handed in.

    Attributes:
        errand: Whose it is.
        request: What is sent.
        most_usd: What it costs at most, in dollars; 0 where the price is not known.
    """

    errand: Errand
    request: Request
    most_usd: float


@dataclass
class _Attempt:
    """A deposit under way.

    Attributes:
        row: As announced.
        requests: In the order of the row.
        doubtful: Whether the endpoint may have taken it without our knowing.
    """

    row: OpenBatch
    requests: Sequence[Request]
    doubtful: bool = False


@dataclass
class Deposits:
    """Hands in for one responder.

    Attributes:
        desk: What its errands share.
        model: As asked for.
        clock: Tells when a deposit was announced.
        open_here: False once the endpoint has shown that it has no batches.
    """

    desk: Desk
    model: str
    clock: Clock
    open_here: bool = True

    async def write(self, errand: Errand) -> Written:
        """Write an errand's request out."""
        request = await write_request(self.desk.ledger, errand.batch, {})
        most = most_batched_usd(self.model, request.tokens, self.desk.max_tokens)
        return Written(errand, request, most or 0.0)

    async def deposit(self, part: Sequence[Written]) -> OpenBatch | None:
        """Hand one batch in.

        Returns:
            It as remembered; None where the endpoint takes none.

        Raises:
            JudgeUnavailable: The endpoint refuses, or nobody knows whether it has taken it. In the
                second case whoever comes next finds that out.
        """
        attempt = _Attempt(self._announced(part), [written.request for written in part])
        await self.desk.ledger.open_batches.add(attempt.row)
        try:
            return await self.desk.limiter.persist(partial(self._send, attempt), attempt.row.id)
        except Trouble as trouble:
            if not attempt.doubtful:
                await self.desk.ledger.open_batches.remove(attempt.row.id)
            if attempt.doubtful or trouble.status not in NO_BATCHES:
                raise JudgeUnavailable(f"{trouble.reason}. {KEPT}") from None
        logger.warning("The endpoint takes no message batches; its usual price is paid.")
        self.open_here = False
        return None

    async def _send(self, attempt: _Attempt, seconds: float) -> OpenBatch:
        """Hand in once, unless an attempt before this one turns out to have worked."""
        if attempt.doubtful and (found := await self.identify(attempt.row, seconds)):
            return found
        requests = dict(zip(attempt.row.requests, attempt.requests, strict=True))
        client, room = self.desk.client, self.desk.max_tokens
        attempt.doubtful = True
        # Taken is paid for: a cancellation must not come between that and our record of it.
        with anyio.CancelScope(shield=True):
            try:
                id_ = await client.hand_in(requests, room, seconds)
            except Trouble as trouble:
                attempt.doubtful = trouble.status not in REFUSALS
                raise
            batch = replace(attempt.row, id=id_)
            await self.desk.ledger.open_batches.add(batch, instead_of=attempt.row.id)
        return batch

    def _announced(self, part: Sequence[Written]) -> OpenBatch:
        judge, now = self.desk.judge, iso(self.clock.now())
        records = {
            _name(judge, written.errand, now): BatchedRequest(
                {handle: item.id for handle, item in written.errand.batch.items.items()},
                written.errand.sample,
                written.most_usd,
            )
            for written in part
        }
        id_ = announced_id(judge, records, now)
        return OpenBatch(id=id_, judge=judge, requests=records, created_at=now)

    async def identify(self, row: OpenBatch, seconds: float) -> OpenBatch | None:
        """Find out what became of a deposit that was only announced.

        Args:
            row: As announced.
            seconds: How long one question to the endpoint may take.

        Returns:
            It under its own id, once it has ended; unchanged while that cannot be told; None where
            the endpoint has not taken it.

        Raises:
            Trouble: The endpoint does not answer.
        """
        known = await self.desk.ledger.open_batches.ids()
        try:
            listed = await self.desk.client.listed(seconds)
        except Trouble as trouble:
            if trouble.status not in LISTLESS:
                raise
            return None
        alike = [batch for batch in listed if batch.id not in known and _may_be(batch, row)]
        for batch in alike:
            if batch.has_ended:
                names = await self.desk.client.results(batch.id, seconds)
                if not row.requests.keys().isdisjoint(names):
                    found = replace(row, id=batch.id)
                    await self.desk.ledger.open_batches.add(found, instead_of=row.id)
                    return found
        return None if all(batch.has_ended for batch in alike) else row


def _may_be(listed: ListedBatch, row: OpenBatch) -> bool:
    since = datetime.fromisoformat(row.created_at) - CLOCKS_APART
    return listed.size == len(row.requests) and (
        listed.created_at is None or listed.created_at >= since
    )


def _name(judge: str, errand: Errand, now: str) -> str:
    digits = content_id(judge, errand.sample, list(errand.batch.ids), now).removeprefix("b2:")
    return f"r{digits[:NAME_DIGITS]}"
