"""Imported lists and the user's own registry."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.errors import BadInput
from dream_evaluators.web.domains import DomainAuthority, parse_overrides, parse_ratings
from dream_evaluators.web.domains import ratings as importing

SCORER = DomainAuthority()
DAY = "2026-05-01"
CSV = "Domain,Score\nhttps://www.nature.com/,0.2\nunheard-of.com,0.9\n,1\nb.com,\nb.com,nan\n"


def test_a_table_is_read_on_its_scale_and_useless_rows_are_counted() -> None:
    got = parse_ratings(CSV, name="L", date=DAY, scale=(0, 1))
    assert got.values == {"nature.com": 20.0, "unheard-of.com": 90.0}
    assert got.skipped == 3
    tabs = parse_ratings("site\trating\n a.com\t1\n", name="L", date=DAY, scale=(5, 1))
    assert tabs.values == {"a.com": 100.0}


@pytest.mark.parametrize(
    "data",
    [
        {"scale": [0, 10], "ratings": {"a.com": 5}},
        {"scale": [0, 10], "ratings": [{"Domain": "a.com", "score": "5"}]},
    ],
)
def test_json_may_carry_its_own_scale(data: object) -> None:
    assert parse_ratings(json.dumps(data), name="L", date=DAY).values == {"a.com": 50.0}


def test_json_without_a_wrapper_needs_a_scale() -> None:
    text = json.dumps([{"domain": "a.com", "score": 5}, "x", {"domain": "b.com", "score": True}])
    assert parse_ratings(text, name="L", date=DAY, scale=(0, 10)).values == {"a.com": 50.0}
    with pytest.raises(BadInput, match="scale"):
        parse_ratings(text, name="L", date=DAY)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("domain,score\na.com,7\n", "outside the scale"),
        ("domain,score\n", "no row"),
        ("who,what\na.com,1\n", "first line"),
        ("{", "readable JSON"),
        ('{"ratings": 3}', "no ratings"),
        ("[" * 100_000, "readable JSON"),
        ('domain,score\n"' + "x" * 200_000, "readable as a table"),
        ("", "first line"),
    ],
)
def test_a_list_that_cannot_be_used_says_why(text: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        parse_ratings(text, name="L", date=DAY, scale=(0, 1))


def test_dates_scales_and_sizes_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="YYYY-MM-DD"):
        parse_ratings(CSV, name="L", date="May", scale=(0, 1))
    with pytest.raises(BadInput, match="two different"):
        parse_ratings(CSV, name="L", date=DAY, scale=(1, 1))
    with pytest.raises(BadInput, match="two different"):
        parse_ratings(CSV, name="L", date=DAY, scale=(0, float("inf")))
    monkeypatch.setattr(importing, "MAX_CHARACTERS", 10)
    with pytest.raises(BadInput, match="more than"):
        parse_ratings(CSV, name="L", date=DAY, scale=(0, 1))


def test_ratings_are_blended_shown_dated_and_flagged_where_they_disagree() -> None:
    listed = parse_ratings(CSV, name="L", date=DAY, scale=(0, 1))
    scorer = SCORER.with_ratings([listed])
    ours = SCORER.score("https://www.nature.com/x").score
    assert ours is not None
    got = scorer.score("https://www.nature.com/x")
    assert got.score == pytest.approx(0.7 * 20 + 0.3 * ours)
    assert got.disagreement == pytest.approx(ours - 20)
    assert "ratings_disagree" in got.flags
    assert [(r.list_name, r.date, r.value) for r in got.ratings] == [("L", DAY, 20.0)]
    assert got.source_class == "peer_reviewed"
    assert scorer.version != SCORER.version


def test_a_name_known_from_a_list_alone_gets_its_score_and_says_so() -> None:
    scorer = SCORER.with_ratings([parse_ratings(CSV, name="L", date=DAY, scale=(0, 1))])
    got = scorer.score("https://sub.unheard-of.com/x")
    assert (got.source_class, got.score, got.band) == ("imported_rating", 90.0, "definitive")
    assert got.confidence == 0.5
    assert SCORER.score("https://sub.unheard-of.com/x").score is None


def test_a_tenant_does_not_inherit_the_rating_of_its_platform() -> None:
    listed = parse_ratings("domain,score\ngithub.io,1\n", name="L", date=DAY, scale=(0, 1))
    scorer = SCORER.with_ratings([listed])
    assert scorer.score("https://someone.github.io/").ratings == ()
    assert scorer.score("https://t.co/x").ratings == ()
    assert scorer.score("http://10.0.0.1/").ratings == ()


def test_the_users_registry_comes_first() -> None:
    text = "# ours\n\nUnheard-of.com\tacademic\t5\tse\tAn institute\tpreprint\nnature.com\tsatire\n"
    scorer = SCORER.with_registry(parse_overrides(text))
    got = scorer.score("https://unheard-of.com/x")
    assert (got.source_class, got.score, got.publisher) == ("academic", 90.0, "An institute")
    assert "preprint" in got.flags
    assert scorer.score("https://nature.com/").source_class == "satire"


@pytest.mark.parametrize(
    ("text", "problem"),
    [("a.com", "line 1"), ("\na.com\tnone", "unknown class"), ("a.com\tgov\tx", "line 1")],
)
def test_an_override_that_cannot_be_says_its_line(text: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        parse_overrides(text)


@given(st.text(max_size=200))
def test_reading_a_list_fails_only_with_bad_input(text: str) -> None:
    for body in (text, "domain,score\n" + text, "{" + text, "[" + text):
        try:
            got = parse_ratings(body, name="L", date=DAY, scale=(0, 100))
        except BadInput:
            continue
        assert all(0 <= value <= 100 for value in got.values.values())
