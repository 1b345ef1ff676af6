"""The offline judge: what it decides, what it leaves open, and how well that is measured."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.judges.lexical import LexicalVerdict, assess
from dream_evaluators.judges.lexical.features import NAMES, measure
from dream_evaluators.judges.lexical.model import Model, shipped
from dream_evaluators.judges.lexical.rules import FLAGS

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "claims" / "dev"

FACT = "The harbour of Eastmoor was opened by Mayor Ingrid Holt in April 1874."
FILLER = (
    "The town lies on the coast and has a long history of trade with its neighbours. "
    "Fishing fell after the war, and many families moved to the city. "
    "Today a ferry serves the island twice a day, and visitors come in summer. "
    "The museum shows nets and boats, and admission is free for children. "
)
PAGE = FILLER + FACT + " " + FILLER * 2


def test_a_copied_sentence_is_full_support_with_its_place() -> None:
    verdict = assess(FACT, PAGE)
    assert verdict.label == "full_support"
    assert verdict.p_support == verdict.confidence > 0.75
    assert any(FACT in passage.text for passage in verdict.evidence)
    assert all(PAGE[p.start : p.end] == p.text for p in verdict.evidence)
    assert verdict.flags == ()


def test_a_page_about_something_else_is_unverifiable_and_names_what_is_missing() -> None:
    claim = "The Zurbriggen observatory near Palmyra discovered 312 comets with a new telescope."
    verdict = assess(claim, PAGE)
    assert verdict.label == "unverifiable"
    assert verdict.missing_numbers == ("312",)
    assert "Palmyra" in verdict.missing_entities
    assert "312" in verdict.reason
    assert verdict.confidence == pytest.approx(1 - verdict.p_support)


def test_a_page_that_has_half_of_a_claim_is_partial_support() -> None:
    claim = "The harbour of Eastmoor, opened by Mayor Ingrid Holt, had 312 cranes and 45 quays."
    verdict = assess(claim, PAGE + FILLER * 2)
    assert verdict.label == "partial_support"
    assert verdict.missing_numbers == ("312", "45")


@pytest.mark.parametrize(
    ("claim", "source", "flag"),
    [
        (FACT, "", "empty_source"),
        ("...", PAGE, "empty_claim"),
        ("Der Hafen von Eastmoor wurde 1874 von der Stadt eröffnet.", PAGE, "cross_language"),
        ("伊斯特穆尔港于1874年开放。", PAGE, "cross_language"),
        ("港口于1874年由市长开放。", "这座城市的港口于1874年由市长开放。", "language_not_measured"),
        (FACT + " Fishing fell after the war.", PAGE, "several_sentences"),
        (FACT.replace("in April", "in not April"), PAGE, "possible_contradiction"),
        (
            FACT.replace("opened", "closed"),
            PAGE.replace("opened", "open"),
            "possible_contradiction",
        ),
        (FACT.replace("1874", "1875"), PAGE, "possible_contradiction"),
        (FACT.replace("1874", "1875"), PAGE, "number_missing"),
        (FACT.replace("Holt", "Vance"), PAGE, "entity_missing"),
        (FACT.replace("The", "The only"), PAGE, "absolute_wording"),
        (FACT.replace("in April", "because of trade in April"), PAGE, "relation_wording"),
        (FACT.replace("Ingrid Holt", "Ingrid Eastmoor"), PAGE, "pieced_together"),
        (FACT + ' by "the great whale road"', PAGE, "quote_missing"),
        (FACT, "Fact check: false claims.\n" + PAGE, "debunk_page"),
        (FACT, "Methods: we found it. Results: p < 0.05. " + FACT, "abstract"),
        (FACT.replace("1874", "1874 and doubled to 99 boats"), PAGE, "derived_number"),
        (FACT, FACT.replace("by Mayor", "there. Then came Mayor") + FILLER, "scattered"),
    ],
)
def test_where_words_mislead_it_abstains_and_says_why(claim: str, source: str, flag: str) -> None:
    verdict = assess(claim, source)
    assert flag in verdict.flags
    assert verdict.label != "full_support"


@pytest.mark.parametrize(
    ("claim", "source", "flag"),
    [
        ("Comets were discovered near Palmyra by the Zurbriggen observatory.", "A fee.", "snippet"),
        ("Zurbriggen discovered Palmyra comets.", PAGE, "short_claim"),
    ],
)
def test_silence_is_not_read_from_too_little(claim: str, source: str, flag: str) -> None:
    verdict = assess(claim, source)
    assert flag in verdict.flags
    assert verdict.label == "needs_review"
    assert verdict.reason == FLAGS[flag].reason


def test_an_undecided_pair_says_so() -> None:
    claim = "The harbour was opened by Mayor Holt for trade with neighbours and for fishing boats."
    verdict = assess(claim, PAGE)
    assert verdict.label == "needs_review"
    assert 0.5 <= verdict.confidence <= 1


def test_a_title_counts_but_evidence_is_offset_into_the_source() -> None:
    claim = "The harbour of Eastmoor was opened by Mayor Ingrid Holt in April 1874."
    source = FILLER + "It was opened by the mayor in April 1874. " + FILLER
    untitled = assess(claim, source)
    titled = assess(claim, source, title="The harbour of Eastmoor under Mayor Ingrid Holt")
    assert "Eastmoor" in untitled.missing_entities
    assert titled.missing_entities == ()
    assert titled.p_support > untitled.p_support
    assert all(source[p.start : p.end] == p.text for p in titled.evidence)


def test_a_name_that_the_heading_gives_need_not_stand_in_the_source() -> None:
    source = PAGE.replace("Eastmoor", "the town")
    assert "entity_missing" in assess(FACT, source).flags
    assert "entity_missing" not in assess(FACT, source, heading="Eastmoor today").flags


def test_every_flag_has_a_reason_and_rules_something_out() -> None:
    assert all(flag.reason and flag.blocks <= {"support", "silence"} for flag in FLAGS.values())


def test_shipped_weights_fit_the_features() -> None:
    model = shipped()
    assert len(model.weights) == len(NAMES)
    by_name = dict(zip(NAMES, model.weights, strict=True))
    assert by_name["window_coverage"] > 0 > by_name["numbers_off_page"]
    assert 0 < Model(1000.0, ()).probability(()) < 1


def test_more_of_a_claim_on_the_page_never_measures_as_less() -> None:
    low = measure(FACT, FILLER)["page_coverage"]
    assert low < measure(FACT, FILLER + "The harbour opened.")["page_coverage"]
    assert measure(FACT, PAGE)["page_coverage"] == pytest.approx(1.0)


def test_the_verdict_does_not_depend_on_the_hash_seed() -> None:
    script = (
        "import sys; from dream_evaluators.judges.lexical import assess;"
        "print(repr([assess(claim, sys.argv[1]) for claim in sys.argv[2:]]))"
    )
    claims = [" ".join(PAGE.split()[at : at + 18]) for at in range(0, 100, 7)]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script, PAGE, *claims],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1


texts = st.text(alphabet=st.sampled_from(list("abAB .\n中文。1$%“”not")), max_size=300)


@given(texts, texts, texts)
def test_any_pair_gets_a_well_formed_verdict_that_repeats(
    claim: str, source: str, title: str
) -> None:
    verdict = assess(claim, source, title=title)
    assert isinstance(verdict, LexicalVerdict)
    assert verdict == assess(claim, source, title=title)
    assert verdict.label in ("full_support", "partial_support", "unverifiable", "needs_review")
    assert 0 <= verdict.p_support <= 1
    assert 0 <= verdict.confidence <= 1
    assert set(verdict.flags) <= set(FLAGS)
    assert all(source[p.start : p.end] == p.text for p in verdict.evidence)
    assert verdict.reason


UNITS = ["The cat costs 5. ", "a-\n", "中", "A-", "“a b c ", "1 ", "no results: ", "%", "P<0.5 "]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("size", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_long_source_or_claim_takes_linear_time(unit: str, size: int) -> None:
    text = unit * (size // len(unit))
    start = time.process_time()
    assess('The cat costs 5 dollars in 2020, "it is not here" 中国', text)
    assess(text, "The cat costs 5 dollars.")
    assert time.process_time() - start < 60 * size / 1_000_000


# (set, decided at least, right where decided at least): the shipped weights on the sets they were
# fitted on; bench/offline_judge.py has the honest, leave-one-set-out figures.
FLOORS = [("wice_dev", 0.18, 0.90), ("factcheck_gpt.dev", 0.2, 0.83)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "share", "right"), FLOORS)
def test_what_is_decided_on_citations_is_mostly_right(
    name: str, share: float, right: float
) -> None:
    path = DATA / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"the dev set {name} is not beside the repository")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    verdicts = [assess(row["claim"], row["source_text"]) for row in rows]
    decided = [
        (verdict.label == "full_support") == (row["label"] == "support")
        for verdict, row in zip(verdicts, rows, strict=True)
        if verdict.label != "needs_review"
    ]
    assert len(decided) / len(rows) >= share
    assert sum(decided) / len(decided) >= right
