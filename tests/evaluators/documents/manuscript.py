"""One report of our own in four forms: Markdown, HTML, DOCX and PDF."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape

from tests.evaluators.documents import docx_files as docx
from tests.evaluators.documents.pdf_files import Page, make_pdf


@dataclass(frozen=True)
class Link:
    """A link in a text; without an address it is a note: `text` is its label."""

    text: str
    url: str = ""


Text = tuple[str | Link, ...]

NOTE_HEIGHT = 70.0  # of the note on the printed page, in points from its foot
NOTES = {"1": ("Survey of cars, ", Link("Example Institute", "https://notes.test/cars"))}
REPORT: tuple[tuple[str, Text], ...] = (
    ("h1", ("Transport in 2024",)),
    (
        "p",
        ("Cars grew by 5 % in 2024.", Link("1"), " Buses carried 31 million people in 2023 [2]."),
    ),
    (
        "p",
        (
            "Trains ran 4,000 km of track in 2022, as ",
            Link("the railway office (part 2)", "https://rail.test/a_(b)?x=1&y=2"),
            " reports. In the same year, trams stood still for 12 days because of a strike that",
            " lasted from March to April and cost the city about 3 million euros.",
        ),
    ),
    ("h2", ("Freight",)),
    (
        "li",
        ("Lorries moved 70 % of all goods in 2021 ", Link("[3]", "https://lorry.test/data"), "."),
    ),
    ("li", ("Ships moved 12 % of all goods in 2021 [1].",)),
    ("table", ("Mode", "Share in 2024")),
    ("row", ("Road", "61 %")),
    ("row", ("Rail", "19 %")),
    ("h2", ("References",)),
    ("ref", ("Shipping yearbook, https://ships.test/2021",)),
    ("ref", ("Bus statistics, https://bus.test/2023",)),
)


def as_markdown() -> str:
    """Write it as Markdown."""
    marks = {"h1": "# ", "h2": "## ", "p": "", "li": "- "}
    lines: list[str] = []
    number = 0
    for kind, text in REPORT:
        if kind in ("table", "row"):
            lines.append(
                f"| {' | '.join(map(str, text))} |" + ("\n| --- | --- |" * (kind == "table"))
            )
        elif kind == "ref":
            number += 1
            lines.append(f"{number}. {_markdown(text)}")
        else:
            lines.append(f"\n{marks[kind]}{_markdown(text)}" + "\n" * (kind != "li"))
    notes = [f"\n[^note{label}]: {_markdown(text)}" for label, text in NOTES.items()]
    return "\n".join([*lines, *notes]) + "\n"


def _markdown(text: Text) -> str:
    return "".join(
        part
        if isinstance(part, str)
        else f"[{part.text}]({part.url})"
        if part.url
        else f"[^note{part.text}]"
        for part in text
    )


def as_html() -> bytes:
    """Write it as a page, its note as pandoc writes notes."""
    wraps = {"li": "ul", "ref": "ol", "table": "table", "row": "table"}
    body, open_list = "", ""
    for kind, text in REPORT:
        wrap = wraps.get(kind, "")
        if wrap != open_list:
            body += f"</{open_list}>" * bool(open_list) + f"<{wrap}>" * bool(wrap)
            open_list = wrap
        if kind in ("table", "row"):
            tag = "th" if kind == "table" else "td"
            body += (
                "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in text) + "</tr>"
            )
        else:
            tag = {"ref": "li"}.get(kind, kind)
            body += f"<{tag}>{_html(text)}</{tag}>"
    body += f"</{open_list}>" * bool(open_list)
    notes = "".join(
        f'<li id="fn{label}"><p>{_html(text)} <a href="#fnref{label}">↩︎</a></p></li>'
        for label, text in NOTES.items()
    )
    return (
        "<!doctype html><html><head><title>Transport</title></head><body><nav>Menu</nav>"
        f'{body}<section class="footnotes"><ol>{notes}</ol></section></body></html>'
    ).encode()


def _html(text: Text) -> str:
    return "".join(
        escape(part)
        if isinstance(part, str)
        else f'<a href="{escape(part.url)}">{escape(part.text)}</a>'
        if part.url
        else f'<a href="#fn{part.text}" id="fnref{part.text}"><sup>{part.text}</sup></a>'
        for part in text
    )


def as_docx() -> bytes:
    """Write it as a DOCX with a real footnote."""
    links: dict[str, str] = {}
    blocks: list[str] = []
    rows: list[list[str]] = []
    for kind, text in REPORT:
        if kind in ("table", "row"):
            rows.append([str(cell) for cell in text])
            continue
        if rows:
            blocks.append(docx.table(rows))
            rows = []
        style = {"h1": "Heading1", "h2": "Heading2"}.get(kind, "")
        listed = {"li": (1, 0), "ref": (2, 0)}.get(kind)
        blocks.append(docx.paragraph(*_docx(text, links), style=style, listed=listed))
    notes = {label: docx.paragraph(*_docx(text, links)) for label, text in NOTES.items()}
    return docx.make_docx(*blocks, links=links, footnotes=notes, title="Transport")


def _docx(text: Text, links: dict[str, str]) -> list[str]:
    parts: list[str] = []
    for part in text:
        if isinstance(part, str):
            parts.append(docx.run(part))
        elif part.url:
            number = f"link{len(links)}"
            links[number] = part.url
            parts.append(docx.hyperlink(number, part.text))
        else:
            style = '<w:rStyle w:val="FootnoteReference"/>'
            note = f'<w:footnoteReference w:id="{part.text}"/>'
            parts.append(f"<w:r><w:rPr>{style}</w:rPr>{note}</w:r>")
    return parts


def as_pdf() -> bytes:
    """Set it as a page would be printed: wrapped lines, links over them, the note at the foot."""
    page = Page()
    y, number = 740.0, 0
    for kind, text in REPORT:
        lead = ""
        if kind == "ref":
            number += 1
            lead = f"{number}. "
        elif kind == "li":
            lead = "• "
        size = {"h1": 18, "h2": 14}.get(kind, 10)
        if kind in ("table", "row"):
            for column, cell in enumerate(text):
                page.text(60 + 150 * column, y, str(cell), size=size, bold=kind == "table")
            y -= 18
        else:
            y = _set(page, y - (0 if kind in ("li", "ref") else 12), (lead, *text), size)
    for label, text in NOTES.items():
        _set(page, NOTE_HEIGHT, (f"{label}. ", *text), 10)
    return make_pdf([page], title="Transport")


def _set(page: Page, y: float, text: Text, size: float) -> float:
    """Set a paragraph and return where the next begins; notes are raised links to the foot."""
    plain = "".join(part if isinstance(part, str) else part.text for part in text)
    owners = [part for part in text for _ in (part if isinstance(part, str) else part.text)]
    at = 0
    for line in textwrap.wrap(plain, 72, break_long_words=False, break_on_hyphens=False):
        at = plain.index(line, at)
        x, begin = 60.0, at
        while begin < at + len(line):
            owner = owners[begin]
            end = begin
            while end < at + len(line) and owners[end] is owner:
                end += 1
            note = isinstance(owner, Link) and not owner.url
            shown, raised = plain[begin:end], 0.45 * size if note else 0.0
            set_at = size * 0.6 if note else size
            after = page.text(x, y + raised, shown, size=set_at, bold=size > 10)
            if isinstance(owner, Link):
                page.link(x, y + raised, after, owner.url or f"0:{NOTE_HEIGHT + 12}", size=set_at)
            x, begin = after, end
        at += len(line)
        y -= 1.3 * size
    return y - 0.5 * size
