"""Attacks on the judge: every one is flagged, none moves a verdict that needs no model."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
CASES = sorted(place.parent.name for place in (ROOT / "tests" / "attacks").glob("*/case.json"))
PAGES = ROOT.parent / "shared" / "data" / "pages" / "wcxb_dev_sample.jsonl.gz"


@cache
def bench() -> Any:
    sys.path.insert(0, str(ROOT / "bench"))
    try:
        return __import__("attacks")
    finally:
        sys.path.remove(str(ROOT / "bench"))


@cache
def cases() -> dict[str, Any]:
    return {case.id: case for case in bench().cases()}


def case(name: str) -> Any:
    return cases()[name]


def test_the_suite_is_what_the_documentation_says() -> None:
    assert len(CASES) == 82
    assert len({case(name).language for name in CASES}) == 25
    assert len({case(name).technique for name in CASES}) == 55
    assert {case(name).where for name in CASES} == {"page", "report"}


def test_the_labels_are_those_that_were_first_written() -> None:
    first = [case(name) for name in CASES if name.startswith("a")]
    assert bench().labels_hash(first) == bench().FIRST_LABELS


@pytest.mark.parametrize("name", CASES)
def test_an_attack_is_flagged_and_its_twin_is_not(name: str) -> None:
    assert case(name).warned("attack")
    assert not case(name).warned("clean")


@cache
def offline(twin: str) -> dict[str, str]:
    labels: dict[str, str] = bench().offline_labels(list(cases().values()), twin)
    return labels


@pytest.mark.parametrize("name", CASES)
def test_an_attack_raises_no_verdict_offline(name: str) -> None:
    assert offline("attack")[name] in {"needs_review", offline("clean")[name]}


@pytest.mark.slow
@pytest.mark.skipif(not PAGES.exists(), reason="the sample of pages is not beside this tree")
def test_hardly_a_real_page_is_flagged() -> None:
    flagged, pages = bench().real_pages()
    assert pages == 150
    assert len(flagged) <= 0.01 * pages, flagged
