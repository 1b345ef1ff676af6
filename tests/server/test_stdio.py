"""The server as hosts start it: a process of its own, JSON-RPC on stdout and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
REPORT = "Rain fell on 12 days ([Rain](https://rain.test/days)). 雨下了十二天【1】。\n\n【1】 https://yu.test/\n"
# Serves as `dream-mcp` does, with a print at import, in a tool's thread and at exit added.
LOUD = """
import atexit, sys
import dream_mcp.__main__ as main
import dream_mcp.app as app
atexit.register(print, "LOUD AT EXIT")
def loud(*arguments):
    print("LOUD IN A TOOL")
    return arguments
original = app.App.work
async def work(self, *arguments, **more):
    loud()
    return await original(self, *arguments, **more)
app.App.work = work
sys.exit(main.main([]))
"""
# Tells on stderr which modules were loaded when the client closed the connection.
LISTED = """
import sys
import dream_mcp.__main__ as main
code = main.main([])
heavy = [m for m in ("anthropic", "tldextract", "selectolax", "pypdfium2") if m in sys.modules]
print("LOADED", heavy, file=sys.stderr)
sys.exit(code)
"""


def environment(tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "DREAM_STORE": str(tmp_path / "stdio.sqlite3"),
        "DREAM_OFFLINE": "1",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }


def converse(
    program: list[str], env: dict[str, str], requests: list[tuple[str, dict[str, Any]]]
) -> tuple[list[Any], str]:
    lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}]
    lines.append({"jsonrpc": "2.0", "method": "notifications/initialized"})
    lines += [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        for number, (method, params) in enumerate(requests, 1)
    ]
    with subprocess.Popen(
        [sys.executable, *program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        output = []
        for line in lines:
            process.stdin.write(json.dumps(line) + "\n")
            process.stdin.flush()
            if "id" in line:
                while True:
                    answer = json.loads(process.stdout.readline())
                    output.append(answer)
                    if answer.get("id") == line["id"]:
                        break
        process.stdin.close()
        output += [json.loads(line) for line in process.stdout.read().splitlines()]
        errors = process.stderr.read()
        assert process.wait(15) == 0, errors
    return output, errors


def test_nothing_but_json_rpc_reaches_stdout(tmp_path: Path) -> None:
    calls = [
        ("tools/list", {}),
        ("tools/call", {"name": "evaluate_report", "arguments": {"report": REPORT}}),
        ("tools/call", {"name": "open_report", "arguments": {"report": ""}}),
    ]
    output, errors = converse(["-c", LOUD], environment(tmp_path), calls)
    assert all(message["jsonrpc"] == "2.0" for message in output)
    assert "LOUD IN A TOOL" in errors


def test_after_listing_tools_the_heavy_libraries_are_not_loaded(tmp_path: Path) -> None:
    _, errors = converse(["-c", LISTED], environment(tmp_path), [("tools/list", {})])
    assert "LOADED []" in errors


def test_it_ends_when_its_client_goes_away(tmp_path: Path) -> None:
    converse(["-m", "dream_mcp"], environment(tmp_path), [])


def test_a_store_that_cannot_be_used_is_said_on_stderr(tmp_path: Path) -> None:
    env = {**environment(tmp_path), "DREAM_STORE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "dream_mcp"],
        input="",
        capture_output=True,
        env=env,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "DREAM_STORE" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.anyio
@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
async def test_both_protocol_eras_are_served_by_one_process(
    tmp_path: Path, mode: str, version: str
) -> None:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "dream_mcp"], env=environment(tmp_path)
    )
    async with Client(stdio_client(server), mode=mode) as client:
        assert client.protocol_version == version
        answer = await client.call_tool("evaluate_report", {"report": REPORT})
        card = answer.structured_content
        assert card is not None
        assert card["scores"]["CA"]["value"] == 100.0
        assert card["scores"]["CF"]["reason"] == "source_unreachable"
