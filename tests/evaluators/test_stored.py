"""Records to stored JSON and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from dream_evaluators.errors import StoreError, StoreNewer
from dream_evaluators.model.judgement import Answer
from dream_evaluators.model.score import Scorecard, StatementVerdict
from dream_evaluators.model.source import Outcome, Source, SourceBlock
from dream_evaluators.model.stored import SCHEMA_VERSION, adapter, as_plain, from_stored, to_stored
from tests.strategies import answers, folded_verdicts, make_source, sources


@given(sources())
def test_a_source_comes_back_as_it_was_stored(source: Source) -> None:
    assert from_stored(Source, to_stored(source)) == source


@given(answers())
def test_an_answer_comes_back_as_it_was_stored(answer: Answer) -> None:
    assert from_stored(Answer, to_stored(answer)) == answer


@given(folded_verdicts())
def test_a_scorecard_comes_back_with_its_verdicts(verdict: StatementVerdict) -> None:
    card = Scorecard(
        report_id="b2:1", judge="agent", effort="quick", scores={}, verdicts=(verdict,)
    )
    assert from_stored(Scorecard, to_stored(card)) == card


def test_stored_json_is_plain_and_says_its_version() -> None:
    source = make_source("ab", blocks=(SourceBlock(start=0, end=2, kind="paragraph"),))
    stored = json.loads(to_stored(source))
    assert stored["schema_version"] == SCHEMA_VERSION
    assert stored["record"]["outcome"] == Outcome.OK.value
    assert as_plain(source)["blocks"][0]["kind"] == "paragraph"


def test_a_validator_is_built_once() -> None:
    assert adapter(Source) is adapter(Source)


def test_a_newer_record_is_refused_with_what_to_do() -> None:
    text = json.dumps({"schema_version": SCHEMA_VERSION + 1, "record": {}})
    with pytest.raises(StoreNewer, match=r"Source has schema version 2.*Upgrade dream-mcp"):
        from_stored(Source, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        "null",
        "{}",
        '{"schema_version": 1}',
        '{"schema_version": "1", "record": {}}',
        '{"schema_version": 1, "record": {}}',
        '{"schema_version": 1, "record": {"url": "u", "outcome": "wonderful"}}',
        '{"schema_version": 1, "record": {"url": 7, "outcome": "ok"}}',
    ],
)
def test_a_damaged_record_is_named_for_what_it_should_be(text: str) -> None:
    with pytest.raises(StoreError, match="A stored Source is damaged") as caught:
        from_stored(Source, text)
    assert not isinstance(caught.value, StoreNewer)


def test_a_record_of_older_code_lacks_fields_that_have_defaults() -> None:
    text = '{"schema_version": 1, "record": {"url": "u", "outcome": "ok"}}'
    assert from_stored(Source, text) == Source(url="u", outcome=Outcome.OK)
