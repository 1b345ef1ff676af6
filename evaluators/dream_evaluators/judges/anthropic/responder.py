"""The anthropic rung: asks all open questions over the API and records every answer at once."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

import anyio

from dream_evaluators.clock import Clock
from dream_evaluators.errors import (
    AnswersDelayed,
    BudgetExhausted,
    JudgeUnavailable,
    first_error,
)
from dream_evaluators.judges.anthropic.budget import Budget
from dream_evaluators.judges.anthropic.client import MessagesClient
from dream_evaluators.judges.anthropic.errand import Desk, Errand
from dream_evaluators.judges.anthropic.message_batches import Keys, MessageBatches
from dream_evaluators.judges.anthropic.pricing import Spent
from dream_evaluators.judges.anthropic.requests import plan_batches
from dream_evaluators.judges.anthropic.retry import Limiter, Sleep
from dream_evaluators.judges.anthropic.settings import AnthropicSettings, judge_name
from dream_evaluators.ledger import Ledger
from dream_evaluators.ledger.open_batches import OpenBatch
from dream_evaluators.model.judgement import WorkItem

DELAYED = (
    "{questions} questions wait in {batches} (handed in at {at}), which costs half and may take a "
    "day. Run the same again later to fetch the answers; nothing is paid twice."
)


class AnthropicResponder:
    """Answers questions by asking a model over the Messages API.

    Use it as an async context manager. Its caps hold over all its `respond` calls together.
    """

    def __init__(
        self,
        ledger: Ledger,
        settings: AnthropicSettings,
        clock: Clock,
        *,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        self._ledger = ledger
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        self._budget = Budget(settings)
        self._desk: Desk | None = None
        self._batches: MessageBatches | None = None

    @property
    def spent(self) -> Spent:
        """What all calls so far cost, also after an error."""
        return self._budget.spent

    async def __aenter__(self) -> Self:
        """Load the SDK and open the client."""
        settings = self._settings
        turns = anyio.CapacityLimiter(settings.concurrency)
        self._desk = Desk(
            ledger=self._ledger,
            client=await MessagesClient.open(settings, self._clock),
            limiter=Limiter(turns, settings.deadline_seconds, self._clock, self._sleep),
            budget=self._budget,
            judge=judge_name(settings),
            max_tokens=settings.max_tokens,
        )
        self._batches = MessageBatches(self._desk, settings, self._clock, self._sleep)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the client."""
        if self._desk:
            await self._desk.client.close()

    async def respond(self, items: Sequence[WorkItem], *, sample: int = 0) -> Spent:
        """Ask the questions that this judge has not answered, and record each answer at once.

        A question that the model refuses, or does not answer usably when asked again, is recorded
        as a FailedAnswer.

        Args:
            items: Open questions.
            sample: Which of several deliberate repeats.

        Returns:
            What this round cost; `spent` is the sum of all rounds.

        Raises:
            AnswersDelayed: Some answers come later, by a message batch.
            BudgetExhausted: A cap was reached; requests under way were still recorded.
            JudgeUnavailable: The endpoint cannot be used, or did not answer before the deadline.
            RuntimeError: The responder was not entered.
        """
        if self._desk is None or self._batches is None:
            raise RuntimeError("use the responder as an async context manager")
        self._budget.begin_round()
        await self._ledger.answers.open(items)
        keys = frozenset((item.id, sample) for item in items)
        await self._batches.fetch(keys)
        left_over = self._batches.left_over(keys)
        # Looking whether answers have come must not cost a cap's worth each time.
        groups: list[list[Errand]] = []
        if not (self._batches.out and self._budget.is_capped):
            planned = await self._plan(self._desk, self._batches, items, sample, left_over)
            groups = await self._hand_in(self._batches, planned)
        await self._batches.wait()
        left_over += self._batches.left_over(keys)
        await self._run([*groups, *([errand] for errand in left_over)])
        return self._ended(self._batches.out, keys)

    async def _plan(
        self,
        desk: Desk,
        batches: MessageBatches,
        items: Sequence[WorkItem],
        sample: int,
        left_over: Sequence[Errand],
    ) -> list[list[Errand]]:
        """Errands for what is open, in groups of which each had better be done in order."""
        taken = {id_ for errand in left_over for id_, _ in errand.keys}
        taken |= {id_ for batch in batches.out for id_, s in batch.keys if s == sample}
        unanswered = await self._unanswered(desk, items, sample)
        groups = await plan_batches(
            self._ledger,
            [item for item in unanswered if item.id not in taken],
            self._settings.request_tokens,
        )
        return [[Errand(desk, batch, sample) for batch in group] for group in groups]

    async def _hand_in(
        self, batches: MessageBatches, groups: Sequence[Sequence[Errand]]
    ) -> list[list[Errand]]:
        """Hand in what is worth it and give the rest."""
        left = set(await batches.hand_in([errand for group in groups for errand in group]))
        kept = [[errand for errand in group if errand in left] for group in groups]
        return [group for group in kept if group]

    async def _run(self, groups: Sequence[Sequence[Errand]]) -> None:
        # The first request writes the rules into the prompt cache that all others read them from.
        for errands in groups[:1]:
            await self._ask(errands)
        try:
            async with anyio.create_task_group() as group:
                for errands in groups[1:]:
                    group.start_soon(self._ask, errands)
        except BaseExceptionGroup as errors:
            raise first_error(errors) from errors

    def _ended(self, awaited: Sequence[OpenBatch], keys: Keys) -> Spent:
        """What the round cost, or why it is not complete."""
        halted = self._budget.halted
        if awaited and not isinstance(halted, JudgeUnavailable):
            named = f"the message batch {awaited[0].id}"
            raise AnswersDelayed(
                DELAYED.format(
                    questions=sum(len(batch.keys.intersection(keys)) for batch in awaited),
                    batches=named if len(awaited) == 1 else f"{len(awaited)} message batches",
                    at=awaited[0].created_at,
                )
            )
        if halted:
            raise halted
        return self._budget.round_spent

    async def _unanswered(
        self, desk: Desk, items: Sequence[WorkItem], sample: int
    ) -> list[WorkItem]:
        distinct = {item.id: item for item in items}
        known = await self._ledger.answers.of(list(distinct))
        return [
            item
            for id_, item in distinct.items()
            if not any(
                a.judge == desk.judge and a.sample == sample and not a.failed
                for a in known.get(id_, ())
            )
        ]

    async def _ask(self, errands: Sequence[Errand]) -> None:
        """Do a group of errands; what the first put into the prompt cache serves the others."""
        try:
            for errand in errands:
                if self._budget.halted is None:
                    await errand.run()
        except (BudgetExhausted, JudgeUnavailable) as error:
            # Calls of others that are under way are paid for: they finish, and none begins.
            self._budget.halted = self._budget.halted or error
