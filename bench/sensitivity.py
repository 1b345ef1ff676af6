"""Does a score move when a report gets worse, and stay when only its wording changes?

    python bench/sensitivity.py draw DIR      what the agent judges, in sittings, without labels
    python bench/sensitivity.py keep DIR...   its recorded answers as a replay file
    python bench/sensitivity.py               the matrix: what was done to the report by metric

A report is made of claims that annotators call supported, each citing its page, and perturbed by
program (`perturbations.py`, and here what is done to citations and pages). Every perturbed claim is
a question of its own to the calling agent, which sees no variant beside another; the matrix then
runs the real evaluation of each whole report with the answers put back. CF shall fall with each
damage and stay within 3 points under each harmless edit, CA move only when citations do and DA only
when sources do.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import anyio

import replays
from agent_study import RETRIEVED, alone
from dream_evaluators.hashing import text_id
from dream_evaluators.ledger import IN_MEMORY, Ledger
from dream_evaluators.ledger.reports import OpenedReport
from dream_evaluators.metrics.verdicts import Pair as Asked
from dream_evaluators.model.score import Scorecard
from dream_evaluators.model.source import Outcome, Source
from dream_evaluators.report import parse_report
from dream_evaluators.urls import canonicalise
from dream_evaluators.web.packs import read_pack, write_pack
from dream_mcp.drive import Driver
from dream_mcp.files import Roots
from dream_mcp.intake import Ask, Handed, make_request, open_report
from dream_mcp.settings import Settings
from fit_lexical import CITATION_SETS, DATA, load
from perturbations import DAMAGES, HARMLESS, Edit, names_in

SEED = 20_261_201
REPLAY = "sensitivity.jsonl"
CLAIMS = 30
TOUCHED = 8  # claims that one perturbation edits, where so many can be
LONGEST = 12_000  # characters of a page, so that the agent is shown all of it
STILL = 3.0
METRICS = ("CF", "CA", "DA", "CI")
# Well-known addresses, so that what publishes a source is known: nothing is fetched from them.
HOSTS = ("www.who.int", "www.nature.com", "www.census.gov", "en.wikipedia.org")
OTHER_HOST = "medium.com"
# Who judges what: no sitting sees the same edit of a claim twice.
SITTINGS = (
    ("base",),
    ("number", "clause order", "unit"),
    ("date", "entity", "paraphrase"),
    ("negation", "source swapped", "rounding"),
)


@dataclass(frozen=True)
class Cited:
    """One statement of the report: a claim, the address it cites and the page behind it."""

    number: int
    claim: str
    page: str
    url: str
    outcome: Outcome = Outcome.OK

    @property
    def text(self) -> str:
        """The statement as a section of its own, so that none is read as another's context."""
        link = f" [source]({self.url})" if self.url else ""
        return f"## Statement {self.number}\n\n{self.claim}{link}"

    @property
    def source(self) -> Source:
        """The page as a pack holds it."""
        text = "" if self.outcome is not Outcome.OK else self.page
        return Source(
            url=self.url,
            canonical_url=canonicalise(self.url),
            final_url=self.url,
            outcome=self.outcome,
            text=text,
            content_hash=text_id(text) if text else "",
            retrieved_at=RETRIEVED,
        )


@dataclass(frozen=True)
class Variant:
    """The report after one perturbation."""

    name: str
    kind: str  # base, damage, harmless
    statements: tuple[Cited, ...]
    touched: tuple[int, ...] = ()  # numbers of the statements that were edited

    @property
    def report(self) -> str:
        """The report's Markdown."""
        return "\n\n".join(each.text for each in self.statements)

    @property
    def asked(self) -> list[Asked]:
        """The questions a judge is asked about it."""
        pages = {each.number: each.source for each in self.statements}
        return [
            Asked(statement, statement.citations[0], pages[int(statement.heading.split()[-1])])
            for statement in parse_report(self.report).statements
            if statement.citations
        ]


def base(data: Path) -> list[Cited]:
    """Choose supported claims by seed, such first as a rarer edit can be made on."""
    chance = random.Random(SEED)  # noqa: S311 - the same sample every time
    rows = [
        (" ".join(row.claim.split()), row.source)
        for name in CITATION_SETS
        for row in load(data, name)
        if row.label == "support" and len(row.source) <= LONGEST and alone(row.claim)
    ]
    rows = list(dict(rows).items())  # a claim once, with one of its pages
    chance.shuffle(rows)
    edits = list((HARMLESS | DAMAGES).items())
    names = [name for claim, _ in rows for name in names_in(claim)]
    can = {claim: {name for name, edit in edits if edit(claim, names)} for claim, _ in rows}
    chosen: list[tuple[str, str]] = []
    for name, _ in sorted(edits, key=lambda each: sum(each[0] in can[claim] for claim, _ in rows)):
        for row in rows:
            have = sum(name in can[claim] for claim, _ in chosen)
            if have < TOUCHED and name in can[row[0]] and row not in chosen:
                chosen.append(row)
    chosen += [row for row in rows if row not in chosen][: max(0, CLAIMS - len(chosen))]
    chance.shuffle(chosen)
    return [
        Cited(at, claim, page, f"https://{HOSTS[at % len(HOSTS)]}/sensitivity/{at}")
        for at, (claim, page) in enumerate(chosen)
    ]


def _edited(statements: Sequence[Cited], edit: Edit) -> tuple[tuple[Cited, ...], tuple[int, ...]]:
    names = [name for each in statements for name in names_in(each.claim)]
    changed: dict[int, Cited] = {}
    for each in statements:
        new = edit(each.claim, names)
        if new and alone(new) and len(changed) < TOUCHED:
            changed[each.number] = replace(each, claim=new)
    return tuple(changed.get(each.number, each) for each in statements), tuple(changed)


def _swapped(each: Cited, statements: Sequence[Cited]) -> Cited:
    """Cite the page of another claim, on a host of less authority."""
    page = statements[(each.number + len(statements) // 2) % len(statements)].page
    return replace(each, page=page, url=f"https://{OTHER_HOST}/sensitivity/{each.number}")


def _gone(each: Cited, statements: Sequence[Cited]) -> Cited:
    del statements
    return replace(each, outcome=Outcome.NOT_FOUND)


def _uncited(each: Cited, statements: Sequence[Cited]) -> Cited:
    del statements
    return replace(each, url="")


CITATION_DAMAGES: Mapping[str, Callable[[Cited, Sequence[Cited]], Cited]] = {
    "source swapped": _swapped,
    "source gone": _gone,
    "citation deleted": _uncited,
}


def variants(data: Path) -> list[Variant]:
    """Make the report and all its perturbed forms."""
    statements = tuple(base(data))
    made = [Variant("base", "base", statements, tuple(each.number for each in statements))]
    for kind, edits in (("damage", DAMAGES), ("harmless", HARMLESS)):
        for name, edit in edits.items():
            made.append(Variant(name, kind, *_edited(statements, edit)))
        if kind == "damage":
            for name, harm in CITATION_DAMAGES.items():
                hit = tuple(harm(e, statements) if e.number < TOUCHED else e for e in statements)
                made.append(Variant(name, kind, hit, tuple(range(TOUCHED))))
    return [*made, Variant("statement order", "harmless", statements[::-1])]


def write_sittings(folder: Path, made: Sequence[Variant]) -> None:
    """Write what an agent's tools are given: for each variant only what was edited in it."""
    by_name = {variant.name: variant for variant in made}
    for number, names in enumerate(SITTINGS, start=1):
        for name in names:
            variant = by_name[name]
            part = [each for each in variant.statements if each.number in variant.touched]
            place = folder / f"sitting{number}" / name.replace(" ", "_")
            place.mkdir(parents=True, exist_ok=True)
            text = replace(variant, statements=tuple(part)).report
            (place / "report.md").write_text(text, encoding="utf-8")
            pack = write_pack([OpenedReport(text=text)], [each.source for each in part], [])
            (place / "pack.zip").write_bytes(pack)


async def evaluate(variant: Variant, kept: Mapping[str, replays.Kept]) -> Scorecard:
    """Run the real evaluation of a variant, with the recorded answers put back."""
    ledger = Ledger.open(IN_MEMORY)
    await replays.restore(ledger, variant.asked, kept)
    driver = Driver(ledger, Settings(offline=True))
    cited = [each.source for each in variant.statements if each.url]
    pack = read_pack(write_pack([OpenedReport(text=variant.report)], cited, []))
    opened = await open_report(driver, Roots(()), Handed(report=variant.report))
    ask = Ask(judge="agent", effort="full", metrics=METRICS)
    request = await make_request(driver, opened, ask, pack)
    evaluation = await driver.start(request, opened.report, pack)
    view = await driver.advance(evaluation)
    ledger.close()
    assert view.scorecard is not None
    return view.scorecard


def _value(card: Scorecard, metric: str) -> float:
    """A metric's value; NaN where it has none."""
    value = card.scores[metric].value if metric in card.scores else None
    return math.nan if value is None else value


def as_it_should(variant: Variant, moved: Mapping[str, float]) -> dict[str, bool]:
    """Whether each metric did what it is there for; `moved` is its value less the base's.

    A statement without its citation is outside CF, so that a deleted citation may show in CI alone;
    it takes its source along, so that DA may move a little.
    """
    cites = variant.name == "citation deleted"
    swapped = variant.name == "source swapped"
    still = abs(moved["CF"]) <= STILL
    falls = moved["CF"] < 0 or (cites and moved["CI"] < 0)
    return {
        "CF": falls if variant.kind == "damage" else still,
        "CA": moved["CA"] < 0 if cites else moved["CA"] == 0,
        "DA": moved["DA"] < 0 if swapped else abs(moved["DA"]) <= (STILL if cites else 0),
    }


async def matrix(made: Sequence[Variant], kept: Mapping[str, replays.Kept]) -> str:
    """Write out values and differences, an exclamation mark where one is not as it should be."""
    cards = {variant.name: await evaluate(variant, kept) for variant in made}
    lines = [f"{'perturbation':18}{'kind':10}{'edited':>7}" + "".join(f"{m:>16}" for m in METRICS)]
    wrong = 0
    for variant in made:
        values = {metric: _value(cards[variant.name], metric) for metric in METRICS}
        moved = {metric: values[metric] - _value(cards["base"], metric) for metric in METRICS}
        right = as_it_should(variant, moved) if variant.kind != "base" else {}
        wrong += sum(not each for each in right.values())
        cells = "".join(
            f"{values[m]:8.1f} {moved[m]:+6.1f}{'' if right.get(m, True) else '!':1}"
            for m in METRICS
        )
        lines.append(f"{variant.name:18}{variant.kind:10}{len(variant.touched):7}{cells}")
    return "\n".join([*lines, f"{wrong} cells are not as they should be"])


def answered(made: Iterable[Variant], kept: Mapping[str, replays.Kept]) -> tuple[int, int]:
    """How many of all questions have a recorded answer."""
    items = {replays.question_id(pair) for v in made for pair in v.asked if pair.source.text}
    return len(items & set(kept)), len(items)


def labels(made: Iterable[Variant], kept: Mapping[str, replays.Kept]) -> str:
    """What the judge said of the claims that were edited, before and after."""
    lines = []
    base_of: dict[int, str] = {}
    for variant in made:
        said = {
            int(pair.statement.heading.split()[-1]): kept[item].label
            for pair in variant.asked
            if (item := replays.question_id(pair)) in kept and pair.source.text
        }
        base_of = base_of or said
        moves = [(base_of.get(n, "-"), said.get(n, "-")) for n in variant.touched]
        same = sum(before == after for before, after in moves)
        lines.append(
            f"{variant.name:18}{same:3} of {len(moves):2} labels as before; now "
            + ", ".join(f"{label} {n}" for label, n in Counter(b for _, b in moves).most_common())
        )
    return "\n".join(lines)


def main() -> None:
    """Draw, keep or show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", nargs="?", choices=("draw", "keep", "show"), default="show")
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--data", type=Path, default=DATA)
    given = parser.parse_args()
    if given.step != "show" and not given.folders:
        parser.error(f"{given.step} needs a folder")
    made = variants(given.data)
    if given.step == "draw":
        write_sittings(given.folders[0], made)
    elif given.step == "keep":
        stores = [store for folder in given.folders for store in folder.rglob("*.sqlite3")]
        asked = [pair for variant in made for pair in variant.asked if pair.source.text]
        kept = anyio.run(replays.collect, stores, asked)
        sys.stdout.write(f"{replays.write(REPLAY, kept)} answers\n")
    else:
        kept_ = replays.read(REPLAY)
        have, all_ = answered(made, kept_)
        sys.stdout.write(f"{have} of {all_} questions answered\n\n")
        sys.stdout.write(anyio.run(matrix, made, kept_) + "\n\n" + labels(made, kept_) + "\n")


if __name__ == "__main__":
    main()
