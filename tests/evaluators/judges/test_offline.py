"""The offline rung behind the one door."""

from __future__ import annotations

import pytest

from dream_evaluators.errors import BadInput
from dream_evaluators.judges.offline import NAME, offline_judge
from dream_evaluators.ledger import Ledger
from dream_evaluators.metrics.verdicts import Pair, claim_question
from dream_evaluators.model.source import Source, SourceBlock
from dream_evaluators.prompts.answers import LexicalAnswer
from tests.strategies import make_citation, make_source, make_statement

pytestmark = pytest.mark.anyio
FILLER = "The harbour office keeps the records of every ship that ever came in. " * 20
FACT = "The Halden bridge opened in 1932 and spans 503 metres."


async def said(ledger: Ledger, source: Source, claim: str = FACT) -> LexicalAnswer:
    await ledger.sources.add(source)
    item = claim_question(Pair(make_statement(1, claim), make_citation(), source))
    answer = await offline_judge(ledger).ask(item)
    assert (answer.judge, answer.rung, answer.item) == (NAME, "offline", item.id)
    (kept,) = (await ledger.answers.of([item.id]))[item.id]
    assert kept.answer == answer.answer
    return LexicalAnswer.model_validate_json(answer.answer)


async def test_words_that_stand_in_the_source_are_worth_more_than_none(ledger: Ledger) -> None:
    with_it = await said(ledger, make_source(FILLER + FACT + " " + FILLER))
    without = await said(ledger, make_source(FILLER * 2))
    assert 0 <= without.p_support < with_it.p_support <= 1
    assert any("503 metres" in quote for quote in with_it.quotes)
    assert with_it.label in {"full_support", "needs_review"}
    assert without.label in {"unverifiable", "needs_review"}


async def test_every_quote_stands_in_the_source(ledger: Ledger) -> None:
    source = make_source(FILLER + FACT + " " + FILLER)
    answer = await said(ledger, source)
    assert 0 < len(answer.quotes) <= 3
    for quote in answer.quotes:
        assert quote in source.text


async def test_hidden_text_supports_nothing(ledger: Ledger) -> None:
    text = FACT + "\n" + FILLER
    blocks = (
        SourceBlock(start=0, end=len(FACT), kind="paragraph", hidden=True),
        SourceBlock(start=len(FACT) + 1, end=len(text), kind="paragraph"),
    )
    hidden = await said(ledger, make_source(text, "https://h.test/", blocks=blocks))
    shown = await said(ledger, make_source(text + " ", "https://s.test/"))
    assert hidden.p_support < shown.p_support
    assert hidden.label != "full_support"
    assert not any("503" in quote for quote in hidden.quotes)


async def test_the_same_question_is_judged_the_same_twice() -> None:
    answers = []
    for _ in range(2):
        ledger = Ledger.open(":memory:")
        answers.append(await said(ledger, make_source(FILLER + FACT)))
        ledger.close()
    assert answers[0] == answers[1]


async def test_a_question_on_a_source_that_is_not_stored_is_an_error(ledger: Ledger) -> None:
    item = claim_question(Pair(make_statement(1, "c"), make_citation(), make_source("Unstored.")))
    with pytest.raises(BadInput, match="No source with the text"):
        await offline_judge(ledger).ask(item)
