"""Real reports of different agents, without a network: scored where possible, nobody condemned."""

from __future__ import annotations

import gzip
import json
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from .conftest import ROOT

REPORTS = ROOT.parent / "shared" / "data" / "reports" / "reports.dev.jsonl.gz"
AGENTS = (
    ("claude-3.7-websearch", "zh"),
    ("langchain-odr-claude4-sonnet", "en"),
    ("onyx", "en"),
    ("gemini-2.5-dr(ref)", "en"),
    ("liveresearchbench-ref", "en"),
    ("tongyi-webweaver", "zh"),
)
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.skipif(not REPORTS.exists(), reason="needs the reports of ../shared"),
]


@cache
def reports() -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    with gzip.open(REPORTS, "rt", encoding="utf-8") as lines:
        for line in lines:
            report = json.loads(line)
            found.setdefault((report["agent"], report["language"]), report["article"])
    return found


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
async def test_real_reports_are_scored_over_stdio_and_no_source_is_called_dead(
    tmp_path: Path, mode: str, version: str
) -> None:
    env = {
        **os.environ,
        "DREAM_STORE": str(tmp_path / "real.sqlite3"),
        "DREAM_OFFLINE": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "server"), str(ROOT / "evaluators")]),
    }
    server = StdioServerParameters(command=sys.executable, args=["-m", "dream_mcp"], env=env)
    async with Client(stdio_client(server), mode=mode) as client:
        assert client.protocol_version == version
        for key in AGENTS:
            answer = await client.call_tool("evaluate_report", {"report": reports()[key]})
            card: Any = answer.structured_content
            scores = card["scores"]
            assert card["status"] == "complete", key
            assert 0 < scores["CA"]["value"] <= 100, key
            assert 0 < scores["DA"]["value"] <= 100, key
            assert "value" not in scores["CF"], key
            assert scores["CF"]["reason"] == "source_unreachable", key
            sources = await client.call_tool(
                "get_evaluation",
                {"evaluation_id": card["evaluation_id"], "detail": "sources", "limit": 100},
            )
            assert sources.structured_content is not None
            assert all(s["state"] != "dead" for s in sources.structured_content["sources"]), key


async def test_the_default_reply_stays_readable_for_a_model() -> None:
    env = {"DREAM_STORE": ":memory:", "DREAM_OFFLINE": "1", "DREAM_ROOTS": str(ROOT)}
    from dream_evaluators.tokens import estimate_tokens
    from dream_mcp.app import build
    from dream_mcp.settings import Settings

    async with Client(build(Settings.from_env(env), env)) as client:
        for key in AGENTS:
            for tool in ("evaluate_report", "audit_report", "extract_claims"):
                answer = await client.call_tool(tool, {"report": reports()[key]})
                size = estimate_tokens(json.dumps(answer.structured_content, ensure_ascii=False))
                assert size <= 8_000, (key, tool, size)
