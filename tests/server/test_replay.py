"""An evaluation of pages from a real server replays, packed, without any network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import ROOT
from .site import serving

TEXT = "In {year} rain fell on {days} days in the valley, the council of the valley reports."
REPORT = """# Rain

In 2021 rain fell on 120 days in the valley ([one](http://{site}/1)).

In 2022 rain fell on 999 days in the valley ([two](http://{site}/2)).

In 2023 rain fell on 80 days in the valley ([gone](http://{site}/gone)).
"""


def page(year: int, days: int) -> str:
    text = TEXT.format(year=year, days=days)
    return f"<html><head><title>Rain</title></head><body><p>{text}</p></body></html>"


@pytest.fixture
def site() -> Iterator[str]:
    with serving({"/1": page(2021, 120), "/2": page(2022, 130)}) as started:
        yield started.host


def run(
    tmp_path: Path, store: str, *arguments: str, before: tuple[str, ...] = (), **more: str
) -> str:
    env = {
        **os.environ,
        "DREAM_STORE": str(tmp_path / store),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "server"), str(ROOT / "evaluators")]),
        "ANTHROPIC_API_KEY": "",
        **more,
    }
    done = subprocess.run(
        [*before, sys.executable, "-m", "dream_mcp", *arguments],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.stdout


def isolated() -> tuple[str, ...]:
    """The command that runs another in a network namespace without interfaces, if there is one."""
    unshare = shutil.which("unshare")
    command = (unshare or "", "--net", "--map-root-user")
    if (
        unshare
        and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
    ):
        return command
    return ()


@pytest.mark.slow
def test_a_packed_evaluation_replays_to_the_same_hash_without_a_network(
    tmp_path: Path, site: str
) -> None:
    (tmp_path / "report.md").write_text(REPORT.format(site=site), encoding="utf-8")
    live = json.loads(
        run(tmp_path, "live", "evaluate", "report.md", "--json", DREAM_FETCH_ALLOW=site)
    )
    assert live["top_findings"][0]["kind"] == "dead_source"
    run(tmp_path, "live", "pack", live["evaluation_id"], "-o", "pack.zip")
    command = isolated()
    if not command:
        pytest.skip("no network namespaces here")
    replayed = json.loads(
        run(
            tmp_path,
            "elsewhere",
            "evaluate",
            "report.md",
            "--pack",
            "pack.zip",
            "--json",
            before=command,
            DREAM_FETCH_ALLOW=site,
        )
    )
    assert replayed["scorecard_hash"] == live["scorecard_hash"]
    assert replayed["scores"] == live["scores"]
