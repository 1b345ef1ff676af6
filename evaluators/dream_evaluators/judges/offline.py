"""The offline judge: lexical, deterministic, no model; abstains where it is known to fail."""

from __future__ import annotations

from functools import partial

from anyio import to_thread

from dream_evaluators.judge import Judge
from dream_evaluators.judges.lexical import LEXICAL_VERSION, LexicalVerdict, assess
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import Answer, WorkItem
from dream_evaluators.prompts.answers import LexicalAnswer

NAME = f"offline:{LEXICAL_VERSION}"


def offline_judge(ledger: Ledger) -> Judge:
    """Make the judge that needs nothing but the ledger."""
    return Judge(ledger, rung="offline", name=NAME, instant=OfflineJudge(ledger))


class OfflineJudge:
    """Answers claim questions by comparing words, numbers, names and quotes."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def answer(self, item: WorkItem) -> Answer:
        """Answer one claim question, off the event loop."""
        source = await self._ledger.sources.with_text(item.inputs["source"], item.inputs["view"])
        work = partial(
            assess,
            item.inputs["claim"],
            source.visible_text,
            title=item.inputs["title"],
            heading=item.inputs["heading"],
        )
        verdict = await to_thread.run_sync(work)
        return Answer(item=item.id, judge=NAME, answer=_answer(verdict).model_dump_json())


def _answer(verdict: LexicalVerdict) -> LexicalAnswer:
    return LexicalAnswer.model_validate(
        {
            "label": verdict.label,
            "p_support": round(verdict.p_support, 4),
            "confidence": round(verdict.confidence, 4),
            "quotes": [passage.text for passage in verdict.evidence[:3]],
            "flags": list(verdict.flags),
            "reason": verdict.reason,
        }
    )
