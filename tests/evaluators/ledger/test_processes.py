"""Several processes on one store: nothing is lost, whatever kills one of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dream_evaluators.ledger import Ledger
from tests.conftest import ROOT

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

# Writes answers one by one and says so after each that was acknowledged.
WRITER = """
import sys, anyio
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import Answer

async def main(path, name, count):
    ledger = Ledger.open(path)
    for number in range(int(count)):
        answer = Answer(item=f"b2:{number}", judge=f"agent:{name}", answer="{}")
        assert await ledger.answers.record([answer]) == (answer.item,)
        print(number, flush=True)
    ledger.close()

anyio.run(main, *sys.argv[1:])
"""


def start(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    folders = [str(ROOT / "evaluators"), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(count)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
    )


async def test_processes_that_open_a_new_store_at_once_all_get_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite3"
    writers = [start(path, name, 3) for name in "abcdef"]
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    found = await written(path, 3)
    assert {judge: len(items) for judge, items in found.items()} == {
        f"agent:{name}": 3 for name in "abcdef"
    }


async def written(path: Path, count: int) -> dict[str, list[str]]:
    """Which items each judge answered, as stored."""
    ledger = Ledger.open(str(path))
    found: dict[str, list[str]] = {}
    for item, answers in (await ledger.answers.of([f"b2:{n}" for n in range(count)])).items():
        for answer in answers:
            found.setdefault(answer.judge, []).append(item)
    assert await ledger.verify() == []
    ledger.close()
    return found


async def test_four_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite3"
    Ledger.open(str(path)).close()
    writers = [start(path, name, 60) for name in "abcd"]
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    found = await written(path, 60)
    assert {judge: len(items) for judge, items in found.items()} == {
        f"agent:{name}": 60 for name in "abcd"
    }


async def test_a_process_killed_in_the_middle_leaves_what_it_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite3"
    writer = start(path, "a", 100_000)
    assert writer.stdout is not None
    acknowledged = [int(writer.stdout.readline()) for _ in range(25)]
    writer.send_signal(signal.SIGKILL)
    rest, _ = writer.communicate()
    acknowledged += [int(line) for line in rest.splitlines(keepends=True) if line.endswith("\n")]
    found = await written(path, len(acknowledged) + 50)
    kept = {int(item.removeprefix("b2:")) for item in found["agent:a"]}
    assert set(acknowledged) <= kept
    assert len(kept) <= len(acknowledged) + 1  # the one that was in flight
    ledger = Ledger.open(str(path))
    await ledger.evaluations.start("request", "{}")
    ledger.close()
