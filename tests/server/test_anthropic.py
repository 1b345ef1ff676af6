"""The anthropic rung from end to end: the command line, the real SDK, a scripted endpoint."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.evaluators.judges.anthropic.cases import paid
from tests.evaluators.judges.anthropic.endpoint import KEY, Act, Endpoint, answer, endpoint, failure

from .conftest import ROOT

pytestmark = pytest.mark.anyio
EXAMPLE = ROOT / "examples" / "report.md"
PACK = ROOT / "examples" / "pack.zip"


# The same command where any round is large enough for a message batch, and nobody waits long.
BATCHING = """
import sys
from functools import partial
import dream_evaluators.judges.anthropic as rung
rung.BATCH_FROM = 1
rung.AnthropicSettings = partial(rung.AnthropicSettings, batch_seconds=float(sys.argv.pop(1)))
from dream_mcp.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
COMMAND = ("-m", "dream_mcp")
WAITING = ("-c", BATCHING, "600")
NOT_WAITING = ("-c", BATCHING, "0")


async def start(
    tmp_path: Path, served: Endpoint, *more: str, command: Sequence[str] = COMMAND
) -> asyncio.subprocess.Process:
    env = {
        **os.environ,
        "DREAM_STORE": str(tmp_path / "anthropic.sqlite3"),
        "DREAM_OFFLINE": "1",
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": served.url,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "server"), str(ROOT / "evaluators")]),
    }
    arguments = ["evaluate", str(EXAMPLE), "--pack", str(PACK), "--json", *more]
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *command,
        *arguments,
        env=env,
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def finish(process: asyncio.subprocess.Process) -> tuple[dict[str, Any], str]:
    output, errors = await asyncio.wait_for(process.communicate(), 60)
    return (json.loads(output) if output else {}), errors.decode()


def recorded_claims(tmp_path: Path) -> set[str]:
    """The claims on one source that the ledger has an answer to."""
    with closing(sqlite3.connect(tmp_path / "anthropic.sqlite3")) as store:
        rows = store.execute(
            "select inputs, exists (select 1 from answer where item = id) from item"
        )
        found = [(json.loads(inputs)["claim"], answered) for inputs, answered in rows]
    times = Counter(claim for claim, _ in found)
    return {claim for claim, answered in found if answered and times[claim] == 1}


def asked(served: Endpoint) -> Counter[str]:
    return Counter(claim for call in served.calls for claim in call.questions.values())


async def asked_once(tmp_path: Path) -> Counter[str]:
    """What an evaluation asks that nothing disturbs, in a store of its own."""
    folder = tmp_path / "undisturbed"
    folder.mkdir()
    async with endpoint() as served:
        card, errors = await finish(await start(folder, served))
        assert card["status"] == "complete", errors
        return paid(served)


async def test_with_a_key_auto_means_the_model_and_a_second_run_costs_nothing(
    tmp_path: Path,
) -> None:
    async with endpoint() as served:
        card, errors = await finish(await start(tmp_path, served))
        assert card["status"] == "complete", errors
        assert card["judge"] == "anthropic"
        assert card["scores"]["CF"]["status"] == "scored"
        assert card["cost"]["calls"] == len(served.calls)
        assert card["cost"]["usd"] > 0
        calls = len(served.calls)
        again, _ = await finish(await start(tmp_path, served))
        assert len(served.calls) == calls
        assert again == card
        assert KEY not in json.dumps(card) + errors


@pytest.mark.slow
async def test_killed_in_the_middle_it_finishes_and_asks_no_answered_question_again(
    tmp_path: Path,
) -> None:
    async with endpoint() as served:
        held = asyncio.Event()

        def half(call: Any) -> Act:
            if len(served.calls) > 1:
                served.held = held  # what comes now hangs until the process is dead
            return answer(call)

        served.script = half
        process = await start(tmp_path, served)
        while len(served.calls) < 2 or not recorded_claims(tmp_path):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        process.kill()
        await process.wait()
        before = asked(served)
        answered = recorded_claims(tmp_path)
        assert 0 < len(answered) < len(before)
        held.set()
        served.script, served.held = answer, None
        card, errors = await finish(await start(tmp_path, served))
        assert card["status"] == "complete", errors
        repeated = {claim for claim, count in asked(served).items() if count > before[claim] > 0}
        assert not repeated & answered


async def test_a_cap_ends_in_a_provisional_scorecard(tmp_path: Path) -> None:
    async with endpoint() as served:
        process = await start(tmp_path, served, "--max-calls", "1")
        card, errors = await finish(process)
        assert card["status"] == "budget_exhausted", errors
        assert card["scores"]["CF"]["reason"] == "pending"
        assert "CA" in card["scores"]
        done, _ = await finish(await start(tmp_path, served))
        assert done["status"] == "complete"


async def test_a_refused_key_is_said_plainly_and_nothing_is_lost(tmp_path: Path) -> None:
    async with endpoint() as served:
        served.script = lambda _: failure(401, "authentication_error", f"invalid {KEY}")
        process = await start(tmp_path, served)
        _, errors = await finish(process)
        assert process.returncode == 2
        assert "ANTHROPIC_API_KEY" in errors or "key" in errors
        assert KEY not in errors
        assert "Traceback" not in errors
        served.script = answer
        card, _ = await finish(await start(tmp_path, served))
        assert card["status"] == "complete"


@pytest.mark.slow
@pytest.mark.parametrize("samples", [1, 2])
async def test_an_evaluation_whose_answers_come_later_says_so_and_is_fetched_by_the_next_run(
    tmp_path: Path, samples: int
) -> None:
    once = await asked_once(tmp_path)
    async with endpoint() as served:
        served.batches.looks = 1
        more = ("--batches", "--samples", str(samples))
        first = await start(tmp_path, served, *more, "--fresh", command=NOT_WAITING)
        card, errors = await finish(first)
        assert first.returncode == 0
        assert card["status"] == "running"
        assert "wait in the message batch" in card["progress"]["message"]
        assert "Run the same again later" in errors
        (typed,) = [line for line in errors.splitlines() if line.startswith("When you come back")]
        assert typed.endswith(f"dream-mcp evaluate {EXAMPLE} --pack {PACK} --json {' '.join(more)}")
        assert "in some minutes" in card["next"]
        assert card["scores"]["CF"]["reason"] == "pending"
        assert len(served.batches.results) == samples
        for _ in range(6):  # a round of its own for each later question
            card, errors = await finish(await start(tmp_path, served, *more, command=NOT_WAITING))
            if card["status"] != "running":
                break
        assert card["status"] == "complete", errors
        assert paid(served) == Counter({claim: samples * n for claim, n in once.items()})
        assert card["cost"]["calls"] == len(served.calls) + len(served.batches.calls)


@pytest.mark.slow
async def test_killed_while_it_waits_for_a_batch_it_pays_nothing_twice(tmp_path: Path) -> None:
    once = await asked_once(tmp_path)
    async with endpoint() as served:
        served.batches.looks = 10**9
        process = await start(tmp_path, served, "--batches", command=WAITING)
        while not any(served.batches.looked.values()):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        process.kill()
        await process.wait()
        handed_in = len(served.batches.calls)
        served.batches.looks = 0
        # The next run may do without batches; what was handed in is fetched nevertheless.
        card, errors = await finish(await start(tmp_path, served))
        assert card["status"] == "complete", errors
        assert len(served.batches.calls) == handed_in > 0
        assert paid(served) == once
        assert card["cost"]["calls"] == len(served.calls) + handed_in


@pytest.mark.slow
async def test_killed_before_a_batch_had_its_id_it_finds_the_batch_and_pays_nothing_twice(
    tmp_path: Path,
) -> None:
    once = await asked_once(tmp_path)
    async with endpoint() as served:
        served.held = asyncio.Event()  # the batch is taken, and the answer hangs
        process = await start(tmp_path, served, "--batches", command=WAITING)
        while not served.batches.results:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        process.kill()
        await process.wait()
        handed_in = len(served.batches.calls)
        served.held.set()
        card, errors = await finish(await start(tmp_path, served))
        assert card["status"] == "complete", errors
        assert len(served.batches.calls) == handed_in > 0
        assert paid(served) == once
        assert card["cost"]["calls"] == len(served.calls) + handed_in


async def test_an_endpoint_without_batches_is_named_and_asked_the_usual_way(
    tmp_path: Path,
) -> None:
    async with endpoint() as served:
        served.batches.closed = True
        card, errors = await finish(await start(tmp_path, served, "--batches", command=WAITING))
        assert card["status"] == "complete", errors
        assert "takes no message batches" in errors
        assert card["cost"]["calls"] == len(served.calls) > 0
