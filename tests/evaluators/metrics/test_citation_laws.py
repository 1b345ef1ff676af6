"""Laws of the citation scores, over reports whose statements meet any fate."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dream_evaluators.ledger import Ledger
from dream_evaluators.metrics.citations import citations, harmonic
from dream_evaluators.model.score import MetricScore, ScoreStatus
from tests.evaluators.metrics.cases import (
    AGAINST,
    FULL,
    PARTIAL,
    SILENT,
    UNGROUNDED,
    blocked,
    gone,
    judged,
    make_context,
    page,
)
from tests.strategies import make_report, make_statement

pytestmark = pytest.mark.anyio

ANSWERS = {"full": FULL, "partial": PARTIAL, "against": AGAINST, "silent": SILENT}
fates = st.lists(
    st.sampled_from([*ANSWERS, "dead", "unknown", "ungrounded", "pending"]), min_size=1, max_size=7
)


async def scores_of(given: list[str]) -> dict[str, MetricScore]:
    """The scores of a report whose statements meet these fates, each on a page of its own."""
    ledger = Ledger.open(":memory:")
    urls = [f"https://p{n}.test/" for n in range(len(given))]
    claims = [f"Claim {n}." for n in range(len(given))]
    makers = {"dead": gone, "unknown": blocked}
    sources = [makers.get(fate, page)(url) for fate, url in zip(given, urls, strict=True)]
    statements = [
        make_statement(n, claim, [url])
        for n, (claim, url) in enumerate(zip(claims, urls, strict=True))
    ]
    known = {**ANSWERS, "ungrounded": UNGROUNDED}
    script = {c: known[fate] for c, fate in zip(claims, given, strict=True) if fate in known}
    context = await make_context(ledger, make_report(*statements), sources)
    result = await judged(citations, context, script)
    ledger.close()
    return result.scores


@settings(max_examples=25)
@given(fates)
async def test_a_score_is_on_the_scale_within_its_bounds_or_absent(given: list[str]) -> None:
    for score in (await scores_of(given)).values():
        if score.value is None:
            assert score.status is ScoreStatus.UNSCORED
            assert score.reason is not None
            continue
        assert score.bound_low is not None
        assert score.bound_high is not None
        assert 0 <= score.bound_low <= score.value <= score.bound_high <= 100
        assert 0 < score.coverage <= 1
        for edge in (score.low, score.high):
            assert edge is None or 0 <= edge <= 100


@settings(max_examples=15)
@given(fates, st.integers(1, 3))
async def test_what_is_unknown_never_moves_the_value(given: list[str], more: int) -> None:
    before = (await scores_of(given))["CF"]
    after = (await scores_of([*given, *["unknown"] * more]))["CF"]
    assert after.value == before.value
    assert (after.bound_low or 0) <= (before.bound_low or 0)


@settings(max_examples=15)
@given(fates)
async def test_a_dead_link_never_raises_the_value(given: list[str]) -> None:
    answered = [fate for fate in given if fate != "pending"]
    after = (await scores_of([*answered, "dead"]))["CF"].value
    before = (await scores_of(answered))["CF"].value if answered else None
    assert after is not None
    assert after <= (0.0 if before is None else before)


@given(st.floats(0, 100), st.floats(0, 100))
def test_the_harmonic_mean_lies_between_and_is_zero_when_either_is(a: float, b: float) -> None:
    mean = harmonic(a, b)
    assert min(a, b) - 1e-9 <= mean <= max(a, b) + 1e-9 or mean == 0.0
    assert harmonic(a, 0.0) == harmonic(0.0, b) == 0.0
    assert mean == harmonic(b, a)
