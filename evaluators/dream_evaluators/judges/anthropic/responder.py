"""The anthropic rung: asks all open questions over the API and records every answer at once."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

import anyio

from dream_evaluators.clock import Clock
from dream_evaluators.errors import BudgetExhausted, JudgeUnavailable, first_error
from dream_evaluators.judges.anthropic.budget import Budget
from dream_evaluators.judges.anthropic.client import MessagesClient
from dream_evaluators.judges.anthropic.errand import Desk, Errand
from dream_evaluators.judges.anthropic.pricing import Spent
from dream_evaluators.judges.anthropic.requests import Batch, plan_batches
from dream_evaluators.judges.anthropic.retry import Limiter, Sleep
from dream_evaluators.judges.anthropic.settings import AnthropicSettings, judge_name
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import WorkItem


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
            BudgetExhausted: A cap was reached; requests under way were still recorded.
            JudgeUnavailable: The endpoint cannot be used, or did not answer before the deadline.
            RuntimeError: The responder was not entered.
        """
        if self._desk is None:
            raise RuntimeError("use the responder as an async context manager")
        self._budget.begin_round()
        await self._ledger.answers.open(items)
        unanswered = await self._unanswered(self._desk, items, sample)
        groups = await plan_batches(self._ledger, unanswered, self._settings.request_tokens)
        # The first request writes the rules into the prompt cache that all others read them from.
        for batches in groups[:1]:
            await self._ask(self._desk, batches, sample)
        try:
            async with anyio.create_task_group() as group:
                for batches in groups[1:]:
                    group.start_soon(self._ask, self._desk, batches, sample)
        except BaseExceptionGroup as errors:
            raise first_error(errors) from errors
        if self._budget.halted:
            raise self._budget.halted
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

    async def _ask(self, desk: Desk, batches: Sequence[Batch], sample: int) -> None:
        """Send a group of requests; what the first put into the prompt cache serves the others."""
        try:
            for batch in batches:
                if self._budget.halted is None:
                    await Errand(desk, batch, sample).run()
        except (BudgetExhausted, JudgeUnavailable) as error:
            # Calls of others that are under way are paid for: they finish, and none begins.
            self._budget.halted = self._budget.halted or error
