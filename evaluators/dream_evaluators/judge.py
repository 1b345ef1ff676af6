"""The one door to any judge: ask a question, get its answer or learn that it waits for one.

An evaluator is straight-line code that asks. What the ledger knows is answered from there; a judge
that answers at once (offline) is asked on the spot; everything else raises `Pending`, and the code
is simply run again when answers have come. Resume, replay and audit all follow from that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import anyio

from dream_evaluators.errors import first_error
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import Answer, Question, WorkItem, rung_of

T = TypeVar("T")

# A person's answer stands above any model's, whichever rung an evaluation runs on.
HUMAN = "human"
PACK = "pack"
PACK_DIGITS = 12
# In one process this many offline judgements or look-ups wait for a thread at most.
AT_ONCE = 64


class Pending(Exception):
    """Questions that nobody has answered yet."""

    def __init__(self, questions: Iterable[Question]) -> None:
        self.questions = tuple({question.key: question for question in questions}.values())
        super().__init__(f"{len(self.questions)} questions wait for an answer")

    @property
    def items(self) -> tuple[WorkItem, ...]:
        """What is asked, each once however often it is put."""
        return tuple({question.item.id: question.item for question in self.questions}.values())


class InstantJudge(Protocol):
    """A judge that answers on the spot, without a model and without waiting."""

    async def answer(self, item: WorkItem) -> Answer:
        """Answer one question."""
        ...


@dataclass(frozen=True)
class Judge:
    """Whom an evaluation asks.

    Attributes:
        ledger: Where questions and answers are kept.
        rung: anthropic, host, agent or offline: the only rung whose answers count, beside people.
        name: The full name an answer must bear (`anthropic:<model>:<hash>`); empty when any
            answer of the rung will do, as for agents that change between sittings.
        instant: The judge that answers on the spot; None when answers come from outside.
        pack: Id of the evidence pack whose answers count too; theirs bear it in their judge's name,
            so that what a stranger's pack says never enters another evaluation.
        since: ISO moment; a failure from before it is no answer, so that it is tried again.
        sample: Which of several deliberate repeats is asked for; a person's answer serves all.
    """

    ledger: Ledger
    rung: str
    name: str = ""
    instant: InstantJudge | None = None
    pack: str = ""
    since: str = ""
    sample: int = 0

    async def ask(self, item: WorkItem) -> Answer:
        """Return the answer to a question.

        A person's answer comes first, then the first recorded of this judge.

        Raises:
            Pending: There is none, and this judge does not answer on the spot.
        """
        known = (await self.ledger.answers.of([item.id])).get(item.id, ())
        if chosen := self.choose(known):
            return chosen
        if self.instant is None:
            raise Pending([Question(item, self.sample)])
        answer = await self.instant.answer(item)
        await self.ledger.answers.open([item])
        await self.ledger.answers.record([answer])
        return answer

    def choose(self, known: Sequence[Answer]) -> Answer | None:
        """The answer that counts here among those to one question; None when none does."""
        known = [a for a in known if not (a.failed and a.answered_at < self.since)]
        named = [(self._own_name(answer), answer) for answer in known]
        for name, answer in named:
            if rung_of(name) == HUMAN:
                return answer
        for name, answer in named:
            if answer.sample == self.sample and self._accepts(name):
                return answer
        return None

    def _own_name(self, answer: Answer) -> str:
        """The judge's name without this evaluation's pack before it; "" from any other pack."""
        if rung_of(answer.judge) != PACK:
            return answer.judge
        prefix = packed_name(self.pack, "")
        return answer.judge.removeprefix(prefix) if answer.judge.startswith(prefix) else ""

    def _accepts(self, name: str) -> bool:
        return name == self.name if self.name else rung_of(name) == self.rung


def unpacked_name(judge: str) -> str:
    """The name a judge had before its answers came in a pack."""
    return judge.split(":", 2)[2] if rung_of(judge) == PACK else judge


def packed_name(pack: str, judge: str) -> str:
    """The name under which a pack's answers are kept: `pack:<hash>:<judge>`."""
    return f"{PACK}:{pack.removeprefix('b2:')[:PACK_DIGITS]}:{judge}"


async def gather(questions: Sequence[Awaitable[T]], *, provisional: bool = False) -> list[T | None]:
    """Await all; when some wait for an answer, let the rest finish first.

    Args:
        questions: What to await, at most AT_ONCE at a time.
        provisional: Give None for what is pending instead of raising.

    Returns:
        The results in order; without `provisional` none of them is None.

    Raises:
        Pending: Some wait; it names every open question of all of them.
    """
    results: list[T | None] = [None] * len(questions)
    waiting: dict[int, Pending] = {}
    turns = anyio.Semaphore(AT_ONCE)

    async def one(index: int, question: Awaitable[T]) -> None:
        async with turns:
            try:
                results[index] = await question
            except Pending as pending:
                waiting[index] = pending

    try:
        async with anyio.create_task_group() as group:
            for index, question in enumerate(questions):
                group.start_soon(one, index, question)
    except BaseExceptionGroup as errors:
        raise first_error(errors) from errors
    finally:
        for question in questions:  # those that never had their turn
            if isinstance(question, Coroutine):
                question.close()
    if waiting and not provisional:
        raise Pending(q for _, pending in sorted(waiting.items()) for q in pending.questions)
    return results
