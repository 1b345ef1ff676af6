"""A process killed in the middle: run again, it finishes, and nothing is done or asked twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROOT
from .site import Site, serving

PAGES = 12
SILENT = {
    "facts": [{"fact": "all of it", "quote": "", "relation": "absent"}],
    "reasoning": "Not found.",
    "verdict": "unverifiable",
}


@pytest.fixture
def site() -> Iterator[Site]:
    pages = {f"/page{n}": f"<p>Page {n} says that rain fell.</p>" for n in range(PAGES)}
    with serving(pages, seconds=0.15) as started:
        yield started


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        "DREAM_STORE": str(tmp_path / "crash.sqlite3"),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "server"), str(ROOT / "evaluators")]),
        **more,
    }


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "dream_mcp", *arguments]


@pytest.mark.slow
def test_killed_while_reading_pages_it_goes_on_where_it_was(tmp_path: Path, site: Site) -> None:
    lines = [f"Rain fell on {n} days ([{n}](http://{site.host}/page{n}))." for n in range(PAGES)]
    (tmp_path / "report.md").write_text("\n\n".join(lines), encoding="utf-8")
    env = environment(tmp_path, DREAM_FETCH_ALLOW=site.host, DREAM_OFFLINE="0")
    run = command("evaluate", "report.md", "--judge", "agent", "--effort", "full", "--json")
    with subprocess.Popen(run, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL) as process:
        while len(site.asked) < PAGES // 2:
            assert process.poll() is None, "it ended before it could be killed"
        process.send_signal(signal.SIGKILL)
    before = dict(site.asked)
    done = subprocess.run(
        run, cwd=tmp_path, env=env, capture_output=True, text=True, check=True, timeout=60
    )
    card = json.loads(done.stdout)
    assert card["status"] == "needs_work"
    assert card["progress"]["total"] == PAGES
    # Only what was under way when the process died is asked for again: two requests at a time.
    repeated = [page for page, count in site.asked.items() if count > 1]
    assert len(repeated) <= 2 + 1
    assert set(repeated) <= set(before)


@pytest.mark.slow
def test_killed_while_taking_answers_it_asks_none_of_them_again(tmp_path: Path) -> None:
    pack, example = ROOT / "examples" / "pack.zip", ROOT / "examples" / "report.md"
    env = environment(tmp_path, DREAM_OFFLINE="1")

    def run(*arguments: str) -> Any:
        done = subprocess.run(
            command(*arguments, "--json"), env=env, capture_output=True, text=True, check=False
        )
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    started = run(
        "evaluate", str(example), "--pack", str(pack), "--judge", "agent", "--effort", "full"
    )
    evaluation = started["evaluation_id"]
    total = sum(
        len(o["questions"]) for o in run("work", evaluation, "--limit", "99")["work_orders"]
    )
    answered: set[str] = set()
    for delay in (0.3, 0.6, 0.8, 0.9, 1.0, 1.2, 1.5):
        orders = run("work", evaluation, "--limit", "99")["work_orders"]
        waiting = [q for order in orders for q in order["questions"]]
        # What a killed process had stored is gone from the work; what it had not is still there.
        assert not answered & set(waiting)
        answered |= {f"q{n}" for n in range(1, total + 1)} - set(waiting)
        if not waiting:
            break
        file = tmp_path / "answers.json"
        file.write_text(json.dumps([{"id": q, "answer": SILENT} for q in waiting[:5]]))
        with subprocess.Popen(
            command("answer", evaluation, str(file), "--by", "killed"),
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            time.sleep(delay)
            process.kill()
    orders = run("work", evaluation, "--limit", "99")["work_orders"]
    rest = [q for order in orders for q in order["questions"]]
    if rest:
        (tmp_path / "rest.json").write_text(json.dumps([{"id": q, "answer": SILENT} for q in rest]))
        run("answer", evaluation, str(tmp_path / "rest.json"), "--by", "killed")
    card = run(
        "evaluate", str(example), "--pack", str(pack), "--judge", "agent", "--effort", "full"
    )
    assert card["status"] == "complete"
    assert card["progress"]["done"] == card["progress"]["total"]
    assert card["scores"]["CF"]["n_scored"] == card["scores"]["CF"]["n_total"]
