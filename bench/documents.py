"""Report formats: what is left of real Markdown reports after HTML, DOCX and PDF, and after cuts.

Usage: python bench/documents.py [--maker PYTHON] [--reports N]

The maker is a Python that has pypandoc with pandoc, weasyprint, mammoth, python-docx and
docx2python; it writes the forms and reads DOCX with the peers. Without one, only the joining of
parts is measured. Letters and digits of statements are compared, blanks and punctuation are not.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from dream_evaluators.documents import join_parts, open_document
from dream_evaluators.report import parse_report

SHARED = Path(__file__).parent.parent.parent / "shared"
MAKER = r"""
import io, json, pathlib, sys, time
import docx, mammoth, pypandoc, weasyprint
from docx2python import docx2python
STYLE = '''@page {size: A4; margin: 2cm; @top-center {content: "A deep report"}
@bottom-center {content: "Page " counter(page) " of " counter(pages)}}
body {font: 10.5pt sans-serif} td, th {border: 1px solid; padding: 4px 10px}'''
COLUMNS = "body {column-count: 2; font-size: 9pt} h1 {column-span: all}"
folder, times = pathlib.Path(sys.argv[1]), {}
def timed(name, read):
    start = time.perf_counter()
    result = read()
    times[name] = times.get(name, 0) + time.perf_counter() - start
    return result
for path in sorted(folder.glob("*.md")):
    base, text = str(path)[:-3], path.read_text()
    html = pypandoc.convert_text(text, "html", format="gfm+hard_line_breaks")
    pathlib.Path(base + ".html").write_text(f"<html><body>{html}</body></html>")
    pypandoc.convert_text(text, "docx", format="gfm+hard_line_breaks", outputfile=base + ".docx")
    for kind, more in (("pdf", ""), ("columns.pdf", COLUMNS)):
        page = f"<html><head><style>{STYLE}{more}</style></head><body>{html}</body></html>"
        weasyprint.HTML(string=page).write_pdf(f"{base}.{kind}")
    body = pathlib.Path(base + ".docx").read_bytes()
    made = timed("mammoth", lambda: mammoth.convert_to_html(io.BytesIO(body)).value)
    pathlib.Path(base + ".mammoth.html").write_text(f"<html><body>{made}</body></html>")
    made = timed("docx2python", lambda: docx2python(io.BytesIO(body)).text)
    pathlib.Path(base + ".docx2python.md").write_text(made)
    made = timed("python-docx", lambda: "\n\n".join(
        p.text for p in docx.Document(io.BytesIO(body)).paragraphs))
    pathlib.Path(base + ".python-docx.md").write_text(made)
print(json.dumps(times))
"""
FORMS = ("html", "docx", "pdf", "columns.pdf", "mammoth.html", "docx2python.md", "python-docx.md")
Parts = tuple[Counter[str], Counter[tuple[str, str]]]


def reports(count: int) -> list[str]:
    """Return English and Chinese reports, at most two of each agent, shuffled."""
    path = SHARED / "data" / "reports" / "reports.dev.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    random.Random(3).shuffle(rows)  # noqa: S311 - a sample
    taken: Counter[str] = Counter()
    texts = []
    for row in rows:
        if 2_000 < len(row["article"]) < 40_000 and taken[row["agent"]] < 2:
            taken[row["agent"]] += 1
            texts.append(row["article"])
    return texts[:count]


def parts(text: str) -> Parts:
    """Return a text's statements and its (statement, address) pairs, letters and digits only."""
    report = parse_report(text)
    claims = [(re.sub(r"[\W_]+", "", s.claim).lower(), s) for s in report.statements]
    pairs = ((key, c.canonical_url) for key, s in claims for c in s.citations if c.canonical_url)
    return Counter(key for key, _ in claims if key), Counter(pairs)


def overlap(expected: Counter[Any], found: Counter[Any]) -> tuple[int, int, int]:
    """Return how many are in both, how many are expected, how many are found."""
    return (expected & found).total(), expected.total(), found.total()


def show_forms(texts: list[str], maker: str) -> None:
    """Print what is left of statements and pairs in every form."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0] * 7)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, text in enumerate(texts):
            (folder / f"{number:03}.md").write_text(text, encoding="utf-8")
        made = subprocess.run(
            [maker, "-c", MAKER, name], check=True, capture_output=True, text=True
        )
        times = json.loads(made.stdout.splitlines()[-1])
        for number, text in enumerate(texts):
            whole = parts(text)
            for form in FORMS:
                path = folder / f"{number:03}.{form}"
                start = time.perf_counter()
                found = parts(open_document(path.read_bytes(), name=path.name).text)
                seconds = time.perf_counter() - start
                counts = (*overlap(whole[0], found[0]), *overlap(whole[1], found[1]), seconds)
                sums[form] = [a + b for a, b in zip(sums[form], counts, strict=True)]
    print(f"{len(texts)} reports\n")
    print(
        "| form | statements R | P | pairs R | P | s, parsing included |\n|---|---|---|---|---|---|"
    )
    for form, (s, a, b, p, c, d, seconds) in sums.items():
        extra = times.get(form.rpartition(".")[0], 0)
        ratios = " | ".join(f"{x / max(1, y):.3f}" for x, y in ((s, a), (s, b), (p, c), (p, d)))
        print(f"| {form} | {ratios} | {seconds + extra:.2f} |")


def show_joining(texts: list[str]) -> None:
    """Print how often reports cut at random places say the same again once joined."""
    chance = random.Random(5)  # noqa: S311 - a sample
    right: Counter[tuple[str, str]] = Counter()
    ways = {
        "join_parts": join_parts,
        "line break": "\n".join,
        "blank line": "\n\n".join,
        "nothing": "".join,
    }
    cuts = {"anywhere": None, "anywhere, trimmed": None, "at a blank": " ", "at a line's end": "\n"}
    tried: Counter[str] = Counter()
    for text in texts:
        whole = parts(text)
        for cut, at in cuts.items():
            places = [m.start() for m in re.finditer(at or ".", text[:-1], re.S)][50:]
            if not places:
                continue
            place = chance.choice(places)
            pieces = [text[:place], text[place:]]
            if cut != "anywhere":
                pieces = [piece.strip() for piece in pieces]
            tried[cut] += 1
            for name, join in ways.items():
                right[cut, name] += parts(join(pieces)) == whole
    print("\n| cut | " + " | ".join(ways) + " |\n" + "|---" * (len(ways) + 1) + "|")
    for cut in cuts:
        shares = " | ".join(f"{right[cut, name] / max(1, tried[cut]):.3f}" for name in ways)
        print(f"| {cut} ({tried[cut]}) | {shares} |")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--maker", default="")
    parser.add_argument("--reports", type=int, default=24)
    arguments = parser.parse_args()
    if arguments.maker:
        show_forms(reports(arguments.reports), arguments.maker)
    show_joining(reports(10_000))


if __name__ == "__main__":
    main()
