"""A scorecard as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.model.finding import Finding, Severity
from dream_evaluators.model.score import (
    Estimate,
    Label,
    MetricScore,
    Reason,
    Scorecard,
    ScoreStatus,
    SourceSummary,
    StatementVerdict,
)
from dream_evaluators.render import (
    SHOWN_FINDINGS,
    score_line,
    severity_counts,
    to_markdown,
    to_summary,
)
from tests.strategies import make_pair

SCORED = MetricScore(
    metric="CF",
    value=62.34,
    status=ScoreStatus.SCORED,
    low=50.0,
    high=71.26,
    bound_low=40.0,
    bound_high=80.0,
    n_scored=9,
    n_total=12,
    judge="agent:m",
)
OFFLINE = MetricScore(
    metric="CF",
    reason=Reason.PARTIAL_JUDGING,
    note="Not enough.",
    estimate=Estimate(
        value=55.5, bound_low=20.0, bound_high=90.0, decided_share=0.25, judge="offline:1"
    ),
)
FINDING = Finding(
    kind="contradicted",
    severity=Severity.HIGH,
    message="It says\notherwise.",
    fix="Correct it.",
    statement_id="s1.2",
    text="Sales  fell.",
    url="https://one.test/",
    quote="Sales rose.",
)
SOURCE = SourceSummary(
    url="https://one.test/",
    canonical_url="https://one.test/",
    outcome="ok",
    state="alive",
    title="A | B",
    authority=91.6,
    source_class="igo",
    statements=3,
)


def make_card(*scores: MetricScore, **more: object) -> Scorecard:
    settings = {"judge": "agent", "effort": "quick", "version": "1.2.3", **more}
    by_name = {score.metric: score for score in scores}
    return Scorecard(report_id="b2:1", scores=by_name, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("score", "line"),
    [
        (SCORED, "CF (Citation faithfulness): 62.3 [50.0, 71.3], judge agent:m"),
        (
            MetricScore(metric="DA", value=0.0, status=ScoreStatus.SCORED, judge="deterministic"),
            "DA (Domain authority): 0.0, judge deterministic",
        ),
        (
            MetricScore(
                metric="CI", value=50.0, status=ScoreStatus.INSUFFICIENT, note="Wait.", judge="x"
            ),
            "CI (Citation integrity): 50.0 (insufficient: Wait.), judge x",
        ),
        (
            MetricScore(metric="CA", reason=Reason.NO_CLAIMS, note="Nothing to cite."),
            "CA (Citation accuracy): no score (no_claims). Nothing to cite.",
        ),
        (MetricScore(metric="ZZ"), "ZZ (ZZ): no score (not run)."),
        (
            OFFLINE,
            "CF (Citation faithfulness): no score (partial_judging). Not enough. Offline estimate "
            "56 (between 20 and 90; 25% decided), not a score.",
        ),
    ],
)
def test_a_score_is_one_line(score: MetricScore, line: str) -> None:
    assert score_line(score) == line


def test_findings_are_counted_by_severity_the_worst_first() -> None:
    assert list(severity_counts([]).items()) == [("high", 0), ("medium", 0), ("low", 0)]
    low = Finding(kind="k", severity=Severity.LOW, message="m")
    assert severity_counts([low, FINDING, low]) == {"high": 1, "medium": 0, "low": 2}


def test_the_summary_has_the_scores_and_the_first_findings() -> None:
    summary = to_summary(make_card(SCORED, findings=(FINDING,) * 7), top=2)
    assert summary.splitlines() == [
        score_line(SCORED),
        "Findings: 7 high.",
        *["- **high** contradicted at s1.2: It says otherwise. <https://one.test/>"] * 2,
    ]
    assert to_summary(make_card(SCORED)).endswith("Findings: none.")


def test_the_whole_scorecard_opens_every_number() -> None:
    verdict = StatementVerdict(
        statement_id="s1.1",
        label=Label.PENDING,
        pairs=(make_pair(Label.PENDING), make_pair(Label.FULL_SUPPORT, judge="agent:m")),
    )
    card = make_card(
        SCORED,
        MetricScore(metric="DA", note="None known."),
        findings=(FINDING,),
        sources=(SOURCE,),
        verdicts=(verdict,),
        title="My  report",
        stats={"statements": 40},
    )
    assert to_markdown(card).splitlines() == [
        "# Scorecard: My report",
        "",
        "| metric | score | 95 % interval | bounds | scored of total | judge |",
        "|---|---|---|---|---|---|",
        "| CF Citation faithfulness | 62.3 | 50.0 to 71.3 | 40.0 to 80.0 | 9 of 12 | agent:m |",
        "| DA Domain authority | none |  |  | 0 of 0 |  |",
        "",
        "- DA: None known.",
        "",
        "## Findings (1 high, 0 medium, 0 low)",
        "",
        "- **high** contradicted at s1.2: It says otherwise. <https://one.test/>",
        "  > Sales fell.",
        "  Source: “Sales rose.”",
        "  Fix: Correct it.",
        "",
        "## Sources",
        "",
        "| source | link | authority | class | cited by |",
        "|---|---|---|---|---|",
        "| A \\| B | alive (ok) | 92 | igo | 3 |",
        "",
        "## How this was made",
        "",
        "- Judge: agent; effort: quick; dream-mcp 1.2.3.",
        "- 1 cited statements sampled, 1 source readings judged.",
        "- 1 statements wait for an answer.",
        "- Report b2:1, 40 statements.",
    ]


def test_a_bare_scorecard_says_so_and_has_no_empty_table() -> None:
    text = to_markdown(make_card())
    assert text.startswith("# Scorecard: untitled report\n")
    assert "## Sources" not in text
    assert "wait for an answer" not in text
    assert text.endswith("- Report b2:1, 0 statements.\n")


def test_a_finding_without_place_or_text_is_still_one_line() -> None:
    bare = Finding(kind="k", severity=Severity.LOW, message="m")
    text = to_markdown(make_card(findings=(bare,)))
    assert "- **low** k: m\n\n" in text


def test_findings_beyond_what_is_shown_are_counted() -> None:
    text = to_markdown(make_card(findings=(FINDING,) * (SHOWN_FINDINGS + 3)))
    assert text.count("contradicted at s1.2") == SHOWN_FINDINGS
    assert "- … and 3 more" in text


def test_an_estimate_is_shown_as_what_it_is() -> None:
    text = to_markdown(make_card(OFFLINE))
    assert "| CF Citation faithfulness | none |" in text
    assert "- CF: Not enough. Offline estimate 56" in text
    assert "not a score" in text


def test_an_unknown_authority_is_no_number() -> None:
    summary = SourceSummary(url="https://x.test/", canonical_url="", outcome="gone", state="dead")
    assert "| https://x.test/ | dead (gone) | unknown |  | 0 |" in to_markdown(
        make_card(sources=(summary,))
    )


hostile = st.text(st.sampled_from("|\n\r\t#-ab\u2028"), max_size=30)


@given(hostile, hostile)
def test_no_text_of_a_page_breaks_a_table_or_makes_a_heading(title: str, message: str) -> None:
    source = SourceSummary(url="u", canonical_url="u", outcome="ok", state="alive", title=title)
    finding = Finding(kind="k", severity=Severity.LOW, message=message, text=title, quote=title)
    plain = make_card(sources=(SOURCE,), findings=(FINDING,), title="t")
    card = make_card(sources=(source,), findings=(finding,), title=title)
    headings = [
        [line for line in to_markdown(c).split("\n") if line.startswith("#")] for c in (plain, card)
    ]
    assert len(headings[0]) == len(headings[1])
    row = next(line for line in to_markdown(card).split("\n") if "alive (ok)" in line)
    assert len([c for c in row.replace("\\|", "").split("|") if c]) == 5


def test_long_texts_are_cut() -> None:
    source = SourceSummary(
        url="u", canonical_url="u", outcome="ok", state="alive", title="t" * 9999
    )
    finding = Finding(
        kind="k", severity=Severity.LOW, message="m", text="x" * 9999, quote="q" * 9999
    )
    assert len(to_markdown(make_card(sources=(source,), findings=(finding,)))) < 2_500
