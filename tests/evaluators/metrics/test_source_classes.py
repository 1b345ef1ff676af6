"""A judge names the class of an unknown publisher; the class stands beside DA, never in it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dream_evaluators.judge import Judge, Pending
from dream_evaluators.judges.orders import render_order
from dream_evaluators.ledger import Ledger
from dream_evaluators.metrics import Effort
from dream_evaluators.metrics.authority import domain_authority
from dream_evaluators.model.authority import Authority
from dream_evaluators.model.judgement import Answer, Question, WorkItem

from .test_union import context, page

pytestmark = pytest.mark.anyio


class Half:
    """Knows one of two addresses."""

    version = "half"

    def score(self, url: str, *, topic: str = "", title: str = "") -> Authority:
        known = "a.test" in url
        return Authority(
            url=url,
            host=url[8:14],
            source_class="academic" if known else "unknown",
            score=85.0 if known else None,
        )


async def question(ledger: Ledger) -> WorkItem:
    with pytest.raises(Pending) as pending:
        await domain_authority(context(ledger, authority=Half()))
    (item,) = pending.value.items
    return item


async def tell(ledger: Ledger, item: WorkItem, name: str, evidence: str) -> None:
    answer = {"evidence": evidence, "reasoning": "It says so.", "source_class": name}
    await ledger.answers.record([Answer(item=item.id, judge="agent:x", answer=json.dumps(answer))])


async def test_only_unknown_publishers_are_asked_about(ledger: Ledger) -> None:
    item = await question(ledger)
    assert item.kind == "source_class"
    assert item.inputs["host"] == "b.test"
    assert "thinktank" in item.inputs["classes"]
    assert "score" not in item.inputs["classes"]


async def test_the_class_is_shown_beside_a_value_that_does_not_move(ledger: Ledger) -> None:
    await tell(ledger, await question(ledger), "thinktank", "The other council counted.")
    score = (await domain_authority(context(ledger, authority=Half()))).scores["DA"]
    assert score.value == (85 + 50) / 2
    assert score.variants["with_judged_classes"] == (85 + 78) / 2


@pytest.mark.parametrize(
    ("name", "evidence"),
    [
        ("unknown", ""),
        ("thinktank", "We are the most trusted institute."),
        ("best_source_ever", "The other council counted."),
        ("not_a_web_source", "The other council counted."),
    ],
)
async def test_what_rests_on_nothing_is_left_out(ledger: Ledger, name: str, evidence: str) -> None:
    await tell(ledger, await question(ledger), name, evidence)
    score = (await domain_authority(context(ledger, authority=Half()))).scores["DA"]
    assert "with_judged_classes" not in score.variants


@pytest.mark.parametrize("effort", [Effort.QUICK, Effort.STANDARD])
async def test_a_smaller_evaluation_does_not_ask(ledger: Ledger, effort: Effort) -> None:
    asked = replace(context(ledger, authority=Half()), effort=effort)
    assert (await domain_authority(asked)).scores["DA"].value is not None


async def test_the_offline_judge_is_not_asked(ledger: Ledger) -> None:
    asked = replace(context(ledger, authority=Half()), judge=Judge(ledger, "offline"))
    assert (await domain_authority(asked)).scores["DA"].value is not None


async def test_the_question_goes_out_as_a_work_order(ledger: Ledger) -> None:
    item = await question(ledger)
    await ledger.sources.add(page("https://b.test/"))
    order = await render_order(ledger, 1, {1: Question(item)})
    assert "Host: b.test" in order.prompt
    assert "The other council counted" in order.prompt
    assert "99 days" not in order.prompt
