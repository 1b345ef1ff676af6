"""Questions with a known answer, put among the others."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.judge import Pending
from dream_evaluators.judges.offline import offline_judge
from dream_evaluators.ledger import Ledger
from dream_evaluators.metrics.anchors import KINDS, draw_anchors, judge_check
from dream_evaluators.metrics.citations import citations
from dream_evaluators.model.judgement import WorkItem
from dream_evaluators.model.report import Report
from dream_evaluators.model.score import JudgeCheck, Label
from tests.evaluators.metrics.cases import SILENT, judged, make_context, page
from tests.strategies import make_pair, make_report, make_statement

names = st.text(min_size=1, max_size=20)


def report_of(readings: int, *more: str) -> Report:
    claims = [*(f"Claim {n} stands here." for n in range(readings)), *more]
    urls = [f"https://h{n}.test/" for n in range(len(claims))]
    return make_report(*(make_statement(n, c, (urls[n],)) for n, c in enumerate(claims)))


async def asked(ledger: Ledger, report: Report) -> list[WorkItem]:
    pages = [page(f"https://h{n}.test/") for n in range(len(report.statements))]
    with pytest.raises(Pending) as caught:
        await citations(await make_context(ledger, report, pages))
    return list(caught.value.items)


@pytest.mark.parametrize(("readings", "anchors"), [(0, 0), (11, 0), (12, 2), (23, 2), (24, 3)])
def test_a_larger_evaluation_has_two_or_three_of_different_kinds(
    readings: int, anchors: int
) -> None:
    drawn = draw_anchors("r", readings)
    assert len(drawn) == anchors
    assert len({a.expected for a in drawn}) == anchors
    assert len({a.pair.source.title for a in drawn}) == anchors


@given(names, names)
def test_the_same_report_has_the_same_anchors_and_another_report_others(a: str, b: str) -> None:
    assert draw_anchors(a, 24) == draw_anchors(a, 24)
    if a != b:
        texts = [{x.pair.source.text for x in draw_anchors(name, 24)} for name in (a, b)]
        assert texts[0] != texts[1] or a == b


@given(names)
def test_what_an_anchor_claims_is_what_its_page_says(name: str) -> None:
    for anchor in draw_anchors(name, 24):
        claim, text = anchor.pair.statement.claim, anchor.pair.source.text
        assert "{" not in claim + text
        figures = set(re.findall(r"\d+(?:,\d+)*", claim))
        if anchor.expected is Label.FULL_SUPPORT:
            assert figures
            assert figures <= set(re.findall(r"\d+(?:,\d+)*", text))
        if anchor.expected is Label.CONTRADICT:
            assert not figures & set(re.findall(r"\d+(?:,\d+)*", text))


def test_every_kind_is_drawn_in_the_end() -> None:
    assert {a.expected for n in range(20) for a in draw_anchors(str(n), 12)} == set(KINDS)


@pytest.mark.anyio
async def test_anchors_are_asked_among_the_others_and_like_them(ledger: Ledger) -> None:
    items = await asked(ledger, report_of(24))
    own = [at for at, item in enumerate(items) if "Claim" not in item.inputs["claim"]]
    assert len(own) == 3
    assert own != [24, 25, 26]
    anchor, other = items[own[0]], items[own[0] - 1]
    assert set(anchor.inputs) == set(other.inputs)
    assert anchor.prompt_id == other.prompt_id
    assert (await ledger.sources.with_text(anchor.inputs["source"], "")).text


@pytest.mark.anyio
async def test_an_edited_report_is_checked_by_the_same_anchors(ledger: Ledger) -> None:
    first = {item.id for item in await asked(ledger, report_of(24, "One thing."))}
    second = {item.id for item in await asked(ledger, report_of(24, "Another thing."))}
    assert len(first - second) <= 1


@pytest.mark.anyio
async def test_how_the_judge_did_is_shown_and_is_no_part_of_the_score(ledger: Ledger) -> None:
    report = report_of(24)
    script = {s.claim: SILENT for s in report.statements}
    anchors = [item for item in await asked(ledger, report) if item.inputs["claim"] not in script]
    script |= {item.inputs["claim"]: SILENT for item in anchors}
    pages = [page(s.citations[0].url) for s in report.statements]
    result = await judged(citations, await make_context(ledger, report, pages), script)
    score = result.scores["CF"]
    assert (score.value, score.n_total) == (0.0, 24)
    check = score.judge_check
    assert check is not None
    assert (check.asked, check.answered, check.right) == (3, 3, 1)
    assert len(check.missed) == 2
    assert "called unverifiable" in check.missed[0]
    assert set(result.asked) == {item.id for item in anchors}
    assert result.scores["CI"].judge_check is None


@pytest.mark.anyio
async def test_the_offline_judge_is_not_checked(ledger: Ledger) -> None:
    report = report_of(24)
    pages = [page(s.citations[0].url) for s in report.statements]
    context = await make_context(ledger, report, pages, judge=offline_judge(ledger))
    assert (await citations(context)).scores["CF"].judge_check is None


def test_open_and_failed_anchors_are_counted_as_unanswered() -> None:
    anchors = draw_anchors("r", 24)
    verdicts = [
        make_pair(Label.PENDING),
        make_pair(Label.JUDGE_FAILED),
        make_pair(anchors[2].expected),
    ]
    assert judge_check(anchors, verdicts) == JudgeCheck(asked=3, answered=1, right=1)
    assert judge_check((), ()) is None
