"""Extraction against pages whose main text is known, beside trafilatura and readability-lxml.

    python bench/extraction.py [--peers PYTHON] [--pages FILE] [--stall]

`PYTHON` is an interpreter that has the peers (and not necessarily the project); without it they run
here if they can be imported. Figures are means over pages: F1, precision and recall of tokens;
recall of five-word sequences; recall of tokens with a digit; pages that lost over half their text.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parents[2] / "shared/data/pages/wcxb_dev_sample.jsonl.gz"
GATES = {"R": 0.95, "5-gram R": 0.91, "digit R": 0.92, "F1": 0.84}
MOST_LOST = 5  # of 150 pages
HEADER = ("extractor", "F1", "P", "R", "5-gram R", "digit R", "lost", "pages/s", "ms p99")
_TOKEN = re.compile(r"\w+")
Page = dict[str, Any]


def ours(page: Page) -> str:
    """Extract with the project."""
    from dream_evaluators.web.extract import extract_html, main_text

    return main_text(extract_html(page["html"], page["url"]))


def ours_all(page: Page) -> str:
    """Extract with the project, all blocks: what evidence is searched in."""
    from dream_evaluators.web.extract import extract_html

    return extract_html(page["html"], page["url"]).text


def trafilatura(page: Page) -> str:
    """Extract with trafilatura's defaults."""
    return import_module("trafilatura").extract(page["html"], url=page["url"]) or ""


def readability(page: Page) -> str:
    """Extract with readability-lxml."""
    summary = import_module("readability").Document(page["html"]).summary(html_partial=True)
    return str(import_module("lxml.html").fromstring(summary or "<p></p>").text_content())


EXTRACTORS: dict[str, Callable[[Page], str]] = {
    "ours": ours,
    "ours, all blocks": ours_all,
    "trafilatura": trafilatura,
    "readability-lxml": readability,
}
PEERS = ("trafilatura", "readability-lxml")


def read_pages(path: Path) -> list[Page]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def run(name: str, pages: list[Page]) -> list[tuple[str, float]]:
    """Extract every page; the CPU seconds of each are beside its text."""
    extract = EXTRACTORS[name]
    extract(pages[0])  # imports and caches are not the pages' cost
    found = []
    for page in pages:
        began = time.process_time()
        text = extract(page)
        found.append((text, time.process_time() - began))
    return found


def tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())


def recall(gold: Iterable[Any], found: Iterable[Any]) -> float | None:
    wanted, had = Counter(gold), Counter(found)
    total = sum(wanted.values())
    return sum((wanted & had).values()) / total if total else None


def fives(words: list[str]) -> list[tuple[str, ...]]:
    return list(zip(*(words[n:] for n in range(5)), strict=False))


def digits(words: list[str]) -> list[str]:
    return [word for word in words if any(c.isdigit() for c in word)]


def score(text: str, gold: str) -> dict[str, float | None]:
    found, wanted = tokens(text), tokens(gold)
    r = recall(wanted, found) or 0.0
    p = recall(found, wanted) or 0.0
    return {
        "F1": 2 * p * r / (p + r) if p + r else 0.0,
        "P": p,
        "R": r,
        "5-gram R": recall(fives(wanted), fives(found)),
        "digit R": recall(digits(wanted), digits(found)),
    }


def mean(values: Iterable[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known)


def summary(pages: list[Page], found: list[tuple[str, float]]) -> dict[str, float]:
    rows = [score(text, page["gold"]) for (text, _), page in zip(found, pages, strict=True)]
    seconds = sorted(second for _, second in found)
    figures = {name: mean(row[name] for row in rows) for name in rows[0]}
    figures["lost"] = sum((row["R"] or 0) < 0.5 for row in rows)
    figures["pages/s"] = len(pages) / sum(seconds)
    figures["ms p99"] = 1000 * seconds[int(0.99 * len(seconds))]
    return figures


def peer(name: str, python: str, pages: Path) -> list[tuple[str, float]] | None:
    """Run a peer in another interpreter, or here if it is installed; None if it cannot be had."""
    command = [python or sys.executable, __file__, "--only", name, "--pages", str(pages)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name}: {done.stderr.strip().splitlines()[-1:]}")
        return None
    return [(text, seconds) for text, seconds in json.loads(done.stdout)]


def line(name: str, figures: dict[str, float]) -> str:
    cells = [f"{figures[key]:.3f}" for key in HEADER[1:6]]
    return " | ".join([name, *cells, *(f"{figures[key]:.0f}" for key in HEADER[6:])])


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--peers", default="")
    arguments.add_argument("--pages", type=Path, default=PAGES)
    arguments.add_argument("--only", choices=EXTRACTORS)
    given = arguments.parse_args()
    pages = read_pages(given.pages)
    if given.only:
        json.dump(run(given.only, pages), sys.stdout)
        return
    print(f"{len(pages)} pages\n| {' | '.join(HEADER)} |\n|{'---|' * len(HEADER)}")
    results = {}
    for name in EXTRACTORS:
        found = peer(name, given.peers, given.pages) if name in PEERS else run(name, pages)
        if found is not None:
            results[name] = summary(pages, found)
            print(f"| {line(name, results[name])} |", flush=True)
    verdicts(results)


def verdicts(results: dict[str, dict[str, float]]) -> None:
    own = results["ours"]
    for name, least in GATES.items():
        print(f"{name} >= {least}: {'holds' if own[name] >= least else 'MISSED'} ({own[name]:.3f})")
    print(f"at most {MOST_LOST} pages lose over half: {own['lost']:.0f}")
    if other := results.get("trafilatura"):
        ratio = own["pages/s"] / other["pages/s"]
        print(f"pages per CPU second: {ratio:.1f} x trafilatura's (gate 1, goal 4)")
    print(f"goal F1 >= .88 at R >= .96: {own['F1']:.3f} at {own['R']:.3f}")


if __name__ == "__main__":
    main()
