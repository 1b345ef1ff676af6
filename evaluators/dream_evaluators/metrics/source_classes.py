"""Asking a judge for the class of publishers that the registry does not know.

The judge names a class, never a number: models agree with each other on numbers, not with experts
(docs/accuracy.md). What it says stands beside DA, with a confidence of a half at most, and never
enters its value.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError

from dream_evaluators.judge import gather
from dream_evaluators.metrics.context import Context, Effort
from dream_evaluators.metrics.quotes import find_quote
from dream_evaluators.model.authority import Authority
from dream_evaluators.model.judgement import WorkItem
from dream_evaluators.model.source import Source
from dream_evaluators.prompts import load_prompt
from dream_evaluators.prompts.answers import SourceClassAnswer
from dream_evaluators.web.domains import CLASSES

KIND = "source_class"
UNKNOWN = "unknown"
# Our choice: one question a publisher is dear, so only an evaluation of everything asks it.
MOST = 40


async def judged_classes(
    context: Context, rows: Sequence[tuple[Authority, Source]]
) -> dict[str, str]:
    """Ask for the class of each unknown publisher whose page could be read.

    Returns:
        The class by host; hosts whose answer cannot be used are missing.

    Raises:
        Pending: Questions wait for an answer and the context is not provisional.
    """
    asked = _unknown(context, rows)
    named = await gather(
        [_class_of(context, authority, source) for authority, source in asked],
        provisional=context.provisional,
    )
    return {a.host: found for (a, _), found in zip(asked, named, strict=True) if found}


def class_questions(context: Context, rows: Sequence[tuple[Authority, Source]]) -> tuple[str, ...]:
    """The ids of the questions that `judged_classes` asks."""
    return tuple(class_question(a, source).id for a, source in _unknown(context, rows))


def _unknown(
    context: Context, rows: Sequence[tuple[Authority, Source]]
) -> list[tuple[Authority, Source]]:
    """The unknown publishers worth a question, each once."""
    if context.judge.rung == "offline" or context.effort is not Effort.FULL:
        return []
    first = {a.host: (a, s) for a, s in reversed(rows) if a.source_class == UNKNOWN and s.readable}
    return list(first.values())[::-1][:MOST]


async def _class_of(context: Context, authority: Authority, source: Source) -> str:
    answer = await context.judge.ask(class_question(authority, source))
    if answer.failed:
        return ""
    try:
        given = SourceClassAnswer.model_validate_json(answer.answer)
    except ValidationError:  # an answer of another form, from a pack
        return ""
    scored = given.source_class in CLASSES and CLASSES[given.source_class].is_scored
    return given.source_class if scored and find_quote(given.evidence, source).found else ""


def class_question(authority: Authority, source: Source) -> WorkItem:
    """Put the question who stands behind a page."""
    prompt = load_prompt(KIND)
    names = ", ".join(name for name, each in sorted(CLASSES.items()) if each.is_scored)
    inputs = {
        "claim": f"About us, imprint, publisher of {authority.host}",  # what passages are chosen by
        "host": authority.host,
        "publisher": source.publisher,
        "classes": names,
        "source": source.content_hash,
        "view": source.view,
        "title": source.title,
        "problem": "",
    }
    return WorkItem(KIND, prompt.id, inputs, prompt.answer_schema)
