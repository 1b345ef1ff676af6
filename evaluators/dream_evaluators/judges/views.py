"""What a judge sees: a question, and of its source the page, or the passages that matter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from anyio import to_thread

from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import WorkItem
from dream_evaluators.model.source import Source
from dream_evaluators.passages import select
from dream_evaluators.prompts import Prompt
from dream_evaluators.tokens import estimate_tokens

H = TypeVar("H", int, str)

# Our choice: a judge given the page does better than one given a snippet, up to about this length.
WHOLE_PAGE_TOKENS = 4_000
PASSAGE_TOKENS = 1_500  # for each claim on a longer page
# What a calling agent reads in a quick evaluation, so that two dozen readings fit into a few turns:
# the question says so, since its answer rests on less.
BRIEF = "brief"
BRIEF_PAGE_TOKENS = 800
BRIEF_PASSAGE_TOKENS = 500
GAP = "\n[…]\n"
# Whatever looks like our own fence is defused, although a page cannot know the fence's key.
FENCE = re.compile(r"<(?=\s{0,9}/?\s{0,9}(?:source|statement)-)", re.IGNORECASE)


class View(NamedTuple):
    """The text a judge is shown, and what part of the source it is, in words."""

    text: str
    extent: str


def is_long(source: Source) -> bool:
    """Whether a brief reading shows less of a source than an ordinary one."""
    return estimate_tokens(source.visible_text) > BRIEF_PAGE_TOKENS


def view_of(source: Source, claims: Sequence[str], *, brief: bool = False) -> View:
    """Choose what to show of a source to whoever judges these claims."""
    text = source.visible_text
    passage_tokens = BRIEF_PASSAGE_TOKENS if brief else PASSAGE_TOKENS
    if estimate_tokens(text) <= (BRIEF_PAGE_TOKENS if brief else WHOLE_PAGE_TOKENS):
        return View(defused(text), "The whole page:")
    spans = sorted(
        {
            (passage.start, passage.end)
            for claim in claims
            for passage in select(
                claim, source.text, blocks=source.blocks, max_tokens=passage_tokens
            )
        }
    )
    shown = GAP.join(source.text[start:end] for start, end in merged(spans))
    return View(
        defused(shown),
        f"Passages of a long page ({len(text):,} characters; […] marks what is left out):",
    )


def merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join spans (sorted by start) that overlap or touch."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def defused(text: str) -> str:
    """Take the meaning out of anything that looks like a fence of ours."""
    return FENCE.sub("‹", text)


def one_line(text: str) -> str:
    """Put a quoted statement on one line, its fences defused."""
    return defused(" ".join(text.split()))


def source_key(item: WorkItem) -> tuple[str, str, str]:
    """What questions share that can be asked together: their kind, and what is shown to them."""
    view = item.inputs["view"] + item.inputs.get("reading", "")
    return item.kind, item.inputs["source"], view


def by_view(items: Mapping[H, WorkItem]) -> dict[tuple[str, str, str], dict[H, WorkItem]]:
    """Questions by what is shown to them, each under its handle, in the order of the first."""
    groups: dict[tuple[str, str, str], dict[H, WorkItem]] = {}
    for handle, item in items.items():
        groups.setdefault(source_key(item), {})[handle] = item
    return groups


async def view_for(ledger: Ledger, items: Sequence[WorkItem]) -> View:
    """What to show of the one source that these questions are about, chosen off the event loop."""
    inputs = items[0].inputs
    if "passages" in inputs:  # the question brings what it is about
        return View(defused(inputs["passages"]), "Passages of the cited sources:")
    snapshot = await ledger.sources.with_text(inputs["source"], inputs["view"])
    claims = [item.inputs["claim"] for item in items]
    brief = inputs.get("reading") == BRIEF
    return await to_thread.run_sync(partial(view_of, snapshot, claims, brief=brief))


async def show_source(ledger: Ledger, prompt: Prompt, items: Sequence[WorkItem], fence: str) -> str:
    """Write out the one source that these questions are about, fenced."""
    view = await view_for(ledger, items)
    title = one_line(items[0].inputs["title"]) or "untitled"
    return prompt.source(title=title, extent=view.extent, fence=fence, text=view.text)


def put_question(prompt: Prompt, fence: str, handle: str, item: WorkItem) -> str:
    """Write out one question under its handle, fenced."""
    values = {name: one_line(item.inputs[name]) for name in prompt.variables if name != "fence"}
    return f"Question {handle}\n{prompt.question(fence=fence, **values)}"
