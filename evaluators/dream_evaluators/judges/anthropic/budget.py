"""What may still be spent: checked before each call, summed after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
        self._handed_in: dict[str, tuple[int, float]] = {}  # calls and dollars by message batch
        self.spent = Spent()
        self.round_spent = Spent()
        self.halted: BudgetExhausted | JudgeUnavailable | None = None

    @property
    def is_capped(self) -> bool:
        """Whether there is a cap at all."""
        return bool(self._max_usd or self._max_calls)

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

    def admits(self, most_usd: Sequence[float]) -> int:
        """How many of these requests may be handed in for later, in their order.

        Args:
            most_usd: What each costs at most.
        """
        if self._reached():
            return 0
        calls, usd = self._owed()
        admitted = 0
        for cost in most_usd:
            calls, usd = calls + 1, usd + cost
            if (self._max_calls and calls > self._max_calls) or (
                self._max_usd and usd > self._max_usd
            ):
                break
            admitted += 1
        return admitted

    def hand_in(self, batch: str, most_usd: Sequence[float]) -> None:
        """Set aside what a message batch may cost, until it is fetched."""
        self._handed_in[batch] = len(most_usd), sum(most_usd)

    def drop(self, batch: str) -> None:
        """Set nothing aside for a message batch any more: it is fetched, or looked at anew."""
        self._handed_in.pop(batch, None)

    def _owed(self) -> tuple[int, float]:
        """Calls and dollars that are spent, under way or handed in."""
        calls = sum(calls for calls, _ in self._handed_in.values())
        usd = sum(usd for _, usd in self._handed_in.values())
        return self.spent.calls + self._under_way + calls, (self.spent.usd or 0.0) + usd

    def _reached(self) -> BudgetExhausted | None:
        calls, usd = self._owed()
        if self._max_calls and calls >= self._max_calls:
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
        if usd >= self._max_usd:
            return BudgetExhausted(
                f"The cap of ${self._max_usd:g} (max_usd) is reached after "
                f"{self.spent.calls} calls. {KEPT}"
            )
        return None
