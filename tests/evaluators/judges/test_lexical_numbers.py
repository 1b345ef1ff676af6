"""Figures by value and unit."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.judges.lexical import missing_numbers
from dream_evaluators.judges.lexical.figures import figures
from dream_evaluators.judges.lexical.numbers import MAX_FIGURES
from dream_evaluators.judges.lexical.units import MONTHS, NUMBER_WORDS, SCALES, UNITS


@pytest.mark.parametrize(
    ("text", "value", "dimension"),
    [
        ("30 million people", 30e6, ""),
        ("$1.3 billion", 1.3e9, "$"),
        ("US$ 5bn", 5e9, "$"),
        ("5 dollars", 5, "$"),
        ("€20", 20, "€"),
        ("25%", 25, "%"),
        ("25 percent", 25, "%"),
        ("3,5 km", 3500, "length"),
        ("12 km2", 12e6, "area"),
        ("1,234.5 tonnes", 1234500, "mass"),
        ("1.234.567 Besucher", 1234567, ""),
        ("40 GW", 40e9, "power"),
        ("a 5-year plan", 60, "months"),
        ("21 °C", 21, "degrees"),
        ("twenty-five thousand", 25000, ""),
        ("two hours", 7200, "time"),
        ("3000万元", 30e6, "yuan"),
        ("5亿人", 5e8, ""),
        ("増加は3億円", 3e8, "¥"),
        ("增长5.2%", 5.2, "%"),
        ("12 Millionen Euro", 12e6, "€"),
        ("version 1.2.3", 1, ""),
        ("in 2020 has grown", 2020, ""),
        ("in 2021 second-quarter sales", 2021, ""),
        ("a 5 m wall", 5, "length"),
        ("$5 m", 5e6, "$"),
        ("5m users", 5e6, ""),
        ("12 hrs", 43200, "time"),
    ],
)
def test_a_figure_has_its_value_in_the_base_unit(text: str, value: float, dimension: str) -> None:
    (figure,) = figures(text)
    assert figure.value == pytest.approx(value)
    assert figure.dimension == dimension


@pytest.mark.parametrize("text", ["COVID-19", "an A320", "GPT-4", "one of us", "H2O", "no figure"])
def test_what_only_contains_digits_is_no_figure(text: str) -> None:
    assert figures(text) == ()


def test_both_ends_of_a_range_have_its_unit() -> None:
    assert [(f.value, f.dimension) for f in figures("30–40 percent")] == [(30, "%"), (40, "%")]
    assert [f.value for f in figures("3 to 4 million")] == [3e6, 4e6]
    assert [f.value for f in figures("12 cats in 4 million")] == [12, 4e6]


CARRIED = [
    ("about 4,600 people", "4,610 people came"),
    ("4,600 people", "4,610 people came"),
    ("$1.3 billion", "1.27 billion dollars"),
    ("revenue of $4.6 million", "$4,612,345 in revenue"),
    ("12%", "11.6 percent"),
    ("12%", "Share | 12 | 13"),
    ("$5 billion", "5 billion in revenue"),
    ("30%", "between 30–40 percent"),
    ("5 km away", "5,000 metres away"),
    ("a 60-month plan", "a five-year plan"),
    ("on 5 September 2021", "2021-09-05"),
    ("2021-09-05", "5 September 2021"),
    ("2021-05-03", "May 3, 2021"),
    ("3 cats", "three cats"),
    ("three boats", "several boats"),
    ("营收3000万美元", "revenue of $30 million"),
    ("about 5,000 people", "4,610 people"),
    ("more than 4,500 people", "4,610 people"),
    ("no number at all", ""),
    ("sales of 30 million", "sales of $30 million"),
    ("1,500 people", "1,498 people"),
    ("forty-two ships", "42 ships"),
]
LACKING = [
    ("30 million users", "1300 users, up 30 %", "30 million"),
    ("30 users", "1300 users", "30"),
    ("5,000 people", "4610 people", "5,000"),
    ("30 million people", "$30 million", "30 million"),
    ("in 2021", "in 2020 and 2022", "2021"),
    ("12%", "12 people", "12%"),
    ("12 people", "12%", "12"),
    ("$5 million", "€5 million", "$5 million"),
    ("4,612 people", "about 4,600 people", "4,612"),
    ("3 cats", "2.8 cats a home", "3"),
    ("5 km", "5 kg", "5 km"),
    ("twenty million", "20 thousand", "twenty million"),
    ("7 of 9 judges", "9 judges", "7"),
    ("42", "", "42"),
]


@pytest.mark.parametrize(("claim", "text"), CARRIED)
def test_a_figure_that_the_source_carries_is_not_missing(claim: str, text: str) -> None:
    assert missing_numbers(claim, text) == ()


@pytest.mark.parametrize(("claim", "text", "missing"), LACKING)
def test_a_figure_that_the_source_lacks_is_named(claim: str, text: str, missing: str) -> None:
    assert missing_numbers(claim, text) == (missing,)


def test_only_so_many_figures_of_a_claim_are_compared() -> None:
    claim = " and ".join(str(n) for n in range(3000, 3200))
    assert len(missing_numbers(claim, "none")) == MAX_FIGURES


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=8))
def test_every_text_carries_its_own_figures(values: list[int]) -> None:
    text = "We counted " + " and then ".join(f"{value:,} boats" for value in values) + "."
    assert missing_numbers(text, text) == ()


@given(st.text(alphabet=st.sampled_from(list("0123456789.,$%€- kmillionabt万亿年五")), max_size=80))
def test_any_text_carries_its_own_figures(text: str) -> None:
    assert missing_numbers(text, text) == ()
    assert all(0 <= f.start < f.end <= 200 and f.written for f in figures(text))


def test_the_tables_hold_no_contradictions() -> None:
    assert all(factor > 0 for _, factor in UNITS.values())
    assert all(factor > 0 for factor in SCALES.values())
    assert set(MONTHS.values()) == set(range(1, 13))
    assert NUMBER_WORDS["nineteen"] == 19
    assert NUMBER_WORDS["ninety"] == 90


@pytest.mark.parametrize("unit", ["1 ", "1,", "$", "1", "one ", "five-", "1 million ", "about 5 "])
@pytest.mark.parametrize("size", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_long_text_of_figures_takes_linear_time(unit: str, size: int) -> None:
    text = unit * (size // len(unit))
    start = time.process_time()
    missing_numbers("5 million", text)
    missing_numbers(text, "5 cats")
    assert time.process_time() - start < 60 * size / 1_000_000


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("units verified at 70 °C", "verified at a flow temperature of 70 degrees C"),
        ("with −10 °C outdoors", "at an outdoor temperature of minus 10 degrees"),
        ("a heat loss under 60 W per square metre", "below 60 watts for each square metre"),
        ("in the winter of 2023–24", "from November 2023 to March 2024"),
    ],
)
def test_units_and_years_count_however_they_are_written(claim: str, source: str) -> None:
    assert missing_numbers(claim, source) == ()
