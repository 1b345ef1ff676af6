"""The citation parser on gold and on real reports, beside a regex baseline, citesure and sentencex.

Usage: python bench/citations.py [--citesure PYTHON] [--sentencex PYTHON]

`--citesure` names the interpreter of an environment that has citesure, `--sentencex` one that has
sentencex; without them those columns are left out. Prints tables, asserts nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import subprocess
import time
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from dream_evaluators.model.report import CitationStatus, Report, StatementState
from dream_evaluators.report import parse_report
from dream_evaluators.report.consistency import find_inconsistencies
from dream_evaluators.urls import canonicalise

SHARED = Path(__file__).resolve().parents[2] / "shared"
GOLD = SHARED / "data" / "gold" / "reports.dev.json"
REPORTS = SHARED / "data" / "reports" / "reports.dev.jsonl.gz"
SEGMENTS = SHARED / "prototypes" / "seg" / "cases.py"

# What a plain reader of patterns would look for.
BASELINE = re.compile(r"\[\^?\d{1,3}\]|【\d{1,3}|\]\(https?://[^)\s]+\)|https?://[^\s)\]>\"]+")
EVERY_KIND = frozenset(
    {"change_off", "dates_out_of_order", "total_off", "two_values", "unit_changes"}
)
ADVERSARIAL = ["![", "[", "(", "*", "|", "`", "``a`", '"', "“", "> ", "](", "[](", "$a", "<a "]


def corpus() -> list[dict[str, Any]]:
    with gzip.open(REPORTS, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def gold() -> None:
    cases = json.loads(GOLD.read_text("utf-8"))["cases"]
    exact: Counter[str] = Counter()
    hits = extra = missed = 0
    for case in cases:
        report = parse_report(case["text"])
        wrong = gold_differences(case, report)
        for part in ("pairs", "dangling", "orphans", "refs"):
            exact[part] += part not in wrong
        if wrong:
            print(f"    {case['id']}: {', '.join(wrong)} differ")
        found, more, less = gold_uncited(case, report)
        hits, extra, missed = hits + found, extra + more, missed + less
    print(f"\n== gold, {len(cases)} cases")
    for part in ("pairs", "dangling", "orphans", "refs"):
        print(f"{part + ' exact':18} {exact[part]}/{len(cases)}")
    print(f"{'uncited factual':18} precision {hits / (hits + extra):.3f} recall", end=" ")
    print(f"{hits / (hits + missed):.3f} ({hits} found, {extra} extra, {missed} missed)")


def gold_differences(case: dict[str, Any], report: Report) -> list[str]:
    def bare(text: str) -> str:
        return text.rstrip(".。 )")

    pairs = {bare(p["text"]): {canonicalise(u) for u in p["urls"]} for p in case["pairs"]}
    found = {
        bare(s.text): {c.canonical_url for c in s.citations if c.canonical_url}
        for s in report.statements
    }
    same = all(found.get(t) == urls for t, urls in pairs.items())
    same = same and all(t in pairs for t, urls in found.items() if urls)
    orphans = {r.labels[0] if r.labels else r.url for r in report.orphans}
    refs = {label: r.canonical_url for r in report.references for label in r.labels}
    checks = {
        "pairs": same,
        "dangling": {c.label for c in report.dangling} == set(case["dangling"]),
        "orphans": orphans == set(case["orphan_refs"]),
        "refs": refs == {k: canonicalise(v) for k, v in case["refs"].items()},
    }
    return [part for part, fine in checks.items() if not fine]


def gold_uncited(case: dict[str, Any], report: Report) -> tuple[int, int, int]:
    uncited = [s for s in report.statements if s.state is StatementState.UNCITED]
    spans = [(u["start"], u["end"]) for u in case["uncited_factual"]]
    hits = sum(
        any(s.start < e and b < s.end and abs(s.end - e) < 4 for s in uncited) for b, e in spans
    )
    extra = [s for s in uncited if not any(s.start < e and b < s.end for b, e in spans)]
    for statement in extra:
        print(f"    {case['id']}: not in gold: {statement.text[:90]!r}")
    return hits, len(extra), len(spans) - hits


def body(report: Report) -> str:
    """The text without its reference lists and without code."""
    silent = ("reference", "code", "front_matter", "thinking", "html", "math")
    return "".join(
        report.text[b.start : b.end] + "\n" for b in report.blocks if b.kind not in silent
    )


def agents(rows: list[dict[str, Any]], reports: list[Report], peer: list[int] | None) -> None:
    table: dict[str, Counter[str]] = defaultdict(Counter)
    missed: list[str] = []
    for index, (row, report) in enumerate(zip(rows, reports, strict=True)):
        counts = table[row["agent"]]
        marked = bool(BASELINE.search(body(report)))
        counts["reports"] += 1
        counts["marked"] += marked
        counts["any"] += bool(BASELINE.search(report.text))
        listed = bool(report.citations or report.references)
        counts["listed"] += listed and bool(BASELINE.search(report.text))
        counts["baseline"] += len(BASELINE.findall(report.text))
        counts["cited"] += bool(report.citations) and marked
        counts["citations"] += len(report.citations)
        counts["resolved"] += sum(c.status is CitationStatus.RESOLVED for c in report.citations)
        counts["references"] += len(report.references)
        counts["orphans"] += len(report.orphans)
        counts["peer"] += bool(peer and peer[index])
        if marked and not report.citations:
            missed.append(row["id"])
    head = (
        "reports",
        "marked",
        "cited",
        "citations",
        "resolved",
        "references",
        "orphans",
        "baseline",
        "peer",
    )
    print(f"\n== {len(rows)} real reports; marked: a marker or address outside its lists")
    print(f"{'agent':30}" + "".join(f"{name:>11}" for name in head) + f"{'resolved %':>12}")
    total: Counter[str] = Counter()
    for agent, counts in sorted(table.items()):
        total.update(counts)
        print_row(agent, counts, head)
    print_row("all", total, head)
    print(
        f"at least one citation in {100 * total['cited'] / total['marked']:.2f} % of marked reports"
    )
    print(
        f"a citation or an entry in {100 * total['listed'] / total['any']:.2f} % of "
        f"reports with any hit"
    )
    if peer:
        print(
            f"citesure finds one in {100 * total['peer'] / total['marked']:.1f} % (of "
            f"marked reports)"
        )
    print("marked without a citation:", missed)


def print_row(agent: str, counts: Counter[str], head: tuple[str, ...]) -> None:
    share = 100 * counts["resolved"] / counts["citations"] if counts["citations"] else 0.0
    cells = "".join(f"{counts[name]:>11}" for name in head)
    print(f"{agent:30}{cells}{share:>11.1f}{' <95' if share < 95 and counts['citations'] else ''}")


def why(rows: list[dict[str, Any]], reports: list[Report]) -> None:
    """What the unresolved markers of the agents below 95 % are."""
    statuses: dict[str, Counter[str]] = defaultdict(Counter)
    for row, report in zip(rows, reports, strict=True):
        statuses[row["agent"]].update(c.status.value for c in report.citations)
    print(
        "\n== agents below 95 %: opaque needs the caller's map, no_address is an entry without one,"
    )
    print("   dangling names an entry that the report does not have")
    for agent, counts in sorted(statuses.items()):
        if counts["resolved"] < 0.95 * counts.total():
            print(f"{agent:30} {dict(counts)}")


def coverage(reports: list[Report]) -> None:
    """Markers and addresses in prose that no citation covers: images, code, or lost."""
    silent = ("reference", "code", "heading", "front_matter", "thinking", "html", "math", "rule")
    total = lost = 0
    for report in reports:
        covered = sorted({(c.start, c.end) for c in report.citations})
        starts = [span[0] for span in covered]
        for block in report.blocks:
            if block.kind in silent or (block.kind == "table_row" and block.level == 1):
                continue
            for found in BASELINE.finditer(report.text, block.start, block.end):
                total += 1
                index = bisect_right(starts, found.start() + found.group().count("](")) - 1
                lost += index < 0 or covered[index][1] <= found.start()
    print(
        f"\n== of {total} markers and addresses that a pattern sees in prose, {lost} "
        f"are in no citation"
    )


def spans(reports: list[Report]) -> None:
    statements = wrong = 0
    for report in reports:
        for s in report.statements:
            statements += 1
            wrong += report.text[s.start : s.end] != s.text
            wrong += sum(report.text[c.start : c.end] != c.marker for c in s.citations)
    again = all(parse_report(r.text) == r for r in reports[::20])
    print(f"\n== spans: {wrong} wrong of {statements} statements; two runs equal: {again}")


def inherited(reports: list[Report]) -> None:
    factual = [s for r in reports for s in r.statements if s.factual]
    cited = sum(s.state is StatementState.CITED for s in factual)
    lent = sum(s.state is StatementState.UNCITED and bool(s.inherited) for s in factual)
    print(
        f"\n== policy: {len(factual)} factual statements, {100 * cited / len(factual):.1f} % cited;"
    )
    print(
        f"   the paragraph policy would lend a citation to {100 * lent / len(factual):.1f} % more"
    )


def findings(reports: list[Report]) -> None:
    counts = Counter(f.kind for r in reports for f in r.findings)
    where = Counter(kind for r in reports for kind in {f.kind for f in r.findings})
    print("\n== findings (places, reports)")
    for kind, number in counts.most_common():
        print(f"{kind:22}{number:>7}{where[kind]:>6}")
    print("number findings, every kind, to be read:")
    for report in reports:
        for f in find_inconsistencies(report, EVERY_KIND):
            print(f"  {f.kind}: {f.message} | {f.text[:120]!r}")


def scaling() -> None:
    rows = corpus()
    chooser = random.Random(1)  # noqa: S311 - no secret
    pool = [r["article"] for r in rows if len(r["article"]) < 60_000]
    text = ""
    while len(text) < 10_000_000:
        text += chooser.choice(pool) + "\n\n"
    print("\n== time by size (joined real reports)")
    base = 0.0
    for size in (10_000, 100_000, 1_000_000, 10_000_000):
        seconds = timed(partial(parse_report, text[:size]), 3 if size < 1_000_000 else 1)
        base = base or seconds / size
        print(
            f"{size:>12,} {seconds:8.3f} s  {size / seconds / 1e6:6.2f} M/s  "
            f"x{seconds / size / base:.2f}"
        )
    print("\n== hostile inputs of 1 M characters")
    for unit in ADVERSARIAL:
        hostile = (unit * (1_000_000 // len(unit) + 1))[:1_000_000]
        print(f"{unit!r:12} {timed(partial(parse_report, hostile), 1):6.2f} s")


def timed(work: Callable[[], object], times: int) -> float:
    best = float("inf")
    for _ in range(times):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def other(python: str, code: str) -> Any:
    done = subprocess.run(
        [python, "-c", code, str(REPORTS), str(SEGMENTS)],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


CITESURE = """
import gzip, json, sys
from citesure.citations import extract_citations
rows = [json.loads(l) for l in gzip.open(sys.argv[1], "rt", encoding="utf-8")]
print(json.dumps([len(extract_citations(r["article"])) for r in rows]))
"""
SENTENCEX = """
import gzip, json, re, runpy, sys, time
import sentencex
rows = [json.loads(l) for l in gzip.open(sys.argv[1], "rt", encoding="utf-8")]
started = time.process_time()
for r in rows:
    list(sentencex.segment(r["language"], r["article"]))
seconds = time.process_time() - started
def bare(parts): return [re.sub(r"\\s+", "", p) for p in parts if p.strip()]
cases = runpy.run_path(sys.argv[2])["C"]
right = sum(bare(sentencex.segment("en", t)) == bare(e) for t, e in cases)
print(json.dumps([seconds, right]))
"""


def segments(python: str | None, seconds: float, characters: int) -> None:
    import runpy

    def joined(parts: list[str]) -> list[str]:
        return [re.sub(r"\s+", "", part) for part in parts]

    cases = runpy.run_path(str(SEGMENTS))["C"]
    right = sum(
        joined([s.text for s in parse_report(text).statements]) == joined(expected)
        for text, expected in cases
    )
    print(f"\n== sentences: ours {right}/{len(cases)} texts exactly (seen while writing)")
    print(f"   parsing the corpus whole: {seconds:.1f} s, {characters / seconds / 1e6:.2f} M/s")
    if python:
        theirs, exact = other(python, SENTENCEX)
        print(
            f"   sentencex: {exact}/{len(cases)}; sentences alone {theirs:.1f} s: ours is "
            f"{theirs / seconds:.2f} x its speed"
        )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--citesure")
    arguments.add_argument("--sentencex")
    chosen = arguments.parse_args()
    gold()
    rows = corpus()
    started = time.process_time()
    reports = [parse_report(row["article"]) for row in rows]
    seconds = time.process_time() - started
    agents(rows, reports, other(chosen.citesure, CITESURE) if chosen.citesure else None)
    why(rows, reports)
    coverage(reports)
    spans(reports)
    inherited(reports)
    findings(reports)
    segments(chosen.sentencex, seconds, sum(len(r.text) for r in reports))
    scaling()


if __name__ == "__main__":
    main()
