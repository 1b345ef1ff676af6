"""Message batches: requests handed in for later at half the price, and fetched by whoever comes.

A round first fetches what earlier rounds handed in, in this process or in one that is gone; then
hands in what is open, if that is much; then waits a while. What comes later is fetched by a later
round. Whatever a batch does not settle (a question to put again, a request that expired) takes the
usual way, by the errands that are left over here.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

from dream_evaluators.clock import Clock
from dream_evaluators.errors import JudgeUnavailable
from dream_evaluators.judges.anthropic.deposits import Deposits
from dream_evaluators.judges.anthropic.errand import KEPT, Desk, Errand
from dream_evaluators.judges.anthropic.pricing import Spent
from dream_evaluators.judges.anthropic.replies import Reply
from dream_evaluators.judges.anthropic.requests import Batch
from dream_evaluators.judges.anthropic.retry import Sleep, Trouble
from dream_evaluators.judges.anthropic.settings import AnthropicSettings
from dream_evaluators.ledger.open_batches import BatchedRequest, OpenBatch
from dream_evaluators.model.judgement import WorkItem
from dream_evaluators.prompts import load_prompt
from dream_evaluators.prompts.answers import ANSWER_TYPES

T = TypeVar("T")
Keys = Collection[tuple[str, int]]

logger = logging.getLogger(__name__)

# The API takes 100,000 requests and 256 MB a batch; of ours so many stay well below both.
MOST_REQUESTS = 1_000
FIRST_NAP = 2.0  # seconds between two looks at a batch, doubled each time
LONGEST_NAP = 30.0
# The API ends a batch after a day. One that is not known by then will not be, and one that has not
# ended a day later never will.
LIFETIME = timedelta(hours=24)
UNKNOWN = (
    "The endpoint does not know the message batch {id}, which was handed in at {at}: use the key "
    "and the workspace that it was handed in with; a day after that it is given up. " + KEPT
)


@dataclass
class MessageBatches:
    """The message batches of one responder.

    Attributes:
        desk: What its errands share.
        settings: From how many requests on a batch is worth it, how long to wait for one.
        clock: Tells how old a batch is.
        sleep: How to wait.
        out: The batches with questions of this round that have not ended, as of the last look.
    """

    desk: Desk
    settings: AnthropicSettings
    clock: Clock
    sleep: Sleep
    out: list[OpenBatch] = field(default_factory=list)
    _left_over: list[Errand] = field(default_factory=list)
    _waited: float = 0.0

    def __post_init__(self) -> None:
        """Open the counter where requests are handed in."""
        self._deposits = Deposits(self.desk, self.settings.model, self.clock)

    def left_over(self, keys: Keys) -> list[Errand]:
        """Take the errands that fetched batches left to do for these questions."""
        chosen = [errand for errand in self._left_over if not errand.keys.isdisjoint(keys)]
        self._left_over = [errand for errand in self._left_over if errand not in chosen]
        return chosen

    async def fetch(self, keys: Keys) -> None:
        """Fetch the batches with questions of this round that have ended, whoever handed them in.

        Those that have not count against the caps from now on: they will be paid for.

        Args:
            keys: The questions of this round.

        Raises:
            JudgeUnavailable: The endpoint cannot be asked, or does not know a batch of today.
        """
        self.out = []
        for batch in await self.desk.ledger.open_batches.of(self.desk.judge):
            if batch.keys.isdisjoint(keys):
                continue
            if not await self._visit(batch):
                # Nothing is paid: this round hands in, or asks, what was in it.
                await self.desk.ledger.open_batches.remove(batch.id)

    async def hand_in(self, errands: Sequence[Errand]) -> list[Errand]:
        """Hand requests in, as many as the caps allow, where they are enough to be worth it.

        Returns:
            Those that were not handed in.

        Raises:
            JudgeUnavailable: The endpoint refuses.
        """
        least = self.settings.batch_from
        if not least or len(errands) < least or not self._deposits.open_here:
            return list(errands)
        written = [await self._deposits.write(errand) for errand in errands]
        admitted = self.desk.budget.admits([w.most_usd for w in written])
        if admitted < least:
            return list(errands)
        done = 0
        while done < admitted:
            part = written[done : min(done + MOST_REQUESTS, admitted)]
            batch = await self._deposits.deposit(part)
            if batch is None:
                break
            self._await(batch)
            done += len(part)
        return list(errands[done:])

    async def wait(self) -> None:
        """Wait for the batches that are out, for as long as a sitting may.

        Raises:
            JudgeUnavailable: The endpoint cannot be asked.
        """
        nap, most = FIRST_NAP, self.settings.batch_seconds
        while self.out and self._waited < most:
            nap = min(nap, most - self._waited)
            began = self.clock.monotonic()
            await self.sleep(nap)
            waiting, self.out = self.out, []
            for batch in waiting:
                if not await self._visit(batch):
                    await self._settle(batch, {})
            # Looking takes its time too.
            self._waited += max(nap, self.clock.monotonic() - began)
            nap = min(2 * nap, LONGEST_NAP)

    def _await(self, batch: OpenBatch) -> None:
        most_usd = [request.most_usd for request in batch.requests.values()]
        self.desk.budget.hand_in(batch.id, most_usd)
        self.out.append(batch)

    async def _visit(self, batch: OpenBatch) -> bool:
        """Look how a batch stands; False where it turns out that the endpoint never took it."""
        self.desk.budget.drop(batch.id)
        found = await self._identified(batch)
        if found and not await self._look(found):
            self._await(found)
        return found is not None

    async def _identified(self, batch: OpenBatch) -> OpenBatch | None:
        """A batch under its own id, as far as that is known; None where it was never taken."""
        if not batch.is_announced:
            return batch
        try:
            return await self._ask(batch, lambda s: self._deposits.identify(batch, s))
        except Trouble as trouble:
            raise JudgeUnavailable(f"{trouble.reason}. {KEPT}") from None

    async def _look(self, batch: OpenBatch) -> bool:
        """Whether a batch has ended: what it brought is recorded then."""
        replies = None if batch.is_announced else await self._replies(batch)
        if replies is None:
            return False
        await self._settle(batch, replies)
        return True

    async def _replies(self, batch: OpenBatch) -> Mapping[str, Reply] | None:
        """What came of a batch, by custom id; None while it is under way."""
        client = self.desk.client
        age = self.clock.now() - datetime.fromisoformat(batch.created_at)
        try:
            if await self._ask(batch, lambda s: client.has_ended(batch.id, s)):
                return await self._ask(batch, lambda s: client.results(batch.id, s))
            if age < 2 * LIFETIME:
                return None
        except Trouble as trouble:
            if trouble.status != 404:
                raise JudgeUnavailable(f"{trouble.reason}. {KEPT}") from None
            if age < LIFETIME:
                raise JudgeUnavailable(UNKNOWN.format(id=batch.id, at=batch.created_at)) from None
        logger.warning("The message batch %s is gone; what it asked is asked again.", batch.id)
        return {}

    async def _ask(self, batch: OpenBatch, send: Callable[[float], Awaitable[T]]) -> T:
        return await self.desk.limiter.persist(send, batch.id)

    async def _settle(self, batch: OpenBatch, replies: Mapping[str, Reply]) -> None:
        """Record what a batch brought, then forget it: killed in between, it is done once more."""
        errands, spent = [], Spent()
        items = await self.desk.ledger.answers.items([id_ for id_, _ in batch.keys])
        for name, request in batch.requests.items():
            errand = self._errand(request, items)
            reply = replies.get(name)
            if reply:
                spent += reply.spent
            if errand and reply:
                await errand.take(reply)
            errands += [errand] if errand and errand.batch.items else []
        # Two processes may record the same, which does no harm; only one of them goes on.
        if await self.desk.ledger.open_batches.remove(batch.id):
            self.desk.budget.pay(spent)
            self._left_over += errands

    def _errand(self, request: BatchedRequest, items: Mapping[str, WorkItem]) -> Errand | None:
        """The errand that a request was; None where nobody puts its questions any more."""
        known = {handle: items[id_] for handle, id_ in request.items.items() if id_ in items}
        asked = {handle: item for handle, item in known.items() if _is_current(item)}
        if not asked:
            return None
        kind = next(iter(asked.values())).kind
        return Errand(self.desk, Batch(kind, asked), request.sample)


def _is_current(item: WorkItem) -> bool:
    """Whether a question is still put in these words: a newer version may have others."""
    return item.kind in ANSWER_TYPES and load_prompt(item.kind).id == item.prompt_id
