from __future__ import annotations

import re

from dream_evaluators.report import parse_report
from dream_evaluators.report.view import COLOURS, render_view

TEXT = """# A <b>title</b>

Sales rose <script>alert(1)</script> [a](https://h.test/x?a=1&b='2). Costs fell 12 % there. It [opened](file-service://x).

[1]: https://h.test/1
"""


def test_the_page_shows_every_word_and_runs_none() -> None:
    report = parse_report(TEXT)
    page = render_view(report)
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    shown = re.sub(r"<[^>]+>", "", page.split("<main>")[1].split("</main>")[0])
    unescaped = (
        shown.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&#x27;", "'")
        .replace("&quot;", '"')
        .replace("&amp;", "&")
    )
    assert unescaped == TEXT


def test_statements_are_coloured_by_state_and_only_web_addresses_are_links() -> None:
    report = parse_report(TEXT)
    page = render_view(report)
    assert f"id='{report.statements[0].id}' class='cited'" in page
    assert "class='uncited'" in page
    assert "href='https://h.test/x?a=1&amp;b=&#x27;2'" in page
    assert "href='file" not in page


def test_judged_states_replace_the_parsers() -> None:
    report = parse_report(TEXT)
    first = report.statements[0].id
    page = render_view(report, {first: "contradicted", report.statements[1].id: "<evil>"})
    assert f"id='{first}' class='contradicted'" in page
    assert COLOURS["contradicted"][1] in page
    assert "evil" not in page


def test_findings_are_listed_with_links_to_their_statements() -> None:
    page = render_view(parse_report(TEXT))
    assert "<h2>Findings</h2>" in page
    assert "orphan_reference" in page
    assert "<aside>" not in render_view(parse_report("Nothing to see."))
