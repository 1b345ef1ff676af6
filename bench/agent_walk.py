"""What judging a real 12-page report costs the calling agent at effort=quick: orders and tokens.

    python bench/agent_walk.py [--reports 12]

Real reports of the shared library, each cited address answered by a real page of it (by seed: what
a page says does not matter to what reading it costs). The client, the tools and the ledger are
real; every question is answered `absent`, since only sizes are measured. Tokens are estimated: all
that the agent is shown by evaluate_report and submit_answers, and all that it hands in.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from mcp import Client

from dream_evaluators.hashing import text_id
from dream_evaluators.ledger.reports import OpenedReport
from dream_evaluators.model.source import Outcome, Source
from dream_evaluators.report import parse_report
from dream_evaluators.tokens import estimate_tokens
from dream_evaluators.web.packs import write_pack
from dream_mcp.app import build
from dream_mcp.settings import Settings

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
REPORTS = SHARED / "reports" / "reports.dev.jsonl.gz"
PAGES = SHARED / "pages" / "wcxb_dev_sample.jsonl.gz"
WORDS_A_PAGE = 500
PAGES_OF_REPORT = (11, 13)
LEAST_SOURCES = 20
GATE_ORDERS, GATE_TOKENS = 4, 25_000


@dataclass(frozen=True)
class Walk:
    """One report judged to the end."""

    words: int
    questions: int
    orders: int
    tokens: int  # shown and handed in, all calls together
    largest: int  # of one order
    provisional: bool  # whether each submission brought scores


def rows(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def choose(count: int) -> list[str]:
    """Real reports of about twelve pages with many sources, by seed."""
    low, high = (pages * WORDS_A_PAGE for pages in PAGES_OF_REPORT)
    found = []
    for row in rows(REPORTS):
        text = str(row["article"])
        if low <= len(text.split()) <= high:
            urls = {c.canonical_url for s in parse_report(text).statements for c in s.resolved}
            if len(urls) >= LEAST_SOURCES:
                found.append(text)
    random.Random(7).shuffle(found)  # noqa: S311 - the same reports every time
    return found[:count]


def pack_of(text: str, pages: Sequence[str]) -> bytes:
    """A pack that answers every cited address with a page."""
    cited = {c.canonical_url: c.url for s in parse_report(text).statements for c in s.resolved}
    sources = [
        Source(
            url=url,
            canonical_url=canonical,
            final_url=url,
            outcome=Outcome.OK,
            text=pages[at % len(pages)],
            content_hash=text_id(pages[at % len(pages)]),
            title=f"Page {at}",
        )
        for at, (canonical, url) in enumerate(sorted(cited.items()))
    ]
    return write_pack([OpenedReport(text=text)], sources, [])


async def walk(text: str, pages: Sequence[str], folder: Path) -> Walk:
    """Judge one report through the tools, as an agent would."""
    (folder / "pack.zip").write_bytes(pack_of(text, pages))
    env = {
        "DREAM_STORE": str(folder / "walk.sqlite3"),
        "DREAM_ROOTS": str(folder),
        "DREAM_OFFLINE": "1",
        "HOME": str(folder / "home"),
    }
    orders, questions, tokens, largest, provisional = 0, 0, 0, 0, True
    async with Client(build(Settings.from_env(env), env)) as client:
        opened = await call(client, "open_report", {"report": text})
        ask = {
            "report_id": opened["report_id"],
            "judge": "agent",
            "effort": "quick",
            "evidence_pack": str(folder / "pack.zip"),
            "metrics": ["CI", "CA", "CF", "DA"],
        }
        card = await call(client, "evaluate_report", ask)
        while True:
            tokens += estimate_tokens(json.dumps(card, ensure_ascii=False))
            if card["status"] != "needs_work":
                break
            (order, *_) = card["work_orders"]
            orders += 1
            questions += len(order["questions"])
            largest = max(largest, estimate_tokens(json.dumps(order, ensure_ascii=False)))
            answer = {"verdicts": [absent(handle) for handle in order["questions"]]}
            given = {
                "evaluation_id": card["evaluation_id"],
                "answers": [{"id": order["id"], "answer": answer}],
                "answered_by": "walk",
            }
            tokens += estimate_tokens(json.dumps(given))
            card = await call(client, "submit_answers", given)
            provisional = provisional and "CF" in card["scores"]
    return Walk(len(text.split()), questions, orders, tokens, largest, provisional)


async def call(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool; a refusal ends the walk."""
    result = await client.call_tool(tool, arguments)
    if result.structured_content is None or result.is_error:
        raise SystemExit(f"{tool}: {result.content}")
    card: dict[str, Any] = result.structured_content
    return card


def absent(handle: str) -> dict[str, Any]:
    """An answer of the usual length."""
    fact = {"fact": "What the statement says, in a few words of the judge.", "quote": ""}
    return {
        "question": handle,
        "facts": [{**fact, "relation": "absent"}] * 2,
        "reasoning": "The page is about something near it and does not say so in any words.",
        "verdict": "unverifiable",
    }


async def main(count: int) -> None:
    """Walk and print."""
    pages = [str(row["gold"]) for row in rows(PAGES) if len(str(row["gold"])) > 500]
    print("words  questions  orders  tokens  largest  provisional scores")
    walks = []
    for number, text in enumerate(choose(count)):
        random.Random(number).shuffle(pages)  # noqa: S311 - the same pages every time
        with tempfile.TemporaryDirectory() as folder:
            done = await walk(text, pages, Path(folder))
        walks.append(done)
        print(
            f"{done.words:5} {done.questions:10} {done.orders:7} {done.tokens:7,} "
            f"{done.largest:8,}  {'each time' if done.provisional else 'MISSING'}"
        )
    within = [w for w in walks if w.orders <= GATE_ORDERS and w.tokens <= GATE_TOKENS]
    print(
        f"median {statistics.median(w.orders for w in walks):.0f} orders, "
        f"{statistics.median(w.tokens for w in walks):,.0f} tokens; within {GATE_ORDERS} orders "
        f"and {GATE_TOKENS:,} tokens: {len(within)} of {len(walks)}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reports", type=int, default=12)
    anyio.run(main, parser.parse_args().reports)
