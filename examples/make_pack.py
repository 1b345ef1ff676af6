"""Make the example's evidence pack from its pages: `python examples/make_pack.py`.

The pages under `sources/` are read exactly as if they had come from the network. Run this after
changing a page or the extraction; a test checks that the pack is up to date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import anyio

from dream_evaluators.ledger.reports import OpenedReport
from dream_evaluators.model.judgement import Answer
from dream_evaluators.model.source import Source
from dream_evaluators.model.stored import adapter
from dream_evaluators.report import decode_report
from dream_evaluators.web.packs import write_pack
from dream_evaluators.web.reading import source_of
from dream_evaluators.web.response import Response

HERE = Path(__file__).parent
RETRIEVED = "2026-11-01T00:00:00Z"
QUERY = "Do air-source heat pumps keep homes warm in cold climates?"


async def example_source(file: str) -> Source:
    """Read one page file as a source."""
    page = json.loads(file)
    body = page.get("html") or page["text"]
    response = Response(
        url=page["url"],
        final_url=page["url"],
        status=page["status"],
        headers=(("content-type", f"{page['media_type']}; charset=utf-8"),),
        body=body.encode("utf-8"),
        retrieved_at=RETRIEVED,
    )
    source, _ = await source_of(page["url"], response)
    return source


def example_pack(answers: str = "") -> bytes:
    """Make the pack; with `answers` (JSON lines) it replays a judged evaluation too."""
    report = OpenedReport(text=decode_report((HERE / "report.md").read_bytes()), query=QUERY)
    pages = sorted((HERE / "sources").glob("*.json"))
    sources = [anyio.run(example_source, page.read_text(encoding="utf-8")) for page in pages]
    lines = filter(None, answers.split("\n"))
    recorded = [adapter(Answer).validate_python(json.loads(line)) for line in lines]
    return write_pack([report], sources, recorded)


def main() -> None:
    """Write `pack.zip` beside this file."""
    body = example_pack()
    (HERE / "pack.zip").write_bytes(body)
    sys.stdout.write(f"pack.zip: {len(body):,} bytes\n")


if __name__ == "__main__":
    main()
