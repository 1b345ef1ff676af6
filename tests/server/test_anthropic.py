"""The anthropic rung from end to end: the command line, the real SDK, a scripted endpoint."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.evaluators.judges.anthropic.endpoint import KEY, Act, Endpoint, answer, endpoint, failure

from .conftest import ROOT

pytestmark = pytest.mark.anyio
EXAMPLE = ROOT / "examples" / "report.md"
PACK = ROOT / "examples" / "pack.zip"


async def start(tmp_path: Path, served: Endpoint, *more: str) -> asyncio.subprocess.Process:
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
        "-m",
        "dream_mcp",
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
