"""What may still be spent: checked before each call, summed after it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dream_evaluators.errors import BudgetExhausted, JudgeUnavailable
from dream_evaluators.judges.anthropic.pricing import Spent, price_of
from dream_evaluators.judges.anthropic.settings import AnthropicSettings

KEPT = "What was answered is kept; raise the cap to go on."


class Budget:
    """The caps of one run and what it spent.

    Attributes:
        spent: By all calls so far.
        round_spent: By the calls of this round.
        halted: Why no call may begin any more; None while calls may.
    """

    def __init__(self, settings: AnthropicSettings) -> None:
        if settings.max_usd and price_of(settings.model) is None:
            raise BudgetExhausted(
                f"A cap in dollars cannot be kept: the price of {settings.model!r} is not known. "
                "Set max_calls instead of max_usd."
            )
        self._max_usd = settings.max_usd
        self._max_calls = settings.max_calls
        self._under_way = 0
        self.spent = Spent()
        self.round_spent = Spent()
        self.halted: BudgetExhausted | JudgeUnavailable | None = None

    def begin_round(self) -> None:
        """Start counting anew what a round costs, and forget why the last one was halted."""
        self.round_spent = Spent()
        self.halted = None

    @contextmanager
    def call(self) -> Iterator[None]:
        """Begin and end one call.

        Raises:
            BudgetExhausted: A cap is reached.
            JudgeUnavailable: Another call found out that none will work.
        """
        self.halted = self.halted or self._reached()
        if self.halted:
            raise self.halted
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1

    def pay(self, spent: Spent) -> None:
        """Account for an answered call."""
        self.spent += spent
        self.round_spent += spent

    def _reached(self) -> BudgetExhausted | None:
        calls = self.spent.calls
        if self._max_calls and calls + self._under_way >= self._max_calls:
            return BudgetExhausted(
                f"The cap of {self._max_calls} calls (max_calls) is reached. {KEPT}"
            )
        if not self._max_usd:
            return None
        if self.spent.usd is None:
            return BudgetExhausted(
                "The endpoint answers with a model whose price is not known, so that the cap in "
                "dollars cannot be kept. Set max_calls instead of max_usd."
            )
        if self.spent.usd >= self._max_usd:
            return BudgetExhausted(
                f"The cap of ${self._max_usd:g} (max_usd) is reached after {calls} calls. {KEPT}"
            )
        return None
