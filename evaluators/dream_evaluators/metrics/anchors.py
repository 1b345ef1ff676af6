"""Anchors: questions with a known answer, put among the others to check the judge in this run.

Each is a short page of our own about places that do not exist, and a claim that it supports,
contradicts or is silent on. Names and figures are drawn anew for each report, so that no judge has
seen the same page before, and the same evaluation always asks the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dream_evaluators.hashing import content_id, text_id
from dream_evaluators.metrics.verdicts import Pair
from dream_evaluators.model.report import Citation, Statement, StatementKind, StatementState
from dream_evaluators.model.score import JudgeCheck, Label, PairVerdict
from dream_evaluators.model.source import Outcome, Source

# Our choice: few enough to cost little beside so many readings, one of each kind from 24 on.
SOME, ALL = 12, 24
# The checks say whether a judge reads at all; by chance alone one in four answers is right.
OPEN = frozenset({Label.PENDING, Label.JUDGE_FAILED})

_FIRST = ("Bram", "Corve", "Dorn", "Elster", "Falk", "Garth", "Hollen", "Isker", "Kelm", "Lorren")
_SECOND = ("bach", "by", "dale", "feld", "ford", "ham", "mouth", "stad", "vik", "wick")


@dataclass(frozen=True)
class Anchor:
    """A question put for its answer's sake."""

    pair: Pair
    expected: Label
    place: float  # 0-1: where among the other questions it stands


@dataclass(frozen=True)
class _Theme:
    """One page with slots, and a claim of each kind about it."""

    title: str
    heading: str
    page: str
    claims: dict[Label, str]
    figures: Callable[[random.Random], dict[str, int]]


def _library(chance: random.Random) -> dict[str, int]:
    year, loans = chance.randint(1891, 1949), chance.randint(210, 480)
    return {"year": year, "loans": loans, "less": loans - chance.randint(60, 120)}


def _ferry(chance: random.Random) -> dict[str, int]:
    cars = chance.randint(42, 88)
    return {"cars": cars, "less": cars // 4, "minutes": chance.randint(23, 38)}


def _orchard(chance: random.Random) -> dict[str, int]:
    farms = chance.randint(36, 67)
    return {"farms": farms, "share": chance.randint(61, 78), "less": chance.randint(19, 34)}


def _buses(chance: random.Random) -> dict[str, int]:
    before = chance.randint(44, 61)
    return {"before": before, "after": before + chance.randint(8, 15), "buses": before // 3}


_THEMES: tuple[_Theme, ...] = (
    _Theme(
        title="{town} Public Library: a short history",
        heading="Public services",
        page="The {town} Public Library opened in {year} in two rooms above the corn exchange. "
        "It moved to the former customs house twelve years later and has stayed there since.\n"
        "In its last annual report the library counted {loans},000 loans, a tenth of them of "
        "recordings and games. Opening hours were extended to Sunday afternoons after a trial "
        "of six months. The reading room on the first floor keeps the town's newspapers on film.",
        claims={
            Label.FULL_SUPPORT: "The library of {town}, which opened in {year}, lent about "
            "{loans},000 items in its last reported year.",
            Label.CONTRADICT: "The library of {town} lent {less},000 items in its last reported "
            "year.",
            Label.UNVERIFIABLE: "The library of {town} is paid for mainly by a regional culture "
            "fund.",
        },
        figures=_library,
    ),
    _Theme(
        title="The {town} ferry",
        heading="Transport links",
        page="The ferry between {town} and the island carries up to {cars} cars and makes the "
        "crossing in {minutes} minutes. It runs every hour from six in the morning until ten at "
        "night, and every two hours in January and February.\n"
        "The present ship replaced two smaller ones. Foot passengers travel without charge; the "
        "fare for a car has not changed for five years.",
        claims={
            Label.FULL_SUPPORT: "The {town} ferry takes {minutes} minutes and holds up to {cars} "
            "cars.",
            Label.CONTRADICT: "The {town} ferry holds no more than {less} cars.",
            Label.UNVERIFIABLE: "The {town} ferry was built in a shipyard in the north of the "
            "country.",
        },
        figures=_ferry,
    ),
    _Theme(
        title="Fruit growing around {town}",
        heading="Agriculture",
        page="A survey by the growers' association lists {farms} orchards in the district of "
        "{town}. Pears make up {share} percent of their harvest by weight, apples most of the "
        "rest.\n"
        "Two cold summers in a row had cut yields, but the last season was again close to the "
        "average of ten years. Most of the fruit is sold within a hundred kilometres.",
        claims={
            Label.FULL_SUPPORT: "Pears account for {share} percent of the fruit harvested in the "
            "district of {town}.",
            Label.CONTRADICT: "Pears account for only {less} percent of the fruit harvested in "
            "the district of {town}.",
            Label.UNVERIFIABLE: "Orchards around {town} employ more seasonal workers than a "
            "decade ago.",
        },
        figures=_orchard,
    ),
    _Theme(
        title="{town} town buses: what changed",
        heading="Local transport",
        page="Since the new timetable came into force, the share of {town} residents who use the "
        "bus at least once a week has risen from {before} to {after} percent, the transport "
        "office says. The office asked 1,500 households before the change and again a year "
        "later.\n"
        "The network has {buses} buses on six lines. Evening services were extended by an hour, "
        "and two stops near the hospital were moved closer to its entrance.",
        claims={
            Label.FULL_SUPPORT: "Weekly bus use among residents of {town} rose from {before} to "
            "{after} percent after the timetable was changed.",
            Label.CONTRADICT: "Weekly bus use among residents of {town} fell after the timetable "
            "was changed.",
            Label.UNVERIFIABLE: "The buses of {town} run on electricity.",
        },
        figures=_buses,
    ),
)
KINDS = (Label.FULL_SUPPORT, Label.CONTRADICT, Label.UNVERIFIABLE)


def draw_anchors(name: str, readings: int) -> tuple[Anchor, ...]:
    """Draw the anchors of an evaluation.

    Args:
        name: What they are drawn by: stands for the report.
        readings: How many source readings the judge is asked for beside them.

    Returns:
        None below 12 readings, two below 24, else three: each of another kind and theme.
    """
    if readings < SOME:
        return ()
    chance = random.Random(content_id("anchors", name))  # noqa: S311 - repeatable, no secret
    kinds = chance.sample(KINDS, len(KINDS) if readings >= ALL else 2)
    themes = chance.sample(_THEMES, len(kinds))
    return tuple(_anchor(chance, *each) for each in zip(themes, kinds, strict=True))


def _anchor(chance: random.Random, theme: _Theme, kind: Label) -> Anchor:
    slots = {"town": chance.choice(_FIRST) + chance.choice(_SECOND), **theme.figures(chance)}
    text = theme.page.format(**slots)
    claim = theme.claims[kind].format(**slots)
    digest = text_id(text)
    url = f"https://anchor.test/{digest.removeprefix('b2:')[:12]}"
    citation = Citation(marker=url, start=0, end=0, url=url, canonical_url=url)
    statement = Statement(
        id="anchor",
        kind=StatementKind.SENTENCE,
        start=0,
        end=0,
        text=claim,
        claim=claim,
        heading=theme.heading,
        state=StatementState.CITED,
        citations=(citation,),
    )
    source = Source(
        url=url,
        canonical_url=url,
        final_url=url,
        outcome=Outcome.OK,
        text=text,
        content_hash=digest,
        title=theme.title.format(**slots),
    )
    return Anchor(Pair(statement, citation, source), kind, chance.random())


def judge_check(anchors: Sequence[Anchor], verdicts: Sequence[PairVerdict]) -> JudgeCheck | None:
    """Count the anchors that were judged right; None when none was drawn."""
    if not anchors:
        return None
    answered = [
        (anchor, verdict)
        for anchor, verdict in zip(anchors, verdicts, strict=True)
        if verdict.label not in OPEN
    ]
    missed = tuple(
        f"{anchor.expected.value} called {verdict.label.value}: {anchor.pair.statement.claim}"
        for anchor, verdict in answered
        if verdict.label is not anchor.expected
    )
    return JudgeCheck(
        asked=len(anchors), answered=len(answered), right=len(answered) - len(missed), missed=missed
    )
