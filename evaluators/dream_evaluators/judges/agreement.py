"""How far judges agree on the same questions: Cohen's kappa by pairs, Kendall's W over all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from pydantic import ValidationError

from dream_evaluators.model.judgement import Answer
from dream_evaluators.prompts.answers import (
    ClaimVerdict,
    LexicalAnswer,
    SourceClassAnswer,
    folded_verdict,
)

# From worst to best; what ranks are given by. Other answers (a source's class) have no order.
ORDER = ("contradict", "unverifiable", "partial_support", "full_support")


@dataclass(frozen=True)
class PairAgreement:
    """Two judges on the questions that both answered.

    Attributes:
        first: One judge's name.
        second: The other's.
        n: Questions that both answered.
        same: How many of them they answered alike.
        kappa: Cohen's, -1 to 1; None where both always say the same one thing, or n is 0.
    """

    first: str
    second: str
    n: int
    same: int
    kappa: float | None


@dataclass(frozen=True)
class Agreement:
    """All judges of some questions.

    Attributes:
        judges: How many questions each answered, by name.
        pairs: Every pair of judges.
        n: Questions with a ranked label from every judge.
        kendall_w: Kendall's coefficient of concordance over those, corrected for ties, 0 to 1;
            None below two judges or two questions, or where every judge ranks all alike.
    """

    judges: Mapping[str, int]
    pairs: tuple[PairAgreement, ...]
    n: int
    kendall_w: float | None


def label_of(answer: Answer) -> str:
    """The label that an answer amounts to; "" for a failure or an abstention."""
    try:
        if answer.rung == "offline":
            label = LexicalAnswer.model_validate_json(answer.answer).label
            return "" if label == "needs_review" else label
        if answer.failed:
            return ""
    except ValidationError:
        return ""
    try:
        return folded_verdict(ClaimVerdict.model_validate_json(answer.answer))
    except ValidationError:
        pass
    try:
        return SourceClassAnswer.model_validate_json(answer.answer).source_class
    except ValidationError:
        return ""


def rater_of(answer: Answer) -> str:
    """Who is compared: a judge, and each deliberate repeat of it by itself."""
    return f"{answer.judge} (repeat {answer.sample + 1})" if answer.sample else answer.judge


def agreement(answers: Iterable[Answer]) -> Agreement:
    """Compare all judges of the questions that these answers are to."""
    labels: dict[str, dict[str, str]] = {}
    for answer in answers:
        if label := label_of(answer):
            labels.setdefault(rater_of(answer), {}).setdefault(answer.item, label)
    raters = sorted(labels)
    shared = [
        item
        for item in sorted(set.intersection(*(set(labels[r]) for r in raters)) if raters else ())
        if all(labels[rater][item] in ORDER for rater in raters)
    ]
    ratings = [[ORDER.index(labels[rater][item]) for item in shared] for rater in raters]
    return Agreement(
        judges={rater: len(labels[rater]) for rater in raters},
        pairs=tuple(_pair(a, b, labels[a], labels[b]) for a, b in combinations(raters, 2)),
        n=len(shared),
        kendall_w=kendall_w(ratings),
    )


def _pair(
    first: str, second: str, one: Mapping[str, str], other: Mapping[str, str]
) -> PairAgreement:
    both = sorted(set(one) & set(other))
    same = sum(1 for item in both if one[item] == other[item])
    kappa = cohen_kappa([one[item] for item in both], [other[item] for item in both])
    return PairAgreement(first, second, len(both), same, kappa)


def cohen_kappa(one: Sequence[str], other: Sequence[str]) -> float | None:
    """Cohen's kappa (1960) of two lists of labels; None where chance alone would agree always."""
    total = len(one)
    if not total:
        return None
    counts, others = Counter(one), Counter(other)
    chance = sum(counts[label] * others[label] for label in counts) / total**2
    if chance == 1:
        return None
    return (sum(a == b for a, b in zip(one, other, strict=True)) / total - chance) / (1 - chance)


def kendall_w(ratings: Sequence[Sequence[int]]) -> float | None:
    """Kendall's W with the correction for ties (Kendall & Babington Smith 1939).

    Args:
        ratings: For each judge the same items' ratings, in one order.
    """
    judges = len(ratings)
    items = len(ratings[0]) if ratings else 0
    if judges < 2 or items < 2:
        return None
    ranks = [_ranks(row) for row in ratings]
    sums = [sum(column) for column in zip(*ranks, strict=True)]
    ties = sum(count**3 - count for row in ratings for count in Counter(row).values())
    most = judges**2 * (items**3 - items) - judges * ties
    if not most:
        return None
    return float((12 * sum(s * s for s in sums) - 3 * judges**2 * items * (items + 1) ** 2) / most)


def _ranks(row: Sequence[int]) -> list[float]:
    """Ranks from 1, ties at their mean."""
    counts = Counter(row)
    below = {value: sum(n for other, n in counts.items() if other < value) for value in counts}
    return [below[value] + (counts[value] + 1) / 2 for value in row]
