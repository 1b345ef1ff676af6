"""Mutated pages, PDFs, texts and labels through `extract`: no crash, no hang, no growth.

    python bench/fuzz_sources.py [--seconds 600] [--seed 1]

Every mutation is drawn from the seed and its number, so a failure can be had again. A finding is an
exception, a body that takes longer than the readers' own time-outs, or blocks that do not fit their
text. Memory is printed as it goes: it must level off.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from collections import Counter
from pathlib import Path

import anyio

from dream_evaluators.web.extract import HTML_SECONDS, PDF_SECONDS, Extract, extract

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.evaluators.web.source_seeds import CHARSETS, SEEDS, TYPES, mutate


def problem(page: Extract, seconds: float) -> str:
    """Say what is wrong with a result, "" if nothing."""
    if seconds > max(HTML_SECONDS, PDF_SECONDS) + 3:
        return f"took {seconds:.1f} s"
    pieces = [page.text[block.start : block.end] for block in page.blocks]
    if "\n".join(pieces) != page.text:
        return "blocks do not fit the text"
    page.text.encode()
    return ""


async def fuzz(seconds: float, seed: int) -> int:
    began, number, findings = time.monotonic(), 0, 0
    outcomes: Counter[str] = Counter()
    while time.monotonic() - began < seconds:
        chance = random.Random(f"{seed}:{number}")  # noqa: S311 - reproducible, not secret
        media_type, body = chance.choice(SEEDS)
        body = mutate(body, chance)
        if chance.random() < 0.2:
            media_type = chance.choice(TYPES)
        start = time.monotonic()
        page = await extract(body, media_type=media_type, charset=chance.choice(CHARSETS))
        outcomes[str(page.outcome or "read")] += 1
        if wrong := problem(page, time.monotonic() - start):
            findings += 1
            print(f"seed {seed}:{number} {media_type}: {wrong}")
        number += 1
        if number % 2_000 == 0:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(f"{time.monotonic() - began:.0f} s: {number} bodies, peak {peak} MB", flush=True)
    print(f"{number} bodies, {findings} findings, {dict(outcomes.most_common())}")
    return findings


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seconds", type=float, default=600)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    sys.exit(1 if anyio.run(fuzz, given.seconds, given.seed) else 0)


if __name__ == "__main__":
    main()
