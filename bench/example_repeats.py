"""Does the example get the same score when a model judges it three times, by itself each time?

    python bench/example_repeats.py

The first judgement is `examples/answers.jsonl`, the other two are in
`tests/replays/example_repeats.jsonl`: three sittings of a language model that saw the work orders
and not each other. They are put in as the repeats of one evaluation (`samples=3`).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import anyio

import replays
from dream_evaluators.ledger import IN_MEMORY, Ledger
from dream_evaluators.model.judgement import Answer
from dream_evaluators.model.score import Scorecard
from dream_evaluators.model.stored import adapter
from dream_evaluators.web.packs import read_pack
from dream_mcp.drive import Driver
from dream_mcp.files import Roots
from dream_mcp.intake import Ask, Handed, make_request, open_report
from dream_mcp.settings import Settings

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
FILES = (EXAMPLES / "answers.jsonl", replays.FOLDER / "example_repeats.jsonl")
SAMPLES = 3


def answers() -> list[Answer]:
    """All recorded answers, each with the number of its repeat."""
    lines = [line for file in FILES for line in file.read_text(encoding="utf-8").splitlines()]
    return [adapter(Answer).validate_python(json.loads(line)) for line in lines]


async def evaluate(samples: int, given: list[Answer]) -> Scorecard:
    """Evaluate the example with answers put back."""
    ledger = Ledger.open(IN_MEMORY)
    driver = Driver(ledger, Settings(offline=True))
    pack = read_pack((EXAMPLES / "pack.zip").read_bytes())
    text = (EXAMPLES / "report.md").read_text(encoding="utf-8")
    opened = await open_report(driver, Roots(()), Handed(report=text))
    ask = Ask(judge="agent", effort="full", samples=samples)
    request = await make_request(driver, opened, ask, pack)
    evaluation = await driver.start(request, opened.report, pack)
    await ledger.answers.record(given)
    view = await driver.advance(evaluation)
    ledger.close()
    assert view.scorecard is not None
    assert view.open_questions == 0, f"{view.open_questions} questions have no recorded answer"
    return view.scorecard


async def main() -> None:
    """Print each sitting's scores, and those of the three as repeats."""
    given = answers()
    alone = []
    for sample in range(SAMPLES):
        own = [replace(each, sample=0) for each in given if each.sample == sample]
        alone.append(await evaluate(1, own))
    for name in ("CF", "CI", "CA"):
        values = [card.scores[name].value or 0.0 for card in alone]
        spread = max(values) - min(values)
        written = " ".join(f"{value:.1f}" for value in values)
        sys.stdout.write(f"{name}: {written}; spread {spread:.1f} points\n")
    card = await evaluate(SAMPLES, given)
    score = card.scores["CF"]
    sys.stdout.write(
        f"as three repeats of one evaluation: CF {score.value:.1f}, {score.variants}\n"
    )
    same = Counter(len({str(label) for label in v.repeats}) for v in card.verdicts if v.repeats)
    sys.stdout.write(
        f"statements with one label in all repeats: {same[1]} of {sum(same.values())}\n"
    )


if __name__ == "__main__":
    anyio.run(main)
