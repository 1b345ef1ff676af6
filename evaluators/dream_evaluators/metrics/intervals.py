"""95 % intervals for means over clustered statements."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

# Our choice: enough for two stable digits; more would be seen in start-up time, not in the result.
RESAMPLES = 1_000
LEVEL = 0.95
METHOD = "bootstrap, clustered by {cluster}, 1000 resamples"


class Interval(NamedTuple):
    """A 95 % interval, in the unit of what it is about."""

    low: float
    high: float


class Weighted(NamedTuple):
    """One observation: its value, its weight, and the cluster it belongs to."""

    value: float
    weight: float
    cluster: Hashable


def weighted_mean(observations: Sequence[Weighted]) -> float:
    """The Horvitz-Thompson mean; the sequence must not be empty."""
    return sum(o.value * o.weight for o in observations) / sum(o.weight for o in observations)


def resample_sums(
    groups: Sequence[Sequence[Weighted]], seed: str
) -> list[tuple[tuple[float, float], ...]]:
    """Resample clusters jointly for several means.

    Args:
        groups: One sequence of observations a mean; clusters with the same key are drawn together.
        seed: Makes it repeatable.

    Returns:
        For each resample and each group the sums (weight x value, weight).
    """
    order = sorted({o.cluster for group in groups for o in group}, key=repr)
    position = {cluster: index for index, cluster in enumerate(order)}
    sums = [[[0.0, 0.0] for _ in groups] for _ in order]
    for number, group in enumerate(groups):
        for value, weight, cluster in group:
            cell = sums[position[cluster]][number]
            cell[0] += value * weight
            cell[1] += weight
    generator = random.Random(seed)  # noqa: S311 - repeatable on purpose
    result = []
    for _ in range(RESAMPLES):
        drawn = generator.choices(sums, k=len(sums))
        result.append(
            tuple(
                (sum(row[n][0] for row in drawn), sum(row[n][1] for row in drawn))
                for n in range(len(groups))
            )
        )
    return result


def bootstrap(
    groups: Sequence[Sequence[Weighted]],
    statistic: Callable[[Sequence[float]], float],
    seed: str,
) -> Interval | None:
    """Bound a statistic of one or more means by a percentile bootstrap over clusters.

    Returns:
        The interval, or None when there are fewer than two clusters to draw from.
    """
    if len({o.cluster for group in groups for o in group}) < 2:
        return None
    values = [
        statistic([total / weight for total, weight in sums])
        for sums in resample_sums(groups, seed)
        if all(weight > 0 for _, weight in sums)
    ]
    if not values:
        return None
    values.sort()
    tail = (1 - LEVEL) / 2
    return Interval(_quantile(values, tail), _quantile(values, 1 - tail))


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
