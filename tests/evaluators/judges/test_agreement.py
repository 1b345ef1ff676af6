"""How far judges agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.judges.agreement import (
    ORDER,
    agreement,
    cohen_kappa,
    kendall_w,
    label_of,
)
from dream_evaluators.model.judgement import Answer
from dream_evaluators.prompts.answers import LexicalAnswer, SourceClassAnswer
from tests.strategies import FAILURE, claim_answer, make_answer

SAID = {
    "full_support": claim_answer(("a", "supported", "q")),
    "partial_support": claim_answer(("a", "supported", "q"), ("b", "absent", "")),
    "contradict": claim_answer(("a", "contradicted", "q")),
    "unverifiable": claim_answer(("a", "absent", "")),
}
ABSTAINS = LexicalAnswer(
    label="needs_review", p_support=0.5, confidence=0.5, quotes=[], flags=[], reason=""
)
KIND = SourceClassAnswer(evidence="", reasoning="", source_class="news")
ratings = st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=2, max_size=4)


def said(judge: str, *labels: str, sample: int = 0) -> list[Answer]:
    return [
        make_answer(f"b2:{n}", judge, answer=SAID[label], sample=sample)
        for n, label in enumerate(labels)
    ]


@pytest.mark.parametrize("label", ORDER)
def test_a_label_is_what_the_parts_amount_to(label: str) -> None:
    assert label_of(make_answer("b2:1", answer=SAID[label])) == label


@pytest.mark.parametrize(
    ("judge", "text", "label"),
    [
        ("offline:l", ABSTAINS.model_dump_json(), ""),
        ("offline:l", ABSTAINS.model_copy(update={"label": "unverifiable"}).model_dump_json(),
         "unverifiable"),
        ("offline:l", "{}", ""),
        ("agent:m", FAILURE, ""),
        ("agent:m", KIND.model_dump_json(), "news"),
        ("agent:m", "{}", ""),
    ],
)  # fmt: skip
def test_failures_and_abstentions_are_no_labels(judge: str, text: str, label: str) -> None:
    assert label_of(make_answer("b2:1", judge, answer=text)) == label


def test_two_judges_are_compared_where_both_answered() -> None:
    found = agreement(
        [
            *said("agent:m", "full_support", "contradict", "unverifiable", "full_support"),
            *said("human:Ada", "full_support", "unverifiable", "unverifiable"),
        ]
    )
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.n, pair.same) == ("agent:m", "human:Ada", 3, 2)
    # By hand: alike 2/3, by chance 1/9 + 2/9, so (2/3 - 1/3) / (1 - 1/3).
    assert pair.kappa == pytest.approx(0.5)
    assert found.n == 3
    assert found.judges == {"agent:m": 4, "human:Ada": 3}


def test_repeats_are_raters_of_their_own() -> None:
    found = agreement([*said("agent:m", "full_support"), *said("agent:m", "contradict", sample=1)])
    assert list(found.judges) == ["agent:m", "agent:m (repeat 2)"]
    assert found.pairs[0].same == 0


def test_one_judge_or_none_agrees_with_nobody() -> None:
    assert agreement([]).kendall_w is None
    assert agreement(said("agent:m", "full_support", "contradict")).pairs == ()


def test_kappa_by_a_published_example() -> None:
    """Cohen's yes/no example of 50 proposals: 20 both yes, 15 both no, 5 and 10 split; 0.4."""
    one = ["y"] * 25 + ["n"] * 25
    other = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    assert cohen_kappa(one, other) == pytest.approx(0.4)
    assert cohen_kappa([], []) is None
    assert cohen_kappa(["y", "y"], ["y", "y"]) is None


def test_w_is_one_where_all_rank_alike_and_nought_where_two_rank_in_reverse() -> None:
    assert kendall_w([[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]]) == pytest.approx(1)
    assert kendall_w([[0, 1, 2, 3], [3, 2, 1, 0]]) == pytest.approx(0)
    assert kendall_w([[0, 0, 1, 1], [0, 0, 1, 1]]) == pytest.approx(1)
    assert kendall_w([[1, 1], [1, 1]]) is None
    assert kendall_w([[1], [1]]) is None


@given(ratings)
def test_w_lies_between_nought_and_one(rows: list[list[int]]) -> None:
    found = kendall_w(rows)
    assert found is None or -1e-9 <= found <= 1 + 1e-9
