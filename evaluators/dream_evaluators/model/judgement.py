"""A question to a judge, and an answer to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from dream_evaluators.hashing import content_id

# How the JSON of an answer begins that records a judge's failure (prompts.answers.FailedAnswer).
FAILED = '{"failed":'


@dataclass(frozen=True)
class WorkItem:
    """One question, identified by what it asks: who answers is not part of it.

    `inputs` are the variables of the prompt as strings. Sources enter by content hash, statements
    by text and context, never by address; there is no clock and no randomness in a question.
    """

    kind: str
    prompt_id: str  # "claim_verdict@<12 hex>"
    inputs: Mapping[str, str]
    answer_schema: Mapping[str, object]

    @cached_property
    def id(self) -> str:
        """The content hash of the question, `b2:` and 32 hex digits."""
        return content_id(self.kind, self.prompt_id, dict(self.inputs), dict(self.answer_schema))


class Question(NamedTuple):
    """One putting of a question: a judge asked again on purpose is asked for another sample."""

    item: WorkItem
    sample: int = 0

    @property
    def key(self) -> tuple[str, int]:
        """What an answer to it must bear."""
        return self.item.id, self.sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer to one item. The key is (item, judge, sample); the first recorded stays.

    `judge` is the rung with what was asked for: `anthropic:<model>:<parameters hash>`,
    `host:<client>`, `agent:<declared model>`, `human:<name>`, `offline:<version>`.
    """

    item: str
    judge: str
    answer: str  # JSON that the answer type of the item has validated
    sample: int = 0  # counts deliberate repeats
    model: str = ""  # the model as returned, where the judge tells
    usage: Mapping[str, float] = field(default_factory=dict)  # tokens by kind, USD
    asked_with: tuple[str, ...] = ()  # items asked in the same request
    answered_at: str = ""  # ISO moment

    @property
    def rung(self) -> str:
        """anthropic, host, agent, human or offline; of a pack's answer the rung of its judge."""
        packed = rung_of(self.judge) == "pack"
        return rung_of(self.judge.split(":", 2)[-1] if packed else self.judge)

    @property
    def failed(self) -> bool:
        """Whether the judge gave nothing usable, also when asked again: kept, but no verdict."""
        return self.answer.startswith(FAILED)


def rung_of(judge: str) -> str:
    """The part of a judge's name before its first colon."""
    return judge.partition(":")[0]
