"""The offline judge, leave-one-set-out, on four public sets, beside two peers in the same run.

    python bench/offline_judge.py [--data DIR] [--citesure PYTHON] [--footnote PYTHON] [--nli MODEL]

`MODEL` is an `.onnx` file for the extra `nli`: the second look is then measured too.
`PYTHON` is the interpreter of an environment that has the peer from PyPI. The weights under test
never saw the set they are tested on; thresholds and rules were set on these same sets.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dream_evaluators.judges.inference import InferenceModel, ModelFile
from dream_evaluators.judges.lexical import LexicalVerdict, assess
from dream_evaluators.judges.lexical.model import Model
from dream_evaluators.judges.offline import look_again
from fit_lexical import ADVERSARIAL_SETS, CITATION_SETS, DATA, Pair, fit, load, vectors

# What a peer prints for each pair: a score for ranking, and "yes", "no" or "open".
PEERS = {
    "citesure": """
import json, sys
from citesure.overlap import score_compound_claim, segment_passages, status_for_score
for line in sys.stdin:
    claim, source = json.loads(line)
    score, _ = score_compound_claim(claim, segment_passages(source))
    name = status_for_score(score).name
    print(json.dumps([score, {"SUPPORTED": "yes", "AMBIGUOUS": "open"}.get(name, "no")]))
""",
    "footnote-mcp": """
import json, sys
from footnote_mcp.tools_data.entailment import evidence_entailment
for line in sys.stdin:
    claim, source = json.loads(line)
    found = evidence_entailment(claim, source, backend="heuristic")
    print(json.dumps([found["score"], "yes" if found["status"] == "supported" else "no"]))
""",
}


@dataclass(frozen=True)
class Call:
    """What a judge made of one pair."""

    score: float
    decision: str  # "yes" (supported in full), "no", "open" (abstains)
    forced: bool  # the answer when it must give one


def auc(scores: Sequence[float], truth: Sequence[bool]) -> float:
    """Give the chance that a supported pair scores above an unsupported one (ties count half)."""
    order = sorted(range(len(scores)), key=lambda at: scores[at])
    ranks = [0.0] * len(scores)
    low = 0
    while low < len(order):
        high = low
        while high < len(order) and scores[order[high]] == scores[order[low]]:
            high += 1
        for at in order[low:high]:
            ranks[at] = (low + high + 1) / 2
        low = high
    positive = sum(truth)
    total = sum(rank for rank, label in zip(ranks, truth, strict=True) if label)
    negative = len(truth) - positive
    return (total - positive * (positive + 1) / 2) / (positive * negative)


def balanced(answers: Sequence[bool], truth: Sequence[bool]) -> float:
    """Give the mean of the two classes' accuracies."""
    right = Counter(label for answer, label in zip(answers, truth, strict=True) if answer == label)
    counts = Counter(truth)
    return (right[True] / counts[True] + right[False] / counts[False]) / 2


def share(part: Sequence[bool]) -> str:
    """Write a share with its n."""
    return f"{sum(part) / len(part):.2f} (n={len(part)})" if part else "- (n=0)"


def row(name: str, calls: Sequence[Call], truth: Sequence[bool], cost: float) -> str:
    """Write one table row."""
    decided = [
        (call.decision == "yes", label)
        for call, label in zip(calls, truth, strict=True)
        if call.decision != "open"
    ]
    right = [answer == label for answer, label in decided]
    return " | ".join(
        [
            f"| {name}",
            f"{auc([call.score for call in calls], truth):.3f}",
            f"{balanced([call.forced for call in calls], truth):.3f}",
            f"{len(decided) / len(calls):.3f}",
            f"{sum(right) / len(right):.3f}" if right else "-",
            share([label for answer, label in decided if answer]),
            share([not label for answer, label in decided if not answer]),
            f"{cost:.2f} |",
        ]
    )


def ours(verdicts: Sequence[LexicalVerdict]) -> list[Call]:
    """Read our verdicts as calls."""
    names = {"full_support": "yes", "needs_review": "open"}
    return [
        Call(each.p_support, names.get(each.label, "no"), each.p_support >= 0.5)
        for each in verdicts
    ]


def calibration(verdicts: Sequence[LexicalVerdict], truth: Sequence[bool]) -> str:
    """Write stated against found support by fifths, and the expected calibration error."""
    cells = []
    error = 0.0
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        cell = [
            (each.p_support, label)
            for each, label in zip(verdicts, truth, strict=True)
            if low <= each.p_support < low + 0.2 + (low == 0.8)
        ]
        if cell:
            stated = sum(p for p, _ in cell) / len(cell)
            found = sum(label for _, label in cell) / len(cell)
            error += abs(stated - found) * len(cell) / len(truth)
            cells.append(f"{stated:.2f}->{found:.2f} ({len(cell)})")
    return f"ECE {error:.3f}: " + ", ".join(cells)


def peer(python: Path, script: str, pairs: Sequence[Pair]) -> tuple[list[Call], float]:
    """Run a peer over all pairs in a process of its own: calls, and wall ms a pair."""
    lines = "\n".join(json.dumps([pair.claim, pair.source]) for pair in pairs)
    start = time.perf_counter()
    done = subprocess.run(
        [str(python), "-c", script], input=lines, capture_output=True, text=True, check=True
    )
    cost = (time.perf_counter() - start) * 1000 / len(pairs)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [Call(float(s), decision, decision == "yes") for s, decision in answers], cost


def judge_set(pairs: Sequence[Pair], model: Model) -> tuple[list[LexicalVerdict], float]:
    """Judge every pair with given weights: the verdicts, and CPU ms a pair."""
    start = time.process_time()
    verdicts = [assess(pair.claim, pair.source, model=model) for pair in pairs]
    return verdicts, (time.process_time() - start) * 1000 / len(pairs)


def judge_again(
    pairs: Sequence[Pair], verdicts: Sequence[LexicalVerdict], model: InferenceModel
) -> tuple[list[LexicalVerdict], float]:
    """Take a second look at every pair: the verdicts, and CPU ms that it adds a pair."""
    start = time.process_time()
    again = [look_again(model, v, p.claim) for p, v in zip(pairs, verdicts, strict=True)]
    return again, (time.process_time() - start) * 1000 / len(pairs)


def damaged(pair: Pair) -> dict[str, str]:
    """Write the claim wrongly in four ways, where it has what can be changed, and once rightly."""
    claim = pair.claim
    own = re.findall(r"(?<=[a-z] )[A-Z][a-z]{3,}", claim)
    others = [
        name for name in re.findall(r"(?<=[a-z] )[A-Z][a-z]{3,}", pair.source) if name not in claim
    ]
    made = {
        "other number": re.sub(r"\d+", lambda found: str(int(found[0]) + 3), claim, count=1),
        "negated": re.sub(r"\b(is|was|are|were|has|had|can)\b", r"\1 not", claim, count=1),
        "made-up name": claim.replace(own[0], "Zorvand") if own else claim,
        "other name of the page": claim.replace(own[0], others[0]) if own and others else claim,
        "harmless": claim.replace(" is ", " 's ").replace("The ", "the "),
    }
    return {kind: text for kind, text in made.items() if text != claim}


def damage_table(pairs: Sequence[Pair]) -> None:
    """Print how many claims judged as supported in full stay so when they are written wrongly."""
    tried: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for pair in pairs:
        if assess(pair.claim, pair.source).label != "full_support":
            continue
        for kind, claim in damaged(pair).items():
            tried[kind] += 1
            kept[kind] += assess(claim, pair.source).label == "full_support"
    print(
        "\n## Claims judged full_support, written wrongly\n"
        "\n| change | n | still full |\n|---|---|---|"
    )
    for kind in tried:
        print(f"| {kind} | {tried[kind]} | {kept[kind]} |")


def main() -> None:
    """Print one table a set, its calibration, and which labels the decisions fell on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--citesure", type=Path)
    parser.add_argument("--footnote", type=Path)
    parser.add_argument("--nli", type=Path)
    options = parser.parse_args()
    second = None
    if options.nli:
        digest = hashlib.sha256(options.nli.read_bytes()).hexdigest()
        second = ModelFile(options.nli, digest).load()
    pythons = {"citesure": options.citesure, "footnote-mcp": options.footnote}
    sets = {name: load(options.data, name) for name in CITATION_SETS + ADVERSARIAL_SETS}
    measured = {
        name: (vectors(sets[name]), [pair.supported for pair in sets[name]])
        for name in CITATION_SETS
    }
    for name, pairs in sets.items():
        truth = [pair.supported for pair in pairs]
        model = fit([measured[other] for other in CITATION_SETS if other != name])
        verdicts, cost = judge_set(pairs, model)
        print(f"\n## {name}: {len(pairs)} pairs, {sum(truth)} supported in full\n")
        print(
            "| judge | AUC | balanced acc. | decided | acc. decided | support right |"
            " not-support right | ms |\n|---|---|---|---|---|---|---|---|"
        )
        print(row("dream-mcp offline", ours(verdicts), truth, cost))
        if second:
            again, more = judge_again(pairs, verdicts, second)
            print(row(f"with {options.nli.name}", ours(again), truth, cost + more))
        for peer_name, script in PEERS.items():
            python = pythons[peer_name]
            if python is None:
                print(f"| {peer_name} | skipped: no interpreter given |||||||")
                continue
            calls, wall = peer(python, script, pairs)
            print(row(peer_name, calls, truth, wall))
        print(f"\ncalibration {calibration(verdicts, truth)}")
        confusion = Counter(
            (each.label, pair.label) for each, pair in zip(verdicts, pairs, strict=True)
        )
        for label in ("full_support", "partial_support", "unverifiable"):
            found = {gold: n for (ours_, gold), n in sorted(confusion.items()) if ours_ == label}
            print(f"{label}: {found}")
    damage_table([pair for name in (*CITATION_SETS, "fm2_dev") for pair in sets[name]])


if __name__ == "__main__":
    main()
