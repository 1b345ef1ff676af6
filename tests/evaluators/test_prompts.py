"""Judge prompts: files named by content."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from dream_evaluators import prompts
from dream_evaluators.model.judgement import Answer
from dream_evaluators.prompts import Prompt, load_prompt
from dream_evaluators.prompts.answers import (
    ANSWER_TYPES,
    ClaimVerdict,
    LexicalAnswer,
    folded_verdict,
    normalised,
)
from dream_evaluators.prompts.schema import inlined
from tests.strategies import FAILURE, claim_answer

GOOD = """---
answer: ClaimVerdict
variables: claim
source_variables: text
---
Rules.
<!-- source -->
$text
<!-- question -->
Claim: $claim
"""


Load = Callable[[str], Prompt]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Load a prompt from a text instead of the package's file."""

    def loaded(text: str) -> Prompt:
        (tmp_path / "claim_verdict.md").write_text(text, encoding="utf-8")
        load_prompt.cache_clear()
        return load_prompt("claim_verdict")

    monkeypatch.setattr(resources, "files", lambda _: tmp_path)
    yield loaded
    load_prompt.cache_clear()


@pytest.mark.parametrize("name", list(ANSWER_TYPES))
def test_every_question_kind_has_a_prompt_that_loads(name: str) -> None:
    prompt = load_prompt(name)
    assert prompt.id.startswith(f"{name}@")
    assert len(prompt.id) == len(name) + 13
    assert prompt.instructions
    assert "$" not in prompt.instructions


def test_a_prompt_file_without_an_answer_type_is_none() -> None:
    folder = Path(prompts.__file__).parent
    assert {path.stem for path in folder.glob("*.md")} == set(ANSWER_TYPES)


def test_the_id_changes_with_the_text(load: Load) -> None:
    first = load(GOOD).id
    assert load(GOOD).id == first
    assert load(GOOD.replace("Rules.", "Rules!")).id != first


def test_the_id_changes_with_the_answers_schema(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load(GOOD).id

    class Wider(ClaimVerdict):
        doubt: str

    monkeypatch.setitem(ANSWER_TYPES, "claim_verdict", Wider)
    assert load(GOOD).id != first


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("---\nanswer", "answer"), "front matter"),
        (("\n---\nRules", "\nRules"), "front matter"),
        (("<!-- question -->", ""), "must part it in three"),
        (("<!-- source -->", ""), "must part it in three"),
        (("variables: claim", "variables: claim, extra"), "differ: extra"),
        (("$claim", "$claim $stray"), "differ: stray"),
        (("source_variables: text", "source_variables: "), "differ: text"),
        (("$text", ""), "differ: text"),
    ],
)
def test_a_prompt_file_with_a_fault_is_refused(
    load: Load, change: tuple[str, str], told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        load(GOOD.replace(*change, 1))


def test_there_is_no_prompt_of_an_unknown_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_prompt("no_such_prompt")


def test_a_variable_that_is_missing_is_an_error() -> None:
    prompt = load_prompt("claim_verdict")
    with pytest.raises(KeyError, match="fence"):
        prompt.source(title="t", text="x", extent="e")
    with pytest.raises(KeyError):
        prompt.question(fence="f", claim="c", heading="", preceding="")


def test_lines_whose_variable_is_empty_are_left_out() -> None:
    prompt = load_prompt("claim_verdict")
    empty = prompt.question(fence="f", claim="c", heading="", preceding="", problem="")
    assert empty.splitlines() == ["<statement-f>", "Claim: c", "</statement-f>"]
    full = prompt.question(fence="f", claim="c", heading="H", preceding="P", problem="Again.")
    assert full.splitlines() == [
        "<statement-f>",
        "Heading: H",
        "Preceding sentence: P",
        "Claim: c",
        "</statement-f>",
        "Again.",
    ]


@given(st.text())
def test_what_is_filled_in_is_never_read_as_a_template(text: str) -> None:
    prompt = load_prompt("claim_verdict")
    shown = prompt.source(title="$fence ${text}", fence="f", text=text, extent="$$")
    assert shown == f"$$\n<source-f>\nTitle: $fence ${{text}}\n\n{text}\n</source-f>"


EXAMPLES: dict[str, list[dict[str, Any]]] = {
    # The two close calls that the prompt's last paragraph tells, as a judge would answer them.
    "claim_verdict": [
        {
            "facts": [
                {"fact": "opened in 2019", "quote": "opened in 2019", "relation": "supported"},
                {"fact": "created 400 jobs", "quote": "", "relation": "absent"},
            ],
            "reasoning": "Employing 240 is another count than jobs created.",
            "verdict": "partial_support",
        },
        {
            "facts": [
                {"fact": "sales fell", "quote": "Sales rose 4 %", "relation": "contradicted"}
            ],
            "reasoning": "They rose.",
            "verdict": "contradict",
        },
    ],
}


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_a_prompts_examples_are_answers_of_its_type(name: str) -> None:
    instructions = load_prompt(name).instructions
    for example in EXAMPLES[name]:
        answer = ANSWER_TYPES[name].model_validate(example)
        assert isinstance(answer, ClaimVerdict)
        assert folded_verdict(answer) == answer.verdict
        for fact in answer.facts:
            assert fact.quote in instructions
            assert fact.fact.split()[-1] in instructions


@pytest.mark.parametrize("name", list(ANSWER_TYPES))
def test_a_prompt_names_every_word_that_its_answer_may_use(name: str) -> None:
    prompt = load_prompt(name)
    for node in walk(prompt.answer_schema):
        for word in node.get("enum", []):
            assert f"`{word}`" in prompt.instructions


@pytest.mark.parametrize("name", list(ANSWER_TYPES))
def test_the_title_of_a_source_stands_inside_its_fence(name: str) -> None:
    shown = load_prompt(name).source(title="A title", fence="f", text="Text.", extent="E:")
    assert shown == "E:\n<source-f>\nTitle: A title\n\nText.\n</source-f>"


@pytest.mark.parametrize("name", list(ANSWER_TYPES))
def test_an_answer_gives_evidence_then_reasoning_then_verdict(name: str) -> None:
    evidence, reasoning, verdict = load_prompt(name).answer_schema["properties"]
    assert evidence in {"facts", "evidence"}
    assert reasoning == "reasoning"
    assert verdict not in {"facts", "evidence", "reasoning"}


def test_a_fact_is_quoted_before_it_is_judged() -> None:
    facts = load_prompt("claim_verdict").answer_schema["properties"]["facts"]
    assert list(facts["items"]["properties"]) == ["fact", "quote", "relation"]


def walk(node: object) -> Iterator[dict[str, Any]]:
    """Every object inside a schema."""
    if isinstance(node, dict):
        yield node
        for child in node.values():
            yield from walk(child)
    elif isinstance(node, list):
        for child in node:
            yield from walk(child)


@pytest.mark.parametrize("answer_type", list(ANSWER_TYPES.values()))
def test_schemas_that_judges_are_given_are_closed_and_have_no_references(
    answer_type: type[BaseModel],
) -> None:
    schema = inlined(answer_type.model_json_schema())
    refused = {"$ref", "$defs", "anyOf", "maxItems", "minItems", "maxLength", "minimum", "maximum"}
    for node in walk(schema):
        assert not refused & set(node)
        if node.get("type") == "object":
            assert node["additionalProperties"] is False


class Part(BaseModel):
    title: str
    properties: int


class Whole(BaseModel):
    title: Part
    parts: list[Part]


def test_fields_called_title_or_properties_survive_inlining() -> None:
    schema = inlined(Whole.model_json_schema())
    part = {
        "type": "object",
        "properties": {"title": {"type": "string"}, "properties": {"type": "integer"}},
        "required": ["title", "properties"],
        "additionalProperties": False,
    }
    assert schema == {
        "type": "object",
        "properties": {"title": part, "parts": {"type": "array", "items": part}},
        "required": ["title", "parts"],
        "additionalProperties": False,
    }


def test_a_references_own_words_win_over_its_targets() -> None:
    schema = {
        "$defs": {"A": {"type": "string", "description": "of A"}},
        "properties": {"a": {"$ref": "#/$defs/A", "description": "here"}},
    }
    assert inlined(schema)["properties"]["a"] == {"type": "string", "description": "here"}


def test_a_schema_that_cannot_be_inlined_is_an_error() -> None:
    with pytest.raises(KeyError):
        inlined({"$ref": "#/$defs/Nowhere"})
    with pytest.raises(RecursionError):
        inlined({"$defs": {"A": {"$ref": "#/$defs/A"}}, "$ref": "#/$defs/A"})


@pytest.mark.parametrize(
    ("relations", "verdict"),
    [
        (["supported"], "full_support"),
        (["supported", "supported"], "full_support"),
        (["supported", "absent"], "partial_support"),
        (["absent"], "unverifiable"),
        ([], "unverifiable"),
        (["contradicted"], "contradict"),
        (["supported", "contradicted"], "contradict"),
        (["absent", "contradicted", "supported"], "contradict"),
    ],
)
def test_the_verdict_follows_from_the_parts(relations: list[str], verdict: str) -> None:
    facts = [{"fact": "f", "quote": "", "relation": relation} for relation in relations]
    answer = ClaimVerdict.model_validate(
        {"facts": facts, "reasoning": "", "verdict": "unverifiable"}
    )
    assert folded_verdict(answer) == verdict


LEXICAL = {
    "label": "needs_review",
    "p_support": 0.5,
    "confidence": 0.5,
    "quotes": [],
    "flags": [],
    "reason": "",
}


def test_the_offline_judge_can_never_contradict() -> None:
    with pytest.raises(ValidationError):
        LexicalAnswer.model_validate({**LEXICAL, "label": "contradict"})


@pytest.mark.parametrize("odd", [-0.1, 1.1, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["p_support", "confidence"])
def test_a_probability_lies_between_nought_and_one(name: str, odd: float) -> None:
    text = json.dumps({**LEXICAL, name: odd})
    assert normalised(Answer(item="b2:1", judge="offline:1", answer=text)) is None


@pytest.mark.parametrize(
    ("judge", "text", "fits"),
    [
        ("agent:m", claim_answer(("f", "absent", "")), True),
        ("human:Ada", claim_answer(), True),
        ("offline:1", json.dumps(LEXICAL), True),
        ("offline:1", claim_answer(("f", "absent", "")), False),
        ("agent:m", json.dumps(LEXICAL), False),
        ("agent:m", FAILURE, True),
        ("offline:1", FAILURE, False),
        ("agent:m", "", False),
        ("agent:m", "{}", False),
        ("agent:m", '{"facts": [], "reasoning": "", "verdict": "maybe"}', False),
        ("agent:m", '{"facts": [], "reasoning": "", "verdict": "contradict", "more": 1}', False),
    ],
)
def test_an_answer_is_taken_when_its_judge_could_have_given_it(
    judge: str, text: str, fits: bool
) -> None:
    answer = Answer(item="b2:1", judge=judge, answer=text, usage={"input": 3.0})
    taken = normalised(answer)
    assert (taken is not None) is fits
    if taken is not None:
        assert json.loads(taken.answer) == json.loads(text)
        assert replace(taken, answer=text) == answer


def test_an_answer_is_kept_in_one_form_however_it_was_written() -> None:
    written = [
        claim_answer(("f", "absent", "")),
        json.dumps(json.loads(claim_answer(("f", "absent", ""))), indent=3),
    ]
    taken = [normalised(Answer(item="b2:1", judge="agent:m", answer=text)) for text in written]
    assert taken[0] is not None
    assert taken[0] == taken[1] == normalised(taken[0])


@pytest.mark.parametrize("failed", ["refused", "truncated", "too_long", "unreadable"])
def test_a_failure_is_still_one_in_the_form_that_is_kept(failed: str) -> None:
    text = json.dumps({"reason": "No.", "failed": failed})
    taken = normalised(Answer(item="b2:1", judge="agent:m", answer=text))
    assert taken is not None
    assert taken.failed
