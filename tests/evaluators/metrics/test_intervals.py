"""Intervals for means over clusters."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dream_evaluators.metrics.intervals import (
    METHOD,
    RESAMPLES,
    Weighted,
    bootstrap,
    resample_sums,
    weighted_mean,
)

observations = st.lists(
    st.builds(Weighted, st.floats(0, 1), st.floats(0.5, 9), st.sampled_from("abcdef")),
    min_size=1,
    max_size=20,
)
FEW = settings(max_examples=15, deadline=None)


def percent(means: Sequence[float]) -> float:
    return 100 * means[0]


def test_a_mean_is_weighted_by_what_each_stands_for() -> None:
    assert weighted_mean([Weighted(1, 3, "a"), Weighted(0, 1, "b")]) == 0.75


@FEW
@given(observations)
def test_an_interval_lies_within_the_scale_and_in_order(given: list[Weighted]) -> None:
    interval = bootstrap([given], percent, "seed")
    if len({o.cluster for o in given}) < 2:
        assert interval is None
        return
    assert interval is not None
    values = [100 * o.value for o in given]
    assert min(values) - 1e-6 <= interval.low <= interval.high <= max(values) + 1e-6


@FEW
@given(observations, st.randoms())
def test_an_interval_repeats_whatever_the_order(
    given: list[Weighted], generator: random.Random
) -> None:
    first = bootstrap([given], percent, "seed")
    again = bootstrap([generator.sample(given, len(given))], percent, "seed")
    if first is None:
        assert again is None
        return
    assert again is not None
    assert (again.low, again.high) == pytest.approx((first.low, first.high))


def test_another_seed_resamples_otherwise() -> None:
    given = [[Weighted(n % 3 / 2, 1.0, n) for n in range(9)]]
    assert resample_sums(given, "a") == resample_sums(given, "a")
    assert resample_sums(given, "a") != resample_sums(given, "b")
    assert len(resample_sums(given, "a")) == RESAMPLES
    assert str(RESAMPLES) in METHOD


@pytest.mark.parametrize("clusters", [[], ["a"], ["a", "a", "a"]])
def test_there_is_no_interval_below_two_clusters(clusters: list[str]) -> None:
    assert bootstrap([[Weighted(1, 1, c) for c in clusters]], percent, "seed") is None


def test_there_is_no_interval_when_no_resample_has_weight_for_every_mean() -> None:
    groups = [[Weighted(1, 1, "a"), Weighted(1, 1, "b")], [Weighted(1, 0, "a")]]
    assert bootstrap(groups, percent, "seed") is None


def test_equal_observations_have_an_interval_without_width() -> None:
    interval = bootstrap([[Weighted(0.5, 2, n) for n in range(5)]], percent, "seed")
    assert interval == (50.0, 50.0)


def test_statements_of_one_cluster_count_as_one_draw() -> None:
    apart = bootstrap([[Weighted(n % 2, 1, n) for n in range(40)]], percent, "s")
    together = bootstrap([[Weighted(n % 2, 1, n % 2) for n in range(40)]], percent, "s")
    assert apart is not None
    assert together == (0.0, 100.0)
    # 40 coin tosses: 50 +- 1.96 * 50 / sqrt(40) = 34.5 to 65.5
    assert apart.low == pytest.approx(34.5, abs=3)
    assert apart.high == pytest.approx(65.5, abs=3)


def test_means_of_one_cluster_are_drawn_together() -> None:
    same = [[Weighted(n % 2, 1, n) for n in range(10)] for _ in range(2)]
    interval = bootstrap(same, lambda means: 100 * (means[0] - means[1]), "s")
    assert interval == (0.0, 0.0)


def test_clusters_may_be_keyed_by_anything_that_hashes() -> None:
    given = [Weighted(0, 1, None), Weighted(1, 1, ("a", 1)), Weighted(1, 1, "x")]
    assert bootstrap([given], percent, "s") is not None
