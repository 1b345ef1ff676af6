"""Work orders: open questions packed for a judge who reads, a source's text once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dream_evaluators.judges.views import by_view, put_question, show_source, source_key, view_for
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import Question, WorkItem
from dream_evaluators.prompts import Prompt, load_prompt
from dream_evaluators.tokens import estimate_tokens

# Our choice: what one turn of a calling agent takes in beside its own work.
ORDER_TOKENS = 6_000
QUESTION_TOKENS = 90  # tags and line labels around one statement
MINUTES_AN_ORDER = 1.0

HOW = """How to answer: one JSON object, {{"verdicts": [...]}}, one entry for each of {handles}. \
Every entry names its `question` and then gives facts, reasoning and verdict, in that order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkOrder:
    """One order as it is handed out. `prompt` is complete: it needs no other knowledge."""

    id: str  # "w1"
    kind: str
    metric: str
    capability: str  # text: reading what the prompt holds is enough; research: search as well
    prompt: str
    answer_schema: Mapping[str, Any]
    questions: tuple[str, ...]  # "q3", "q4": what the answer must cover
    tokens: int  # estimated, of the prompt


@dataclass
class _Order:
    """An order in the making: its questions by what is shown to them, and what each view costs.

    All are of one repeat, so that nobody reads a question twice in one sitting.
    """

    kind: str
    sample: int
    groups: dict[tuple[str, str, str], dict[int, WorkItem]] = field(default_factory=dict)
    views: dict[tuple[str, str, str], int] = field(default_factory=dict)

    @property
    def numbers(self) -> list[int]:
        return [number for group in self.groups.values() for number in group]

    @property
    def tokens(self) -> int:
        asked = (item for group in self.groups.values() for item in group.values())
        rules = estimate_tokens(load_prompt(self.kind).instructions)
        return rules + sum(self.views.values()) + sum(map(question_tokens, asked))

    async def costs_with(self, ledger: Ledger, item: WorkItem) -> tuple[int, int]:
        """What the item's source would cost to show if it were added, and the order then."""
        key = source_key(item)
        group = [*self.groups.get(key, {}).values(), item]
        view = estimate_tokens((await view_for(ledger, group)).text)
        return view, self.tokens - self.views.get(key, 0) + view + question_tokens(item)

    def add(self, number: int, item: WorkItem, view: int) -> None:
        key = source_key(item)
        self.groups.setdefault(key, {})[number] = item
        self.views[key] = view


def question_tokens(item: WorkItem) -> int:
    """What putting a question costs its reader beside the source, estimated."""
    return QUESTION_TOKENS + sum(estimate_tokens(text) for text in item.inputs.values())


METRIC_OF = {"claim_verdict": "CF", "union_verdict": "CF", "source_class": "DA"}


async def pack_orders(
    ledger: Ledger, questions: Mapping[int, Question], max_tokens: int = ORDER_TOKENS
) -> list[list[int]]:
    """Pack questions into orders of at most `max_tokens`, those on one source together.

    A question that is larger alone gets an order of its own.

    Args:
        ledger: Where the sources' texts are.
        questions: Open questions by number.
        max_tokens: What an order may cost its reader, estimated.

    Returns:
        The question numbers of each order.
    """
    orders: list[_Order] = []
    by_source: dict[tuple[int, tuple[str, str, str]], list[int]] = {}
    for number, (item, sample) in sorted(questions.items()):
        by_source.setdefault((sample, source_key(item)), []).append(number)
    for sample in sorted({sample for sample, _ in by_source}):
        numbers = [n for (own, _), group in by_source.items() if own == sample for n in group]
        for number in numbers:
            await _place(ledger, orders, number, questions[number], max_tokens)
    return [order.numbers for order in orders]


async def _place(
    ledger: Ledger,
    orders: list[_Order],
    number: int,
    question: Question,
    max_tokens: int,
) -> None:
    item, sample = question
    if orders and (orders[-1].kind, orders[-1].sample) == (item.kind, sample):
        view, total = await orders[-1].costs_with(ledger, item)
        if total <= max_tokens:
            orders[-1].add(number, item, view)
            return
    new = _Order(item.kind, sample)
    view, _ = await new.costs_with(ledger, item)
    new.add(number, item, view)
    orders.append(new)


async def render_order(ledger: Ledger, number: int, questions: Mapping[int, Question]) -> WorkOrder:
    """Write an order out: the rules once, each source once, its questions below it.

    Args:
        ledger: Where the sources' texts and the fence's key are.
        number: The order's number in its evaluation.
        questions: Its open questions by number, all of one kind.
    """
    kind = next(iter(questions.values())).item.kind
    prompt = load_prompt(kind)
    handles = tuple(f"q{n}" for n in sorted(questions))
    groups = by_view({n: item for n, (item, _) in sorted(questions.items())})
    sections = [await _section(ledger, prompt, group) for group in groups.values()]
    how = HOW.format(handles=", ".join(handles))
    text = "\n\n".join([prompt.instructions, *sections, how])
    return WorkOrder(
        id=f"w{number}",
        kind=kind,
        metric=METRIC_OF[kind],
        capability="text",
        prompt=text,
        answer_schema=order_schema(prompt, handles),
        questions=handles,
        tokens=estimate_tokens(text),
    )


def order_schema(prompt: Prompt, handles: Sequence[str]) -> dict[str, Any]:
    """The schema of an order's answer: the prompt's own, an entry a question."""
    question = {"type": "string", "enum": list(handles), "description": "Which question."}
    entry = dict(prompt.answer_schema)
    entry["properties"] = {"question": question, **entry["properties"]}
    entry["required"] = ["question", *entry.get("required", [])]
    return {
        "type": "object",
        "properties": {"verdicts": {"type": "array", "items": entry}},
        "required": ["verdicts"],
        "additionalProperties": False,
    }


async def _section(ledger: Ledger, prompt: Prompt, group: Mapping[int, WorkItem]) -> str:
    items = list(group.values())
    fence = await ledger.fence(items[0].inputs["source"], *sorted(item.id for item in items))
    shown = await show_source(ledger, prompt, items, fence)
    asked = [put_question(prompt, fence, f"q{n}", item) for n, item in group.items()]
    return "\n\n".join([shown, *asked])
