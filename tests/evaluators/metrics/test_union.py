"""Sources that each support a part of a statement are asked about together, once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dream_evaluators.hashing import text_id
from dream_evaluators.judge import Judge, Pending
from dream_evaluators.ledger import Ledger
from dream_evaluators.metrics import Context, Effort
from dream_evaluators.metrics.citations import citations
from dream_evaluators.model.authority import Authority
from dream_evaluators.model.judgement import Answer, WorkItem
from dream_evaluators.model.score import Label
from dream_evaluators.model.source import Outcome, Source, SourceBlock
from dream_evaluators.report import parse_report
from dream_evaluators.urls import canonicalise

pytestmark = pytest.mark.anyio
REPORT = "Rain fell on 12 days and snow on 3 ([a](https://a.test/)) ([b](https://b.test/)).\n"
PAGES = {
    "https://a.test/": "The council counted. Rain fell on 12 days.",
    "https://b.test/": "The other council counted. Snow fell on 3 days.\nHidden: 99 days of snow.",
}


class Nobody:
    """Knows no address."""

    version = "none"

    def score(self, url: str, *, topic: str = "", title: str = "") -> Authority:
        return Authority(url=url, source_class="unknown")


def page(url: str) -> Source:
    text = PAGES[url]
    shown = text.index("\n") if "\n" in text else len(text)
    return Source(
        url=url,
        canonical_url=canonicalise(url),
        outcome=Outcome.OK,
        text=text,
        content_hash=text_id(text),
        title=f"Page {url[8]}",
        blocks=(
            SourceBlock(start=0, end=shown, kind="paragraph"),
            SourceBlock(start=min(shown + 1, len(text)), end=len(text), kind="other", hidden=True),
        ),
    )


def context(ledger: Ledger, **more: Any) -> Context:
    async def read(url: str) -> Source:
        return page(url)

    given = {"authority": Nobody(), **more}
    return Context(
        report=parse_report(REPORT),
        judge=Judge(ledger, "agent"),
        read=read,
        effort=Effort.FULL,
        **given,
    )


def fact(text: str, quote: str = "", relation: str = "supported") -> dict[str, str]:
    return {"fact": text, "quote": quote, "relation": relation if quote else "absent"}


RAIN = fact("rain on 12 days", "Rain fell on 12 days.")
SNOW = fact("snow on 3 days", "Snow fell on 3 days.")
NO_RAIN, NO_SNOW = fact("rain on 12 days"), fact("snow on 3 days")


async def tell(ledger: Ledger, item: WorkItem, verdict: str, *facts: dict[str, str]) -> None:
    answer = {"facts": list(facts), "reasoning": "So it is.", "verdict": verdict}
    await ledger.answers.record([Answer(item=item.id, judge="agent:x", answer=json.dumps(answer))])


async def both_parts(ledger: Ledger) -> WorkItem:
    """Answer both single questions in part, and return the union question."""
    with pytest.raises(Pending) as first:
        await citations(context(ledger))
    for item in first.value.items:
        rain = item.inputs["source"] == page("https://a.test/").content_hash
        facts = (RAIN, NO_SNOW) if rain else (NO_RAIN, SNOW)
        await tell(ledger, item, "partial_support", *facts)
    with pytest.raises(Pending) as second:
        await citations(context(ledger))
    (union,) = second.value.items
    return union


async def test_two_parts_open_one_question_about_their_passages(ledger: Ledger) -> None:
    union = await both_parts(ledger)
    assert union.kind == "union_verdict"
    assert "Rain fell on 12 days." in union.inputs["passages"]
    assert "Snow fell on 3 days." in union.inputs["passages"]
    assert "Hidden" not in union.inputs["passages"]


async def test_together_they_may_support_all_of_it(ledger: Ledger) -> None:
    await tell(ledger, await both_parts(ledger), "full_support", RAIN, SNOW)
    result = await citations(context(ledger))
    assert result.verdicts[0].label is Label.FULL_SUPPORT
    assert result.verdicts[0].credit == 1.0
    assert result.verdicts[0].union is not None
    assert result.scores["CF"].value == 100.0


@pytest.mark.parametrize("verdict", ["partial_support", "unverifiable"])
async def test_otherwise_the_statement_stays_partly_supported(ledger: Ledger, verdict: str) -> None:
    facts = (RAIN, NO_SNOW) if verdict == "partial_support" else (NO_RAIN, NO_SNOW)
    await tell(ledger, await both_parts(ledger), verdict, *facts)
    result = await citations(context(ledger))
    assert result.verdicts[0].credit == 0.5


async def test_an_unusable_answer_takes_nothing_away(ledger: Ledger) -> None:
    invented = fact("snow on 3 days", "It snowed for weeks.")
    await tell(ledger, await both_parts(ledger), "full_support", RAIN, invented)
    with pytest.raises(Pending) as again:
        await citations(context(ledger))
    await tell(ledger, again.value.items[0], "full_support", RAIN, invented)
    result = await citations(context(ledger))
    assert result.verdicts[0].credit == 0.5


async def test_until_it_is_answered_the_statement_is_open(ledger: Ledger) -> None:
    await both_parts(ledger)
    result = await citations(context(ledger, provisional=True))
    assert result.verdicts[0].label is Label.PENDING
    assert result.verdicts[0].credit is None
