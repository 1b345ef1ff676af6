"""Several judgements of one evaluation, folded into one scorecard."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dream_evaluators.judge import Pending
from dream_evaluators.ledger import Ledger
from dream_evaluators.metrics.repeats import fold_repeats
from dream_evaluators.model.finding import Finding, Severity
from dream_evaluators.model.judgement import Question
from dream_evaluators.model.score import (
    Label,
    MetricScore,
    Reason,
    Scorecard,
    ScoreStatus,
    StatementVerdict,
)
from dream_evaluators.run import EvaluationRequest, evaluate
from tests.evaluators.metrics.cases import FULL, PARTIAL, SILENT, A, make_context, page
from tests.strategies import make_answer, make_report, make_statement

CLAIM = "The plant opened in 2019."


def scored(value: float | None, **more: object) -> MetricScore:
    status = ScoreStatus.UNSCORED if value is None else ScoreStatus.SCORED
    given = {"prompt_ids": ("claim_verdict@1",), **more}
    return MetricScore(metric="CF", value=value, status=status, **given)  # type: ignore[arg-type]


def card(
    score: MetricScore, *findings: Finding, label: Label = Label.FULL_SUPPORT, item: str = "b2:1"
) -> Scorecard:
    verdict = StatementVerdict(statement_id="s0.1", label=label)
    return Scorecard(
        report_id="r",
        judge="agent",
        effort="full",
        scores={"CF": score},
        findings=findings,
        verdicts=(verdict,),
        asked=(item,),
    )


def finding(kind: str, message: str = "m") -> Finding:
    return Finding(kind=kind, severity=Severity.HIGH, message=message, statement_id="s0.1")


def folded(scores: Sequence[MetricScore]) -> MetricScore:
    return fold_repeats([card(score) for score in scores]).scores["CF"]


def test_one_repeat_is_itself() -> None:
    one = card(scored(50.0))
    assert fold_repeats([one]) is one


def test_a_score_is_the_mean_and_says_how_far_the_repeats_lie_apart() -> None:
    score = folded([scored(50.0, low=40.0, high=60.0), scored(56.0, low=44.0, high=70.0)])
    assert (score.value, score.low, score.high) == (53.0, 42.0, 65.0)
    assert score.variants == {"repeat_1": 50.0, "repeat_2": 56.0, "repeat_spread": 6.0}
    assert score.status is ScoreStatus.SCORED


def test_what_nobody_judged_stays_as_it_is() -> None:
    score = scored(80.0, prompt_ids=())
    assert folded([score, score, score]) is score


def test_a_repeat_without_a_value_is_outside_the_mean_and_said() -> None:
    waits = scored(None, reason=Reason.PENDING, note="Questions wait.")
    score = folded([scored(50.0, low=1.0), waits])
    assert (score.value, score.status, score.reason) == (
        50.0,
        ScoreStatus.INSUFFICIENT,
        Reason.PENDING,
    )
    assert score.note == "Questions wait."
    failed = scored(None, reason=Reason.JUDGE_FAILED)
    assert folded([failed, waits]).value is None


def test_an_interval_that_a_repeat_lacks_is_left_out() -> None:
    assert folded([scored(50.0, low=40.0), scored(52.0)]).low is None


def test_a_finding_stays_when_most_repeats_made_it() -> None:
    twice, once = finding("contradicted"), finding("unsupported")
    cards = [
        card(scored(50.0), twice, once),
        card(scored(52.0), finding("contradicted", "in other words")),
        card(scored(54.0)),
    ]
    assert fold_repeats(cards).findings == (twice,)


def test_verdicts_name_the_label_of_every_repeat_and_questions_are_kept() -> None:
    cards = [card(scored(50.0)), card(scored(0.0), label=Label.UNVERIFIABLE, item="b2:2")]
    result = fold_repeats(cards)
    assert result.verdicts[0].label is Label.FULL_SUPPORT
    assert result.verdicts[0].repeats == (Label.FULL_SUPPORT, Label.UNVERIFIABLE)
    assert set(result.asked) == {"b2:1", "b2:2"}


def test_scores_of_more_repeats_are_not_comparable_with_those_of_one() -> None:
    first = scored(50.0, comparability_key="k")
    assert folded([first, scored(51.0, comparability_key="k")]).comparability_key != "k"


@pytest.mark.anyio
async def test_every_repeat_is_asked_at_once_and_each_has_its_own_answers(ledger: Ledger) -> None:
    report = make_report(make_statement(1, CLAIM, (A,)))
    context = await make_context(ledger, report, [page(A)])
    request = EvaluationRequest(report_id=report.id, metrics=("CF",), judge="agent", samples=3)
    with pytest.raises(Pending) as caught:
        await evaluate(request, context, "")
    (item,) = caught.value.items
    assert caught.value.questions == (Question(item, 0), Question(item, 1), Question(item, 2))
    for sample, answer in enumerate([FULL, PARTIAL, SILENT]):
        await ledger.answers.record([make_answer(item, answer=answer, sample=sample)])
    result = await evaluate(request, context, "")
    assert result.scores["CF"].value == 50.0
    assert result.scores["CF"].variants["repeat_spread"] == 100.0
    assert result.verdicts[0].repeats == (
        Label.FULL_SUPPORT,
        Label.PARTIAL_SUPPORT,
        Label.UNVERIFIABLE,
    )


@pytest.mark.anyio
async def test_a_persons_answer_serves_every_repeat(ledger: Ledger) -> None:
    report = make_report(make_statement(1, CLAIM, (A,)))
    context = await make_context(ledger, report, [page(A)])
    request = EvaluationRequest(report_id=report.id, metrics=("CF",), judge="agent", samples=2)
    with pytest.raises(Pending) as caught:
        await evaluate(request, context, "")
    await ledger.answers.record([make_answer(caught.value.items[0], "human:Ada", answer=FULL)])
    assert (await evaluate(request, context, "")).scores["CF"].value == 100.0
