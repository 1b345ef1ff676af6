"""The rungs of the judge ladder: which can be had here, under which name, and how they answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dream_evaluators.clock import Clock
from dream_evaluators.errors import AnswersDelayed, BadInput, JudgeUnavailable
from dream_evaluators.judge import Judge, Pending
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import WorkItem
from dream_evaluators.model.score import Cost

from .settings import JUDGES, Settings

if TYPE_CHECKING:
    from dream_evaluators.judges.anthropic import AnthropicSettings, Spent
    from dream_evaluators.judges.inference import ModelFile
    from dream_evaluators.run import EvaluationRequest


@dataclass(frozen=True, kw_only=True)
class Caps:
    """What one sitting may cost (0 is no cap), and whether it may take a day to cost half."""

    max_usd: float = 0.0
    max_calls: int = 0
    batches: bool = False


class Responder(Protocol):
    """A judge that is asked in rounds, within this process."""

    @property
    def spent(self) -> Spent:
        """What all calls so far cost."""
        ...

    async def respond(self, items: Sequence[WorkItem], *, sample: int = 0) -> Spent:
        """Ask questions and record the answers, as one of several deliberate repeats."""
        ...


async def have_answered(responder: Responder, pending: Pending) -> None:
    """Have all open questions answered, one repeat after the other.

    Raises:
        AnswersDelayed: Some come later; all repeats were asked for nevertheless.
    """
    delayed: AnswersDelayed | None = None
    for sample in sorted({question.sample for question in pending.questions}):
        items = [question.item for question in pending.questions if question.sample == sample]
        try:
            await responder.respond(items, sample=sample)
        except AnswersDelayed as error:
            delayed = error
    if delayed:
        raise delayed


def cost_with(before: Cost, responder: Responder | None) -> Cost:
    """What an evaluation cost in all its sittings."""
    if responder is None:
        return before
    spent = responder.spent
    return replace(
        before,
        usd=before.usd + (spent.usd or 0.0),
        calls=before.calls + spent.calls,
        input_tokens=before.input_tokens + spent.input_tokens,
        output_tokens=before.output_tokens + spent.output_tokens,
        cached_tokens=before.cached_tokens + spent.cached_tokens,
    )


@dataclass(frozen=True)
class Rungs:
    """The judges of one process."""

    ledger: Ledger
    settings: Settings
    clock: Clock

    def choose(self, judge: str, client: str = "") -> str:
        """Turn what was asked for into a rung.

        Args:
            judge: auto, anthropic, host, agent or offline.
            client: The name of a client that lends its model; "" when none does.

        Raises:
            BadInput: No such judge.
            JudgeUnavailable: It cannot be had here; the text says what can.
        """
        if judge not in JUDGES:
            raise BadInput(f"No judge is called {judge[:40]!r}: {', '.join(JUDGES)}.")
        wanted = self.settings.judge if judge == "auto" else judge
        if wanted == "auto":
            return self._best(client)
        if wanted == "anthropic":
            self._anthropic(Caps())
        if wanted == "host" and not client:
            raise JudgeUnavailable(
                "The judge 'host' needs a client that lends its model (MCP sampling), and this one "
                "does not. Use 'agent' (you answer work orders; any model will do), 'anthropic' "
                "with a key, or 'offline' (findings and an estimate)."
            )
        return wanted

    def name(self, rung: str, client: str = "") -> str:
        """The full name of the judge where it is fixed beforehand; "" for agents."""
        if rung == "offline":
            from dream_evaluators.judges.offline import offline_name  # noqa: PLC0415 - start-up

            return offline_name(self._inference())
        if rung == "anthropic":
            from dream_evaluators.judges.anthropic import judge_name  # noqa: PLC0415 - start-up

            return judge_name(self._anthropic(Caps()))
        return f"host:{client}" if rung == "host" else ""

    def judge(self, request: EvaluationRequest, since: str) -> Judge:
        """The judge of an evaluation.

        Args:
            request: What was asked for.
            since: When the evaluation was made: failures from before it are tried again.
        """
        if request.judge == "offline":
            return self._offline
        return Judge(self.ledger, request.judge, request.judge_name, pack=request.pack, since=since)

    @asynccontextmanager
    async def responder(
        self, request: EvaluationRequest, caps: Caps
    ) -> AsyncIterator[Responder | None]:
        """Open what answers within this process; None when answers come from outside."""
        if request.judge != "anthropic":
            yield None
            return
        from dream_evaluators.judges.anthropic import AnthropicResponder  # noqa: PLC0415 - start-up

        settings = self._anthropic(caps)
        async with AnthropicResponder(self.ledger, settings, self.clock) as responder:
            yield responder

    @cached_property
    def _offline(self) -> Judge:
        """The offline judge, made once: a model of inference takes seconds to load."""
        from dream_evaluators.judges.offline import offline_judge  # noqa: PLC0415 - start-up

        return offline_judge(self.ledger, self._inference())

    def _inference(self) -> ModelFile | None:
        if not self.settings.nli:
            return None
        from dream_evaluators.judges.inference import ModelFile  # noqa: PLC0415 - start-up

        return ModelFile(Path(self.settings.nli), self.settings.nli_sha256)

    def _best(self, client: str) -> str:
        if self.settings.anthropic_key:
            return "anthropic"
        return "host" if client else "offline"

    def _anthropic(self, caps: Caps) -> AnthropicSettings:
        from dream_evaluators.judges.anthropic import (  # noqa: PLC0415 - start-up
            BATCH_FROM,
            DEFAULT_MODEL,
            AnthropicSettings,
        )

        settings = self.settings
        usd = [cap for cap in (settings.max_usd, caps.max_usd) if cap]
        return AnthropicSettings(
            api_key=settings.anthropic_key,
            base_url=settings.anthropic_url,
            max_usd=min(usd, default=0.0),
            max_calls=caps.max_calls,
            batch_from=BATCH_FROM if settings.batches or caps.batches else 0,
            model=settings.model or DEFAULT_MODEL,
        )
