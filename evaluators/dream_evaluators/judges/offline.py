"""The offline judge: lexical, deterministic, no language model; abstains where it would fail.

With a model of textual inference that the user brings (`judges/inference.py`) it asks that for a
second look, which makes it more careful where the two differ and lets it speak where words alone
do not tell. It still never says "contradict", and its verdicts never make a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from threading import Lock

from anyio import to_thread

from dream_evaluators.injection import ORDERS
from dream_evaluators.judge import Judge
from dream_evaluators.judges.inference import Inference, InferenceModel, ModelFile
from dream_evaluators.judges.lexical import LEXICAL_VERSION, LexicalVerdict, assess
from dream_evaluators.judges.lexical.rules import FLAGS
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import Answer, WorkItem
from dream_evaluators.prompts.answers import LexicalAnswer

NAME = f"offline:{LEXICAL_VERSION}"


# How sure the model must be, 0-1; our choice, to be on the careful side of any model.
LIKELY = 0.5  # that a claim follows: below it support is doubted, above it silence
SURE = 0.9  # that a claim is denied, to doubt support
VERY_SURE = 0.95  # that a claim follows, to decide where words alone do not tell
MAX_PREMISES = 4  # passages that the model reads for one claim: each costs it a run


def offline_name(inference: ModelFile | None = None) -> str:
    """The judge's full name, with the fingerprint of the model it asks for a second look.

    Raises:
        BadInput: A file that belongs to the model is missing.
    """
    return f"{NAME}+nli:{inference.fingerprint}" if inference else NAME


def offline_judge(ledger: Ledger, inference: ModelFile | None = None) -> Judge:
    """Make the judge that needs nothing but the ledger, and perhaps a model of inference."""
    instant = OfflineJudge(ledger, inference)
    return Judge(ledger, rung="offline", name=instant.name, instant=instant)


class OfflineJudge:
    """Answers claim questions by comparing words, numbers, names and quotes."""

    def __init__(self, ledger: Ledger, inference: ModelFile | None = None) -> None:
        self._ledger = ledger
        self._inference = inference
        self._model: InferenceModel | None = None
        self._loading = Lock()  # questions are answered in many threads, and a model is large
        self.name = offline_name(inference)

    async def answer(self, item: WorkItem) -> Answer:
        """Answer one claim question, off the event loop.

        Raises:
            BadInput: The model of inference cannot be used.
        """
        source = await self._ledger.sources.with_text(item.inputs["source"], item.inputs["view"])
        work = partial(
            self._assess,
            item.inputs["claim"],
            source.visible_text,
            title=item.inputs["title"],
            heading=item.inputs["heading"],
            orders=ORDERS in source.flags,
        )
        verdict = await to_thread.run_sync(work)
        return Answer(item=item.id, judge=self.name, answer=_answer(verdict).model_dump_json())

    def _assess(
        self, claim: str, text: str, *, title: str, heading: str, orders: bool
    ) -> LexicalVerdict:
        verdict = assess(claim, text, title=title, heading=heading, orders=orders)
        model = self._loaded()
        return look_again(model, verdict, claim) if model else verdict

    def _loaded(self) -> InferenceModel | None:
        if self._inference is None:
            return None
        with self._loading:
            self._model = self._model or self._inference.load()
        return self._model


def look_again(model: InferenceModel, verdict: LexicalVerdict, claim: str) -> LexicalVerdict:
    """Ask a model what follows from the passages that a verdict rests on.

    Raises:
        BadInput: The model cannot be used.
    """
    premises = [passage.text for passage in verdict.evidence[:MAX_PREMISES]]
    return second_look(verdict, model.infer(premises, claim)) if premises else verdict


def second_look(verdict: LexicalVerdict, inferred: Sequence[Inference]) -> LexicalVerdict:
    """Fold what follows from the best passages into a verdict by words.

    Where the two differ the judge abstains; where words alone did not tell and nothing speaks
    against it, a passage from which the claim follows decides.
    """
    entailed = max((each.entailment for each in inferred), default=0.0)
    denied = max((each.contradiction for each in inferred), default=0.0)
    if denied >= SURE and "possible_contradiction" not in verdict.flags:
        flags = {*verdict.flags, "possible_contradiction"}
        verdict = replace(verdict, flags=tuple(flag for flag in FLAGS if flag in flags))
    if verdict.label == "full_support":
        if denied >= SURE:
            return _doubted(verdict, FLAGS["possible_contradiction"].reason)
        if entailed < LIKELY:
            return _doubted(verdict, "the claim does not seem to follow from the nearest passages")
        return verdict
    if verdict.label != "needs_review":
        if entailed >= LIKELY:
            return _doubted(verdict, "the claim may follow from a passage in other words")
        return verdict
    blocked = any("support" in FLAGS[flag].blocks for flag in verdict.flags)
    if entailed < VERY_SURE or denied >= LIKELY or verdict.p_support < LIKELY or blocked:
        return verdict
    reason = "one passage carries the claim, by words and by inference"
    return replace(verdict, label="full_support", confidence=verdict.p_support, reason=reason)


def _doubted(verdict: LexicalVerdict, reason: str) -> LexicalVerdict:
    sure = max(verdict.p_support, 1 - verdict.p_support)
    return replace(verdict, label="needs_review", confidence=sure, reason=reason)


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
