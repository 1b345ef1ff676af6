"""What is sent: the rules, then sources, each with the questions about it below its text.

Short sources go out together, so that the rules are paid once for several. A source with more
questions than one request takes has requests of its own, its text in front of the questions where
the prompt cache finds it again. The schema is the same for all requests of a kind: one that named
this request's questions would void the endpoint's cache and its compiled schema.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dream_evaluators.judges.anthropic.settings import MAX_QUESTIONS
from dream_evaluators.judges.orders import order_schema, question_tokens
from dream_evaluators.judges.views import (
    by_view,
    one_line,
    put_question,
    show_source,
    source_key,
    view_for,
)
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import WorkItem
from dream_evaluators.prompts import load_prompt
from dream_evaluators.tokens import estimate_tokens

HANDLES = tuple(f"q{number}" for number in range(1, MAX_QUESTIONS + 1))
CACHED = {"type": "ephemeral"}
# Said for endpoints that take no schema; those that do are told the same twice.
SHAPE = "Answer with one JSON object of this shape and nothing else:\n{shape}"
ASKED = "Questions: {handles}. Give one entry for each."
AGAIN = "A first answer could not be used. Answer again. What was wrong with it:\n{problems}"


@dataclass(frozen=True)
class Batch:
    """Questions of one kind that are asked together, by handle; those on one source stand together.

    `shared` tells that it is about one source, and other requests on it come before or after: only
    then does the text go into the prompt cache. Writing costs a quarter more than plain input and
    reading saves nine tenths of it, so for a text that is sent once the cache is a loss (our
    measurement: 13 % of a round).
    """

    kind: str
    items: Mapping[str, WorkItem]
    shared: bool = False

    def only(self, handles: Collection[str]) -> Batch:
        """The same with some of its questions, each under its handle."""
        kept = {handle: item for handle, item in self.items.items() if handle in handles}
        return replace(self, items=kept)

    def apart(self) -> list[Batch]:
        """Its questions one by one."""
        sources = Counter(source_key(item) for item in self.items.values())
        return [
            replace(self.only([handle]), shared=sources[source_key(item)] > 1)
            for handle, item in self.items.items()
        ]

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

    @property
    def tokens(self) -> int:
        """What the model reads of it, estimated."""
        texts = [block["text"] for block in (*self.system, *self.content)]
        return sum(map(estimate_tokens, [*texts, json.dumps(self.schema)]))


async def plan_batches(
    ledger: Ledger, items: Iterable[WorkItem], max_tokens: int
) -> list[list[Batch]]:
    """Put questions together, a source's text once: up to twenty questions a request.

    Args:
        ledger: Where the sources' texts are.
        items: The questions.
        max_tokens: Of sources and questions in one request, estimated; a source that is larger
            alone has a request of its own.

    Returns:
        Groups of requests; those of one group are about one source and had better be sent one
        after the other. The groups are in the order of their first question.
    """
    by_source: dict[tuple[str, str, str], list[WorkItem]] = {}
    for item in items:
        by_source.setdefault(source_key(item), []).append(item)
    packed: list[list[Batch]] = []
    filling: dict[str, _Filling] = {}  # by kind: the request that still has room
    for (kind, _, _), group in by_source.items():
        if len(group) > MAX_QUESTIONS:
            parts = [group[at : at + MAX_QUESTIONS] for at in range(0, len(group), MAX_QUESTIONS)]
            packed.append([_batch(kind, part, shared=True) for part in parts])
            continue
        tokens = estimate_tokens((await view_for(ledger, group)).text)
        tokens += sum(map(question_tokens, group))
        if kind in filling and filling[kind].takes(group, tokens, max_tokens):
            open_ = filling[kind]
            open_.items += group
            open_.tokens += tokens
            packed[open_.at] = [_batch(kind, open_.items)]
        else:
            filling[kind] = _Filling(len(packed), list(group), tokens)
            packed.append([_batch(kind, group)])
    return packed


@dataclass
class _Filling:
    """A request in the making: where it stands in the plan, its questions, and what it costs."""

    at: int
    items: list[WorkItem]
    tokens: int

    def takes(self, group: Sequence[WorkItem], tokens: int, most: int) -> bool:
        """Whether questions on one more source fit in."""
        questions = len(self.items) + len(group)
        return questions <= MAX_QUESTIONS and self.tokens + tokens <= most


def _batch(kind: str, items: Sequence[WorkItem], *, shared: bool = False) -> Batch:
    return Batch(kind, dict(zip(HANDLES, items, strict=False)), shared)


async def write_request(ledger: Ledger, batch: Batch, problems: Mapping[str, str]) -> Request:
    """Write a request out.

    Args:
        ledger: Where the sources' texts and the fences' key are.
        batch: Its questions.
        problems: What was wrong with the first answer, by handle; empty the first time.
    """
    prompt = load_prompt(batch.kind)
    schema = order_schema(prompt, HANDLES)
    shape = json.dumps(shape_of(schema), ensure_ascii=False)
    parts: list[tuple[str, str]] = []
    for group in by_view(batch.items).values():
        fence = await ledger.fence(next(iter(group.values())).inputs["source"])
        source = await show_source(ledger, prompt, list(group.values()), fence)
        asked = [put_question(prompt, fence, handle, item) for handle, item in group.items()]
        parts.append((source, "\n\n".join(asked)))
    last = [ASKED.format(handles=", ".join(batch.items))]
    if problems:
        lines = (f"{handle}: {one_line(problem)}" for handle, problem in problems.items())
        last.append(AGAIN.format(problems="\n".join(lines)))
    return Request(
        system=[_block(f"{prompt.instructions}\n\n{SHAPE.format(shape=shape)}", cached=True)],
        content=_content(parts, "\n\n".join(last), cached=batch.shared),
        schema=schema,
    )


def _content(parts: Sequence[tuple[str, str]], last: str, *, cached: bool) -> list[dict[str, Any]]:
    """Each source with its questions below it, and what is asked of all at the end."""
    content: list[dict[str, Any]] = []
    for at, (source, asked) in enumerate(parts, start=1):
        end = f"{asked}\n\n{last}" if at == len(parts) else asked
        content += [_block(source, cached=cached), _block(end)]
    return content


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
