"""What is sent: the rules, one source's text, and up to twenty questions about it.

Everything in front of the questions is the same for all questions on a source, and the schema is
the same for all requests of a kind, so that the endpoint's prompt cache and its compiled schema
serve every later request: a schema that named this request's questions would void both.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dream_evaluators.judges.anthropic.settings import MAX_QUESTIONS
from dream_evaluators.judges.orders import order_schema
from dream_evaluators.judges.views import one_line, put_question, show_source, source_key
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import WorkItem
from dream_evaluators.prompts import load_prompt

HANDLES = tuple(f"q{number}" for number in range(1, MAX_QUESTIONS + 1))
CACHED = {"type": "ephemeral"}
# Said for endpoints that take no schema; those that do are told the same twice.
SHAPE = "Answer with one JSON object of this shape and nothing else:\n{shape}"
ASKED = "Questions: {handles}. Give one entry for each."
AGAIN = "A first answer could not be used. Answer again. What was wrong with it:\n{problems}"


@dataclass(frozen=True)
class Batch:
    """Questions of one kind on one source that are asked together, by handle.

    `shared` tells that other requests on the same source come before or after: only then does its
    text go into the prompt cache. Writing costs a quarter more than plain input and reading saves
    nine tenths of it, so for a text that is sent once the cache is a loss (our measurement: 13 %
    of a round), and it stays one while fewer than a quarter of all sources are asked about again.
    """

    kind: str
    source: str  # content hash
    items: Mapping[str, WorkItem]
    shared: bool = False

    def only(self, handles: Collection[str]) -> Batch:
        """The same with some of its questions, each under its handle."""
        kept = {handle: item for handle, item in self.items.items() if handle in handles}
        return replace(self, items=kept)

    def apart(self) -> list[Batch]:
        """Its questions one by one."""
        return [replace(self.only([handle]), shared=True) for handle in self.items]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its questions, sorted."""
        return tuple(sorted(item.id for item in self.items.values()))


@dataclass(frozen=True)
class Request:
    """The parts of one call that depend on the questions, as the Messages API takes them."""

    system: list[dict[str, Any]]
    content: list[dict[str, Any]]
    schema: dict[str, Any]


def plan_batches(items: Iterable[WorkItem]) -> list[list[Batch]]:
    """Put questions on one source together, up to twenty a request.

    Returns:
        For each source its batches, which had better be sent one after the other; the sources in
        the order of their first question.
    """
    groups: dict[tuple[str, str, str], list[WorkItem]] = {}
    for item in items:
        groups.setdefault(source_key(item), []).append(item)
    return [
        [
            Batch(
                kind,
                source,
                dict(zip(HANDLES, group[at:], strict=False)),
                shared=len(group) > MAX_QUESTIONS,
            )
            for at in range(0, len(group), MAX_QUESTIONS)
        ]
        for (kind, source, _), group in groups.items()
    ]


async def write_request(ledger: Ledger, batch: Batch, problems: Mapping[str, str]) -> Request:
    """Write a request out.

    Args:
        ledger: Where the source's text and the fence's key are.
        batch: Its questions.
        problems: What was wrong with the first answer, by handle; empty the first time.
    """
    prompt = load_prompt(batch.kind)
    items = list(batch.items.values())
    schema = order_schema(prompt, HANDLES)
    shape = json.dumps(shape_of(schema), ensure_ascii=False)
    fence = await ledger.fence(batch.source)
    asked = [put_question(prompt, fence, *pair) for pair in batch.items.items()]
    asked.append(ASKED.format(handles=", ".join(batch.items)))
    if problems:
        lines = (f"{handle}: {one_line(problem)}" for handle, problem in problems.items())
        asked.append(AGAIN.format(problems="\n".join(lines)))
    return Request(
        system=[_block(f"{prompt.instructions}\n\n{SHAPE.format(shape=shape)}", cached=True)],
        content=[
            _block(await show_source(ledger, prompt, items, fence), cached=batch.shared),
            _block("\n\n".join(asked)),
        ],
        schema=schema,
    )


def shape_of(schema: Mapping[str, Any]) -> Any:
    """An example of what fits a schema: alternatives joined by "|", dots for free text."""
    if "enum" in schema:
        few: Sequence[str] = [str(value) for value in schema["enum"]]
        return few[0] if len(few) == MAX_QUESTIONS else "|".join(few)
    match schema.get("type"):
        case "object":
            return {name: shape_of(part) for name, part in schema["properties"].items()}
        case "array":
            return [shape_of(schema["items"])]
        case "number" | "integer":
            return 0
        case "boolean":
            return True
        case _:
            return "..."


def _block(text: str, *, cached: bool = False) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": text}
    return {**block, "cache_control": CACHED} if cached else block
