"""Start-up: import CPU beyond mcp's own, and spawn to first tools/list beside an empty server.

Run: `python bench/startup.py [rounds]`. Minimum over rounds, each in a process of its own.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

IMPORTS = """
import time
import mcp, mcp.server.mcpserver, mcp.server
before = time.process_time()
import dream_mcp.app
imported = time.process_time()
from dream_mcp.settings import Settings
dream_mcp.app.build(Settings(), {})
print(imported - before, time.process_time() - imported)
"""
EMPTY = """
from mcp.server import MCPServer
server = MCPServer("empty")
def make(number):
    def tool() -> str:
        return "x"
    tool.__name__ = f"tool_{number}"
    return tool
for number in range(COUNT):
    server.tool()(make(number))
server.run()
"""
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}


def first_list(command: list[str], env: dict[str, str]) -> tuple[float, int]:
    """Seconds from spawn to the answer of tools/list, and how many tools it names."""
    start = time.perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
    ) as process:
        assert process.stdin
        assert process.stdout
        for message in (HELLO, READY, LIST):
            process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        while True:
            answer = json.loads(process.stdout.readline())
            if answer.get("id") == LIST["id"]:
                break
        seconds = time.perf_counter() - start
        process.stdin.close()
        process.wait(10)
    return seconds, len(answer["result"]["tools"])


def import_cpu() -> tuple[float, float]:
    """CPU seconds of our imports and of making the server, beyond importing mcp."""
    output = subprocess.run(
        [sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True
    ).stdout
    imported, built = output.split()
    return float(imported), float(built)


def main() -> None:
    """Print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    cpu = [import_cpu() for _ in range(rounds)]
    print(f"import CPU beyond mcp's own: {1000 * min(c[0] for c in cpu):.0f} ms (gate 120)")
    print(f"making the server with its tools: {1000 * min(c[1] for c in cpu):.0f} ms CPU")
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "DREAM_STORE": f"{folder}/ledger.sqlite3"}
        ours = [sys.executable, "-m", "dream_mcp"]
        count = first_list(ours, env)[1]
        empty = [sys.executable, "-c", EMPTY.replace("COUNT", str(count))]
        pairs = [(first_list(ours, env)[0], first_list(empty, env)[0]) for _ in range(rounds)]
    for name, values in (("dream-mcp", [p[0] for p in pairs]), ("empty", [p[1] for p in pairs])):
        print(
            f"spawn to first tools/list, {name}, {count} tools: "
            f"min {min(values):.3f} s, median {statistics.median(values):.3f} s"
        )
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"ratio, median of {rounds} interleaved pairs: {ratio:.2f}")


if __name__ == "__main__":
    main()
