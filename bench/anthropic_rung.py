"""What asking a model costs: calls, tokens and dollars of a first round, and what storms add.

    python -m bench.anthropic_rung [--statements 62] [--sources 24]

The endpoint is scripted and on loopback; the SDK, the HTTP and the ledger are real. Its prompt
cache counts by our own estimate and caches no beginning shorter than a floor, as endpoints do.
Pages are the real ones of the shared library where it is beside the repository, else our own.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import anyio
from tests.evaluators.judges.anthropic.endpoint import (
    DROP,
    KEY,
    Act,
    Call,
    Endpoint,
    endpoint,
    failure,
    message,
    verdicts,
)
from tests.evaluators.judges.anthropic.prompt_cache import PromptCache

from dream_evaluators.clock import FixedClock
from dream_evaluators.hashing import text_id
from dream_evaluators.judges.anthropic import AnthropicResponder, AnthropicSettings, Spent
from dream_evaluators.judges.views import view_of
from dream_evaluators.ledger import IN_MEMORY, Ledger
from dream_evaluators.model.judgement import WorkItem
from dream_evaluators.model.source import Outcome, Source
from dream_evaluators.prompts import load_prompt
from dream_evaluators.tokens import estimate_tokens

PAGES = Path(__file__).parents[2] / "shared/data/pages/wcxb_dev_sample.jsonl.gz"
FLOORS = (0, 512, 1_024, 10**9)
STORMS = {
    "calm": [],
    "429": [failure(429, "rate_limit_error", "Slow down")],
    "529": [failure(529, "overloaded_error", "Overloaded")],
    "drops": [DROP],
}
FAILING = 0.3
NOW = datetime(2026, 11, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Round:
    """What a round cost and brought."""

    spent: Spent
    requests: int  # that reached the endpoint
    answered: int  # questions with an answer in the ledger
    paid: int  # questions in requests that were answered
    seconds: float  # of the processor
    slept: float  # seconds that waits would have taken


def pages(count: int) -> list[str]:
    if not PAGES.exists():
        return [f"Plant {n} opened in {1950 + n}. " * 180 for n in range(count)]
    with gzip.open(PAGES, "rt", encoding="utf-8") as lines:
        texts = [str(json.loads(line)["gold"]) for line in lines]
    chance = random.Random(7)  # noqa: S311 - the same pages every time
    return chance.sample([text for text in texts if text.strip()], count)


def sentences(text: str, count: int) -> list[str]:
    found = [part.strip() for part in text.replace("\n", " ").split(". ") if len(part) > 40]
    return [f"{found[n % len(found)] if found else text[:80]} ({n})" for n in range(count)]


async def ask(statements: int, texts: Sequence[str], ledger: Ledger) -> list[WorkItem]:
    prompt = load_prompt("claim_verdict")
    items = []
    for number, text in enumerate(texts):
        digest = text_id(text)
        source = Source(url=f"https://a{number}.test/", outcome=Outcome.OK, text=text)
        await ledger.sources.add(
            Source(url=source.url, outcome=Outcome.OK, text=text, content_hash=digest)
        )
        share = statements // len(texts) + (number < statements % len(texts))
        for claim in sentences(text, share):
            inputs = {"claim": claim, "heading": "Findings", "preceding": "", "problem": ""}
            inputs |= {"source": digest, "view": "", "title": f"Page {number}"}
            items.append(WorkItem("claim_verdict", prompt.id, inputs, prompt.answer_schema))
    return items


async def run(
    statements: int,
    texts: Sequence[str],
    floor: int,
    storm: Sequence[Act],
    batch_from: int = 0,
) -> Round:
    ledger = Ledger.open(IN_MEMORY, clock=FixedClock(NOW))
    items = await ask(statements, texts, ledger)
    cache, chance, paid, naps = PromptCache(floor), random.Random(3), [0], [0.0]  # noqa: S311

    def script(call: Call) -> Act:
        if storm and chance.random() < FAILING:
            return storm[0]
        paid[0] += len(call.questions)
        text = verdicts(call)
        usage = {**cache.usage(call), "output_tokens": estimate_tokens(text)}
        return message(text, usage=usage)

    async def skip(seconds: float) -> None:
        naps[0] += seconds

    api: Endpoint
    async with endpoint(script) as api:
        settings = AnthropicSettings(api_key=KEY, base_url=api.url, batch_from=batch_from)
        began = time.process_time()
        async with AnthropicResponder(ledger, settings, FixedClock(NOW), sleep=skip) as asks:
            spent = await asks.respond(items)
        seconds = time.process_time() - began
    answered = await ledger.answers.of([item.id for item in items])
    ledger.close()
    requests = len(api.calls) + len(api.batches.calls)
    return Round(spent, requests, len(answered), paid[0], seconds, naps[0])


def plain_tokens(items: Sequence[WorkItem], texts: Sequence[str]) -> int:
    """What sources as shown and statements amount to by themselves."""
    claims: dict[str, list[str]] = {}
    for item in items:
        claims.setdefault(item.inputs["source"], []).append(item.inputs["claim"])
    shown = 0
    for text in texts:
        page = Source(url="https://a.test/", outcome=Outcome.OK, text=text)
        shown += estimate_tokens(view_of(page, claims[text_id(text)]).text)
    return shown + sum(
        estimate_tokens("\n".join(item.inputs[name] for name in ("claim", "heading", "preceding")))
        for item in items
    )


async def main(statements: int, sources: int) -> None:
    texts = pages(sources)
    ledger = Ledger.open(IN_MEMORY)
    plain = plain_tokens(await ask(statements, texts, ledger), texts)
    ledger.close()
    print(f"{statements} statements on {sources} sources: {plain:,} tokens by themselves")
    print("\ncache floor    calls  all input  x plain  not cached  x plain  cached    USD")
    for floor in FLOORS:
        done = (await run(statements, texts, floor, [])).spent
        fresh = done.input_tokens - done.cached_tokens
        name = f"{floor:,}" if floor < FLOORS[-1] else "no cache"
        print(
            f"{name:12} {done.calls:7} {done.input_tokens:10,} {done.input_tokens / plain:8.3f}"
            f" {fresh:11,} {fresh / plain:8.3f} {done.cached_tokens / done.input_tokens:7.1%}"
            f" {done.usd or 0:7.3f}"
        )
    print(f"\n{FAILING:.0%} of all requests failing (8 at once)")
    print("storm    requests  answered  paid  calls paid  processor s  waits s")
    for name, acts in STORMS.items():
        done_ = await run(statements, texts, 0, acts)
        print(
            f"{name:8} {done_.requests:8} {done_.answered:9} {done_.paid:5} {done_.spent.calls:11}"
            f" {done_.seconds:12.2f} {done_.slept:8.1f}"
        )
    print("\nin a message batch (DREAM_BATCHES), 30 % of its requests not answered in the second")
    print("round     requests  answered  paid  calls paid    USD  of the usual calls")
    usual = (await run(statements, texts, 0, [])).spent.usd or 0.0
    for name, acts in {"calm": [], "errored": STORMS["529"]}.items():
        done_ = await run(statements, texts, 0, acts, batch_from=1)
        usd = done_.spent.usd or 0.0
        print(
            f"{name:9} {done_.requests:8} {done_.answered:9} {done_.paid:5} {done_.spent.calls:11}"
            f" {usd:6.3f} {usd / usual:7.1%}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--statements", type=int, default=62)
    parser.add_argument("--sources", type=int, default=24)
    given = parser.parse_args()
    anyio.run(main, given.statements, given.sources)
