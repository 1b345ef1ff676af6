from __future__ import annotations

import pytest

from dream_evaluators.model.report import BlockKind, Scope, StatementKind, StatementState
from dream_evaluators.report import parse_report


def sentences(text: str) -> list[str]:
    return [s.text for s in parse_report(text).statements]


KEPT_WHOLE = [
    ["Revenue rose 12.5% to $4.5 billion in Q3 2024.", "Margins fell."],
    ["The U.S. Fed raised rates.", "Markets dropped."],
    ["Growth slowed in the U.S.", "The bank expects a rebound."],
    ["Dr. Smith et al. (2021) found no effect [3].", "The trial had 1,200 patients."],
    ["Mortality fell by 30%.[1][2]", "It was approved."],
    ["Mortality fell by 30%. [1, 2]", "It was approved in 2019. [3]"],
    ["Sales fell (see Fig. 3).", "Costs rose."],
    ["Node.js 18 is faster than v16.3.", "It ships with npm."],
    ["Visit https://h.test/a.b?c=d.", "It explains more."],
    ['He said, "It works. We tested it."', "Then he left."],
    ["Is it safe?", "Yes!", "Mostly."],
    ["The case Brown v. Board of Education was decided in 1954.", "It ended there."],
    ["The meeting is at 5 p.m. EST on Jan. 5.", "Bring notes."],
    ["J. K. Rowling wrote it.", "J.R.R. Tolkien did not."],
    ["No. 1 in sales.", "No. 2 in profit."],
    ["Prices rose... and then fell.", "Nobody knew why."],
    ["iPhone 15 sold well.", "eBay did not."],
    ["**Key finding:** Emissions fell 4%.", "*However*, methane rose."],
    ["E. coli grew.", "S. aureus did not."],
    ["They tested apples, pears, etc.", "Results varied."],
    ["Die Firma wuchs um 5,2 %.", "Z.B. in Berlin stieg der Umsatz."],
    ["M. Dupont a démissionné.", "L'entreprise a perdu 3,4 M€."],
    ["Wow!!", "Really?!", "Yes."],
    ["Sales hit 1.8 million in 2023.¹", "Others sold 3.0 million.²"],
    ["He took vitamin C. daily.", "It rained on him."],
    ["The list ends with vitamin C.", "The rest is food."],
]


@pytest.mark.parametrize("expected", KEPT_WHOLE, ids=range(len(KEPT_WHOLE)))
def test_sentences_end_where_a_reader_ends_them(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


CJK = [
    ["该公司2023年收入增长12%。", "利润下降。"],
    ["他说：“项目很成功。”然后离开了。", "真的吗？", "是的！"],
    ["GDP增长5.2%。", "根据报告[1]，明年为4.6%。[2]", "之后回落【3】。"],
    ["この製品は安全です。", "価格は500円です。"],
]


@pytest.mark.parametrize("expected", CJK, ids=range(len(CJK)))
def test_sentences_without_spaces_end_at_their_stops(expected: list[str]) -> None:
    assert sentences("".join(expected)) == expected


def test_a_statement_is_addressed_by_section_and_number() -> None:
    text = (
        "Intro is here today.\n\n# One\n\nFirst is here. Second is here.\n\n## "
        "Two\n\n- Third is here.\n"
    )
    report = parse_report(text)
    assert [s.id for s in report.statements] == ["s0.1", "s1.1", "s1.2", "s2.1"]
    assert [s.heading for s in report.statements] == ["", "One", "One", "Two"]
    assert [s.preceding for s in report.statements] == ["", "", "First is here.", ""]
    assert report.title == "One"


def test_a_table_row_is_one_statement_with_its_header() -> None:
    text = (
        "## Costs\n\n| Item | Value [9] |\n|:--|--:|\n| Output [a](https://h.test/a) | "
        "**5** t |\n| Esc \\| aped | 6 |\n| | |\n\nAfter the table.\n"
    )
    report = parse_report(text)
    rows = [s for s in report.statements if s.kind is StatementKind.TABLE_ROW]
    assert [r.claim for r in rows] == ["Output a | 5 t", "Esc | aped | 6"]
    assert rows[0].heading == "Costs | Item | Value [9]"
    assert rows[0].citations[0].scope is Scope.TABLE_ROW
    assert report.statements[-1].claim == "After the table."


def test_a_table_without_outer_pipes_is_a_table() -> None:
    report = parse_report("Item | Value\n--- | ---\nOutput | 5 t\n\nNo | table here.\n")
    assert [(s.kind, s.claim) for s in report.statements] == [
        (StatementKind.TABLE_ROW, "Output | 5 t"),
        (StatementKind.SENTENCE, "No | table here."),
    ]


def test_a_source_line_belongs_to_the_statement_above_it() -> None:
    text = (
        "- Sales rose by half.  \n  Source: https://h.test/a\n\nCosts fell by half.  "
        "\n**Source:** [Bank](https://h.test/b).\n\nPrices "
        "held.\n\n来源：[统计局](https://h.test/c)\n"
    )
    report = parse_report(text)
    assert [(s.claim, s.citations[0].url, s.citations[0].scope) for s in report.statements] == [
        ("Sales rose by half.", "https://h.test/a", Scope.LIST_ITEM),
        ("Costs fell by half.", "https://h.test/b", Scope.PARAGRAPH),
        ("Prices held.", "https://h.test/c", Scope.PARAGRAPH),
    ]
    assert report.statements[0].text.endswith("https://h.test/a")


def test_a_line_of_markers_belongs_to_the_statement_above_it() -> None:
    report = parse_report(
        "Sales rose by half.\n\n[1][2]\n\n[1]: https://h.test/1\n[2]: https://h.test/2\n"
    )
    assert [[c.label for c in s.citations] for s in report.statements] == [["1", "2"]]


def test_markers_with_nothing_above_them_still_stand() -> None:
    report = parse_report("# Title\n\n[1]\n\n[1]: https://h.test/1\n")
    assert [c.url for c in report.citations] == ["https://h.test/1"]


def test_a_marker_in_a_heading_uses_its_entry_but_makes_no_statement() -> None:
    report = parse_report("# Title [1]\n\nText stands here.\n\n[1]: https://h.test/1\n")
    assert report.orphans == ()
    assert len(report.statements) == 1
    assert report.statements[0].heading == "Title"


def test_paragraph_policy_lends_the_next_citation_to_the_statements_before_it() -> None:
    text = (
        "One is here. Two is here. Three is here [1]. Four is here.\n\nFive is "
        "here.\n\n[1]: https://h.test/1\n"
    )
    report = parse_report(text)
    assert [[c.label for c in s.inherited] for s in report.statements] == [["1"], ["1"], [], [], []]
    assert [len(s.citations) for s in report.statements] == [0, 0, 1, 0, 0]


def test_lines_that_their_writer_broke_are_separate_statements() -> None:
    long = (
        "A line of this report is much longer than what a person wraps by hand would "
        "ever be, which shows that its breaks are meant, and so on."
    )
    report = parse_report(f"{long}\n\nFirst label: one\nSecond label: two\nand its end\n")
    assert [s.claim for s in report.statements][1:] == [
        "First label: one",
        "Second label: two and its end",
    ]


def test_lines_wrapped_by_hand_are_joined() -> None:
    text = (
        "The committee met in the spring of that year and decided after long\n"
        "Council debates that sales had risen by about half since the winter,\n"
        "and that costs had not. Nobody disagreed with the findings of the\n"
        "Board at the time. It was signed.\n"
    )
    assert len(sentences(text)) == 3


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Title\n===\n\nText.", [BlockKind.HEADING, BlockKind.PARAGRAPH]),
        ("> Quoted words.\n> More words.", [BlockKind.QUOTE, BlockKind.QUOTE]),
        ("**4.2 Bold title**\n\nText.", [BlockKind.HEADING, BlockKind.PARAGRAPH]),
        ("**Not a title.**", [BlockKind.PARAGRAPH]),
        (
            "Text\n\n***\n\n- a\n  * b\n1. c\n1) d\n① e",
            [BlockKind.PARAGRAPH, BlockKind.RULE] + [BlockKind.LIST_ITEM] * 5,
        ),
        ("```\ncode\n```\n~~~\nmore\n~~~", [BlockKind.CODE, BlockKind.CODE]),
        ("```\nunclosed", [BlockKind.PARAGRAPH]),
        ("$$\nx\n$$\n\n\\[\ny\n\\]", [BlockKind.MATH, BlockKind.MATH]),
        ("<think>a</think>b", [BlockKind.THINKING, BlockKind.PARAGRAPH]),
        ("<think>unclosed", [BlockKind.PARAGRAPH]),
        ("<!-- a -->\n<!-- unclosed", [BlockKind.HTML, BlockKind.PARAGRAPH]),
        ("---\nkey: value\n---\nText.", [BlockKind.FRONT_MATTER, BlockKind.PARAGRAPH]),
        (
            "---\nNo matter\n---\nText.",
            [BlockKind.RULE, BlockKind.PARAGRAPH, BlockKind.RULE, BlockKind.PARAGRAPH],
        ),
        ("---\nkey: value", [BlockKind.RULE, BlockKind.PARAGRAPH]),
        (
            "```markdown\n# Whole\n\nText.\n```",
            [BlockKind.RULE, BlockKind.HEADING, BlockKind.PARAGRAPH],
        ),
        ("#标题\n\n##　", [BlockKind.HEADING, BlockKind.PARAGRAPH]),
    ],
)
def test_blocks_are_of_their_kind(text: str, kinds: list[BlockKind]) -> None:
    assert [b.kind for b in parse_report(text).blocks][: len(kinds)] == kinds


CHECKWORTHY = [
    ("Sales rose by 12 % in the year.", True),
    ("The company sells pumps in Europe.", True),
    ("该公司在欧洲销售水泵和阀门。", True),
    ("What does this mean for prices?", False),
    ("The main findings are as follows:", False),
    ("This report looks at prices.", False),
    ("Consider buying the pump.", False),
    ("Governments should act on prices.", False),
    ("Next steps.", False),
    ("本报告分析了水泵市场的价格。", False),
    ("", False),
    ("2019 models sold well.", True),
]


@pytest.mark.parametrize(("claim", "factual"), CHECKWORTHY)
def test_only_what_can_be_checked_counts_as_uncited(claim: str, factual: bool) -> None:
    statements = parse_report(claim).statements
    assert [s.state for s in statements] in (
        [StatementState.UNCITED if factual else StatementState.NOT_FACTUAL],
        [],
    )


def test_a_title_that_runs_in_is_no_claim() -> None:
    report = parse_report(
        "Power engineering for giant arrays. The laser power limits the size of the trap."
    )
    assert [s.factual for s in report.statements] == [False, True]


def test_words_language_and_stats_are_counted() -> None:
    report = parse_report(
        "# Bericht\n\nDer Umsatz ist mit der Zahl der Anlagen gestiegen [1]. "
        "收入增长。\n\n[1]: https://h.test/1\n"
    )
    assert report.language == "de"
    assert report.words == 1 + 9 + 4 + 3
    assert report.stats.cited == 1
    assert report.stats.references == 1


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The sales of the company rose in the year and it was for the better", "en"),
        ("该公司在欧洲销售水泵和阀门", "zh"),
        ("この製品は安全です", "ja"),
        ("이 제품은 안전합니다", "ko"),
        ("Продажи выросли", "ru"),
        ("xyz", ""),
    ],
)
def test_the_main_language_is_told_by_script_and_stop_words(text: str, language: str) -> None:
    assert parse_report(text).language == language


def test_html_in_prose_is_dropped_from_the_claim() -> None:
    report = parse_report("Sales<br>rose <b>by</b> half&nbsp;&amp; more~~ or less~~ ==now==.")
    assert report.statements[0].claim == "Sales rose by half & more or less now."


def test_code_and_math_keep_their_characters_in_the_claim() -> None:
    report = parse_report("Set `my_var_` and `__all__` to $a_b*c$ here.")
    assert report.statements[0].claim == "Set my_var_ and __all__ to $a_b*c$ here."
