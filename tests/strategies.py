"""Records that the tests share: plain makers, and hypothesis strategies over them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from dream_evaluators.hashing import text_id
from dream_evaluators.model.judgement import Answer, WorkItem
from dream_evaluators.model.report import (
    Citation,
    CitationStatus,
    Report,
    Statement,
    StatementKind,
    StatementState,
)
from dream_evaluators.model.score import Label, PairVerdict, StatementVerdict, SubFact
from dream_evaluators.model.source import Outcome, Source
from dream_evaluators.prompts.answers import FailedAnswer
from dream_evaluators.urls import canonicalise

# A machine that does other things meanwhile is no failure of a law.
settings.register_profile("shared", deadline=None)
settings.load_profile("shared")

PAGE = "https://one.test/page"
OTHER_PAGE = "https://two.test/page"


def make_item(claim: str = "A claim.", **inputs: str) -> WorkItem:
    """A question of the shape that the claim prompt asks."""
    empty = dict.fromkeys(["heading", "preceding", "source", "view", "title", "problem"], "")
    given = {"claim": claim, **empty, **inputs}
    return WorkItem("claim_verdict", "claim_verdict@test", given, {"type": "x"})


def make_source(text: str = "Words.", url: str = PAGE, **more: Any) -> Source:
    """A source as read; without text nothing could be read of it."""
    outcome = more.pop("outcome", Outcome.OK)
    return Source(
        url=url,
        canonical_url=canonicalise(url),
        outcome=outcome,
        text=text,
        content_hash=text_id(text) if text else "",
        **more,
    )


@cache
def make_citation(url: str = PAGE, status: CitationStatus = CitationStatus.RESOLVED) -> Citation:
    """One citation; only a resolved one has an address."""
    resolved = status is CitationStatus.RESOLVED
    return Citation(
        marker="[1]",
        start=0,
        end=3,
        url=url if resolved else "",
        canonical_url=canonicalise(url) if resolved else "",
        status=status,
    )


def make_statement(
    number: int, claim: str, urls: Sequence[str] = (PAGE,), *, section: int = 0, **more: Any
) -> Statement:
    """A statement that cites these addresses; without any it is uncited."""
    start = 10_000 * section + 100 * number
    citations = more.pop("citations", tuple(make_citation(url) for url in urls))
    state = StatementState.CITED if citations else StatementState.UNCITED
    return Statement(
        id=f"s{section}.{number}",
        kind=StatementKind.SENTENCE,
        start=start,
        end=start + len(claim),
        text=claim,
        claim=claim,
        state=more.pop("state", state),
        citations=citations,
        paragraph=more.pop("paragraph", number),
        **more,
    )


def make_report(*statements: Statement, **more: Any) -> Report:
    """A report of these statements; its text is theirs, and no span is meant to fit it."""
    text = " ".join(s.text for s in statements)
    return Report(id=text_id(text), text=text, statements=statements, **more)


def claim_answer(*facts: tuple[str, str, str], verdict: str = "", reasoning: str = "So.") -> str:
    """The JSON a judge gives: facts are (fact, relation, quote); the verdict follows from them."""
    relations = {relation for _, relation, _ in facts}
    folded = "partial_support" if "supported" in relations else "unverifiable"
    if relations == {"supported"}:
        folded = "full_support"
    if "contradicted" in relations:
        folded = "contradict"
    return json.dumps(
        {
            "facts": [{"fact": f, "quote": q, "relation": r} for f, r, q in facts],
            "reasoning": reasoning,
            "verdict": verdict or folded,
        }
    )


def make_answer(item: WorkItem | str, judge: str = "agent:m", **more: Any) -> Answer:
    """An answer to an item; what it says does not matter unless told."""
    text = more.pop("answer", claim_answer(("f", "absent", "")))
    return Answer(
        item=item.id if isinstance(item, WorkItem) else item, judge=judge, answer=text, **more
    )


FAILURE = FailedAnswer(failed="refused", reason="It would not.").model_dump_json()


def make_pair(label: Label, url: str = PAGE, **more: Any) -> PairVerdict:
    """What one source says about statement s0.1."""
    return PairVerdict(
        statement_id="s0.1", url=url, canonical_url=canonicalise(url), label=label, **more
    )


SUPPORTED = SubFact(fact="a part", relation="supported")
ABSENT = SubFact(fact="another part", relation="absent")
FACTS: dict[Label, tuple[SubFact, ...]] = {
    Label.FULL_SUPPORT: (SUPPORTED,),
    Label.PARTIAL_SUPPORT: (SUPPORTED, ABSENT),
    Label.UNVERIFIABLE: (ABSENT,),
}

texts = st.text(st.characters(codec="utf-8"), max_size=60)
any_texts = st.text(st.characters(), max_size=60)  # lone surrogates too
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | any_texts,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(texts, children, max_size=4),
    max_leaves=12,
)  # fmt: skip
outcomes = st.sampled_from(list(Outcome))
labels = st.sampled_from(list(Label))


@st.composite
def sources(draw: st.DrawFn) -> Source:
    """Sources whose text is any that can be stored."""
    return make_source(
        draw(texts),
        f"https://{draw(st.sampled_from(['one', 'two', 'three']))}.test/",
        outcome=draw(outcomes),
        title=draw(texts),
        retrieved_at="2026-11-30T00:00:00Z",
        flags=tuple(draw(st.lists(st.sampled_from(["truncated", "hidden_text"]), max_size=2))),
    )


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    """Answers by any judge to any of three items."""
    return Answer(
        item=f"b2:{draw(st.integers(1, 3))}",
        judge=draw(st.sampled_from(["agent:a", "agent:b", "human:c", "anthropic:m:h", "host:d"])),
        answer=claim_answer(("f", "absent", ""), reasoning=draw(texts)),
        sample=draw(st.integers(0, 2)),
        model=draw(texts),
        usage=draw(st.dictionaries(texts, st.floats(0, 1e6), max_size=2)),
        asked_with=tuple(draw(st.lists(texts, max_size=2))),
        answered_at="2026-11-30T12:00:00Z",
    )


@st.composite
def populations(draw: st.DrawFn) -> list[Statement]:
    """Cited statements with distinct claims in one to six sections of any size."""
    sizes = draw(st.lists(st.integers(1, 40), min_size=1, max_size=6))
    return [
        make_statement(number, f"Claim {number} of section {section}.", section=section)
        for section, size in enumerate(sizes)
        for number in range(1, size + 1)
    ]


@st.composite
def folded_verdicts(draw: st.DrawFn, number: int = 1) -> StatementVerdict:
    """A statement verdict with the credit its label has, and one pair of that label."""
    from dream_evaluators.metrics.verdicts import CREDIT

    label = draw(labels)
    url = draw(st.sampled_from([PAGE, OTHER_PAGE, "https://three.test/"]))
    return StatementVerdict(
        statement_id=f"s0.{number}",
        label=label,
        pairs=(make_pair(label, url, facts=FACTS.get(label, ())),),
        credit=CREDIT.get(label),
        weight=draw(st.floats(1, 9)),
    )
