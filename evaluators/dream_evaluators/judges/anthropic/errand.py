"""One batch of questions until each is answered, failed for good, or nobody can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import anyio

from dream_evaluators.errors import JudgeUnavailable
from dream_evaluators.judges.anthropic.budget import Budget
from dream_evaluators.judges.anthropic.client import MessagesClient
from dream_evaluators.judges.anthropic.pricing import Spent
from dream_evaluators.judges.anthropic.replies import Reply
from dream_evaluators.judges.anthropic.requests import Batch, Request, write_request
from dream_evaluators.judges.anthropic.retry import Limiter, Remedy, Trouble
from dream_evaluators.judges.anthropic.verdicts import read_verdicts
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import Answer
from dream_evaluators.prompts.answers import ANSWER_TYPES, FailedAnswer, Failure

# A question is put once more where its answer cannot be used.
MOST_TRIES = 2
# Our requests give a model no reason to pause; one that does is handed its turn back so often.
MOST_PAUSES = 3
PAUSED = "pause_turn"
KEPT = "What was answered is kept; run the same again to go on."


class _GivenUp(Exception):
    """The model does not answer this batch as it stands."""

    def __init__(self, failure: Failure, reason: str) -> None:
        super().__init__(reason)
        self.failure: Failure = failure
        self.reason = reason


# Stop reasons that are looked at before any text is; all others leave an answer to be read.
STOPS: dict[str, tuple[Failure, str]] = {
    "max_tokens": (
        "truncated",
        "The answer was cut off at max_tokens = {room}, also with double room.",
    ),
    "refusal": ("refused", "The model refused to answer."),
    "model_context_window_exceeded": ("too_long", "The request does not fit the model."),
}


@dataclass(frozen=True)
class Desk:
    """What all errands of one responder share."""

    ledger: Ledger
    client: MessagesClient
    limiter: Limiter
    budget: Budget
    judge: str  # the name answers are recorded under
    max_tokens: int


@dataclass(eq=False)
class Errand:
    """A batch under way.

    Attributes:
        desk: Whom it belongs to.
        batch: Its questions, as far as they are open.
        sample: Which of several deliberate repeats.
        owed: What calls cost that no recorded answer accounts for yet.
    """

    desk: Desk
    batch: Batch
    sample: int
    owed: Spent = field(default_factory=Spent)
    _model: str = ""
    _tries: int = 0
    _problems: Mapping[str, str] = field(default_factory=dict)
    _at_hand: Reply | None = None  # what a message batch brought and only a call can follow

    @property
    def keys(self) -> frozenset[tuple[str, int]]:
        """The questions that are still open: item id and sample."""
        return frozenset((id_, self.sample) for id_ in self.batch.ids)

    async def take(self, reply: Reply) -> None:
        """Record what a message batch brought, as far as that needs no call; `run` does the rest.

        Whoever fetched the batch accounts for it in the budget.
        """
        self.owed += reply.spent
        self._model = reply.model
        if reply.stop_reason in STOPS or reply.stop_reason == PAUSED:
            self._at_hand = reply
        else:
            await self._settle(reply)

    async def run(self) -> None:
        """Ask, once more where the answer cannot be used, and record what comes of it.

        Raises:
            BudgetExhausted: A cap is reached.
            JudgeUnavailable: The endpoint cannot be used.
        """
        try:
            while self.batch.items and self._tries < MOST_TRIES:
                request = await write_request(self.desk.ledger, self.batch, self._problems)
                await self._settle(await self._reply(request))
        except _GivenUp as given_up:
            await self._one_by_one(self.batch, given_up)
            return
        reasons = {
            handle: f"Unusable, also when asked again: {problem}"
            for handle, problem in self._problems.items()
        }
        await self._fail(self.batch, "unreadable", reasons)

    async def _settle(self, reply: Reply) -> None:
        """Record what a reply answers; the rest stays open, each with its problem."""
        answer_type = ANSWER_TYPES[self.batch.kind]
        reading = read_verdicts(reply.text, answer_type, list(self.batch.items))
        await self._record(self.batch, reading.answers)
        self._tries += 1
        self._problems = reading.problems
        self.batch = self.batch.only(reading.problems)

    async def _one_by_one(self, batch: Batch, given_up: _GivenUp) -> None:
        """Find out whose fault it was: one question must not take its neighbours along."""
        if len(batch.items) == 1:
            reasons = dict.fromkeys(batch.items, given_up.reason)
            await self._fail(batch, given_up.failure, reasons)
            return
        for single in batch.apart():
            owed, self.owed = self.owed, Spent()
            await Errand(self.desk, single, self.sample, owed, self._model).run()

    async def _reply(self, request: Request) -> Reply:
        """Get an answer that was not cut off, with double room the second time."""
        room = self.desk.max_tokens
        reply = await self._turn(request, room)
        if reply.stop_reason == "max_tokens":
            room *= 2
            reply = await self._turn(request, room)
        if reply.stop_reason in STOPS:
            failure, reason = STOPS[reply.stop_reason]
            raise _GivenUp(failure, reason.format(room=room))
        return reply

    async def _turn(self, request: Request, max_tokens: int) -> Reply:
        """Get a whole turn of the model, handing it back while it only paused."""
        paused: list[Any] = []
        text = ""
        while True:
            reply = await self._send(request, max_tokens, tuple(paused))
            text += reply.text
            if reply.stop_reason != PAUSED or len(paused) == MOST_PAUSES:
                return replace(reply, text=text)
            paused.append(reply.content)

    async def _send(self, request: Request, max_tokens: int, paused: tuple[Any, ...]) -> Reply:
        desk = self.desk
        if self._at_hand is not None:
            reply, self._at_hand = self._at_hand, None
            return reply

        async def once(seconds: float) -> Reply:
            with desk.budget.call():
                reply = await desk.client.send(request, max_tokens, seconds, paused)
                desk.budget.pay(reply.spent)
            return reply

        try:
            reply = await desk.limiter.persist(once, self.batch.ids[0])
        except Trouble as trouble:
            if trouble.remedy is Remedy.SMALLER:
                raise _GivenUp("too_long", f"{trouble.reason}.") from None
            raise JudgeUnavailable(f"{trouble.reason}. {KEPT}") from None
        self.owed += reply.spent
        self._model = reply.model
        return reply

    async def _fail(self, batch: Batch, failure: Failure, reasons: Mapping[str, str]) -> None:
        await self._record(
            batch,
            {
                handle: FailedAnswer(failed=failure, reason=reason).model_dump_json()
                for handle, reason in reasons.items()
            },
        )

    async def _record(self, batch: Batch, answers: Mapping[str, str]) -> None:
        """Store answers; what was paid since the last time is shared out among them."""
        if not answers:
            return
        usage, self.owed = self.owed.share(len(answers)), Spent()
        records = [
            Answer(
                item=batch.items[handle].id,
                judge=self.desk.judge,
                answer=answer,
                sample=self.sample,
                model=self._model,
                usage=usage,
                asked_with=batch.ids,
            )
            for handle, answer in answers.items()
        ]
        # Paid for: a cancellation that comes now must not lose it.
        with anyio.CancelScope(shield=True):
            await self.desk.ledger.answers.record(records)
