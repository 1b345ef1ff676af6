"""What the tests of the anthropic rung share: time that passes at will, sources, questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from dream_evaluators.hashing import text_id
from dream_evaluators.judges.anthropic import AnthropicResponder, AnthropicSettings, judge_name
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import Answer, WorkItem
from dream_evaluators.model.source import Outcome, Source
from dream_evaluators.prompts import load_prompt
from tests.evaluators.judges.anthropic.endpoint import KEY, Call, Endpoint

# Requests are handed in as message batches, and nobody waits for them.
HANDS_IN: dict[str, Any] = {"batch_from": 2, "batch_seconds": 0.0}


@dataclass
class Passing:
    """A clock that only moves when somebody sleeps by it."""

    seconds: float = 0.0
    naps: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        """The moment."""
        return datetime(2026, 11, 30, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        """Seconds slept so far."""
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.naps.append(seconds)
        self.seconds += seconds


async def add_source(ledger: Ledger, text: str = "The plant opened in 2019.") -> str:
    """Store a source and return its content hash."""
    digest = text_id(text)
    await ledger.sources.add(
        Source(
            url=f"https://a.test/{digest[3:9]}",
            canonical_url=f"a.test/{digest[3:9]}",
            outcome=Outcome.OK,
            text=text,
            content_hash=digest,
            title="A plant",
        )
    )
    return digest


def question(source: str, claim: str = "The plant opened in 2019.", problem: str = "") -> WorkItem:
    """Ask what a source says about a claim."""
    prompt = load_prompt("claim_verdict")
    inputs = {
        "claim": claim,
        "heading": "Plants",
        "preceding": "",
        "source": source,
        "view": "",
        "title": "A plant",
        "problem": problem,
    }
    return WorkItem("claim_verdict", prompt.id, inputs, prompt.answer_schema)


async def questions(ledger: Ledger, sources: int = 1, each: int = 1) -> list[WorkItem]:
    """Store sources and ask about each."""
    asked = []
    for number in range(sources):
        digest = await add_source(ledger, f"Plant {number} opened in {1990 + number}.")
        asked += [question(digest, f"Plant {number} has {n} gates.") for n in range(each)]
    return asked


def settings(endpoint: Endpoint, **changed: Any) -> AnthropicSettings:
    """Settings for an endpoint on loopback, a request a source."""
    usual = {"api_key": KEY, "base_url": endpoint.url, "request_tokens": 1}
    return AnthropicSettings(**{**usual, **changed})


@asynccontextmanager
async def responder(
    ledger: Ledger, endpoint: Endpoint, time: Passing | None = None, **changed: Any
) -> AsyncIterator[AnthropicResponder]:
    """A responder for an endpoint, in time that passes at will."""
    time = time or Passing()
    asks = AnthropicResponder(ledger, settings(endpoint, **changed), time, sleep=time.sleep)
    async with asks:
        yield asks


async def recorded(
    ledger: Ledger, endpoint: Endpoint, items: Sequence[WorkItem], **changed: Any
) -> list[Answer]:
    """The answers this judge gave to the items; those it gave none to are left out."""
    name = judge_name(settings(endpoint, **changed))
    known = await ledger.answers.of([item.id for item in items])
    return [a for item in items for a in known.get(item.id, ()) if a.judge == name]


def paid(endpoint: Endpoint) -> Counter[str]:
    """How often each claim was asked about, one by one or in message batches."""
    calls = [*endpoint.calls, *endpoint.batches.calls]
    return Counter(claim for call in calls for claim in call.questions.values())


def about(call: Call, source: int) -> bool:
    """Whether a call shows the source of that number."""
    return f"Plant {source} opened" in call.text
