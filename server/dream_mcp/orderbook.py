"""Work orders of an evaluation: handed out, written out, answered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dream_evaluators.judge import HUMAN, Pending
from dream_evaluators.ledger import Ledger
from dream_evaluators.ledger.evaluations import EvaluationRow, EvaluationStatus
from dream_evaluators.model.judgement import Question

if TYPE_CHECKING:
    from dream_evaluators.judges.orders import WorkOrder
    from dream_evaluators.judges.submissions import Receipt


@dataclass(frozen=True)
class OrderBook:
    """The open questions of a store's evaluations, in orders that a reader can answer."""

    ledger: Ledger

    async def hand_out(self, evaluation: str, pending: Pending) -> None:
        """Store open questions, and pack those that are in no order yet."""
        from dream_evaluators.judges.orders import pack_orders  # noqa: PLC0415 - start-up

        await self.ledger.answers.open(pending.items)
        numbers = await self.ledger.evaluations.number(
            evaluation, [question.key for question in pending.questions]
        )
        placed = await self.ledger.evaluations.orders(evaluation)
        taken = {question for members in placed.values() for question in members}
        new = {numbers[q.key]: q for q in pending.questions if numbers[q.key] not in taken}
        await self.ledger.evaluations.add_orders(evaluation, await pack_orders(self.ledger, new))

    async def open_questions(self, row: EvaluationRow) -> dict[int, Question]:
        """The numbered questions of an evaluation that nobody has answered yet."""
        if row.status is not EvaluationStatus.NEEDS_WORK:
            return {}
        numbers = await self.ledger.evaluations.number(row.id, [])
        answered = await self.ledger.answers.of([item for item, _ in numbers])
        rung = json.loads(row.request)["judge"]
        waiting = {
            number: (item, sample)
            for (item, sample), number in numbers.items()
            if not any(
                a.rung == HUMAN or (a.rung == rung and a.sample == sample)
                for a in answered.get(item, ())
            )
        }
        items = await self.ledger.answers.items([item for item, _ in waiting.values()])
        return {
            number: Question(items[item], sample)
            for number, (item, sample) in sorted(waiting.items())
            if item in items
        }

    async def write_out(
        self, evaluation: str, limit: int = 3, max_tokens: int = 0
    ) -> tuple[list[WorkOrder], int]:
        """Write out the next open work orders, and count all that are open.

        Args:
            evaluation: Its id.
            limit: How many to write out.
            max_tokens: Stop before this many tokens of prompts (0: never); at least one order is
                given.
        """
        from dream_evaluators.judges.orders import render_order  # noqa: PLC0415 - start-up

        row = await self.ledger.evaluations.get(evaluation)
        questions = await self.open_questions(row)
        placed = await self.ledger.evaluations.orders(row.id)
        waiting = [
            (number, {q: questions[q] for q in members if q in questions})
            for number, members in placed.items()
        ]
        waiting = [(number, members) for number, members in waiting if members]
        written: list[WorkOrder] = []
        for number, members in waiting[:limit]:
            order = await render_order(self.ledger, number, members)
            if (
                written
                and max_tokens
                and sum(o.tokens for o in written) + order.tokens > max_tokens
            ):
                break
            written.append(order)
        return written, len(waiting)

    async def submit(
        self, evaluation: str, answers: Sequence[Mapping[str, Any]], judge: str
    ) -> Receipt:
        """Record answers to work orders; whatever is wrong is refused by itself.

        Args:
            evaluation: Its id.
            answers: Each `{id, answer}`.
            judge: The name they are recorded under.

        Raises:
            BadInput: There is no such evaluation.
        """
        from dream_evaluators.judges.submissions import submit  # noqa: PLC0415 - start-up

        row = await self.ledger.evaluations.get(evaluation)
        return await submit(self.ledger, row.id, answers, judge)
