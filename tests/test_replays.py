"""Recorded answers of a model to questions on public sets: they still answer today's questions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from dream_evaluators.judge import Judge, Pending
from dream_evaluators.ledger import IN_MEMORY, Ledger
from dream_evaluators.metrics.verdicts import claim_question, judge_pair

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data" / "claims" / "dev"
pytestmark = [pytest.mark.anyio, pytest.mark.slow]
needs_rows = pytest.mark.skipif(
    not DATA.exists(), reason="the development rows are not beside this tree"
)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def bench(monkeypatch: pytest.MonkeyPatch, name: str) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    sys.modules.pop(name, None)
    return __import__(name)


@needs_rows
async def test_recorded_answers_give_the_recorded_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    study, replays = bench(monkeypatch, "agent_study"), bench(monkeypatch, "replays")
    kept = replays.read(study.REPLAY)
    rows = [row for part in study.draw(DATA) for row in part]
    assert set(kept) <= {claim_question(row.asked).id for row in rows}, (
        "a prompt, the parser or the draw changed: have a model judge again"
    )
    ledger = Ledger.open(IN_MEMORY)
    assert await replays.restore(ledger, [row.asked for row in rows], kept) >= len(kept)
    judge = Judge(ledger, "agent")
    for row in rows:
        if each := kept.get(claim_question(row.asked).id):
            verdict = await judge_pair(judge, row.asked)
            assert verdict.label.value == each.label
            assert all(fact.evidence for fact in verdict.facts if fact.relation != "absent")
        else:
            with pytest.raises(Pending):
                await judge_pair(judge, row.asked)
    ledger.close()


async def test_three_sittings_give_the_example_one_score(monkeypatch: pytest.MonkeyPatch) -> None:
    repeats = bench(monkeypatch, "example_repeats")
    score = (await repeats.evaluate(repeats.SAMPLES, repeats.answers())).scores["CF"]
    assert score.variants["repeat_spread"] <= 2.0


@needs_rows
async def test_scores_move_with_damage_and_with_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sensitivity, replays = bench(monkeypatch, "sensitivity"), bench(monkeypatch, "replays")
    made = sensitivity.variants(DATA)
    kept = replays.read(sensitivity.REPLAY)
    have, all_ = sensitivity.answered(made, kept)
    assert have == all_, "a prompt, the parser or a perturbation changed: have a model judge again"
    assert "\n0 cells are not as they should be" in await sensitivity.matrix(made, kept)


async def test_a_model_gives_attack_and_twin_one_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    attacks = bench(monkeypatch, "attacks")
    cases = attacks.cases()
    attack, clean = (attacks.model_labels(cases, twin) for twin in attacks.TWINS)
    assert set(attack) == set(clean) == {case.id for case in cases}
    assert attack == clean
