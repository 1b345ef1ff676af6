"""Every inline form that real agents write, each in the smallest report that shows it."""

from __future__ import annotations

import pytest

from dream_evaluators.model.report import CitationStatus, Report, SourceHint, StatementState
from dream_evaluators.report import parse_report

LIST = """

## References

[1] First title. https://one.test/a
[2] https://two.test/b - Second title
[3]: https://three.test/c "Third title"
"""


def cited(report: Report) -> list[tuple[str, list[str]]]:
    """Claims of the statements with the addresses they cite."""
    return [(s.claim, [c.url for c in s.citations]) for s in report.statements]


ONE, TWO, THREE = "https://one.test/a", "https://two.test/b", "https://three.test/c"

FORMS = [
    # links
    ("Sales rose [[1]](https://l.test/a).", [("Sales rose.", ["https://l.test/a"])]),
    ("Sales rose [(11)](https://l.test/a).", [("Sales rose.", ["https://l.test/a"])]),
    (r"Sales rose [\[4\]](https://l.test/a).", [("Sales rose.", ["https://l.test/a"])]),
    (
        "Sales rose[4](https://l.test/a)[5](https://l.test/b).",
        [("Sales rose.", ["https://l.test/a", "https://l.test/b"])],
    ),
    (
        "Sales rose ([Bank](https://l.test/a), [Fund](https://l.test/b)).",
        [("Sales rose.", ["https://l.test/a", "https://l.test/b"])],
    ),
    (
        "Sales rose. ([Bank](https://l.test/a)) Costs fell.",
        [("Sales rose.", ["https://l.test/a"]), ("Costs fell.", [])],
    ),
    (
        "Sales rose. [Source](https://l.test/a) Costs fell.",
        [("Sales rose.", ["https://l.test/a"]), ("Costs fell.", [])],
    ),
    (
        "[Bank](https://l.test/a) says sales rose.",
        [("Bank says sales rose.", ["https://l.test/a"])],
    ),
    (
        'Sales rose [a](https://l.test/x_(y)_z "A title").',
        [("Sales rose a.", ["https://l.test/x_(y)_z"])],
    ),
    ("Sales rose [a](<https://l.test/x y>).", [("Sales rose a.", ["https://l.test/x y"])]),
    (
        "Sales rose ([[2405.01\\] SMOL](https://l.test/h#:~:text=raw words,end words)).",
        [("Sales rose.", ["https://l.test/h"])],
    ),
    (r"Sales rose [a \] b](https://l.test/a).", [("Sales rose a] b.", ["https://l.test/a"])]),
    (
        "Sales rose [a](https://l.test/(open and on. Next [b](https://l.test/b).",
        [
            ("Sales rose [a](https://l.test/(open and on.", ["https://l.test/(open"]),
            ("Next b.", ["https://l.test/b"]),
        ],
    ),
    (
        "Sales rose [a](doi:10.5555/x.1) and [b](arXiv:2501.15200).",
        [
            (
                "Sales rose a and b.",
                ["https://doi.org/10.5555/x.1", "https://arxiv.org/abs/2501.15200"],
            )
        ],
    ),
    (
        "Sales rose [a](www.l.test/p) and [b](//l.test/q) and [c](l.test/r).",
        [
            (
                "Sales rose a and b and c.",
                ["https://www.l.test/p", "https://l.test/q", "https://l.test/r"],
            )
        ],
    ),
    (
        "Sales rose, see [part](#part), [file](./file.md) and [mail](mailto:a@b.test).",
        [("Sales rose, see part, file and mail.", [])],
    ),
    (
        'Sales <a href="https://l.test/a?x=1&amp;y=2">rose</a>, as <https://l.test/b> says.',
        [("Sales rose, as says.", ["https://l.test/a?x=1&y=2", "https://l.test/b"])],
    ),
    (
        "Then [oai_citation:1‡l.test](https://l.test/p) sales rose.",
        [("Then sales rose.", ["https://l.test/p"])],
    ),
    # bare addresses and identifiers
    (
        "Sales rose (https://l.test/a; https://l.test/b).",
        [("Sales rose.", ["https://l.test/a", "https://l.test/b"])],
    ),
    (
        "Sales rose. https://l.test/a Costs fell.",
        [("Sales rose.", ["https://l.test/a"]), ("Costs fell.", [])],
    ),
    (
        "Sales rose, per https://l.test/wiki/Foo_(bar), in 2023.",
        [
            (
                "Sales rose, per https://l.test/wiki/Foo_(bar), in 2023.",
                ["https://l.test/wiki/Foo_(bar)"],
            )
        ],
    ),
    (
        "Sales rose (doi:10.5555/OCEAN.03(QW)).",
        [("Sales rose.", ["https://doi.org/10.5555/OCEAN.03(QW)"])],
    ),
    (
        "As arXiv:2501.15200 and PMID: 12345678 and PMC1234567 show, sales rose.",
        [
            (
                "As arXiv:2501.15200 and PMID: 12345678 and PMC1234567 show, sales rose.",
                [
                    "https://arxiv.org/abs/2501.15200",
                    "https://pubmed.ncbi.nlm.nih.gov/12345678/",
                    "https://pmc.ncbi.nlm.nih.gov/articles/PMC1234567/",
                ],
            )
        ],
    ),
    (
        "As arxiv.org/abs/2501.15200 shows, sales rose.",
        [("As arxiv.org/abs/2501.15200 shows, sales rose.", ["https://arxiv.org/abs/2501.15200"])],
    ),
    # numbers in brackets
    (
        "Sales rose [1]. Costs fell.[2][3] Prices held." + LIST,
        [("Sales rose.", [ONE]), ("Costs fell.", [TWO, THREE]), ("Prices held.", [])],
    ),
    (
        "Sales rose [1, 3]. Costs fell [1-3]. Prices held [1–2; 3]." + LIST,
        [
            ("Sales rose.", [ONE, THREE]),
            ("Costs fell.", [ONE, TWO, THREE]),
            ("Prices held.", [ONE, TWO, THREE]),
        ],
    ),
    (r"Sales rose \[2\]." + LIST, [("Sales rose.", [TWO])]),
    ("Sales rose [[2]] then." + LIST, [("Sales rose then.", [TWO])]),
    ("Sales rose^[2]^ then." + LIST, [("Sales rose then.", [TWO])]),
    (
        "Sales rose【1】. Costs fell【1-2，3】. Prices［3］." + LIST,
        [("Sales rose.", [ONE]), ("Costs fell.", [ONE, TWO, THREE]), ("Prices.", [THREE])],
    ),
    (
        "Sales rose【2†L40-L48】 and costs【3:1†source】." + LIST,
        [("Sales rose and costs.", [TWO, ONE])],
    ),
    (
        "Sales rose[^2]. Costs fell.[^3] Prices[^1^]." + LIST,
        [("Sales rose.", [TWO]), ("Costs fell.", [THREE]), ("Prices.", [ONE])],
    ),
    (
        "Sales rose [cite: 1, 2]. [cite_start]Costs fell[cite: 3]." + LIST,
        [("Sales rose.", [ONE, TWO]), ("Costs fell.", [THREE])],
    ),
    (
        "Sales rose [citation:1]. Costs fell [webpage 2]. Prices [来源3]." + LIST,
        [("Sales rose.", [ONE]), ("Costs fell.", [TWO]), ("Prices.", [THREE])],
    ),
    ("[span_1](start_span)Sales rose[span_1](end_span) [2]." + LIST, [("Sales rose.", [TWO])]),
    (
        "Sales rose <sup>1</sup>and costs fell.<sup>2,3</sup>" + LIST,
        [("Sales rose ¹and costs fell.", [TWO, THREE])],
    ),
    ("Sales rose.² Costs fell.¹" + LIST, [("Sales rose.", [TWO]), ("Costs fell.", [ONE])]),
    ("Sales rose [the paper][3]." + LIST, [("Sales rose the paper.", [THREE])]),
    (
        'Sales rose <citation id="2"/> and fell <cite>3</cite>.' + LIST,
        [("Sales rose and fell.", [TWO, THREE])],
    ),
    (
        'Up <grok:render card_id="a" type="render_inline_citation"><argument '
        'name="citation_id">2</argument></grok:render> it went.' + LIST,
        [("Up it went.", [TWO])],
    ),
    (
        '销量上升 <qwen:cite id="id_1, id_3">原文证据。不是正文</qwen:cite>。成本下降。' + LIST,
        [("销量上升。", [ONE, THREE]), ("成本下降。", [])],
    ),
    ("销量上升。[1]成本下降。[2]" + LIST, [("销量上升。", [ONE]), ("成本下降。", [TWO])]),
]


@pytest.mark.parametrize(("text", "expected"), FORMS, ids=range(len(FORMS)))
def test_a_form_gives_its_claims_and_addresses(
    text: str, expected: list[tuple[str, list[str]]]
) -> None:
    report = parse_report(text)
    assert cited(report) == expected
    for citation in report.citations:
        assert text[citation.start : citation.end] == citation.marker


SILENT = [
    "The interval [0, 1] is closed and `a[3]` is an index of `https://code.test/x`.",
    "The range [12, 45] holds, so does x ∈ [2, 5] and a[7].",
    "A [x] task, a [[wiki page]] and a [TODO] stand here.",
    "```python\nurl = 'https://code.test/a'  # [1]\n```",
    '```mermaid\nclick B "https://code.test/a"\n```',
    "![chart](https://img.test/a.png)",
    "[![badge](https://img.test/b.svg)](https://ci.test/x)",
    "![][image1] shows it.\n\n[image1]: <data:image/png;base64,AAAA>",
    "<think>I saw https://think.test/a and cite [9].</think>",
    "It reasons https://think.test/a [1].</think>\n\nThe answer stands here alone.",
    "---\nsource: https://front.test/a\n---\n\nText stands here alone.",
    "<!-- https://comment.test/a -->",
    "$$\nf[1] = https://math.test\n$$",
    "Heat was 5 W/m² and 10⁶ J, yr⁻¹, R² of ⁸⁷Rb.",
    "Set `\\photo[64pt]` and $x[1]$ here.",
    "It costs 5 dollars.",
]


@pytest.mark.parametrize("text", SILENT, ids=range(len(SILENT)))
def test_what_only_looks_like_a_citation_is_none(text: str) -> None:
    report = parse_report(text)
    assert report.citations == ()
    assert report.references == ()


def test_glued_digits_are_citations_where_a_list_has_them() -> None:
    text = (
        "Cells divide.1 They grow, 50% faster.2 Pumps fail in 2024.1 They stop. See Fig.3 now.\n\n"
        "#### **Works cited**\n\n"
        "1. Title \\- Host, accessed May 3, 2025, [https://a.test/1](https://a.test/1)\n"
        "2. Other, 檢索日期：4月 24, 2025， [https://a.test/2](https://a.test/2)\n"
    )
    report = parse_report(text)
    assert cited(report)[:3] == [
        ("Cells divide.", ["https://a.test/1"]),
        ("They grow, 50% faster.", ["https://a.test/2"]),
        ("Pumps fail in 2024.", ["https://a.test/1"]),
    ]
    assert [r.title for r in report.references] == ["Title - Host", "Other"]


def test_glued_digits_without_a_list_dangle_once_they_are_the_style() -> None:
    thrice = parse_report("Cells divide.4 They grow again.86 They stop there.87")
    assert [c.label for c in thrice.dangling] == ["4", "86", "87"]
    assert parse_report("The release was v.2 and it held.").dangling == ()
    once = parse_report("Cells divide there.4 They grow again.")
    assert once.dangling == ()


def test_document_sentence_pairs_are_no_ranges() -> None:
    text = "Sales rose [3-1]. Costs fell [1-3]." + LIST
    assert [c.label for c in parse_report(text).citations] == ["3", "1"]


def test_private_use_markers_leave_the_claim_and_resolve_by_the_callers_map() -> None:
    text = (
        "Trade routes shifted "
        "north.\ue200cite\ue202turn0search3\ue202turn0search8\ue201 Prices fell."
    )
    alone = parse_report(text)
    first = alone.statements[0]
    assert first.claim == "Trade routes shifted north."
    assert first.state is StatementState.CITED_UNRESOLVABLE
    assert [(c.label, c.status) for c in first.citations] == [
        ("turn0search3", CitationStatus.OPAQUE),
        ("turn0search8", CitationStatus.OPAQUE),
    ]
    assert [f.kind for f in alone.findings] == ["opaque_marker"]
    mapped = parse_report(
        text, sources=[SourceHint(marker="turn0search3", url="https://example.org/3")]
    )
    assert [c.status for c in mapped.citations] == [CitationStatus.RESOLVED, CitationStatus.OPAQUE]
    assert mapped.statements[0].state is StatementState.CITED


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("It rose citeturn1view2turn3news4 then.", ["turn1view2", "turn3news4"]),
        ("It rose 【turn1view2†source】 then.", ["turn1view2"]),
        ("It rose [turn1view2] then.", ["turn1view2"]),
        ("It rose [a](turn1view2) then.", ["turn1view2"]),
        ("It rose 【F:src/a.py†L1-L4】 then.", ["F:src/a.py"]),
        ("It rose:contentReference[oaicite:7]{index=7} then.", ["oaicite:7"]),
        (
            'So <cite index="95-1">pumps accept threads</cite>, and (cite index="2-24,'
            '2-26">more</cite>.',
            ["95-1", "2-24", "2-26"],
        ),
        ("It rose [attached_file:1] then.", ["attached_file:1"]),
        ('It rose <source id="web-a"/> then.', ["web-a"]),
    ],
)
def test_a_products_own_markers_are_opaque_not_silence(text: str, labels: list[str]) -> None:
    report = parse_report(text)
    assert [c.label for c in report.dangling] == labels
    assert all(c.status is CitationStatus.OPAQUE for c in report.dangling)
    assert "cite" not in report.statements[0].claim


def test_a_cite_tag_resolves_by_its_document() -> None:
    text = '<cite index="95-1">Pumps accept threads</cite>.'
    report = parse_report(text, sources=[SourceHint(marker="95", url="https://pumps.test/a")])
    assert [c.url for c in report.citations] == ["https://pumps.test/a"]


def test_an_entity_is_shown_by_its_name() -> None:
    text = (
        'The \ue200entity\ue202["politician","Ada Lovelace","x"]\ue201 spoke. '
        "\ue200entity\ue202[bad\ue201 \ue200i\ue201 End."
    )
    report = parse_report(text)
    assert report.statements[0].claim == "The Ada Lovelace spoke."
    assert report.citations == ()


def test_authors_and_years_resolve_by_the_bibliography() -> None:
    text = (
        "Wind grew (Smith et al., 2021; Lee & Park, 2020). Jones et al. (2019) "
        "disagree. Rain fell (van Dam 2018).\n\n"
        "## References\n\n"
        "Smith, J., Doe, A. (2021). Wind. https://doi.org/10.5555/wind.1\n\n"
        "Lee, K., & Park, S. (2020). Sun. Journal of Sun, 3(2).\n\n"
        "Jones, B. et al. (2019). Storm. https://storm.test/x\n\n"
        "Dam, K. van (2018). Rain. https://rain.test/x\n"
    )
    report = parse_report(text)
    assert [(c.label, c.url, c.status) for c in report.citations] == [
        ("Smith et al., 2021", "https://doi.org/10.5555/wind.1", CitationStatus.RESOLVED),
        ("Lee & Park, 2020", "", CitationStatus.NO_ADDRESS),
        ("Jones et al. 2019", "https://storm.test/x", CitationStatus.RESOLVED),
        ("van Dam 2018", "https://rain.test/x", CitationStatus.RESOLVED),
    ]
    assert report.statements[1].claim == "Jones et al. (2019) disagree."


def test_authors_and_years_without_an_entry_dangle_only_in_a_citing_form() -> None:
    report = parse_report(
        "It fell (Richter et al. 2024; Soil 203:1). It rose (May 2023). It held (Paris, 2024)."
    )
    assert [c.label for c in report.dangling] == ["Richter et al. 2024"]


def test_authors_and_years_beside_a_real_marker_only_name_the_work() -> None:
    report = parse_report("It fell (Richter et al. 2024) there [1]." + LIST)
    assert [c.label for c in report.citations] == ["1"]


def test_placeholders_are_flagged_and_are_no_source() -> None:
    report = parse_report("Tea exports doubled [1].\n\n[1] https://example.com/tea-export-trends")
    assert [c.status for c in report.citations] == [CitationStatus.PLACEHOLDER]
    assert report.statements[0].state is StatementState.CITED_UNRESOLVABLE
    assert [f.kind for f in report.findings] == ["placeholder_link"]
    blank = parse_report("Tea [doubled](url) and [rose]() and [fell](#).")
    assert [c.status for c in blank.citations] == [CitationStatus.PLACEHOLDER] * 3


def test_an_address_that_only_the_product_can_open_is_none() -> None:
    report = parse_report(
        "Tea doubled [file](file-service://file-abc) and [b](sandbox:/mnt/data/x.csv)."
    )
    assert [c.status for c in report.citations] == [CitationStatus.NO_ADDRESS] * 2


def test_a_text_fragment_is_kept_as_the_quote_to_expect() -> None:
    report = parse_report("It rose [a](https://l.test/h#:~:text=two words,the end).")
    assert report.citations[0].expected_quote == "two words … the end"
    assert report.citations[0].url == "https://l.test/h"


MORE = [
    ("Sales rose [1, p. 12] and fell [2: 23–25]." + LIST, [("Sales rose and fell.", [ONE, TWO])]),
    (
        "Sales rose[Bank](https://l.test/a)[Fund](https://l.test/b).",
        [("Sales rose.", ["https://l.test/a", "https://l.test/b"])],
    ),
    ("Sales rose.¹² Costs fell.³" + LIST, [("Sales rose.", [ONE, TWO]), ("Costs fell.", [THREE])]),
    ("Sales rose [Source: Bank, 2024](https://l.test/a).", [("Sales rose.", ["https://l.test/a"])]),
    ("Sales rose [h.test](https://h.test/a/b).", [("Sales rose.", ["https://h.test/a/b"])]),
    ("Sales rose. Sources: [1], [2]." + LIST, [("Sales rose.", [ONE, TWO])]),
    (
        "Sales rose 4% [1].[2] Costs fell. [3]" + LIST,
        [("Sales rose 4%.", [ONE, TWO]), ("Costs fell.", [THREE])],
    ),
    (
        "See [A title. It has two parts](https://l.test/a) here.",
        [("See A title. It has two parts here.", ["https://l.test/a"])],
    ),
    (
        "Sales rose [[D3]] and [D3, R2].\n\n## References\n- **D3** — One "
        "https://one.test/a\n- R2: Two https://two.test/b",
        [("Sales rose.", [ONE, ONE, TWO])],
    ),
    ("Sales rose.\n\n[Bank](https://l.test/a)", [("Sales rose.", ["https://l.test/a"])]),
    (
        "Sales rose [3](https://l.test/a). Costs fell [3].",
        [("Sales rose.", ["https://l.test/a"]), ("Costs fell.", ["https://l.test/a"])],
    ),
    (
        "Sales rose [5](#ref5) then.\n\n[5]: https://l.test/a",
        [("Sales rose then.", ["https://l.test/a"])],
    ),
    ("Sales rose 【citation:2】 then." + LIST, [("Sales rose then.", [TWO])]),
    ("Sales rose 【重点】 then." + LIST, [("Sales rose 【重点】 then.", [])]),
]


@pytest.mark.parametrize(("text", "expected"), MORE, ids=range(len(MORE)))
def test_a_rarer_form_gives_its_claims_and_addresses(
    text: str, expected: list[tuple[str, list[str]]]
) -> None:
    assert cited(parse_report(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        '<span style="display:none">[^1_1][^1_2]</span>',
        "<script>\nlet a = 'https://h.test/a' // [1]\n</script>",
        '<div align="center">⁂</div>',
        "It costs [10,000] or [1.5] or [2024] or [sic].",
        "Spans [1990-2100] are years.",
    ],
)
def test_what_a_page_hides_or_measures_is_no_citation(text: str) -> None:
    assert parse_report(text).citations == ()


def test_a_link_inside_a_bracket_with_a_year_is_still_a_link() -> None:
    text = "（注：FRED 也在 2022 起移除数据[[42]](https://h.test/a)，另见说明）"
    assert [c.url for c in parse_report(text).citations] == ["https://h.test/a"]


def test_an_escaped_underscore_stays_in_the_claim() -> None:
    assert (
        parse_report("The \\_op\\_ and my\\_car\\* here.").statements[0].claim
        == "The _op_ and my_car* here."
    )
