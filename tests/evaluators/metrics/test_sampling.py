"""Which statements are judged."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dream_evaluators.metrics.context import Effort
from dream_evaluators.metrics.sampling import LIMITS, sample
from dream_evaluators.model.report import Statement
from tests.strategies import make_statement, populations

efforts = st.sampled_from(list(Effort))
LIMITED = [Effort.QUICK, Effort.STANDARD]


def section(statement: Statement) -> str:
    return statement.id.partition(".")[0]


def make_population(*sizes: int) -> list[Statement]:
    return [
        make_statement(n, f"Claim {n} of {s}.", section=s)
        for s, size in enumerate(sizes)
        for n in range(size)
    ]


def test_effort_sets_how_many_are_judged_at_most() -> None:
    assert LIMITS == {Effort.QUICK: 25, Effort.STANDARD: 60, Effort.FULL: None}


def test_a_quick_sample_counts_source_readings() -> None:
    urls = [f"https://h{n}.test/" for n in range(5)]
    many = [make_statement(n, f"Claim {n}.", urls) for n in range(40)]
    assert len(sample(many, Effort.QUICK)) == 8
    assert len(sample(many, Effort.STANDARD)) == 40
    some = [make_statement(n, f"Claim {n}.", urls[: 1 + n % 2]) for n in range(40)]
    drawn = sample(some, Effort.QUICK)
    readings = sum(len(s.statement.citations) for s in drawn)
    assert 20 < readings <= 25
    assert sum(s.weight for s in drawn) == pytest.approx(40)


@settings(max_examples=40)
@given(populations(), efforts)
def test_the_weights_add_up_to_the_population(population: list[Statement], effort: Effort) -> None:
    drawn = sample(population, effort)
    limit = LIMITS[effort] or len(population)
    assert len(drawn) == min(limit, len(population))
    assert sum(s.weight for s in drawn) == pytest.approx(len(population))
    assert all(s.weight >= 1 for s in drawn)


@settings(max_examples=40)
@given(populations(), efforts, st.randoms())
def test_the_sample_does_not_depend_on_the_order_it_is_drawn_in(
    population: list[Statement], effort: Effort, generator: random.Random
) -> None:
    shuffled = generator.sample(population, len(population))
    assert set(sample(shuffled, effort)) == set(sample(population, effort))


@settings(max_examples=40)
@given(populations(), efforts)
def test_the_sample_is_in_the_order_of_the_report(
    population: list[Statement], effort: Effort
) -> None:
    starts = [s.statement.start for s in sample(population, effort)]
    assert starts == sorted(starts)


@settings(max_examples=40)
@given(populations(), st.sampled_from(LIMITED), st.data())
def test_an_edited_statement_changes_at_most_one_draw_of_its_own_section(
    population: list[Statement], effort: Effort, data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(population) - 1))
    edited = replace(population[index], claim="Something else.", text="Something else.")
    after = [*population[:index], edited, *population[index + 1 :]]
    old = {s.statement.id: s for s in sample(population, effort)}
    new = {s.statement.id: s for s in sample(after, effort)}
    assert len(old.keys() - new.keys()) <= 1
    assert len(new.keys() - old.keys()) <= 1
    assert Counter(s.weight for s in old.values()) == Counter(s.weight for s in new.values())


@settings(max_examples=40)
@given(populations(), st.sampled_from(LIMITED))
def test_a_section_gets_its_share_of_the_sample(
    population: list[Statement], effort: Effort
) -> None:
    limit = LIMITS[effort]
    assert limit is not None
    if len(population) <= limit:
        return
    sizes = Counter(map(section, population))
    drawn = Counter(section(s.statement) for s in sample(population, effort))
    for name, size in sizes.items():
        exact = size * limit / len(population)
        if exact >= 1:  # smaller sections are drawn from together
            assert exact - 1 < drawn[name] + 1e-9
            assert drawn[name] < exact + 1 + 1e-9


def test_sections_too_small_for_a_place_are_drawn_from_together() -> None:
    population = make_population(100, *[1] * 60)
    drawn = sample(population, Effort.QUICK)
    counts = Counter(section(s.statement) for s in drawn)
    assert len(drawn) == 25
    assert counts["s0"] in {15, 16}
    assert {s.weight for s in drawn if section(s.statement) != "s0"} == {60 / (25 - counts["s0"])}


def test_a_pool_with_less_than_half_a_place_still_gets_one() -> None:
    drawn = sample(make_population(60, 60, 1), Effort.QUICK)
    assert sorted(Counter(section(s.statement) for s in drawn).values()) == [1, 12, 12]


def test_equal_claims_are_told_apart_by_their_place() -> None:
    population = [make_statement(n, "The same claim.") for n in range(80)]
    drawn = sample(population, Effort.QUICK)
    assert [s.statement.start for s in drawn] == [s.start for s in population[:25]]


def test_every_statement_is_as_likely_to_be_drawn() -> None:
    hits = [0] * 100
    for trial in range(200):
        population = [make_statement(n, f"Claim {n} of trial {trial}.") for n in range(100)]
        for drawn in sample(population, Effort.QUICK):
            hits[drawn.statement.start // 100] += 1
    # 200 draws of a quarter: mean 50, standard deviation 6.1; five of them either way
    assert 19 < min(hits) <= max(hits) < 81
