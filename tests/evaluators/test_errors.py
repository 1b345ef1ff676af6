"""The tree of errors."""

from __future__ import annotations

import re

import pytest

from dream_evaluators import errors
from dream_evaluators.errors import BadInput, DreamError, StoreError, first_error
from dream_evaluators.judge import Pending

TREE = {
    "DreamError": Exception,
    "BadInput": DreamError,
    "ReportUnreadable": BadInput,
    "PathRefused": BadInput,
    "PackInvalid": BadInput,
    "AnswerRejected": BadInput,
    "StoreError": DreamError,
    "StoreNewer": StoreError,
    "StoreUnwritable": StoreError,
    "JudgeUnavailable": DreamError,
    "BudgetExhausted": DreamError,
    "AnswersDelayed": DreamError,
}


@pytest.mark.parametrize(("name", "parent"), TREE.items())
def test_every_error_hangs_where_the_design_puts_it(name: str, parent: type[Exception]) -> None:
    assert getattr(errors, name).__bases__ == (parent,)


def test_the_docstring_draws_the_whole_tree() -> None:
    drawn = re.findall(r"^ *[*x-] (\w+)", errors.__doc__ or "", re.MULTILINE)
    assert drawn == list(TREE)
    defined = {n for n, e in vars(errors).items() if isinstance(e, type) and e is not first_error}
    assert defined == set(TREE)


def test_a_question_that_waits_is_no_error_of_ours() -> None:
    assert not issubclass(Pending, DreamError)


def test_the_first_error_of_nested_groups_is_the_single_one_inside() -> None:
    inner = ValueError("deep")
    group = ExceptionGroup("a", [ExceptionGroup("b", [inner, KeyError("k")]), TypeError("t")])
    assert first_error(group) is inner
