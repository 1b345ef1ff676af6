"""One statement and its sources: the question, the check of its answer, the fold."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.judge import Judge, Pending
from dream_evaluators.ledger import Ledger
from dream_evaluators.metrics.verdicts import (
    CREDIT,
    UNDECIDED,
    Pair,
    claim_question,
    find_problem,
    fold,
    judge_pair,
    unread_label,
)
from dream_evaluators.model.judgement import Answer, WorkItem
from dream_evaluators.model.score import Label, PairVerdict
from dream_evaluators.model.source import Outcome, Source, SourceBlock
from dream_evaluators.prompts import load_prompt
from dream_evaluators.prompts.answers import ClaimVerdict
from tests.strategies import (
    FAILURE,
    PAGE,
    claim_answer,
    labels,
    make_answer,
    make_citation,
    make_pair,
    make_source,
    make_statement,
)

TEXT = "The plant opened in 2019 and employs 240 people. It was built on the old dock."
FULL, PARTIAL, AGAINST = Label.FULL_SUPPORT, Label.PARTIAL_SUPPORT, Label.CONTRADICT
SILENT, REVIEW, FAILED = Label.UNVERIFIABLE, Label.NEEDS_REVIEW, Label.JUDGE_FAILED
OPEN, DEAD, UNREAD = Label.PENDING, Label.SOURCE_DEAD, Label.SOURCE_UNKNOWN

FOLDS = [
    # one source: its label is the statement's
    *(((label,), label) for label in Label),
    # a contradiction stays, whatever else supports
    *(((AGAINST, other), AGAINST) for other in Label),
    # full support settles it against everything but a contradiction
    *(((FULL, other), FULL) for other in Label if other is not AGAINST),
    # what is open, failed, abstained or unread keeps the rest from being counted
    ((PARTIAL, UNREAD), UNREAD),
    ((SILENT, UNREAD), UNREAD),
    ((DEAD, UNREAD), UNREAD),
    ((PARTIAL, OPEN), OPEN),
    ((UNREAD, OPEN), OPEN),
    ((FAILED, OPEN), OPEN),
    ((PARTIAL, REVIEW), REVIEW),
    ((REVIEW, UNREAD), REVIEW),
    ((REVIEW, FAILED), FAILED),
    ((DEAD, REVIEW), REVIEW),
    # then the best of what was read; dead counts only when it stands alone
    ((PARTIAL, SILENT), PARTIAL),
    ((PARTIAL, DEAD), PARTIAL),
    ((SILENT, DEAD), SILENT),
    ((DEAD, DEAD), DEAD),
    ((SILENT, SILENT, PARTIAL, DEAD), PARTIAL),
]


@pytest.mark.parametrize(("given", "folded"), FOLDS)
def test_the_labels_of_the_sources_fold_to_one(given: tuple[Label, ...], folded: Label) -> None:
    for order in itertools.permutations(given):
        verdict = fold(make_statement(1, "c"), [make_pair(label) for label in order], 2.0)
        assert verdict.label is folded
        assert verdict.weight == 2.0
        assert len(verdict.pairs) == len(given)


CREDITS = {FULL: 1.0, PARTIAL: 0.5, AGAINST: 0.0, SILENT: 0.0, DEAD: 0.0}


@pytest.mark.parametrize("label", list(Label))
def test_credit_is_what_the_design_says_and_absent_outside_the_mean(label: Label) -> None:
    verdict = fold(make_statement(1, "c"), [make_pair(label)], 1.0)
    assert verdict.credit == CREDITS.get(label)
    assert (verdict.credit is None) == (label in {*UNDECIDED, UNREAD})
    assert CREDIT == CREDITS


@given(st.lists(labels, min_size=1, max_size=5))
def test_folding_gives_a_label_that_some_source_has(given: list[Label]) -> None:
    verdict = fold(make_statement(1, "c"), [make_pair(label) for label in given], 1.0)
    assert verdict.label in given


@given(st.lists(labels, min_size=1, max_size=4), st.lists(labels, min_size=1, max_size=4))
def test_another_source_that_contradicts_never_helps(given: list[Label], more: list[Label]) -> None:
    pairs = [make_pair(label) for label in [*given, *more, AGAINST]]
    assert fold(make_statement(1, "c"), pairs, 1.0).credit == 0.0


def test_the_reason_is_that_of_the_first_source_with_the_label() -> None:
    pairs = [make_pair(SILENT, reason="no"), make_pair(PARTIAL, reason="a"), make_pair(PARTIAL)]
    assert fold(make_statement(1, "c"), pairs, 1.0).reason == "a"


UNIONS = [
    # together they may support it; until that is answered it is open
    ((PARTIAL, PARTIAL), FULL, FULL),
    ((PARTIAL, PARTIAL), OPEN, OPEN),
    ((PARTIAL, PARTIAL, UNREAD), FULL, FULL),
    ((PARTIAL, PARTIAL, UNREAD), OPEN, OPEN),
    # anything else that is said of them together takes nothing away and adds nothing
    *(((PARTIAL, PARTIAL), label, PARTIAL) for label in Label if label not in {FULL, OPEN}),
    ((PARTIAL, PARTIAL, UNREAD), SILENT, UNREAD),
    # and a contradiction by one of them stays
    ((PARTIAL, AGAINST, PARTIAL), FULL, AGAINST),
]


@pytest.mark.parametrize(("given", "union", "folded"), UNIONS)
def test_what_sources_say_together_is_heard_when_it_settles_the_statement(
    given: tuple[Label, ...], union: Label, folded: Label
) -> None:
    together = make_pair(union, "", reason="Together.")
    verdict = fold(make_statement(1, "c"), [make_pair(label) for label in given], 1.0, together)
    assert (verdict.label, verdict.credit) == (folded, CREDITS.get(folded))
    assert verdict.union == together
    assert len(verdict.pairs) == len(given)
    assert (verdict.reason == "Together.") == (folded is union and union is not PARTIAL)


# The question


def make(source: Source | None = None, claim: str = "The plant opened in 2019.") -> Pair:
    return Pair(make_statement(1, claim), make_citation(), source or make_source(TEXT))


def test_a_question_holds_text_and_context_and_no_address_or_date() -> None:
    source = make_source(TEXT, title="T", retrieved_at="2026-01-01T00:00:00Z")
    statement = make_statement(7, "It opened.", heading="H", preceding="P", section=3)
    item = claim_question(Pair(statement, make_citation(), source))
    assert dict(item.inputs) == {
        "claim": "It opened.",
        "heading": "H",
        "preceding": "P",
        "source": source.content_hash,
        "view": "",
        "title": "T",
        "problem": "",
    }
    assert item.prompt_id == load_prompt("claim_verdict").id
    moved = Pair(
        make_statement(1, "It opened.", heading="H", preceding="P"),
        make_citation("https://mirror.test/"),
        make_source(TEXT, "https://mirror.test/", title="T"),
    )
    assert claim_question(moved).id == item.id


def test_asking_again_is_another_question_that_names_the_problem() -> None:
    again = claim_question(make(), "The quote is wrong.")
    assert again.id != claim_question(make()).id
    assert "The quote is wrong." in again.inputs["problem"]


# The check of an answer


def problem(*facts: tuple[str, str, str], verdict: str = "", source: Source | None = None) -> str:
    answer = ClaimVerdict.model_validate_json(claim_answer(*facts, verdict=verdict))
    return find_problem(answer, source or make_source(TEXT))


QUOTE = "employs 240 people"
HIDDEN = make_source(
    TEXT,
    blocks=(
        SourceBlock(start=0, end=48, kind="paragraph", hidden=True),
        SourceBlock(start=49, end=len(TEXT), kind="paragraph"),
    ),
)


@pytest.mark.parametrize(
    "facts",
    [
        [("a", "supported", QUOTE)],
        [("a", "supported", "The plant opened in 2019  and\nemploys 240 people")],
        [("a", "contradicted", QUOTE), ("b", "absent", "")],
        [("a", "absent", "")],
        [("a", "absent", "words that stand nowhere")],
    ],
)
def test_a_grounded_answer_has_no_problem(facts: list[tuple[str, str, str]]) -> None:
    assert problem(*facts) == ""


@pytest.mark.parametrize(
    ("facts", "verdict", "told"),
    [
        ([("a", "supported", "")], "", "'a' is called supported but quotes nothing"),
        ([("a", "contradicted", " \n")], "", "'a' is called contradicted but quotes nothing"),
        ([("a", "supported", "employs 900 people")], "", "'employs 900 people' does not stand"),
        ([("a", "contradicted", "closed in 2019")], "", "'closed in 2019' does not stand"),
        ([], "", "names no part of the claim"),
        (
            [("a", "absent", "")],
            "full_support",
            "amount to unverifiable, but the verdict says full",
        ),
        ([("a", "supported", QUOTE)], "contradict", "amount to full_support, but the verdict says"),
        (
            [("a", "supported", QUOTE), ("b", "absent", "")],
            "full_support",
            "amount to partial_support, but the verdict says full_support",
        ),
    ],
)
def test_an_answer_that_cannot_be_used_is_told_why(
    facts: list[tuple[str, str, str]], verdict: str, told: str
) -> None:
    assert told in problem(*facts, verdict=verdict)


def test_what_a_reader_of_the_page_does_not_see_is_no_evidence() -> None:
    assert "does not stand" in problem(("a", "supported", QUOTE), source=HIDDEN)
    assert problem(("a", "supported", "built on the old dock"), source=HIDDEN) == ""


def test_a_part_called_supported_has_to_have_its_numbers_in_the_source() -> None:
    told = problem(("it employs 400 people", "supported", QUOTE))
    assert "'400'" in told
    assert "'it employs 400 people'" in told
    assert problem(("it employs 240 people", "supported", QUOTE)) == ""
    assert problem(("it employs 400 people", "contradicted", QUOTE)) == ""


def test_a_problem_never_repeats_an_endless_quote() -> None:
    assert len(problem(("a", "supported", "x" * 100_000))) < 300


# Asking and asking again

GOOD = claim_answer(("opened in 2019", "supported", "opened in 2019"), reasoning="It says so.")
BAD = claim_answer(("opened in 2019", "supported", "opened in 1919"))


async def answered(ledger: Ledger, *answers: str, pair: Pair | None = None) -> PairVerdict:
    """Judge a pair, giving one answer after the other."""
    left = list(answers)
    while True:
        try:
            return await judge_pair(Judge(ledger, "agent"), pair or make())
        except Pending as pending:
            await ledger.answers.record([make_answer(pending.items[0], answer=left.pop(0))])


@pytest.mark.anyio
async def test_a_usable_answer_is_asked_for_once(ledger: Ledger) -> None:
    verdict = await answered(ledger, GOOD)
    assert verdict.label is FULL
    assert verdict.items == (claim_question(make()).id,)
    assert (verdict.reason, verdict.judge) == ("It says so.", "agent:m")
    (fact,) = verdict.facts
    assert fact.evidence is not None
    assert TEXT[fact.evidence.start : fact.evidence.end] == fact.evidence.quote == "opened in 2019"


@pytest.mark.anyio
async def test_an_unusable_answer_is_asked_for_once_more_naming_the_problem(
    ledger: Ledger,
) -> None:
    verdict = await answered(ledger, BAD, GOOD)
    assert verdict.label is FULL
    first, second = verdict.items
    assert first == claim_question(make()).id
    assert second != first
    item = claim_question(
        make(), find_problem(ClaimVerdict.model_validate_json(BAD), make().source)
    )
    assert second == item.id
    assert "'opened in 1919' does not stand in the source" in item.inputs["problem"]


@pytest.mark.anyio
async def test_a_number_that_the_source_has_not_is_asked_about_once_more(ledger: Ledger) -> None:
    wrong = claim_answer(("employs 400 people", "supported", QUOTE))
    verdict = await answered(ledger, wrong, claim_answer(("employs people", "supported", QUOTE)))
    assert (verdict.label, len(verdict.items)) == (FULL, 2)
    again = make(claim="The plant employs 400 people.")
    verdict = await answered(ledger, wrong, wrong, pair=again)
    assert verdict.label is FAILED
    assert "'400'" in verdict.reason


@pytest.mark.anyio
async def test_evidence_behind_hidden_text_is_placed_in_the_whole_text(ledger: Ledger) -> None:
    given = claim_answer(("built on the dock", "supported", "built on the old dock"))
    (fact,) = (await answered(ledger, given, pair=make(HIDDEN))).facts
    assert fact.evidence is not None
    assert HIDDEN.text[fact.evidence.start : fact.evidence.end] == "built on the old dock"


def test_what_is_hidden_of_a_page_makes_another_question_of_it() -> None:
    seen = make(make_source(HIDDEN.text))
    assert claim_question(make(HIDDEN)).id != claim_question(seen).id
    assert claim_question(make(HIDDEN)).inputs["view"] == HIDDEN.view


@pytest.mark.anyio
@pytest.mark.parametrize("second", [BAD, claim_answer(), claim_answer(("a", "supported", ""))])
async def test_a_second_unusable_answer_is_the_judges_failure_and_nobody_elses(
    ledger: Ledger, second: str
) -> None:
    verdict = await answered(ledger, BAD, second)
    assert verdict.label is FAILED
    assert len(verdict.items) == 2
    assert "could not be used, also when asked again" in verdict.reason
    assert verdict.facts == ()
    assert fold(make_statement(1, "c"), [verdict], 1.0).credit is None


@pytest.mark.anyio
async def test_evidence_is_the_sources_own_words_however_it_was_quoted(ledger: Ledger) -> None:
    source = make_source("It “rose — by 4 %” in  May, they said.")
    given = claim_answer(("rose", "supported", '"rose - by 4 %" in May'), ("why", "absent", ""))
    verdict = await answered(ledger, given, pair=make(source))
    rose, why = verdict.facts
    assert rose.evidence is not None
    assert rose.evidence.match == "folded"
    assert rose.evidence.quote == source.text[rose.evidence.start : rose.evidence.end]
    assert "rose — by 4 %" in rose.evidence.quote
    assert why.evidence is None


@pytest.mark.anyio
@pytest.mark.parametrize("before", [(), (BAD,)])
async def test_a_judge_that_gave_nothing_usable_has_failed(
    ledger: Ledger, before: tuple[str, ...]
) -> None:
    verdict = await answered(ledger, *before, FAILURE)
    assert (verdict.label, verdict.reason) == (FAILED, "It would not.")
    assert len(verdict.items) == 1 + len(before)


@pytest.mark.anyio
async def test_silence_of_a_page_that_was_cut_is_no_silence(ledger: Ledger) -> None:
    cut = make(make_source(TEXT, flags=("truncated",)))
    silent = claim_answer(("a", "absent", ""), reasoning="Nothing on it.")
    verdict = await answered(ledger, silent, pair=cut)
    assert verdict.label is REVIEW
    assert "the page was cut. Nothing on it." in verdict.reason
    other = make(make_source(TEXT, flags=("truncated",)), "Another claim.")
    assert (await answered(ledger, GOOD, pair=other)).label is FULL


class Reader:
    """The offline rung, saying one thing of everything."""

    async def answer(self, item: WorkItem) -> Answer:
        said = {
            "label": "full_support",
            "p_support": 0.9,
            "confidence": 0.8,
            "quotes": ["opened in 2019", "nowhere to be found"],
            "flags": ["snippet"],
            "reason": "Words match.",
        }
        return make_answer(item, "offline:1", answer=json.dumps(said))


@pytest.mark.anyio
async def test_an_offline_answer_keeps_its_probability_and_flags(ledger: Ledger) -> None:
    pair = make(make_source(TEXT, flags=("hidden_text",)))
    verdict = await judge_pair(Judge(ledger, "offline", instant=Reader()), pair)
    assert (verdict.label, verdict.p_support, verdict.confidence) == (FULL, 0.9, 0.8)
    assert verdict.flags == ("hidden_text", "snippet")
    assert [fact.evidence is None for fact in verdict.facts] == [False, True]
    assert verdict.facts[0].relation == "supported"


@pytest.mark.anyio
async def test_a_person_may_answer_in_place_of_the_offline_judge(ledger: Ledger) -> None:
    item = claim_question(make())
    await ledger.answers.record([make_answer(item, "human:Ada", answer=GOOD)])
    verdict = await judge_pair(Judge(ledger, "offline", instant=Reader()), make())
    assert (verdict.label, verdict.judge) == (FULL, "human:Ada")


@pytest.mark.parametrize("outcome", list(Outcome))
def test_only_a_source_proven_dead_is_labelled_dead(outcome: Outcome) -> None:
    label = unread_label(make_source("", PAGE, outcome=outcome))
    proven = {"not_found", "gone", "no_such_host", "soft_404", "parked", "redirected_home"}
    assert (label is DEAD) == (outcome.value in {*proven, "archived"})


@pytest.mark.anyio
async def test_words_of_the_title_are_the_sources_too(ledger: Ledger) -> None:
    source = make_source("Sales rose in May.", title="Annual report 2019 | Plants Ltd")
    pair = Pair(make_statement(1, "The 2019 report tells of sales."), make_citation(), source)
    quoted = claim_answer(
        ("report of 2019", "supported", "Annual report 2019"), ("sales", "supported", "Sales rose")
    )
    await ledger.sources.add(source)
    await ledger.answers.record([make_answer(claim_question(pair), answer=quoted)])
    verdict = await judge_pair(Judge(ledger, "agent"), pair)
    assert verdict.label is Label.FULL_SUPPORT
    first, second = (fact.evidence for fact in verdict.facts)
    assert first is not None
    assert (first.quote, first.match, first.start, first.end) == (
        "Annual report 2019",
        "title",
        0,
        0,
    )
    assert second is not None
    assert second.match == "exact"
    nowhere = claim_answer(("1999", "supported", "Annual report 1999"))
    assert find_problem(ClaimVerdict.model_validate_json(nowhere), source)
