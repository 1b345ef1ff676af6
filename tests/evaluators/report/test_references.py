from __future__ import annotations

import pytest

from dream_evaluators.model.report import BlockKind
from dream_evaluators.report import parse_report
from dream_evaluators.report.vocabulary import is_reference_heading

BODY = "Sales rose [1]. Costs fell [2].\n\n"


def listed(text: str) -> dict[str, str]:
    return {label: r.url for r in parse_report(text).references for label in r.labels}


@pytest.mark.parametrize(
    "heading",
    [
        "References",
        "Sources",
        "Key Citations",
        "Sources Used",
        "Works cited",
        "Sources and references",
        "Primary Sources",
        "Bibliography",
        "8. 主要参考来源",
        "引用的著作",
        "参考内容如下：",
        "参考资料",
        "来源",
        "參考文獻",
        "出典",
        "参考文献一覧",
        "참고 문헌",
        "Quellen",
        "Quellenverzeichnis",
        "Références",
        "Bibliographie",
        "Fuentes consultadas",
        "Referências",
        "Fonti",
        "Bronnen",
        "Källor",
        "Источники",
        "Список литературы",
        "المراجع",
        "📚 Sources",
        "IV. Bibliography",
        "**References:**",
        "References (selected)",
        "Source List",
        "Literature cited",
        "Endnotes",
        "Kaynakça",
    ],
)
def test_headings_of_reference_lists_are_known(heading: str) -> None:
    assert is_reference_heading(heading)


@pytest.mark.parametrize(
    "heading",
    [
        "Sources of error",
        "Conclusion",
        "数据",
        "Open source software",
        "Energy sources compared",
        "",
        "x" * 100,
        "Reference architecture",
    ],
)
def test_other_headings_are_not(heading: str) -> None:
    assert not is_reference_heading(heading)


ENTRIES = [
    "[1] https://a.test/1\n[2] https://a.test/2",
    "[1] Title: with | colon: https://a.test/1\n[2] Title - https://a.test/2",
    "[1] https://a.test/1 - Title\n[2] https://a.test/2 — Title. It has 3 parts.",
    '1. [Title](https://a.test/1)\n2) Title. "Quoted". https://a.test/2',
    "1. Office: Numbers, abgerufen am 3. Mai 2025, https://a.test/1\n2. T, "
    "accessed May 3, 2025, [https://a.test/2](https://a.test/2)",
    "[1]. https://a.test/1\n\n[2]. https://a.test/2",
    '[1]: https://a.test/1 "Title"\n[2]: <https://a.test/2>',
    "\\[1] title[ https://a.test/1](https://a.test/1)\n\n\\[2\\] title https://a.test/2",
    "[1\\. Title](https://a.test/1)\n\n[2\\. Title](https://a.test/2)",
    "[\\[1\\]](https://a.test/1) "
    "title\n<https://a.test/1>\n\n[\\[2\\]](https://a.test/2) "
    "title\n<https://a.test/2>",
    "[1] host.test\n\nhttps://a.test/1\n\n[2] host.test\n\nhttps://a.test/2",
    "| # | Title | URL |\n|---|---|---|\n| 1 | One | https://a.test/1 |\n| [2] | "
    "Two | [two](https://a.test/2) |",
    "- [1] One: https://a.test/1\n- **[2]** Two: https://a.test/2",
    "【1】One https://a.test/1\n【2】Two https://a.test/2",
    "(1) One https://a.test/1\n(2) Two https://a.test/2",
    "① One https://a.test/1\n② Two https://a.test/2",
    "¹ One https://a.test/1\n² Two https://a.test/2",
    "[1] One https://a.test/1 [2] Two https://a.test/2",
    "1. One\n   - Link: https://a.test/1\n   - Read: yes\n2. Two\n   - Link: https://a.test/2",
    "1、One https://a.test/1\n2、Two https://a.test/2",
    "<sup>1</sup> One https://a.test/1\n<sup>2</sup> Two https://a.test/2",
    "[^1]:[One](https://a.test/1)\n[^2]: [Two](https://a.test/2)",
    "1. One. doi:10.5555/x\n2. Two, arXiv:2501.15200",
]
ADDRESSES = [["https://a.test/1", "https://a.test/2"]] * 22 + [
    ["https://doi.org/10.5555/x", "https://arxiv.org/abs/2501.15200"]
]


@pytest.mark.parametrize(
    ("entries", "urls"), list(zip(ENTRIES, ADDRESSES, strict=True)), ids=range(23)
)
def test_an_entry_shape_under_a_heading_is_read(entries: str, urls: list[str]) -> None:
    text = BODY + "## Sources\n\n" + entries + "\n"
    assert listed(text) == {"1": urls[0], "2": urls[1]}
    report = parse_report(text)
    assert [c.url for c in report.citations] == urls
    assert report.orphans == ()
    assert report.dangling == ()


@pytest.mark.parametrize("index", [0, 1, 2, 5, 6, 7, 8, 9, 10, 12, 13, 21])
def test_a_labelled_list_needs_no_heading(index: int) -> None:
    assert listed(BODY + ENTRIES[index]) == {"1": "https://a.test/1", "2": "https://a.test/2"}


def test_one_entry_may_have_several_labels_and_its_address_in_the_next_paragraph() -> None:
    text = (
        "Sales rose [2]. Costs fell [5][6].\n\n[2] [5] [6] "
        "host.test\n\nhttps://host.test/page\n\n[7] o.test\n\nhttps://o.test/x\n"
    )
    report = parse_report(text)
    assert [(r.labels, r.url, r.used) for r in report.references] == [
        (("2", "5", "6"), "https://host.test/page", True),
        (("7",), "https://o.test/x", False),
    ]


def test_lists_of_chapters_that_start_again_answer_their_own_chapter() -> None:
    text = (
        "# One\n\nAlpha rose [1].\n\n### Sources\n\n1. https://a.test/1\n\n"
        "# Two\n\nBeta rose [1]. Gamma too [2].\n\n### Sources\n\n1. "
        "https://b.test/1\n2. https://b.test/2\n"
    )
    assert [c.url for c in parse_report(text).citations] == [
        "https://a.test/1",
        "https://b.test/1",
        "https://b.test/2",
    ]


def test_an_entry_with_an_address_is_preferred_to_its_copy_without() -> None:
    text = (
        "Sales rose [1].\n\n## References\n\n1. A book title "
        "(2019)\n\nReferences:\n[1] https://a.test/1\n"
    )
    assert [c.url for c in parse_report(text).citations] == ["https://a.test/1"]


def test_unnumbered_entries_are_used_by_their_canonical_address() -> None:
    text = (
        "Sales rose ([A](https://www.a.test/x/?utm_source=chatgpt.com)).\n\n### Key Citations\n\n"
        "- [A again](http://a.test/x)\n- [B](https://b.test/y)\n"
    )
    report = parse_report(text)
    assert [(r.labels, r.used) for r in report.references] == [((), True), ((), False)]
    assert [r.url for r in report.orphans] == ["https://b.test/y"]


def test_prose_after_the_list_is_prose_again() -> None:
    text = (
        BODY + "## Sources\n\n[1] https://a.test/1\n[2] https://a.test/2\n\n---\n\n*Numbers "
        "are estimates from public filings up to August 2025 and will change.*\n\n## "
        "Appendix\n\nMore sales rose by 4 points.\n"
    )
    report = parse_report(text)
    claims = [s.claim for s in report.statements]
    assert claims[2:] == [
        "Numbers are estimates from public filings up to August 2025 and will change.",
        "More sales rose by 4 points.",
    ]


def test_notes_that_cite_are_statements_not_entries() -> None:
    text = (
        "## Prices\n\nNotes:\n- Prices are taken from shops that sell themselves "
        "[1].\n- Other shops are left out [2].\n\n## Sources\n\n[1] "
        "https://a.test/1\n[2] https://a.test/2\n"
    )
    report = parse_report(text)
    assert len(report.statements) == 2
    assert len(report.references) == 2


def test_a_trailing_numbered_list_of_addresses_is_a_reference_list() -> None:
    text = (
        "Cells divide here.1 They grow there.2\n\n1. Title one https://a.test/1\n2. "
        "Title two https://a.test/2\n"
    )
    assert [c.url for c in parse_report(text).citations] == ["https://a.test/1", "https://a.test/2"]


def test_end_notes_that_lost_their_superscripts_are_labelled() -> None:
    text = (
        "Sales rose.¹ Costs fell.²\n\n### Endnotes\n1 First study of sales.\n2 Second "
        "study of costs.\n"
    )
    report = parse_report(text)
    assert [r.labels for r in report.references] == [("1",), ("2",)]
    assert [c.title for c in report.citations] == ["First study of sales", "Second study of costs"]


def test_keys_of_a_bibliography_are_labels() -> None:
    text = (
        "It rose [@smith2020; @doe2019].\n\n## Bibliography\n\n[smith2020] Smith. "
        "https://s.test/1\n[doe2019] Doe. https://d.test/2\n"
    )
    assert [c.url for c in parse_report(text).citations] == ["https://s.test/1", "https://d.test/2"]


def test_table_labels_may_be_words_with_numbers() -> None:
    text = (
        "Sales rose [S1] and [R-013].\n\n## Sources\n\n| ID | Title | URL |\n|---|---|"
        "---|\n| S1 | One | https://a.test/1 |\n| R-013 | Two | docs/a.md |\n"
    )
    report = parse_report(text)
    assert [(r.labels, r.url, r.title) for r in report.references] == [
        (("S1",), "https://a.test/1", "One"),
        (("R-013",), "", "Two | docs/a.md"),
    ]


def test_reference_blocks_give_no_statements() -> None:
    report = parse_report(
        BODY + "## Sources\n\n[1] Title that is long. And a sentence. https://a.test/1\n[2] "
        "https://a.test/2\n"
    )
    assert len(report.statements) == 2
    assert {b.kind for b in report.blocks} == {
        BlockKind.PARAGRAPH,
        BlockKind.HEADING,
        BlockKind.REFERENCE,
    }


def test_an_empty_or_apologetic_list_is_no_list() -> None:
    report = parse_report(
        "Sales rose by 4 points.\n\n### Sources\n\nNone were provided in the materials "
        "that were supplied for this report.\n"
    )
    assert report.references == ()
    assert len(report.statements) == 2
