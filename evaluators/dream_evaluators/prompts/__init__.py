"""Judge prompts: one Markdown file each, named by content.

A prompt has front matter (its answer type and its variables) and three parts: the instructions,
how a source is shown, and how a question is put. Its id is `name@hash` over the whole text and the
answer's schema, so that no answer outlives the question it was given to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import Template
from typing import Any

from dream_evaluators.hashing import content_id
from dream_evaluators.prompts.schema import inlined

SOURCE_MARK = "<!-- source -->"
QUESTION_MARK = "<!-- question -->"
HASH_DIGITS = 12


@dataclass(frozen=True)
class Prompt:
    """One judge prompt, ready to be filled in."""

    name: str
    id: str
    variables: tuple[str, ...]
    instructions: str
    source_template: str
    question_template: str
    answer_schema: Mapping[str, Any]

    def source(self, **values: str) -> str:
        """Show a source.

        Raises:
            KeyError: A variable of the template is missing.
        """
        return Template(self.source_template).substitute(values)

    def question(self, **values: str) -> str:
        """Put a question; lines whose variable is empty are left out.

        Raises:
            KeyError: A variable of the template is missing.
        """
        lines = [Template(line) for line in self.question_template.splitlines()]
        return "\n".join(
            line.substitute(values)
            for line in lines
            if not line.get_identifiers() or any(values[name] for name in line.get_identifiers())
        )


@cache
def load_prompt(name: str) -> Prompt:
    """Load a prompt by name.

    Raises:
        FileNotFoundError: There is no such prompt.
        ValueError: Its file lacks a part, or uses a variable that it does not declare.
    """
    from dream_evaluators.prompts.answers import ANSWER_TYPES  # noqa: PLC0415 - start-up

    text = resources.files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    schema = inlined(ANSWER_TYPES[name].model_json_schema())
    matter, body = _front_matter(name, text)
    instructions, _, rest = body.partition(SOURCE_MARK)
    source, found, question = rest.partition(QUESTION_MARK)
    if not found:
        raise ValueError(f"prompt {name}: {SOURCE_MARK} and {QUESTION_MARK} must part it in three")
    prompt = Prompt(
        name=name,
        id=f"{name}@{content_id(text, schema).removeprefix('b2:')[:HASH_DIGITS]}",
        variables=_names(matter.get("variables", "")),
        instructions=instructions.strip(),
        source_template=source.strip(),
        question_template=question.strip(),
        answer_schema=schema,
    )
    _check(prompt, _names(matter.get("source_variables", "")))
    return prompt


def _front_matter(name: str, text: str) -> tuple[dict[str, str], str]:
    opening, _, rest = text.partition("---\n")
    matter, closing, body = rest.partition("\n---\n")
    if opening or not closing:
        raise ValueError(f"prompt {name}: the file must begin with front matter between ---")
    pairs = (line.partition(":") for line in matter.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}, body


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _check(prompt: Prompt, source_variables: tuple[str, ...]) -> None:
    for template, declared in (
        (prompt.question_template, prompt.variables),
        (prompt.source_template, source_variables),
    ):
        used = set(Template(template).get_identifiers())
        if used != set(declared):
            odd = ", ".join(sorted(used ^ set(declared)))
            raise ValueError(f"prompt {prompt.name}: declared and used variables differ: {odd}")
