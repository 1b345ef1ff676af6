"""A request's answer taken apart: one checked verdict a question, or what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from dream_evaluators.judges.parsing import Unreadable, read_object
from dream_evaluators.judges.submissions import explained
from dream_evaluators.prompts.answers import MAX_FACTS, MAX_TEXT

M = TypeVar("M", bound=BaseModel)

MISSING = "there is no entry for it"
TWICE = "there are two different entries for it"
TOO_LONG = "it is too long; keep quotes short"
# An explanation names keys that the model made up, at whatever length.
MAX_PROBLEM = 400  # characters


class _Answered(BaseModel):
    model_config = ConfigDict(extra="forbid")

    verdicts: list[dict[str, Any]]


@dataclass(frozen=True)
class Reading:
    """What a text answers: JSON by handle, and the problem of each handle it does not answer."""

    answers: dict[str, str] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


def read_verdicts(text: str, answer_type: type[BaseModel], handles: Collection[str]) -> Reading:
    """Read the answer to a request.

    Args:
        text: What the model wrote.
        answer_type: What each verdict must be.
        handles: The questions asked; entries for others are ignored.
    """
    try:
        entries = read_object(text, lambda value: fitted(_Answered, value)).verdicts
    except Unreadable as error:
        return Reading(problems=dict.fromkeys(handles, str(error)))
    answers: dict[str, str] = {}
    problems: dict[str, str] = {}
    for handle in handles:
        own = [entry for entry in entries if entry.get("question") == handle]
        try:
            answers[handle] = _verdict(own, answer_type)
        except Unreadable as error:
            problems[handle] = str(error)
    return Reading(answers, problems)


def fitted(answer_type: type[M], value: Any) -> M:
    """Validate a decoded value strictly: no text for a number, no true for 1, nothing clamped.

    Raises:
        Unreadable: It does not fit; the message names the fields.
    """
    try:
        # Through JSON, since that is where "strict" means what it says for lists and enums.
        return answer_type.model_validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        raise Unreadable(explained(error, "")[:MAX_PROBLEM]) from None


def _verdict(entries: list[dict[str, Any]], answer_type: type[BaseModel]) -> str:
    if not entries:
        raise Unreadable(MISSING)
    if any(entry != entries[0] for entry in entries):
        raise Unreadable(TWICE)
    rest = {key: value for key, value in entries[0].items() if key != "question"}
    text = fitted(answer_type, rest).model_dump_json()
    if len(text) > MAX_FACTS * MAX_TEXT:
        raise Unreadable(TOO_LONG)
    return text
