"""The union question: do sources that each support a part of a statement support it together?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dream_evaluators.hashing import text_id
from dream_evaluators.judge import Judge
from dream_evaluators.metrics.quotes import AROUND
from dream_evaluators.metrics.verdicts import AGAIN, Pair, read_answer
from dream_evaluators.model.judgement import WorkItem
from dream_evaluators.model.score import TITLE, Label, PairVerdict
from dream_evaluators.model.source import Outcome, Source
from dream_evaluators.prompts import load_prompt

KIND = "union_verdict"
GAP = "\n[…]\n"


def needs_union(verdicts: Sequence[PairVerdict]) -> bool:
    """Whether no source settles the statement while two or more support a part of it."""
    labels = [verdict.label for verdict in verdicts]
    settled = Label.FULL_SUPPORT in labels or Label.CONTRADICT in labels
    parts = [v for v in verdicts if v.label is Label.PARTIAL_SUPPORT and v.p_support is None]
    return not settled and len(parts) > 1


async def judge_union(
    judge: Judge, pairs: Sequence[Pair], verdicts: Sequence[PairVerdict]
) -> PairVerdict:
    """Ask about the passages that the judge quoted from each source, taken together.

    Raises:
        Pending: The judge has not answered yet.
    """
    together = _together(pairs, verdicts)

    def question(problem: str) -> WorkItem:
        prompt = load_prompt(KIND)
        statement = together.statement
        inputs = {
            "claim": statement.claim,
            "heading": statement.heading,
            "preceding": statement.preceding,
            "source": together.source.content_hash,
            "view": "",
            "title": "",
            "passages": together.source.text,
            "problem": AGAIN.format(problem=problem) if problem else "",
        }
        return WorkItem(KIND, prompt.id, inputs, prompt.answer_schema)

    verdict = await read_answer(judge, together, question)
    return replace(verdict, flags=("union",), url="", canonical_url="", outcome="")


def _together(pairs: Sequence[Pair], verdicts: Sequence[PairVerdict]) -> Pair:
    """The passages of all sources as one source, in the order of the citations."""
    parts = [
        f"{pair.source.title or pair.citation.url}\n{_passages(pair.source, verdict)}"
        for pair, verdict in zip(pairs, verdicts, strict=True)
        if verdict.label is Label.PARTIAL_SUPPORT
    ]
    text = "\n\n".join(parts)
    source = Source(url="", outcome=Outcome.OK, text=text, content_hash=text_id(text))
    return Pair(pairs[0].statement, pairs[0].citation, source)


def _passages(source: Source, verdict: PairVerdict) -> str:
    """What the judge quoted, each with what stands around it."""
    quoted = [f.evidence for f in verdict.facts if f.evidence and f.evidence.match != TITLE]
    spans = sorted(
        {(max(0, e.start - AROUND), min(len(source.text), e.end + AROUND)) for e in quoted}
    )
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    hidden = [(b.start, b.end) for b in source.blocks if b.hidden]
    return GAP.join(_without(source.text, start, end, hidden) for start, end in joined)


def _without(text: str, start: int, end: int, hidden: Sequence[tuple[int, int]]) -> str:
    """A stretch of a text without what a reader of the page would not see."""
    kept, at = [], start
    for low, high in hidden:
        if low < end and high > at:
            kept.append(text[at : max(at, low)])
            at = max(at, high)
    return "".join([*kept, text[at:end]])
