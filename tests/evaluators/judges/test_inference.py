"""A model of textual inference that the user brings, and the offline judge's second look."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from dream_evaluators.errors import BadInput
from dream_evaluators.judges.inference import INSTALL, Inference, ModelFile, output_columns
from dream_evaluators.judges.lexical import LexicalVerdict, assess
from dream_evaluators.judges.offline import offline_judge, offline_name, second_look
from dream_evaluators.ledger import Ledger
from dream_evaluators.metrics.verdicts import Pair, claim_question
from dream_evaluators.prompts.answers import LexicalAnswer
from tests.strategies import make_citation, make_source, make_statement

from .onnx_file import write_model

PAGE = "The harbour office keeps the records of every ship that ever came in. " * 20
CLAIM = "The Halden bridge opened in 1932 and spans 503 metres."


def named(model: Path) -> ModelFile:
    return ModelFile(model, hashlib.sha256(model.read_bytes()).hexdigest())


def runs() -> None:
    pytest.importorskip("onnxruntime", reason="the extra `nli` is not installed")
    pytest.importorskip("tokenizers", reason="the extra `nli` is not installed")


def test_a_real_model_reads_each_premise_with_the_claim(tmp_path: Path) -> None:
    runs()
    model = named(write_model(tmp_path)).load()
    sure, against, open_ = model.infer(["indeed", "x never " * 600, "y"], "a claim")
    assert sure.entailment > 0.99
    assert against.contradiction > 0.99
    assert open_ == Inference(1 / 3, 1 / 3, 1 / 3)
    assert model.infer([], "a claim") == []


def test_the_claim_is_read_whole_however_long_the_premise(tmp_path: Path) -> None:
    runs()
    [found] = named(write_model(tmp_path)).load().infer(["word " * 5000], "indeed")
    assert found.entailment > 0.99


def test_two_outputs_are_a_model_without_contradiction(tmp_path: Path) -> None:
    assert output_columns({"id2label": {"1": "supported", "0": "unsupported"}}) == (
        "neutral",
        "entailment",
    )
    runs()
    model = named(write_model(tmp_path, {"0": "SUPPORTED", "1": "UNSUPPORTED"}))
    with pytest.raises(BadInput, match=r"gives \(3,\) numbers"):
        model.load().infer(["indeed"], "a claim")


@pytest.mark.parametrize(
    "config",
    [{}, {"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}, {"id2label": []}, {"id2label": {"0": ""}}],
)
def test_what_the_outputs_mean_is_never_guessed(config: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="id2label"):
        output_columns(config)


def test_another_file_than_the_hash_says_is_not_run(tmp_path: Path) -> None:
    model = write_model(tmp_path)
    with pytest.raises(BadInput, match="does not have the hash"):
        ModelFile(model, "0" * 64).load()


@pytest.mark.parametrize("name", ["tokenizer.json", "config.json"])
def test_what_lies_beside_the_model_is_part_of_the_judges_name(tmp_path: Path, name: str) -> None:
    model = named(write_model(tmp_path))
    before = offline_name(model)
    assert before.startswith("offline:lexical-2+nli:")
    file = tmp_path / name
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert offline_name(model) != before
    file.unlink()
    with pytest.raises(BadInput, match=name):
        offline_name(model)


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("tokenizer.json", "{}", "cannot be loaded"),
        ("config.json", "[1]", "no JSON object"),
        ("config.json", "{", "no JSON object"),
        ("model.onnx", "not a model", "cannot be loaded"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, file: str, text: str, says: str) -> None:
    runs()
    model = write_model(tmp_path)
    (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=says):
        named(model).load()


def test_a_model_that_wants_other_inputs_is_refused(tmp_path: Path) -> None:
    runs()
    model = named(write_model(tmp_path, third_input="pixel_values")).load()
    with pytest.raises(BadInput, match="pixel_values"):
        model.infer(["indeed"], "a claim")


def test_without_the_packages_it_says_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(BadInput) as told:
        named(write_model(tmp_path)).load()
    assert str(told.value) == INSTALL


@pytest.mark.anyio
async def test_the_offline_judge_takes_a_second_look(tmp_path: Path, ledger: Ledger) -> None:
    runs()
    model = named(write_model(tmp_path))
    said = []
    for word in ("indeed", "never"):
        fact = make_source(f"{CLAIM[:-1]} {word}. {PAGE}", f"https://f-{word}.test/")
        await ledger.sources.add(fact)
        item = claim_question(Pair(make_statement(1, CLAIM), make_citation(), fact))
        answer = await offline_judge(ledger, model).ask(item)
        assert answer.judge == offline_name(model)
        said.append(LexicalAnswer.model_validate_json(answer.answer))
    agreed, differed = said
    assert agreed.label == "full_support"
    assert differed.label == "needs_review"
    assert "possible_contradiction" in differed.flags


@pytest.mark.anyio
async def test_with_and_without_a_model_are_two_judges(tmp_path: Path, ledger: Ledger) -> None:
    runs()
    source = make_source(f"{CLAIM[:-1]} never. {PAGE}")
    await ledger.sources.add(source)
    item = claim_question(Pair(make_statement(1, CLAIM), make_citation(), source))
    await offline_judge(ledger).ask(item)
    await offline_judge(ledger, named(write_model(tmp_path))).ask(item)
    assert len((await ledger.answers.of([item.id]))[item.id]) == 2


SUPPORTED = assess(CLAIM, f"{CLAIM} {PAGE}")
SILENT = replace(SUPPORTED, label="unverifiable", p_support=0.1, flags=())
OPEN = replace(SUPPORTED, label="needs_review", p_support=0.6, flags=())
YES, NO, NEITHER = (
    Inference(0.97, 0.02, 0.01),
    Inference(0.01, 0.04, 0.95),
    Inference(0.1, 0.8, 0.1),
)


@pytest.mark.parametrize(
    ("by_words", "inferred", "label"),
    [
        (SUPPORTED, [NEITHER, YES], "full_support"),
        (SUPPORTED, [NEITHER], "needs_review"),
        (SUPPORTED, [YES, NO], "needs_review"),
        (SILENT, [NEITHER], "unverifiable"),
        (SILENT, [YES], "needs_review"),
        (SILENT, [NO], "unverifiable"),
        (OPEN, [YES], "full_support"),
        (OPEN, [YES, NO], "needs_review"),
        (OPEN, [NEITHER], "needs_review"),
        (replace(OPEN, p_support=0.4), [YES], "needs_review"),
        (replace(OPEN, flags=("number_missing",)), [YES], "needs_review"),
        (replace(OPEN, flags=("snippet",)), [YES], "full_support"),
    ],
)
def test_where_words_and_inference_differ_the_judge_abstains(
    by_words: LexicalVerdict, inferred: Sequence[Inference], label: str
) -> None:
    found = second_look(by_words, inferred)
    assert found.label == label
    assert ("possible_contradiction" in found.flags) == (NO in inferred)
    assert 0 <= found.confidence <= 1
    assert found.reason
