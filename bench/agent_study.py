"""A language model as the calling agent on WiCE and Factcheck-GPT: are its verdicts right?

    python bench/agent_study.py draw DIR      reports and evidence packs for the agent, no labels
    python bench/agent_study.py keep DIR...   the agent's recorded answers as a replay file
    python bench/agent_study.py               the figures, from the replay file

The draw is by seed from the development rows beside the repository. The agent sees work orders and
nothing else (`dream-mcp evaluate --judge agent --effort full`, `work`, `answer`). The replay file
holds a question's hash, the verdict and where its quotes stand; texts are read from the rows again,
so a question that has changed since it was answered is noticed and left out.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

import replays
from dream_evaluators.hashing import text_id
from dream_evaluators.ledger.reports import OpenedReport
from dream_evaluators.metrics.verdicts import Pair as Asked
from dream_evaluators.metrics.verdicts import claim_question
from dream_evaluators.model.report import Report
from dream_evaluators.model.source import Outcome, Source
from dream_evaluators.report import parse_report
from dream_evaluators.urls import canonicalise
from dream_evaluators.web.packs import write_pack
from fit_lexical import DATA, Pair, load
from replays import Kept

SEED = 20_261_130
PARTS = 4
RETRIEVED = "2026-11-01T00:00:00Z"
REPLAY = "agent_study.jsonl"
SECOND = "second_reading.jsonl"
# How many of each label are drawn from each set; Factcheck-GPT's half has 67 contradictions.
WANTED = {
    ("wice_dev", "support"): 32,
    ("wice_dev", "partial"): 32,
    ("wice_dev", "not_enough"): 32,
    ("factcheck_gpt.dev", "support"): 32,
    ("factcheck_gpt.dev", "partial"): 32,
    ("factcheck_gpt.dev", "not_enough"): 32,
    ("factcheck_gpt.dev", "contradict"): 67,
}
NAMES = {
    "support": "full_support",
    "partial": "partial_support",
    "not_enough": "unverifiable",
    "contradict": "contradict",
}
LABELS = tuple(NAMES.values())
Z = 1.96


@dataclass(frozen=True)
class Drawn:
    """One row of the draw, as it stands in a report."""

    number: int
    set_name: str
    pair: Pair
    asked: Asked

    @property
    def label(self) -> str:
        """What the annotators say."""
        return NAMES[self.pair.label]


def draw(data: Path) -> list[list[Drawn]]:
    """Draw the sample, in the parts that are judged one after the other."""
    chance = random.Random(SEED)  # noqa: S311 - the same sample every time
    chosen: list[tuple[str, Pair]] = []
    for (name, label), wanted in WANTED.items():
        rows = [pair for pair in load(data, name) if pair.label == label]
        chance.shuffle(rows)
        chosen += [(name, row) for row in rows if alone(row.claim)][:wanted]
    chance.shuffle(chosen)
    size = math.ceil(len(chosen) / PARTS)
    starts = range(0, len(chosen), size)
    return [_part(chosen[start : start + size], start) for start in starts]


def report_text(claims: Sequence[str], start: int) -> str:
    """Write claims as a report: a section each, so that none is read as another's context."""
    return "\n\n".join(
        f"## Statement {start + at}\n\n{_flat(claim)} [source](https://s{start + at}.study.test/)"
        for at, claim in enumerate(claims)
    )


def _flat(claim: str) -> str:
    return " ".join(claim.split())


def alone(claim: str) -> bool:
    """Whether our parser reads the claim as one cited statement."""
    statements = [s for s in parse_report(report_text([claim], 0)).statements if s.citations]
    return len(statements) == 1 and statements[0].claim == _flat(claim)


def _part(rows: Sequence[tuple[str, Pair]], start: int) -> list[Drawn]:
    report = parse_report(report_text([row.claim for _, row in rows], start))
    return [
        Drawn(start + at, name, row, asked)
        for at, ((name, row), asked) in enumerate(zip(rows, _asked(report, rows), strict=True))
    ]


def _asked(report: Report, rows: Sequence[tuple[str, Pair]]) -> Iterator[Asked]:
    cited = [statement for statement in report.statements if statement.citations]
    for statement, (_, row) in zip(cited, rows, strict=True):
        yield Asked(statement, statement.citations[0], _source(statement.citations[0].url, row))


def _source(url: str, row: Pair) -> Source:
    return Source(
        url=url,
        canonical_url=canonicalise(url),
        final_url=url,
        outcome=Outcome.OK,
        text=row.source,
        content_hash=text_id(row.source),
        retrieved_at=RETRIEVED,
    )


def write_parts(folder: Path, parts: Sequence[Sequence[Drawn]]) -> None:
    """Write what the agent's tools are given."""
    for number, part in enumerate(parts, start=1):
        place = folder / f"part{number}"
        place.mkdir(parents=True, exist_ok=True)
        text = report_text([row.pair.claim for row in part], part[0].number)
        (place / "report.md").write_text(text, encoding="utf-8")
        pack = write_pack([OpenedReport(text=text)], [row.asked.source for row in part], [])
        (place / "pack.zip").write_bytes(pack)


def wilson(hits: int, total: int) -> tuple[float, float, float]:
    """A share with its 95 % Wilson interval."""
    if not total:
        return float("nan"), float("nan"), float("nan")
    share = hits / total
    middle = (share + Z * Z / (2 * total)) / (1 + Z * Z / total)
    reach = math.sqrt(share * (1 - share) / total + Z * Z / (4 * total * total))
    reach *= Z / (1 + Z * Z / total)
    return share, middle - reach, middle + reach


def _share(hits: int, total: int) -> str:
    share, low, high = wilson(hits, total)
    return f"{share:.3f} [{low:.3f}, {high:.3f}] (n={total})"


@dataclass(frozen=True)
class Figures:
    """What the study shows, over one or both sets."""

    table: Mapping[tuple[str, str], int]  # (annotators' label, ours) to count

    def count(self, truth: str, ours: str = "") -> int:
        """How many rows of a label, or of them those that were called `ours`."""
        return sum(n for (t, o), n in self.table.items() if t == truth and ours in ("", o))

    @property
    def sensitivity(self) -> tuple[int, int]:
        """Fully supported rows that were called so."""
        return self.count("full_support", "full_support"), self.count("full_support")

    @property
    def specificity(self) -> tuple[int, int]:
        """Other rows that were not called fully supported; a failed judgement is no hit."""
        rest = [label for label in LABELS if label != "full_support"]
        hits = sum(n for (t, o), n in self.table.items() if t in rest and o in rest)
        return hits, sum(self.count(label) for label in rest)

    @property
    def balanced(self) -> tuple[float, float, float]:
        """Balanced accuracy, supported against not, with a 95 % interval (normal)."""
        shares = [hits / total for hits, total in (self.sensitivity, self.specificity)]
        totals = [self.sensitivity[1], self.specificity[1]]
        variance = sum(s * (1 - s) / n for s, n in zip(shares, totals, strict=True)) / 4
        middle, reach = sum(shares) / 2, Z * math.sqrt(variance)
        return middle, max(0.0, middle - reach), min(1.0, middle + reach)


def figures(
    rows: Sequence[Drawn], kept: Mapping[str, Kept], *, any_support: bool = False
) -> Figures:
    """Count; with `any_support` partial counts as support on both sides."""
    table: Counter[tuple[str, str]] = Counter()
    for row in rows:
        if answer := kept.get(claim_question(row.asked).id):
            pair = (row.label, answer.label)
            table[pair if not any_support else (_any(pair[0]), _any(pair[1]))] += 1
    return Figures(table)


def _any(label: str) -> str:
    return "full_support" if label == "partial_support" else label


def show(rows: Sequence[Drawn], kept: Mapping[str, Kept]) -> str:
    """Write the figures out."""
    lines: list[str] = []
    missing = [row for row in rows if claim_question(row.asked).id not in kept]
    answers = [kept[i] for row in rows if (i := claim_question(row.asked).id) in kept]
    lines.append(
        f"{len(rows)} questions drawn by seed, {len(answers)} answered; {len(missing)} not"
    )
    names = ("both sets", *dict.fromkeys(row.set_name for row in rows))
    columns = (*LABELS, "judge_failed")
    for name in names:
        part = [row for row in rows if name in ("both sets", row.set_name)]
        done = figures(part, kept)
        lines += ["", f"{name}: annotators' label (rows) by verdict (columns)"]
        lines.append(f"{'':16}" + "".join(f"{label:>16}" for label in columns))
        for truth in LABELS:
            if done.count(truth):
                cells = "".join(f"{done.count(truth, ours):16}" for ours in columns)
                lines.append(f"{truth:16}{cells}")
        middle, low, high = done.balanced
        lines.append(
            f"balanced accuracy, full support or not: {middle:.3f} [{low:.3f}, {high:.3f}]"
        )
        lines.append(f"  full support found: {_share(*done.sensitivity)}")
        lines.append(f"  the rest not called so: {_share(*done.specificity)}")
        middle, low, high = figures(part, kept, any_support=True).balanced
        lines.append(
            f"balanced accuracy, any support or none: {middle:.3f} [{low:.3f}, {high:.3f}]"
        )
        against = done.count("contradict", "contradict"), done.count("contradict")
        if against[1]:
            lines.append(f"contradiction recall: {_share(*against)}")
            called = sum(n for (_, ours), n in done.table.items() if ours == "contradict")
            lines.append(f"contradiction precision: {_share(against[0], called)}")
    given = Counter(answer.label for answer in answers)
    right = figures(rows, kept)
    lines += ["", "right where given, by verdict:"]
    lines += [f"  {label:16} {_share(right.count(label, label), given[label])}" for label in LABELS]
    problems = Counter(kind for answer in answers for kind in answer.problems)
    asked_again = sum(1 for answer in answers if answer.problems)
    lines += ["", f"asked again: {asked_again} of {len(answers)}; why: {dict(problems) or '-'}"]
    models = Counter(answer.model or "unnamed" for answer in answers)
    lines.append(f"answered by: {dict(models)}")
    return "\n".join(lines)


def show_second_reading(rows: Sequence[Drawn], kept: Mapping[str, Kept]) -> str:
    """Write what a second reader, who saw no label and no verdict, makes of the contradictions."""
    path = replays.FOLDER / SECOND
    if not path.exists():
        return ""
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    upheld = {row["item"]: bool(row["contradicts"]) for row in read}
    called = [row for row in rows if row.label == "contradict" and _item(row) in upheld]
    others = [row for row in rows if row.label != "contradict" and _item(row) in upheld]
    real = [row for row in called if upheld[_item(row)] and _item(row) in kept]
    found = sum(kept[_item(row)].label == "contradict" for row in real)
    agreed = sum(upheld[_item(row)] for row in called)
    wrongly = sum(upheld[_item(row)] for row in others)
    return (
        "second reading, by a language model without labels or verdicts, of what the text itself "
        f"says:\n  annotated contradict and upheld: {_share(agreed, len(called))}; of other rows "
        f"{wrongly} of {len(others)}\n  contradiction recall on the upheld rows: "
        f"{_share(found, len(real))}"
    )


def _item(row: Drawn) -> str:
    return claim_question(row.asked).id


def main() -> None:
    """Draw, keep or show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", nargs="?", choices=("draw", "keep", "show"), default="show")
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--data", type=Path, default=DATA)
    given = parser.parse_args()
    if given.step != "show" and not given.folders:
        parser.error(f"{given.step} needs a folder")
    parts = draw(given.data)
    if given.step == "draw":
        write_parts(given.folders[0], parts)
    elif given.step == "keep":
        stores = [folder / "store.sqlite3" for folder in given.folders]
        asked = [row.asked for part in parts for row in part]
        answers = anyio.run(replays.collect, stores, asked)
        sys.stdout.write(f"{replays.write(REPLAY, answers)} answers\n")
    else:
        rows = [row for part in parts for row in part]
        kept = replays.read(REPLAY)
        sys.stdout.write(f"{show(rows, kept)}\n{show_second_reading(rows, kept)}\n")


if __name__ == "__main__":
    main()
