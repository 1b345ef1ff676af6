"""DOCX: headings, lists, tables, links of every kind, notes, and what must not be read."""

from __future__ import annotations

import pytest

from dream_evaluators.documents import open_document
from dream_evaluators.errors import ReportUnreadable
from dream_evaluators.report import parse_report
from tests.evaluators.documents.docx_files import (
    BOLD,
    RAISED,
    hyperlink,
    make_docx,
    paragraph,
    run,
    table,
)


def text_of(*blocks: str, **parts: dict[str, str]) -> str:
    return open_document(make_docx(*blocks, **parts)).text.rstrip("\n")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("block", "markdown"),
    [
        (paragraph("Title", style="Title"), "# Title"),
        (paragraph("One", style="Heading1"), "# One"),
        (paragraph("Two", style="Heading2"), "## Two"),
        (paragraph("Big", style="Big"), "### Big"),
        (paragraph("Text", style="Body"), "Text"),
        (paragraph("Text", style="NoSuchStyle"), "Text"),
        (paragraph("Said", style="Quote"), "> Said"),
        (paragraph("Contents ... 3", style="TOC1") + paragraph("x"), "x"),
        (paragraph(run("Sources", BOLD)), "**Sources**"),
        (paragraph(run("Cost ", BOLD), "is 5."), "Cost is 5."),
        (paragraph("a", listed=(1, 0)) + paragraph("b", listed=(1, 1)), "- a\n  - b"),
        (paragraph("a", style="ListBullet"), "- a"),
        (paragraph("a", listed=(2, 0)) + paragraph("b", listed=(2, 0)), "1. a\n2. b"),
        (paragraph("a", listed=(3, 0)), "[1] a"),
        (
            paragraph("a", listed=(2, 0)) + paragraph("b", listed=(4, 0)),
            "1. a\n1. b",
        ),
        (paragraph("10", run("6", RAISED), " km"), "10<sup>6</sup> km"),
        (paragraph("said", run("1", RAISED), run(",2", RAISED), "."), "said<sup>1,2</sup>."),
        (paragraph("the 4", run("th", RAISED)), "the 4th"),
        (paragraph("a", "<w:r><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>"), "a b  \nc"),
        (paragraph("a<b>"), "a&lt;b>"),
        (paragraph("x", "<w:r><w:noBreakHyphen/></w:r>", "y"), "x-y"),
        (paragraph("<m:oMath><m:r><m:t>a=1</m:t></m:r></m:oMath>"), "a=1"),
        (
            paragraph("f(x)", style="SourceCode") + paragraph("  g", style="SourceCode"),
            "```\nf(x)\n  g\n```",
        ),
        (table([["a", "b"], ["1", "x|y"]]), "| a | b |\n| --- | --- |\n| 1 | x\\|y |"),
        (table([["a", "b"], ["1", "2"]], header=False), "| a | b |\n| 1 | 2 |"),
        (table([["only one"]]), "only one"),
        (table([[paragraph("T", style="Heading1") + paragraph("x"), "y"]]), "# T\n\nx\n\ny"),
    ],
)  # fmt: skip
def test_blocks_become_markdown(block: str, markdown: str) -> None:
    assert text_of(block) == markdown


def test_deletions_comments_and_hidden_text_are_not_read() -> None:
    block = paragraph(
        "Cars ",
        "<w:del><w:r><w:delText>fell</w:delText><w:t>fell</w:t></w:r></w:del>",
        "<w:ins><w:r><w:t>grew</w:t></w:r></w:ins>",
        "<w:moveFrom><w:r><w:t>away</w:t></w:r></w:moveFrom>",
        run(" secret", "<w:vanish/>"),
        run(" secret", '<w:rStyle w:val="Unseen"/>'),
        '<w:r><w:commentReference w:id="1"/></w:r>',
        ".",
    )
    assert text_of(block) == "Cars grew."


@pytest.mark.parametrize(
    "markup",
    [
        hyperlink("l1", "the paper"),
        '<w:fldSimple w:instr=" HYPERLINK &quot;https://a.test/x&quot; "><w:r><w:t>the paper</w:t>'
        "</w:r></w:fldSimple>",
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        '<w:r><w:instrText> HYPERLINK "https://a</w:instrText></w:r>'
        '<w:r><w:rPr><w:vanish/></w:rPr><w:instrText>.test/x" </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>the paper</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
    ],
)
def test_links_of_every_kind_are_kept(markup: str) -> None:
    text = text_of(paragraph("See ", markup, "."), links={"l1": "https://a.test/x"})
    assert text == "See [the paper](https://a.test/x)."


def test_other_fields_show_their_result() -> None:
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r>'
        '<w:r><w:t>hidden</w:t></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        '<w:r><w:t>12</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    assert text_of(paragraph("page ", field, " of 20")) == "page 12 of 20"


def test_a_field_may_reach_over_paragraphs() -> None:
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>BIB</w:instrText></w:r>'
    shown = '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    assert text_of(paragraph(begin, shown, "one"), paragraph("two", end)) == "one\n\ntwo"


def test_footnotes_and_endnotes_become_definitions_with_their_links() -> None:
    text = text_of(
        paragraph(
            "Cars grew by 5 %.",
            '<w:r><w:footnoteReference w:id="7"/></w:r>',
            " Buses fell by 3 %.",
            '<w:r><w:endnoteReference w:id="2"/></w:r>',
            " Trams rose by 2 %.",
            '<w:r><w:footnoteReference w:id="9"/></w:r>',
        ),
        footnotes={"7": paragraph("A, ", hyperlink("l1", "here")), "8": paragraph("uncited")},
        endnotes={"2": paragraph("B, https://b.test/1")},
        links={"l1": "https://a.test/1"},
    )
    assert text == (
        "Cars grew by 5 %.[^fn1] Buses fell by 3 %.[^en1] Trams rose by 2 %.[^fn2]\n\n"
        "[^fn1]: A, [here](https://a.test/1)\n[^fn2]: (no text)\n[^en1]: B, https://b.test/1"
    )
    cited = [[c.canonical_url for c in s.citations] for s in parse_report(text).statements]
    assert cited == [["https://a.test/1"], ["https://b.test/1"], [""]]


def mark(name: str) -> str:
    return f'<w:bookmarkStart w:id="1" w:name="{name}"/>'


def jump(name: str, shown: str) -> str:
    return f'<w:hyperlink w:anchor="{name}"><w:r><w:t>{shown}</w:t></w:r></w:hyperlink>'


def test_numbers_that_jump_to_entries_are_markers() -> None:
    text = text_of(
        paragraph("Cars grew ", jump("r1", "[1]"), ". Buses fell [", jump("r2", "2"), "]."),
        paragraph("Trams rose ", jump("r3", "3"), ", see ", jump("h", "4"), jump("no", "5"), "."),
        paragraph(mark("h"), "Four", style="Heading1"),
        paragraph(mark("r1"), "A, https://a.test/1", listed=(2, 0)),
        paragraph(mark("r2"), "2. B, https://b.test/1"),
        paragraph(mark("r3"), "C, https://c.test/1"),
    )
    assert text == (
        "Cars grew [1]. Buses fell [2].\n\nTrams rose [^fn3], see 45.\n\n# Four\n\n"
        "1. A, https://a.test/1\n\n2\\. B, https://b.test/1\n\n[^fn3]: C, https://c.test/1"
    ).replace("2\\. B", "2. B")


def test_a_field_can_jump_too() -> None:
    shown = "<w:r><w:t>1</w:t></w:r>"
    field = f'<w:fldSimple w:instr=" HYPERLINK \\l &quot;r1&quot; ">{shown}</w:fldSimple>'
    text = text_of(paragraph("Cars grew ", field), paragraph(mark("r1"), "[1] https://a.test/1"))
    assert text.startswith("Cars grew [1]\n")


def test_text_boxes_are_read_once() -> None:
    box = (
        "<w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:wsp><w:txbxContent>"
        f"{paragraph('in the box')}</w:txbxContent></wps:wsp></w:drawing></mc:Choice><mc:Fallback>"
        f"<w:pict><w:txbxContent>{paragraph('in the box')}</w:txbxContent></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    assert text_of(paragraph("before", box)) == "before\n\nin the box"


def test_content_controls_and_tracked_tables_are_read() -> None:
    row = f"<w:tr><w:tc>{paragraph('a')}</w:tc><w:sdt><w:sdtContent><w:tc>{paragraph('b')}</w:tc>"
    blocks = (
        f"<w:sdt><w:sdtContent>{paragraph('inside')}</w:sdtContent></w:sdt>",
        f"<w:tbl><w:tblPr><w:tblLook w:val='04A0'/></w:tblPr>{row}</w:sdtContent></w:sdt></w:tr>"
        f"<w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>{paragraph('c')}</w:tc></w:tr>",
        "</w:tbl>",
    )
    assert text_of(*blocks) == "inside\n\n| a | b |\n| --- | --- |\n| c |  |"


def test_a_header_row_that_says_so_is_the_header() -> None:
    rows = (
        f"<w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc>{paragraph('a')}</w:tc></w:tr>"
        f"<w:tr><w:tc>{paragraph('1')}</w:tc></w:tr>"
    )
    assert text_of(f"<w:tbl>{rows}</w:tbl>") == "| a |\n| --- |\n| 1 |"
    assert text_of(f"<w:tbl>{rows.replace('<w:tblHeader/>', '')}</w:tbl>") == "| a |\n| 1 |"


def test_the_strict_form_of_the_standard_is_read() -> None:
    main = (
        '<w:document xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"><w:body><w:p><w:r>'
        "<w:t>strict</w:t></w:r></w:p></w:body></w:document>"
    )
    assert open_document(make_docx(parts={"word/document.xml": main})).text == "strict\n"


def test_a_document_without_relationships_is_still_found() -> None:
    body = make_docx(paragraph("found"), parts={"_rels/.rels": "<a/>"})
    assert open_document(body).text == "found\n"


def test_a_document_without_text_says_so() -> None:
    with pytest.raises(ReportUnreadable, match="no text"):
        open_document(make_docx(paragraph("")))
    with pytest.raises(ReportUnreadable, match="no text"):
        open_document(make_docx(parts={"word/document.xml": "<a/>"}))
