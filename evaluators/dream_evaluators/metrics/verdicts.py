"""One statement, one source: the question, the check of its answer, and the fold over sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pydantic import ValidationError

from dream_evaluators.judge import Judge
from dream_evaluators.judges.views import BRIEF, is_long
from dream_evaluators.metrics.quotes import find_quote, in_title, number_problem
from dream_evaluators.model.judgement import Answer, WorkItem
from dream_evaluators.model.report import Citation, Statement
from dream_evaluators.model.score import (
    TITLE,
    EvidenceQuote,
    Label,
    PairVerdict,
    StatementVerdict,
    SubFact,
)
from dream_evaluators.model.source import LinkState, Source
from dream_evaluators.prompts import load_prompt
from dream_evaluators.prompts.answers import (
    ClaimVerdict,
    FailedAnswer,
    LexicalAnswer,
    folded_verdict,
)

KIND = "claim_verdict"
CREDIT: dict[Label, float] = {
    Label.FULL_SUPPORT: 1.0,
    Label.PARTIAL_SUPPORT: 0.5,
    Label.CONTRADICT: 0.0,
    Label.UNVERIFIABLE: 0.0,
    Label.SOURCE_DEAD: 0.0,
}
UNDECIDED = frozenset({Label.NEEDS_REVIEW, Label.JUDGE_FAILED, Label.PENDING})
# Said to a judge whose answer could not be used; the second answer is the last.
AGAIN = "Your first answer could not be used: {problem} Answer again."


@dataclass(frozen=True)
class Pair:
    """A statement, one citation of it, and the source as read."""

    statement: Statement
    citation: Citation
    source: Source
    brief: bool = False  # of a long page only the few passages that matter most are shown


def claim_question(pair: Pair, problem: str = "") -> WorkItem:
    """Put the question what a source says about a claim.

    The statement enters with its text, heading and preceding sentence, the source by content hash;
    `problem` makes it the second and last time of asking.
    """
    prompt = load_prompt(KIND)
    inputs = {
        "claim": pair.statement.claim,
        "heading": pair.statement.heading,
        "preceding": pair.statement.preceding,
        "source": pair.source.content_hash,
        "view": pair.source.view,
        "title": pair.source.title,
        "problem": AGAIN.format(problem=problem) if problem else "",
    }
    if pair.brief and is_long(pair.source):
        inputs["reading"] = BRIEF
    return WorkItem(KIND, prompt.id, inputs, prompt.answer_schema)


async def judge_pair(judge: Judge, pair: Pair) -> PairVerdict:
    """Judge one statement by one source.

    Raises:
        Pending: The judge has not answered yet.
    """
    return _cut(await read_answer(judge, pair, partial(claim_question, pair)))


async def read_answer(judge: Judge, pair: Pair, question: Callable[[str], WorkItem]) -> PairVerdict:
    """Ask a question; ask once more when the answer is unusable.

    Args:
        judge: Whom to ask.
        pair: What the answer is about.
        question: Puts the question; its argument says what was wrong with the first answer.

    Raises:
        Pending: The judge has not answered yet.
    """
    first = question("")
    answer = await judge.ask(first)
    if answer.failed:
        return _failed(pair, (first.id,), answer)
    if answer.rung == "offline":
        return _lexical(pair, (first.id,), answer)
    verdict = _claim_verdict(answer)
    problem = find_problem(verdict, pair.source)
    if not problem:
        return _read(pair, (first.id,), answer, verdict)
    second = question(problem)
    asked = (first.id, second.id)
    answer = await judge.ask(second)
    if answer.failed:
        return _failed(pair, asked, answer)
    verdict = _claim_verdict(answer)
    if problem := find_problem(verdict, pair.source):
        reason = f"The judge's answer could not be used, also when asked again: {problem}"
        return _said(pair, asked, answer, Label.JUDGE_FAILED, reason)
    return _read(pair, asked, answer, verdict)


def _claim_verdict(answer: Answer) -> ClaimVerdict:
    """Read an answer; one of another form (a pack may hold it) says nothing, which is a problem."""
    try:
        return ClaimVerdict.model_validate_json(answer.answer)
    except ValidationError:
        return ClaimVerdict(facts=[], reasoning="", verdict="unverifiable")


def find_problem(verdict: ClaimVerdict, source: Source) -> str:
    """Tell what makes an answer unusable, in a sentence for the judge; "" when nothing does."""
    for fact in verdict.facts:
        if fact.relation == "absent":
            continue
        if not fact.quote.strip():
            return f"The part {fact.fact!r} is called {fact.relation} but quotes nothing."
        if not find_quote(fact.quote, source).found and not in_title(fact.quote, source):
            return f"The quote {fact.quote[:200]!r} does not stand in the source."
    if not verdict.facts:
        return "It names no part of the claim."
    if problem := number_problem(verdict, source):
        return problem
    folded = folded_verdict(verdict)
    if verdict.verdict != folded:
        return f"The parts amount to {folded}, but the verdict says {verdict.verdict}."
    return ""


def unjudged(pair: Pair, label: Label, reason: str) -> PairVerdict:
    """A verdict without a judge: the source could not be read, or nobody has answered."""
    return PairVerdict(
        statement_id=pair.statement.id,
        url=pair.citation.url,
        canonical_url=pair.citation.canonical_url,
        label=label,
        reason=reason,
        content_hash=pair.source.content_hash,
        outcome=pair.source.outcome.value,
    )


def unread_label(source: Source) -> Label:
    """The label of a source that was not read: dead only where that is proven."""
    return Label.SOURCE_DEAD if source.state is LinkState.DEAD else Label.SOURCE_UNKNOWN


def fold(
    statement: Statement,
    pairs: Sequence[PairVerdict],
    weight: float,
    union: PairVerdict | None = None,
) -> StatementVerdict:
    """Fold the verdicts of a statement's sources into one.

    A contradiction stays, whatever else supports; then full support, also of several sources
    together (`union`); then what is undecided, dead or unread; then the best of the rest.
    `credit` is 1, 0.5 or 0, and None outside the mean.
    """
    heard = union is not None and union.label in {Label.FULL_SUPPORT, Label.PENDING}
    told = [*pairs, union] if union is not None and heard else list(pairs)
    label = _folded(told)
    return StatementVerdict(
        statement_id=statement.id,
        label=label,
        pairs=tuple(pairs),
        union=union,
        credit=CREDIT.get(label),
        weight=weight,
        reason=next((p.reason for p in told if p.label is label), ""),
    )


def _folded(pairs: Sequence[PairVerdict]) -> Label:
    labels = {pair.label for pair in pairs}
    for settled in (Label.CONTRADICT, Label.FULL_SUPPORT):
        if settled in labels:
            return settled
    for undecided in (Label.PENDING, Label.JUDGE_FAILED, Label.NEEDS_REVIEW, Label.SOURCE_UNKNOWN):
        if undecided in labels:
            return undecided
    for best in (Label.PARTIAL_SUPPORT, Label.UNVERIFIABLE):
        if best in labels:
            return best
    return Label.SOURCE_DEAD


def _read(pair: Pair, asked: tuple[str, ...], answer: Answer, verdict: ClaimVerdict) -> PairVerdict:
    return replace(
        _said(pair, asked, answer, Label(folded_verdict(verdict)), verdict.reasoning),
        facts=tuple(_sub_fact(f.fact, f.relation, f.quote, pair.source) for f in verdict.facts),
    )


def _sub_fact(fact: str, relation: str, quote: str, source: Source) -> SubFact:
    return SubFact(fact=fact, relation=relation, evidence=_evidence(quote, source))


def _evidence(quote: str, source: Source) -> EvidenceQuote | None:
    found = find_quote(quote, source)
    if not found.found:
        if in_title(quote, source):
            return EvidenceQuote(quote=quote.strip(), start=0, end=0, match=TITLE)
        return None
    return EvidenceQuote(
        quote=source.text[found.start : found.end],
        start=found.start,
        end=found.end,
        match=found.how,
    )


def _lexical(pair: Pair, asked: tuple[str, ...], answer: Answer) -> PairVerdict:
    given = LexicalAnswer.model_validate_json(answer.answer)
    relation = "supported" if given.label == "full_support" else "absent"
    claim = pair.statement.claim
    return replace(
        _said(pair, asked, answer, Label(given.label), given.reason),
        facts=tuple(_sub_fact(claim, relation, quote, pair.source) for quote in given.quotes),
        flags=(*pair.source.flags, *given.flags),
        confidence=given.confidence,
        p_support=given.p_support,
    )


def _failed(pair: Pair, asked: tuple[str, ...], answer: Answer) -> PairVerdict:
    failure = FailedAnswer.model_validate_json(answer.answer)
    return _said(pair, asked, answer, Label.JUDGE_FAILED, failure.reason)


def _cut(verdict: PairVerdict) -> PairVerdict:
    """Not found in a page that was cut is no silence: what is missing may stand in the rest."""
    if verdict.label is not Label.UNVERIFIABLE or "truncated" not in verdict.flags:
        return verdict
    reason = f"Not found in the part that was read; the page was cut. {verdict.reason}"
    return replace(verdict, label=Label.NEEDS_REVIEW, reason=reason)


def _said(
    pair: Pair, asked: tuple[str, ...], answer: Answer, label: Label, reason: str
) -> PairVerdict:
    return replace(
        unjudged(pair, label, reason),
        flags=pair.source.flags,
        judge=answer.judge,
        model=answer.model,
        items=asked,
    )
